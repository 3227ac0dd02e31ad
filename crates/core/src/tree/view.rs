//! Reading a tree.

use super::arena::Arena;
use super::net::{Field, Net, NodeChange};
use super::{ElementId, Node, Screen, hash};
use std::sync::Arc;

/// A tree as it looked at one moment.
#[derive(Clone, Debug, Default)]
pub struct TreeView {
    pub(super) arena: Arena,
    pub(super) root: Option<ElementId>,
    pub(super) screen: Arc<Screen>,
}

/// Two views are equal when no reader could tell them apart.
impl PartialEq for TreeView {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
            && self.screen == other.screen
            && self.arena.len() == other.arena.len()
            && self.arena.iter().eq(other.arena.iter())
    }
}

impl TreeView {
    /// The element in which all others lie.
    pub fn root(&self) -> Option<ElementId> {
        self.root
    }

    /// Which screen is shown.
    pub fn screen(&self) -> &Screen {
        &self.screen
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.arena.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element with this id, if it is alive.
    pub fn get(&self, id: ElementId) -> Option<&Node> {
        self.arena.get(id)
    }

    /// Every element with its id, in the order of ids.
    pub fn iter(&self) -> impl Iterator<Item = (ElementId, &Node)> {
        self.arena.iter()
    }

    /// The elements in document order (each before what lies in it), starting with `from`.
    pub fn walk_from(&self, from: ElementId) -> impl Iterator<Item = (ElementId, &Node)> {
        let mut stack = vec![from];
        std::iter::from_fn(move || {
            loop {
                let id = stack.pop()?;
                if let Some(node) = self.get(id) {
                    stack.extend(node.children().iter().rev());
                    return Some((id, node));
                }
            }
        })
    }

    /// All elements in document order.
    pub fn walk(&self) -> impl Iterator<Item = (ElementId, &Node)> {
        self.root.into_iter().flat_map(|root| self.walk_from(root))
    }

    /// The elements around `id`, from its parent to the root.
    pub fn ancestors(&self, id: ElementId) -> impl Iterator<Item = ElementId> {
        std::iter::successors(self.get(id).and_then(Node::parent), |id| self.get(*id).and_then(Node::parent))
    }

    /// Whether `id` is `top` or lies in it.
    pub fn is_within(&self, id: ElementId, top: ElementId) -> bool {
        id == top || self.ancestors(id).any(|a| a == top)
    }

    /// The place of `id` among its siblings.
    pub fn position(&self, id: ElementId) -> Option<usize> {
        let parent = self.get(self.get(id)?.parent()?)?;
        parent.children().iter().position(|c| *c == id)
    }

    /// Document order as a sortable path: the positions from the root down to `id`.
    pub fn path(&self, id: ElementId) -> Vec<usize> {
        let mut path: Vec<usize> =
            std::iter::once(id).chain(self.ancestors(id)).filter_map(|id| self.position(id)).collect();
        path.reverse();
        path
    }

    /// Digest of everything whose change is a qualifying mutation.
    pub fn semantic_hash(&self) -> u64 {
        self.root.and_then(|r| self.get(r)).map_or(0, |n| n.semantic.subtree())
    }

    /// Digest of where everything lies.
    pub fn layout_hash(&self) -> u64 {
        self.root.and_then(|r| self.get(r)).map_or(0, |n| n.layout.subtree())
    }

    /// Both digests of the subtree of `id`: semantic, layout.
    pub fn subtree_hashes(&self, id: ElementId) -> Option<(u64, u64)> {
        self.get(id).map(|n| (n.semantic.subtree(), n.layout.subtree()))
    }

    /// Both digests, computed from nothing but the elements: what the incremental ones must equal.
    pub fn hashes_from_scratch(&self) -> (u64, u64) {
        struct Frame<'a> {
            node: &'a Node,
            next: usize,
            children: (u64, u64),
        }
        let frame = |id: ElementId| self.get(id).map(|node| Frame { node, next: 0, children: (0, 0) });
        let Some(mut top) = self.root.and_then(frame) else { return (0, 0) };
        let mut above: Vec<Frame<'_>> = Vec::new();
        loop {
            if let Some(child) = top.node.children().get(top.next) {
                if let Some(below) = frame(*child) {
                    above.push(std::mem::replace(&mut top, below));
                } else {
                    top.next += 1;
                }
                continue;
            }
            let semantic = hash::mix(hash::semantic(top.node), top.children.0);
            let layout = hash::mix(hash::layout(top.node), top.children.1);
            let Some(mut parent) = above.pop() else { return (semantic, layout) };
            let weight = hash::power(parent.next);
            parent.children.0 = parent.children.0.wrapping_add(semantic.wrapping_mul(weight));
            parent.children.1 = parent.children.1.wrapping_add(layout.wrapping_mul(weight));
            parent.next += 1;
            top = parent;
        }
    }

    /// The view with a net change applied, or taken back.
    pub(crate) fn replay(&self, net: &Net, forward: bool) -> TreeView {
        let mut view = self.clone();
        for (id, change) in &net.nodes {
            match change {
                NodeChange::Added(node) if forward => view.revive(*id, node),
                NodeChange::Removed(node) if !forward => view.revive(*id, node),
                NodeChange::Added(_) | NodeChange::Removed(_) => {
                    view.arena.remove(*id);
                }
                NodeChange::Changed(fields) => view.alter(*id, fields, forward),
            }
        }
        if let Some((old, new)) = &net.screen {
            view.screen = Arc::new(if forward { new } else { old }.clone());
        }
        if view.root.is_some_and(|root| view.get(root).is_none()) {
            view.root = None;
        }
        view
    }

    fn alter(&mut self, id: ElementId, fields: &[Field], forward: bool) {
        let Some(node) = self.arena.get_mut(id) else { return };
        if forward {
            for field in fields {
                field.apply_to(node, true);
            }
        } else {
            for field in fields.iter().rev() {
                field.apply_to(node, false);
            }
        }
        if node.parent.is_none() {
            self.root = Some(id);
        }
    }

    fn revive(&mut self, id: ElementId, node: &Node) {
        if node.parent.is_none() {
            self.root = Some(id);
        }
        self.arena.insert(id, node.clone());
    }
}
