//! Where nodes live. Pages are shared between the mirror and its snapshots and copied when one of them changes,
//! so that taking a snapshot costs one reference count, and a change after it copies a few nodes, not the tree.

use super::{ElementId, Node};
use std::sync::Arc;

const PAGE: usize = 16;
const PAGES: usize = 64;

/// Sixteen neighbouring ids; only those that are alive take room.
#[derive(Clone, Debug, Default)]
struct Page {
    present: u16,
    nodes: Vec<Node>,
}

impl Page {
    fn rank(&self, slot: usize) -> usize {
        (self.present & ((1 << slot) - 1)).count_ones() as usize
    }

    fn has(&self, slot: usize) -> bool {
        self.present & (1 << slot) != 0
    }
}

type Block = [Option<Arc<Page>>; PAGES];

/// All living nodes by id. Cloning it is cheap and gives an independent copy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena {
    blocks: Arc<Vec<Option<Arc<Block>>>>,
    len: usize,
}

fn place(id: ElementId) -> (usize, usize, usize) {
    let n = id.get() as usize;
    (n / (PAGE * PAGES), n / PAGE % PAGES, n % PAGE)
}

impl Arena {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, id: ElementId) -> Option<&Node> {
        let (block, page, slot) = place(id);
        let page = self.blocks.get(block)?.as_ref()?[page].as_ref()?;
        if page.has(slot) { page.nodes.get(page.rank(slot)) } else { None }
    }

    pub(crate) fn get_mut(&mut self, id: ElementId) -> Option<&mut Node> {
        let (block, page, slot) = place(id);
        // Look before touching: a miss must not copy shared pages.
        self.get(id)?;
        let block = Arc::make_mut(Arc::make_mut(&mut self.blocks).get_mut(block)?.as_mut()?);
        let page = Arc::make_mut(block[page].as_mut()?);
        let rank = page.rank(slot);
        page.nodes.get_mut(rank)
    }

    pub(crate) fn insert(&mut self, id: ElementId, node: Node) {
        let (block, page, slot) = place(id);
        let blocks = Arc::make_mut(&mut self.blocks);
        if blocks.len() <= block {
            blocks.resize(block + 1, None);
        }
        let block = blocks[block].get_or_insert_with(|| Arc::new(std::array::from_fn(|_| None)));
        let page = Arc::make_mut(Arc::make_mut(block)[page].get_or_insert_default());
        let rank = page.rank(slot);
        if page.has(slot) {
            page.nodes[rank] = node;
        } else {
            page.nodes.insert(rank, node);
            page.present |= 1 << slot;
            self.len += 1;
        }
    }

    pub(crate) fn remove(&mut self, id: ElementId) -> Option<Node> {
        self.get(id)?;
        let (block_no, page_no, slot) = place(id);
        let block = Arc::make_mut(Arc::make_mut(&mut self.blocks).get_mut(block_no)?.as_mut()?);
        let page = Arc::make_mut(block[page_no].as_mut()?);
        let rank = page.rank(slot);
        let node = page.nodes.remove(rank);
        page.present &= !(1 << slot);
        if page.nodes.is_empty() {
            block[page_no] = None;
            if block.iter().all(Option::is_none) {
                Arc::make_mut(&mut self.blocks)[block_no] = None;
            }
        }
        self.len -= 1;
        Some(node)
    }

    /// Every living node with its id, in the order of ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ElementId, &Node)> {
        self.blocks.iter().enumerate().flat_map(|(b, block)| {
            block.iter().flat_map(move |block| {
                block.iter().enumerate().flat_map(move |(p, page)| {
                    page.iter().flat_map(move |page| {
                        let slots = (0..PAGE).filter(|s| page.has(*s));
                        slots.zip(&page.nodes).filter_map(move |(slot, node)| {
                            let n = (b * PAGES + p) * PAGE + slot;
                            Some((ElementId::new(n as u32)?, node))
                        })
                    })
                })
            })
        })
    }
}
