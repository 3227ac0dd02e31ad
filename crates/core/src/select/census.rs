//! Who is on a screen, by name, by words and by role: from the indices of the living tree, or taken once from a view,
//! which has none of its own.

use super::matching::spoken;
use crate::tree::{ElementId, Node, Role, Tree, TreeView, hash};
use hashbrown::HashTable;

pub(super) enum Census<'t> {
    Living(&'t Tree),
    Taken(Tables<'t>),
}

/// Tables of ids; what they are ids of is read from the view.
pub(super) struct Tables<'t> {
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
    /// Looks at every element once.
    pub(super) fn of_view(view: &'t TreeView) -> Self {
        Census::Taken(Tables::new(view))
    }

    pub(super) fn view(&self) -> &'t TreeView {
        match self {
            Census::Living(tree) => tree,
            Census::Taken(tables) => tables.view,
        }
    }

    /// Elements with this stable id or test tag.
    pub(super) fn named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = ElementId> + 's {
        let (living, taken) = self.both();
        let taken = taken.map(|tables| {
            tables.find(&tables.names, name, move |node| names(node).any(|other| other == name))
        });
        one_of(living.map(|tree| tree.named(name)), taken)
    }

    /// Elements with this exact label or text.
    pub(super) fn speaking<'s>(&'s self, word: &'s str) -> impl Iterator<Item = ElementId> + 's {
        let (living, taken) = self.both();
        let taken = taken.map(|tables| {
            tables.find(&tables.words, word, move |node| spoken(node).any(|other| other == word))
        });
        one_of(living.map(|tree| tree.speaking(word)), taken)
    }

    /// Elements of this role.
    pub(super) fn of_role(&self, role: Role) -> impl Iterator<Item = ElementId> {
        let (living, taken) = self.both();
        let taken = taken.map(|tables| tables.roles[role as usize].iter().copied());
        one_of(living.map(|tree| tree.by_role(role)), taken)
    }

    /// Exactly one of them is there.
    fn both(&self) -> (Option<&'t Tree>, Option<&Tables<'t>>) {
        match self {
            Census::Living(tree) => (Some(tree), None),
            Census::Taken(tables) => (None, Some(tables)),
        }
    }
}

/// The elements of whichever list is there.
fn one_of<T>(
    one: Option<impl Iterator<Item = T>>,
    other: Option<impl Iterator<Item = T>>,
) -> impl Iterator<Item = T> {
    one.into_iter().flatten().chain(other.into_iter().flatten())
}

impl<'t> Tables<'t> {
    fn new(view: &'t TreeView) -> Self {
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
        Tables { view, names: by_name, words: by_word, roles }
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
