//! Short ways to elements: by platform key, stable id or tag, role, label or text, and to those that are not done.
//!
//! The tables hold only ids; what they are ids *of* is read from the arena, so an entry costs a few bytes.

use super::arena::Arena;
use super::{ElementId, NativeKey, Node, Role, State, hash};
use hashbrown::HashTable;
use std::collections::BTreeSet;

#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    keys: HashTable<ElementId>,
    names: HashTable<Entry>,
    words: HashTable<Entry>,
    roles: Vec<HashTable<ElementId>>,
    unfinished: BTreeSet<ElementId>,
}

/// An element by the digest of a text. Half a digest is kept, so that an entry takes eight bytes; who is found by it
/// is asked for the text itself.
type Entry = (u32, ElementId);

/// Spreads half a digest over all the bits that a table looks at.
fn spread(half: u32) -> u64 {
    u64::from(half).wrapping_mul(hash::BASE)
}

fn key_hash(key: NativeKey) -> u64 {
    hash::mix(key.0, 0x51)
}

fn id_hash(id: ElementId) -> u64 {
    hash::mix(u64::from(id.get()), 0x52)
}

fn name_hash(name: &str) -> u32 {
    hash::of_text(0x53, name) as u32
}

fn word_hash(word: &str) -> u32 {
    hash::of_text(0x54, word) as u32
}

fn names(node: &Node) -> impl Iterator<Item = &str> {
    let tag = node.test_tag().filter(|t| Some(*t) != node.stable_id());
    node.stable_id().into_iter().chain(tag)
}

fn words(node: &Node) -> impl Iterator<Item = &str> {
    let text = node.text().filter(|t| Some(*t) != node.label());
    node.label().into_iter().chain(text)
}

/// Busy, or named as the grey box where something will be.
fn is_unfinished(node: &Node) -> bool {
    let names_skeleton =
        |name: &str| name.split(['-', '_', ' ']).any(|word| word.eq_ignore_ascii_case("skeleton"));
    node.states().is(State::Busy) || names(node).any(names_skeleton)
}

fn add(table: &mut HashTable<Entry>, half: u32, id: ElementId) {
    table.insert_unique(spread(half), (half, id), |e| spread(e.0));
}

fn remove(table: &mut HashTable<Entry>, half: u32, id: ElementId) {
    if let Ok(entry) = table.find_entry(spread(half), |e| *e == (half, id)) {
        entry.remove();
    }
}

impl Index {
    /// Enters a node that is in the arena already.
    pub(crate) fn add(&mut self, arena: &Arena, id: ElementId, node: &Node) {
        let rehash = |other: &ElementId| arena.get(*other).map_or(0, |n| key_hash(n.key));
        self.keys.insert_unique(key_hash(node.key), id, rehash);
        self.add_names(id, node);
        self.add_words(id, node);
        self.add_role(id, node.role());
        self.add_unfinished(id, node);
    }

    pub(crate) fn remove(&mut self, id: ElementId, node: &Node) {
        if let Ok(entry) = self.keys.find_entry(key_hash(node.key), |other| *other == id) {
            entry.remove();
        }
        self.remove_names(id, node);
        self.remove_words(id, node);
        self.remove_role(id, node.role());
        self.unfinished.remove(&id);
    }

    pub(crate) fn add_names(&mut self, id: ElementId, node: &Node) {
        names(node).for_each(|name| add(&mut self.names, name_hash(name), id));
    }

    pub(crate) fn remove_names(&mut self, id: ElementId, node: &Node) {
        names(node).for_each(|name| remove(&mut self.names, name_hash(name), id));
    }

    pub(crate) fn add_words(&mut self, id: ElementId, node: &Node) {
        words(node).for_each(|word| add(&mut self.words, word_hash(word), id));
    }

    pub(crate) fn remove_words(&mut self, id: ElementId, node: &Node) {
        words(node).for_each(|word| remove(&mut self.words, word_hash(word), id));
    }

    pub(crate) fn add_role(&mut self, id: ElementId, role: Role) {
        let slot = role as usize;
        if self.roles.len() <= slot {
            self.roles.resize_with(slot + 1, HashTable::new);
        }
        self.roles[slot].insert_unique(id_hash(id), id, |e| id_hash(*e));
    }

    pub(crate) fn remove_role(&mut self, id: ElementId, role: Role) {
        if let Some(table) = self.roles.get_mut(role as usize)
            && let Ok(entry) = table.find_entry(id_hash(id), |e| *e == id)
        {
            entry.remove();
        }
    }

    pub(crate) fn add_unfinished(&mut self, id: ElementId, node: &Node) {
        if is_unfinished(node) {
            self.unfinished.insert(id);
        }
    }

    /// Looks anew whether an element is done.
    pub(crate) fn renew_unfinished(&mut self, id: ElementId, node: &Node) {
        self.unfinished.remove(&id);
        self.add_unfinished(id, node);
    }

    /// The element behind a platform key.
    pub(crate) fn by_key(&self, arena: &Arena, key: NativeKey) -> Option<ElementId> {
        let found = self.keys.find(key_hash(key), |id| arena.get(*id).is_some_and(|n| n.key == key));
        found.copied()
    }

    /// Elements with this stable id or test tag, in no particular order.
    pub(crate) fn by_name<'s>(
        &'s self,
        arena: &'s Arena,
        name: &'s str,
    ) -> impl Iterator<Item = ElementId> + 's {
        let half = name_hash(name);
        let hits = self.names.iter_hash(spread(half)).filter(move |e| e.0 == half).map(|e| e.1);
        hits.filter(move |id| arena.get(*id).is_some_and(|n| names(n).any(|w| w == name)))
    }

    /// Elements with this exact label or text, in no particular order.
    pub(crate) fn by_word<'s>(
        &'s self,
        arena: &'s Arena,
        word: &'s str,
    ) -> impl Iterator<Item = ElementId> + 's {
        let half = word_hash(word);
        let hits = self.words.iter_hash(spread(half)).filter(move |e| e.0 == half).map(|e| e.1);
        hits.filter(move |id| arena.get(*id).is_some_and(|n| words(n).any(|w| w == word)))
    }

    /// Elements of this role, in no particular order.
    pub(crate) fn by_role(&self, role: Role) -> impl Iterator<Item = ElementId> {
        self.roles.get(role as usize).into_iter().flat_map(|t| t.iter().copied())
    }

    /// Elements that say that they are not done, in the order of their ids.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = ElementId> {
        self.unfinished.iter().copied()
    }

    pub(crate) fn count_of_role(&self, role: Role) -> usize {
        self.roles.get(role as usize).map_or(0, HashTable::len)
    }
}
