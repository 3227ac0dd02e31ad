//! The mirror's copy of an app's accessibility tree.
//!
//! A [`Tree`] changes only through [`Change`]s. A [`TreeView`] is what it looked like at one moment: cheap to take,
//! immutable, independent of what happens later.

mod apply;
mod arena;
mod change;
pub(crate) mod hash;
mod id;
mod index;
pub(crate) mod net;
pub(crate) mod node;
mod rebind;
mod rect;
mod replace;
mod role;
mod state;
mod view;

pub use change::{Change, NewNode, Screen};
pub use id::{ElementId, NativeKey, NotAnElementId};
pub use node::{Node, Prop, Props, Str, ValueRange};
pub use rect::Rect;
pub use role::Role;
pub use state::{State, StateValue, States};
pub use view::TreeView;

use index::Index;
use net::Net;
use std::ops::Deref;

/// How much of an app is mirrored (SPEC §2, "Bounds on work").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// At most this many nodes are mirrored in one session.
    pub max_nodes: usize,
    /// A container that reports more children than this is mirrored by its on-screen window.
    pub max_children: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_nodes: 50_000, max_children: 1_000 }
    }
}

/// The living tree with its indices.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    view: TreeView,
    index: Index,
    limits: Limits,
    last_id: u32,
    net: Net,
    ignored: usize,
}

impl Tree {
    /// An empty tree.
    pub fn new(limits: Limits) -> Self {
        Tree { limits, ..Tree::default() }
    }

    /// A tree with the content of a view and indices of its own, to search in what used to be.
    pub fn of_view(view: &TreeView) -> Self {
        let mut index = Index::default();
        for (id, node) in view.iter() {
            index.add(&view.arena, id, node);
        }
        let last_id = view.iter().map(|(id, _)| id.get()).max().unwrap_or_default();
        Tree { view: view.clone(), index, last_id, ..Tree::default() }
    }

    /// What it looks like now. Costs a few reference counts.
    pub fn view(&self) -> TreeView {
        self.view.clone()
    }

    /// The element behind a platform key.
    pub fn by_key(&self, key: NativeKey) -> Option<ElementId> {
        self.index.by_key(&self.view.arena, key)
    }

    /// Elements whose stable id or test tag is `name`, in the order of their ids.
    pub fn by_stable_id(&self, name: &str) -> Vec<ElementId> {
        in_order(self.named(name))
    }

    /// The same in no particular order, one by one.
    pub(crate) fn named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = ElementId> + 's {
        self.index.by_name(&self.view.arena, name)
    }

    /// Elements whose exact label or text is `word`, in the order of their ids.
    pub fn by_label(&self, word: &str) -> Vec<ElementId> {
        in_order(self.speaking(word))
    }

    /// The same in no particular order, one by one.
    pub(crate) fn speaking<'s>(&'s self, word: &'s str) -> impl Iterator<Item = ElementId> + 's {
        self.index.by_word(&self.view.arena, word)
    }

    /// Elements of this role, in no particular order.
    pub fn by_role(&self, role: Role) -> impl Iterator<Item = ElementId> {
        self.index.by_role(role)
    }

    /// Elements that are busy, or that a developer named as the skeleton of what will be, in the order of their ids.
    pub fn unfinished(&self) -> impl Iterator<Item = ElementId> {
        self.index.unfinished()
    }

    /// How many elements have this role.
    pub fn count_of_role(&self, role: Role) -> usize {
        self.index.count_of_role(role)
    }

    /// The highest id that was ever given out, so that a caller can tell a dead id from one that never was.
    pub fn last_id(&self) -> u32 {
        self.last_id
    }

    /// Whether `id` was given out once and its element is gone.
    pub fn is_dead(&self, id: ElementId) -> bool {
        id.get() <= self.last_id && self.view.get(id).is_none()
    }

    /// The limits that it keeps.
    pub fn limits(&self) -> Limits {
        self.limits
    }
}

fn in_order(ids: impl Iterator<Item = ElementId>) -> Vec<ElementId> {
    let mut ids: Vec<ElementId> = ids.collect();
    ids.sort_unstable();
    ids
}

impl Deref for Tree {
    type Target = TreeView;
    fn deref(&self) -> &TreeView {
        &self.view
    }
}
