//! The change between two revisions, as others may read it.

use super::Revision;
use crate::tree::net::{Field, Net, NodeChange};
use crate::tree::{ElementId, Node, Prop, TreeView};

/// The change from one revision to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Delta {
    base: Revision,
    target: Revision,
    net: Net,
}

/// An element that came and went between the two revisions: a toast.
#[derive(Clone, Copy, Debug)]
pub struct Transient<'a> {
    /// The id that it had.
    pub id: ElementId,
    /// What it was.
    pub node: &'a Node,
}

/// One field that differs, old and new.
#[derive(Clone, Copy, Debug)]
pub enum FieldChange<'a> {
    /// A property.
    Prop(&'a Prop, &'a Prop),
    /// It lies in another element.
    Moved(Option<ElementId>, Option<ElementId>),
    /// Its children are others, or in another order.
    Children(&'a [ElementId], &'a [ElementId]),
    /// The content of a protected element; what it is, is not told.
    Secret,
}

impl Delta {
    pub(super) fn new(base: Revision, target: Revision, mut net: Net) -> Self {
        net.blot();
        Delta { base, target, net }
    }

    /// Where it starts.
    pub fn base(&self) -> Revision {
        self.base
    }

    /// Where it leads.
    pub fn target(&self) -> Revision {
        self.target
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.net.is_empty()
    }

    /// Elements that were not there before, in the order of their ids.
    pub fn added(&self) -> impl Iterator<Item = (ElementId, &Node)> {
        self.net.nodes.iter().filter_map(|(id, c)| match c {
            NodeChange::Added(node) => Some((*id, &**node)),
            _ => None,
        })
    }

    /// Elements that are gone, as they were.
    pub fn removed(&self) -> impl Iterator<Item = (ElementId, &Node)> {
        self.net.nodes.iter().filter_map(|(id, c)| match c {
            NodeChange::Removed(node) => Some((*id, &**node)),
            _ => None,
        })
    }

    /// Elements that are still there, with the fields that differ.
    pub fn changed(&self) -> impl Iterator<Item = (ElementId, impl Iterator<Item = FieldChange<'_>>)> {
        self.net.nodes.iter().filter_map(|(id, c)| match c {
            NodeChange::Changed(fields) => Some((
                *id,
                fields.iter().filter_map(|f| match f {
                    Field::Prop { old, new } => Some(FieldChange::Prop(old, new)),
                    Field::Parent { old, new } => Some(FieldChange::Moved(*old, *new)),
                    Field::Children { old, new } => {
                        Some(FieldChange::Children(old.as_slice(), new.as_slice()))
                    }
                    Field::Veiled { .. } => Some(FieldChange::Secret),
                    Field::Window { .. } => None,
                }),
            )),
            _ => None,
        })
    }

    /// Elements that came and went in between.
    pub fn transient(&self) -> impl Iterator<Item = Transient<'_>> {
        self.net.passed.iter().map(|p| Transient { id: p.id, node: &p.node })
    }

    /// Whether another screen is shown.
    pub fn screen_changed(&self) -> bool {
        self.net.screen.is_some()
    }

    /// Whether it touches this element in any way.
    pub fn touches(&self, id: ElementId) -> bool {
        self.net.nodes.contains_key(&id)
    }

    /// The tree that it leads to, from the one that it starts at.
    pub fn apply(&self, base: &TreeView) -> TreeView {
        base.replay(&self.net, true)
    }

    /// The tree that it starts at, from the one that it leads to. What is protected by now is blotted out in it.
    pub fn rewind(&self, target: &TreeView) -> TreeView {
        target.replay(&self.net, false)
    }
}
