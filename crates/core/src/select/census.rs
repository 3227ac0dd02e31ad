//! Who is on a screen, by name, by words and by role: taken once, from a view that has no indices of its own.

use super::matching::spoken;
use crate::tree::{ElementId, Node, Role, TreeView, hash};
use hashbrown::HashTable;

/// Tables of ids; what they are ids of is read from the view.
pub(super) struct Census<'t> {
    view: &'t TreeView,
    names: HashTable<(u64, ElementId)>,
    words: HashTable<(u64, ElementId)>,
    roles: Vec<Vec<ElementId>>,
}

fn digest(text: &str) -> u64 {
    hash::of_text(0x5e_1ec7, text)
}

/// Stable id and test tag of an element.
fn names(node: &Node) -> impl Iterator<Item = &str> {
    let tag = node.test_tag().filter(|t| Some(*t) != node.stable_id());
    node.stable_id().into_iter().chain(tag)
}

impl<'t> Census<'t> {
    pub(super) fn new(view: &'t TreeView) -> Self {
        let room = || HashTable::with_capacity(view.len());
        let mut roles = vec![Vec::new(); Role::ALL.len()];
        let (mut by_name, mut by_word) = (room(), room());
        for (id, node) in view.iter() {
            for name in names(node) {
                let key = digest(name);
                by_name.insert_unique(key, (key, id), |entry| entry.0);
            }
            for word in spoken(node) {
                let key = digest(word);
                by_word.insert_unique(key, (key, id), |entry| entry.0);
            }
            roles[node.role() as usize].push(id);
        }
        Census { view, names: by_name, words: by_word, roles }
    }

    pub(super) fn view(&self) -> &'t TreeView {
        self.view
    }

    /// Elements with this stable id or test tag.
    pub(super) fn named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = ElementId> + 's {
        self.find(&self.names, name, move |node| names(node).any(|n| n == name))
    }

    /// Elements with this exact label or text.
    pub(super) fn speaking<'s>(&'s self, word: &'s str) -> impl Iterator<Item = ElementId> + 's {
        self.find(&self.words, word, move |node| spoken(node).any(|w| w == word))
    }

    /// Elements of this role.
    pub(super) fn of_role(&self, role: Role) -> &[ElementId] {
        &self.roles[role as usize]
    }

    fn find<'s>(
        &'s self,
        table: &'s HashTable<(u64, ElementId)>,
        text: &str,
        is_meant: impl Fn(&Node) -> bool + 's,
    ) -> impl Iterator<Item = ElementId> + 's {
        let key = digest(text);
        let hits = table.iter_hash(key).filter(move |entry| entry.0 == key).map(|entry| entry.1);
        hits.filter(move |id| self.view.get(*id).is_some_and(&is_meant))
    }
}
