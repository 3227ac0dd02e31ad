//! The net effect of changes: what is different between two states of a tree, each side told.
//!
//! Because old and new values are both kept, a net change can be applied, rewound, and joined with the next one.

use super::node::{BLOT, Children, Veil};
use super::{ElementId, Node, Prop, Screen, State, StateValue};
use std::collections::BTreeMap;
use std::mem::discriminant;

/// One field of one element: what it was, and what it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Field {
    Prop {
        old: Prop,
        new: Prop,
    },
    Parent {
        old: Option<ElementId>,
        new: Option<ElementId>,
    },
    Window {
        old: Option<ElementId>,
        new: Option<ElementId>,
    },
    Children {
        old: Children,
        new: Children,
    },
    /// The digests of a protected element's content, which itself is never kept.
    Veiled {
        old: Veil,
        new: Veil,
    },
}

impl Field {
    /// Whether the two are about the same field.
    pub(crate) fn same_field(&self, other: &Field) -> bool {
        match (self, other) {
            (Field::Prop { old: a, .. }, Field::Prop { old: b, .. }) => match (a, b) {
                (Prop::State(a, _), Prop::State(b, _)) => a == b,
                _ => discriminant(a) == discriminant(b),
            },
            _ => discriminant(self) == discriminant(other),
        }
    }

    pub(crate) fn is_noop(&self) -> bool {
        match self {
            Field::Prop { old, new } => old == new,
            Field::Parent { old, new } | Field::Window { old, new } => old == new,
            Field::Children { old, new } => old == new,
            Field::Veiled { old, new } => old == new,
        }
    }

    /// Takes over the outcome of a later change of the same field.
    fn then(&mut self, later: Field) {
        match (self, later) {
            (Field::Prop { new, .. }, Field::Prop { new: n, .. }) => *new = n,
            (Field::Parent { new, .. }, Field::Parent { new: n, .. })
            | (Field::Window { new, .. }, Field::Window { new: n, .. }) => *new = n,
            (Field::Children { new, .. }, Field::Children { new: n, .. }) => *new = n,
            (Field::Veiled { new, .. }, Field::Veiled { new: n, .. }) => *new = n,
            // `same_field` was checked by the caller.
            _ => debug_assert!(false, "two different fields were joined"),
        }
    }

    /// Blots out the old side of content.
    fn blot(&mut self) {
        if let Field::Prop { old, .. } = self {
            match old {
                Prop::Text(text) | Prop::Value(text) if text.is_some() => *text = Some(BLOT.into()),
                Prop::RawValue(number) if number.is_some() => *number = Some(0.0),
                _ => {}
            }
        }
    }

    pub(crate) fn apply_to(&self, node: &mut Node, forward: bool) {
        match self {
            Field::Prop { old, new } => {
                node.props.set(if forward { new } else { old }.clone());
            }
            Field::Parent { old, new } => node.parent = if forward { *new } else { *old },
            Field::Window { old, new } => node.window = if forward { *new } else { *old },
            Field::Children { old, new } => node.children = if forward { new } else { old }.clone(),
            Field::Veiled { old, new } => node.props.set_veil(if forward { *new } else { *old }),
        }
    }
}

/// What happened to one element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NodeChange {
    Added(Box<Node>),
    /// With the node as it was before.
    Removed(Box<Node>),
    Changed(Vec<Field>),
}

/// An element that came and went between the two states.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Passed {
    pub(crate) id: ElementId,
    pub(crate) node: Box<Node>,
}

/// The difference between two states of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Net {
    pub(crate) nodes: BTreeMap<ElementId, NodeChange>,
    pub(crate) passed: Vec<Passed>,
    pub(crate) screen: Option<(Screen, Screen)>,
}

/// At most this many elements that came and went are remembered in one net change.
const MAX_PASSED: usize = 64;

impl Net {
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.passed.is_empty() && self.screen.is_none()
    }

    pub(crate) fn added(&mut self, id: ElementId, node: Node) {
        let node = match self.nodes.remove(&id) {
            // The same element is back: only what differs is a change.
            Some(NodeChange::Removed(before)) => {
                let fields = differences(&before, &node);
                if !fields.is_empty() {
                    self.nodes.insert(id, NodeChange::Changed(fields));
                }
                return;
            }
            _ => Box::new(node),
        };
        self.nodes.insert(id, NodeChange::Added(node));
    }

    pub(crate) fn removed(&mut self, id: ElementId, node: Node) {
        match self.nodes.remove(&id) {
            Some(NodeChange::Added(_)) => self.pass(Passed { id, node: Box::new(node) }),
            Some(NodeChange::Changed(fields)) => {
                let mut before = node;
                let secret = before.is_protected();
                for field in fields.iter().rev() {
                    field.apply_to(&mut before, false);
                }
                if secret {
                    before.props.blot();
                }
                self.nodes.insert(id, NodeChange::Removed(Box::new(before)));
            }
            Some(NodeChange::Removed(before)) => {
                self.nodes.insert(id, NodeChange::Removed(before));
            }
            None => {
                self.nodes.insert(id, NodeChange::Removed(Box::new(node)));
            }
        }
    }

    pub(crate) fn changed(&mut self, id: ElementId, field: Field) {
        match self.nodes.entry(id).or_insert_with(|| NodeChange::Changed(Vec::with_capacity(1))) {
            NodeChange::Added(node) => field.apply_to(node, true),
            NodeChange::Removed(_) => debug_assert!(false, "a removed element changed"),
            NodeChange::Changed(fields) => match fields.iter_mut().find(|f| f.same_field(&field)) {
                Some(known) => known.then(field),
                None => fields.push(field),
            },
        }
    }

    pub(crate) fn screen(&mut self, old: Screen, new: Screen) {
        match &mut self.screen {
            Some(known) => known.1 = new,
            None => self.screen = Some((old, new)),
        }
    }

    fn pass(&mut self, passed: Passed) {
        if self.passed.len() < MAX_PASSED {
            self.passed.push(passed);
        }
    }

    /// Joins what happened next. Changes that cancel out stay recorded until [`Net::drop_noops`].
    pub(crate) fn join(&mut self, later: Net) {
        for (id, change) in later.nodes {
            match change {
                NodeChange::Added(node) => self.added(id, *node),
                NodeChange::Removed(node) => self.removed(id, *node),
                NodeChange::Changed(fields) => {
                    for field in fields {
                        self.changed(id, field);
                    }
                }
            }
        }
        for passed in later.passed {
            self.pass(passed);
        }
        if let Some((old, new)) = later.screen {
            self.screen(old, new);
        }
    }

    /// Drops fields that ended as they began, except those that `keep` names.
    pub(crate) fn drop_noops(&mut self, keep: Option<&Net>) {
        let kept = |id: &ElementId, field: &Field| {
            let Some(NodeChange::Changed(fields)) = keep.and_then(|k| k.nodes.get(id)) else { return false };
            fields.iter().any(|f| f.same_field(field))
        };
        self.nodes.retain(|id, change| match change {
            NodeChange::Changed(fields) => {
                fields.retain(|f| !f.is_noop() || kept(id, f));
                !fields.is_empty()
            }
            _ => true,
        });
        if self.screen.as_ref().is_some_and(|(old, new)| old == new)
            && keep.is_none_or(|k| k.screen.is_none())
        {
            self.screen = None;
        }
    }

    /// Blots out what elements showed that are protected by now: nobody may read it from the past.
    pub(crate) fn blot(&mut self) {
        for change in self.nodes.values_mut() {
            let NodeChange::Changed(fields) = change else { continue };
            let is_veiled = |f: &Field| {
                matches!(f, Field::Prop { new: Prop::State(State::Protected, Some(StateValue::On)), .. })
            };
            if fields.iter().any(is_veiled) {
                fields.iter_mut().for_each(Field::blot);
            }
        }
    }

    /// A rough count of the bytes that it holds.
    pub(crate) fn weight(&self) -> usize {
        let fields = |fields: &Vec<Field>| -> usize {
            fields
                .iter()
                .map(|f| match f {
                    Field::Children { old, new } => 96 + 4 * (old.as_slice().len() + new.as_slice().len()),
                    Field::Prop { old: Prop::Text(a), new: Prop::Text(b) } => {
                        96 + a.as_ref().map_or(0, |s| s.len()) + b.as_ref().map_or(0, |s| s.len())
                    }
                    _ => 120,
                })
                .sum()
        };
        let node = |n: &Node| 240 + 4 * n.children().len() + n.text().map_or(0, str::len);
        let nodes: usize = self
            .nodes
            .values()
            .map(|c| match c {
                NodeChange::Added(n) | NodeChange::Removed(n) => node(n),
                NodeChange::Changed(f) => 48 + fields(f),
            })
            .sum();
        nodes + self.passed.iter().map(|p| node(&p.node)).sum::<usize>()
    }
}

/// The fields in which two versions of one element differ.
pub(crate) fn differences(old: &Node, new: &Node) -> Vec<Field> {
    let mut fields: Vec<Field> =
        prop_differences(&old.props, &new.props).map(|(old, new)| Field::Prop { old, new }).collect();
    if old.veil() != new.veil() {
        fields.push(Field::Veiled { old: old.veil(), new: new.veil() });
    }
    if old.parent != new.parent {
        fields.push(Field::Parent { old: old.parent, new: new.parent });
    }
    if old.window != new.window {
        fields.push(Field::Window { old: old.window, new: new.window });
    }
    if old.children != new.children {
        fields.push(Field::Children { old: old.children.clone(), new: new.children.clone() });
    }
    fields
}

/// The properties in which two versions of one element differ, old and new, in an order in which they can be set:
/// what is protected takes no content, so its protection falls first, or comes last.
pub(crate) fn prop_differences<'a>(
    old: &'a super::Props,
    new: &'a super::Props,
) -> impl Iterator<Item = (Prop, Prop)> + 'a {
    let arc = |a: &[super::Str]| std::sync::Arc::<[super::Str]>::from(a);
    let pairs = [
        (old.role != new.role).then_some((Prop::Role(old.role), Prop::Role(new.role))),
        (old.native_role != new.native_role)
            .then(|| (Prop::NativeRole(old.native_role.clone()), Prop::NativeRole(new.native_role.clone()))),
        (old.stable_id != new.stable_id)
            .then(|| (Prop::StableId(old.stable_id.clone()), Prop::StableId(new.stable_id.clone()))),
        (old.test_tag() != new.test_tag()).then(|| {
            (Prop::TestTag(old.test_tag().map(Into::into)), Prop::TestTag(new.test_tag().map(Into::into)))
        }),
        (old.label != new.label).then(|| (Prop::Label(old.label.clone()), Prop::Label(new.label.clone()))),
        (old.text != new.text).then(|| (Prop::Text(old.text.clone()), Prop::Text(new.text.clone()))),
        (old.value != new.value).then(|| (Prop::Value(old.value.clone()), Prop::Value(new.value.clone()))),
        (old.raw_value() != new.raw_value())
            .then(|| (Prop::RawValue(old.raw_value()), Prop::RawValue(new.raw_value()))),
        (old.value_range() != new.value_range())
            .then(|| (Prop::ValueRange(old.value_range()), Prop::ValueRange(new.value_range()))),
        (old.description() != new.description()).then(|| {
            (
                Prop::Description(old.description().map(Into::into)),
                Prop::Description(new.description().map(Into::into)),
            )
        }),
        (old.bounds != new.bounds).then_some((Prop::Bounds(old.bounds), Prop::Bounds(new.bounds))),
        (old.actions() != new.actions())
            .then(|| (Prop::Actions(arc(old.actions())), Prop::Actions(arc(new.actions())))),
        (old.omitted != new.omitted).then_some((Prop::Omitted(old.omitted), Prop::Omitted(new.omitted))),
    ];
    let states = old
        .states
        .differing(new.states)
        .map(|s| (Prop::State(s, old.states.get(s)), Prop::State(s, new.states.get(s))));
    let falls = |(_, new): &(Prop, Prop)| matches!(new, Prop::State(State::Protected, v) if *v != Some(StateValue::On));
    let (first, last): (Vec<_>, Vec<_>) = states.partition(falls);
    first.into_iter().chain(pairs.into_iter().flatten()).chain(last)
}
