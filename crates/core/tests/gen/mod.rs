//! Random trees and random changes to them, for property tests.
#![allow(dead_code, unreachable_pub)] // each test file uses its own part

use proptest::collection::vec;
use proptest::prelude::*;
use stillpoint_core::tree::{Change, NativeKey, NewNode, Prop, Props, Rect, Role, State, StateValue};

/// Keys come from a small range, so that changes often meet.
pub const KEYS: u64 = 40;

pub fn key() -> impl Strategy<Value = NativeKey> {
    (1..KEYS).prop_map(NativeKey)
}

pub fn role() -> impl Strategy<Value = Role> {
    prop::sample::select(vec![
        Role::Button,
        Role::Textbox,
        Role::Group,
        Role::List,
        Role::ListItem,
        Role::Progressbar,
        Role::Dialog,
        Role::Text,
        Role::Checkbox,
    ])
}

fn word() -> impl Strategy<Value = Option<std::sync::Arc<str>>> {
    prop::option::of(
        prop::sample::select(vec!["Save", "Delete", "Open", "Row", "12:30"]).prop_map(Into::into),
    )
}

/// The name of a grey box where something will be.
pub const SKELETON: &str = "row-skeleton";

fn name() -> impl Strategy<Value = Option<std::sync::Arc<str>>> {
    prop_oneof![4 => word(), 1 => Just(Some(SKELETON.into()))]
}

fn rect() -> impl Strategy<Value = Option<Rect>> {
    prop::option::of((0..4i32, 0..4i32, 0..3i32).prop_map(|(x, y, w)| Rect::new(x * 10, y * 10, w * 10, 10)))
}

/// A property that counts.
pub fn qualifying_prop() -> impl Strategy<Value = Prop> {
    let on = prop::option::of(any::<bool>().prop_map(StateValue::from));
    prop_oneof![
        word().prop_map(Prop::Label),
        word().prop_map(Prop::Text),
        name().prop_map(Prop::StableId),
        word().prop_map(Prop::Description),
        role().prop_map(Prop::Role),
        (
            prop::sample::select(vec![
                State::Enabled,
                State::Visible,
                State::Checked,
                State::Expanded,
                State::Protected
            ]),
            on
        )
            .prop_map(|(s, v)| Prop::State(s, v)),
        word().prop_map(Prop::Value),
    ]
}

/// A property that never counts, whatever the role.
pub fn minor_prop() -> impl Strategy<Value = Prop> {
    let on = prop::option::of(any::<bool>().prop_map(StateValue::from));
    prop_oneof![
        rect().prop_map(Prop::Bounds),
        (prop::sample::select(vec![State::Focused, State::Busy, State::OnScreen, State::Focusable]), on)
            .prop_map(|(s, v)| Prop::State(s, v)),
    ]
}

pub fn props() -> impl Strategy<Value = Props> {
    (role(), word(), word(), word(), rect(), any::<Option<bool>>()).prop_map(
        |(role, label, text, id, bounds, visible)| {
            let mut props = Props::new(role)
                .with(Prop::Label(label))
                .with(Prop::Text(text))
                .with(Prop::StableId(id))
                .with(Prop::Bounds(bounds));
            if let Some(visible) = visible {
                props = props.state(State::Visible, visible);
            }
            props
        },
    )
}

pub fn subtree() -> impl Strategy<Value = NewNode> {
    let leaf = (key(), props()).prop_map(|(key, props)| NewNode::new(key, props));
    leaf.prop_recursive(3, 12, 4, |inner| {
        (key(), props(), vec(inner, 0..4)).prop_map(|(key, props, children)| NewNode { key, props, children })
    })
}

pub fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => (0..KEYS, 0..6usize, subtree())
            .prop_map(|(parent, index, node)| Change::Insert { parent: NativeKey(parent), index, node }),
        2 => key().prop_map(|key| Change::Remove { key }),
        2 => (key(), 0..KEYS, 0..6usize)
            .prop_map(|(key, parent, index)| Change::Move { key, parent: NativeKey(parent), index }),
        4 => (0..KEYS, vec(qualifying_prop(), 1..3))
            .prop_map(|(key, props)| Change::Update { key: NativeKey(key), props }),
        3 => (0..KEYS, vec(minor_prop(), 1..3))
            .prop_map(|(key, props)| Change::Update { key: NativeKey(key), props }),
        1 => subtree().prop_map(Change::Replace),
        1 => word().prop_map(|title| Change::Screen { title, url: None, active: None }),
    ]
}

/// Batches of changes, to be applied one after the other.
pub fn batches() -> impl Strategy<Value = Vec<Vec<Change>>> {
    vec(vec(change(), 1..5), 1..25)
}

/// The tree that every test starts with: a root with a few children.
pub fn seed() -> Change {
    let child = |k: u64, label: &str| {
        NewNode::new(NativeKey(k), Props::new(Role::Group).labelled(label).at(0, 0, 9, 9))
    };
    Change::Replace(
        NewNode::new(NativeKey(0), Props::new(Role::Application).labelled("app").at(0, 0, 99, 99))
            .child(child(1, "one").child(child(11, "inner")))
            .child(child(2, "two"))
            .child(child(3, "three")),
    )
}
