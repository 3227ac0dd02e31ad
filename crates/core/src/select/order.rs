//! Document order for some elements, without walking the whole tree; and tables keyed by element that are quick.

use crate::tree::{ElementId, TreeView, hash};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A quick hasher for keys that nobody chooses to collide: ids, and names on one screen.
#[derive(Default)]
pub(super) struct QuickHasher(u64);

impl Hasher for QuickHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = hash::mix(self.0 ^ chunk.len() as u64, u64::from_le_bytes(word));
        }
    }
    fn write_u8(&mut self, number: u8) {
        self.0 = hash::mix(self.0, u64::from(number));
    }
    fn write_u32(&mut self, number: u32) {
        self.0 = hash::mix(self.0, u64::from(number));
    }
    fn write_usize(&mut self, number: usize) {
        self.0 = hash::mix(self.0, number as u64);
    }
}

pub(super) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;
pub(super) type IdMap<T> = QuickMap<ElementId, T>;

/// A set of elements: one bit for each id, for ids are given out in a row.
#[derive(Clone, Default)]
pub(super) struct IdSet(Vec<u64>);

impl IdSet {
    /// Enters an element; whether it is new.
    pub(super) fn insert(&mut self, id: ElementId) -> bool {
        let (word, bit) = (id.get() as usize / 64, 1 << (id.get() % 64));
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    pub(super) fn contains(&self, id: ElementId) -> bool {
        self.0.get(id.get() as usize / 64).is_some_and(|word| word & (1 << (id.get() % 64)) != 0)
    }
}

impl FromIterator<ElementId> for IdSet {
    fn from_iter<I: IntoIterator<Item = ElementId>>(ids: I) -> Self {
        let mut set = IdSet::default();
        ids.into_iter().for_each(|id| {
            set.insert(id);
        });
        set
    }
}

/// Up to here a path for each element is cheaper than a set of all their ancestors.
const FEW: usize = 4;

/// Sorts elements into document order.
pub(super) fn sort(tree: &TreeView, ids: &mut Vec<ElementId>) {
    if ids.len() < 2 {
        return;
    }
    if ids.len() <= FEW {
        ids.sort_by_cached_key(|id| tree.path(*id));
        return;
    }
    let wanted: IdSet = ids.iter().copied().collect();
    // Ways down to them: only these branches are walked.
    let mut ways = IdSet::default();
    for id in ids.iter() {
        for above in tree.ancestors(*id) {
            if !ways.insert(above) {
                break;
            }
        }
    }
    let mut left = ids.len();
    ids.clear();
    let mut stack: Vec<ElementId> = tree.root().into_iter().collect();
    while let Some(id) = stack.pop() {
        if wanted.contains(id) {
            ids.push(id);
            left -= 1;
            if left == 0 {
                return;
            }
        }
        if ways.contains(id)
            && let Some(node) = tree.get(id)
        {
            let leads = |c: &&ElementId| ways.contains(**c) || wanted.contains(**c);
            stack.extend(node.children().iter().rev().filter(leads));
        }
    }
}
