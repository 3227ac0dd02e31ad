//! Short ways to elements: by platform key, stable id or tag, role, label or text.
//!
//! The tables hold only ids; what they are ids *of* is read from the arena, so an entry costs a few bytes.

use super::arena::Arena;
use super::{ElementId, NativeKey, Node, Role, hash};
use hashbrown::HashTable;

#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    by_key: HashTable<ElementId>,
    by_name: HashTable<(u64, ElementId)>,
    by_word: HashTable<(u64, ElementId)>,
    by_role: Vec<HashTable<ElementId>>,
}

fn key_hash(key: NativeKey) -> u64 {
    hash::mix(key.0, 0x51)
}

fn id_hash(id: ElementId) -> u64 {
    hash::mix(u64::from(id.get()), 0x52)
}

fn name_hash(name: &str) -> u64 {
    hash::of_text(0x53, name)
}

fn word_hash(word: &str) -> u64 {
    hash::of_text(0x54, word)
}

fn names(node: &Node) -> impl Iterator<Item = &str> {
    let tag = node.test_tag().filter(|t| Some(*t) != node.stable_id());
    node.stable_id().into_iter().chain(tag)
}

fn words(node: &Node) -> impl Iterator<Item = &str> {
    let text = node.text().filter(|t| Some(*t) != node.label());
    node.label().into_iter().chain(text)
}

impl Index {
    /// Enters a node that is in the arena already.
    pub(crate) fn add(&mut self, arena: &Arena, id: ElementId, node: &Node) {
        let rehash = |other: &ElementId| arena.get(*other).map_or(0, |n| key_hash(n.key));
        self.by_key.insert_unique(key_hash(node.key), id, rehash);
        self.add_words(id, node);
        self.add_role(id, node.role());
    }

    pub(crate) fn remove(&mut self, id: ElementId, node: &Node) {
        if let Ok(entry) = self.by_key.find_entry(key_hash(node.key), |other| *other == id) {
            entry.remove();
        }
        self.remove_words(id, node);
        self.remove_role(id, node.role());
    }

    pub(crate) fn add_words(&mut self, id: ElementId, node: &Node) {
        for name in names(node) {
            self.by_name.insert_unique(name_hash(name), (name_hash(name), id), |e| e.0);
        }
        for word in words(node) {
            self.by_word.insert_unique(word_hash(word), (word_hash(word), id), |e| e.0);
        }
    }

    pub(crate) fn remove_words(&mut self, id: ElementId, node: &Node) {
        for name in names(node) {
            let hash = name_hash(name);
            if let Ok(entry) = self.by_name.find_entry(hash, |e| *e == (hash, id)) {
                entry.remove();
            }
        }
        for word in words(node) {
            let hash = word_hash(word);
            if let Ok(entry) = self.by_word.find_entry(hash, |e| *e == (hash, id)) {
                entry.remove();
            }
        }
    }

    pub(crate) fn add_role(&mut self, id: ElementId, role: Role) {
        let slot = role as usize;
        if self.by_role.len() <= slot {
            self.by_role.resize_with(slot + 1, HashTable::new);
        }
        self.by_role[slot].insert_unique(id_hash(id), id, |e| id_hash(*e));
    }

    pub(crate) fn remove_role(&mut self, id: ElementId, role: Role) {
        if let Some(table) = self.by_role.get_mut(role as usize)
            && let Ok(entry) = table.find_entry(id_hash(id), |e| *e == id)
        {
            entry.remove();
        }
    }

    /// The element behind a platform key.
    pub(crate) fn by_key(&self, arena: &Arena, key: NativeKey) -> Option<ElementId> {
        let found = self.by_key.find(key_hash(key), |id| arena.get(*id).is_some_and(|n| n.key == key));
        found.copied()
    }

    /// Elements with this stable id or test tag, in the order of their ids.
    pub(crate) fn by_name(&self, arena: &Arena, name: &str) -> Vec<ElementId> {
        let hash = name_hash(name);
        let hits = self.by_name.iter_hash(hash).filter(|e| e.0 == hash).map(|e| e.1);
        let mut hits: Vec<_> =
            hits.filter(|id| arena.get(*id).is_some_and(|n| names(n).any(|w| w == name))).collect();
        hits.sort_unstable();
        hits
    }

    /// Elements with this exact label or text, in the order of their ids.
    pub(crate) fn by_word(&self, arena: &Arena, word: &str) -> Vec<ElementId> {
        let hash = word_hash(word);
        let hits = self.by_word.iter_hash(hash).filter(|e| e.0 == hash).map(|e| e.1);
        let mut hits: Vec<_> =
            hits.filter(|id| arena.get(*id).is_some_and(|n| words(n).any(|w| w == word))).collect();
        hits.sort_unstable();
        hits
    }

    /// Elements of this role, in no particular order.
    pub(crate) fn by_role(&self, role: Role) -> impl Iterator<Item = ElementId> {
        self.by_role.get(role as usize).into_iter().flat_map(|t| t.iter().copied())
    }

    pub(crate) fn count_of_role(&self, role: Role) -> usize {
        self.by_role.get(role as usize).map_or(0, HashTable::len)
    }
}
