//! Document order for a handful of elements, without walking the whole tree.

use crate::tree::{ElementId, TreeView, hash};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A quick hasher for element ids: they are small numbers that nobody chooses to collide.
#[derive(Default)]
pub(super) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = hash::mix(self.0, u64::from(*byte));
        }
    }
    fn write_u32(&mut self, number: u32) {
        self.0 = hash::mix(self.0, u64::from(number));
    }
}

pub(super) type IdSet = HashSet<ElementId, BuildHasherDefault<IdHasher>>;
pub(super) type IdMap<T> = HashMap<ElementId, T, BuildHasherDefault<IdHasher>>;

/// Up to here a path for each element is cheaper than a table of all their ancestors.
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
    let mut ways = wanted.clone();
    for id in ids.iter() {
        for above in tree.ancestors(*id) {
            if !ways.insert(above) && !wanted.contains(&above) {
                break;
            }
        }
    }
    ids.clear();
    let mut stack: Vec<ElementId> = tree.root().into_iter().collect();
    while let Some(id) = stack.pop() {
        if wanted.contains(&id) {
            ids.push(id);
        }
        if let Some(node) = tree.get(id) {
            stack.extend(node.children().iter().rev().filter(|c| ways.contains(c)));
        }
    }
}
