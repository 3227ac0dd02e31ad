//! Screens as text: one element a line, indented under what encloses it. Each line is written as a selector, for a
//! selector can say everything that a test needs an element to be.
//!
//! ```text
//! window "App"
//!   button#save "Save"[enabled=false] @10,20,80,30
//!   textbox "Name"[value="Ada"] tag=name_field
//! ```
#![allow(dead_code)] // each test file uses its part

use stillpoint_core::Moment;
use stillpoint_core::revise::Mirror;
use stillpoint_core::select::{Attribute, Filter, Selector, Words};
use stillpoint_core::tree::{Change, ElementId, Limits, NativeKey, NewNode, Prop, Props, Tree};

/// A mirror that shows the screen; the n-th line (from 1) has the platform key n.
pub(crate) fn mirror(screen: &str) -> Mirror {
    let mut mirror = Mirror::new(Limits::default());
    apply(&mut mirror, vec![Change::Replace(node_of(screen))]);
    mirror
}

/// The screen alone.
pub(crate) fn tree(screen: &str) -> Tree {
    mirror(screen).tree().clone()
}

pub(crate) fn apply(mirror: &mut Mirror, changes: Vec<Change>) {
    mirror.apply(changes, Moment::START);
}

/// The element of a line, counted from 1, without empty lines.
pub(crate) fn line(tree: &Tree, number: u64) -> ElementId {
    tree.by_key(NativeKey(number)).expect("the line's element is alive")
}

pub(crate) fn node_of(screen: &str) -> NewNode {
    let lines: Vec<(usize, &str)> = screen
        .lines()
        .filter(|l| !l.trim().is_empty())
        .map(|l| (l.len() - l.trim_start().len(), l.trim()))
        .collect();
    let mut at = 0;
    let mut roots = children(&lines, &mut at, None);
    assert_eq!(roots.len(), 1, "a screen has one root");
    roots.remove(0)
}

fn children(lines: &[(usize, &str)], at: &mut usize, above: Option<usize>) -> Vec<NewNode> {
    let mut nodes = Vec::new();
    while let Some((indent, text)) = lines.get(*at) {
        if above.is_some_and(|a| *indent <= a) {
            break;
        }
        *at += 1;
        let mut node = NewNode::new(NativeKey(*at as u64), props(text));
        node.children = children(lines, at, Some(*indent));
        nodes.push(node);
    }
    nodes
}

fn props(text: &str) -> Props {
    let (text, bounds) = match text.rsplit_once(" @") {
        Some((text, bounds)) => (text, Some(bounds)),
        None => (text, None),
    };
    let (text, tag) = match text.rsplit_once(" tag=") {
        Some((text, tag)) => (text, Some(tag)),
        None => (text, None),
    };
    let selector = Selector::parse(text).expect("a line is a selector");
    let part = selector.last();
    let mut props = Props::new(part.role.unwrap_or_default());
    let some = |s: &str| Some(s.into());
    if let Some(Words::Exact(label)) = &part.words {
        props.set(Prop::Label(some(label)));
    }
    if let Some(name) = &part.name {
        props.set(Prop::StableId(some(name)));
    }
    for filter in &part.filters {
        props.set(match filter {
            Filter::State(state, value) => Prop::State(*state, Some(*value)),
            Filter::Attribute(Attribute::Value, text) => Prop::Value(some(text)),
            Filter::Attribute(Attribute::Text, text) => Prop::Text(some(text)),
            Filter::Attribute(Attribute::Label, text) => Prop::Label(some(text)),
            Filter::Attribute(Attribute::Description, text) => Prop::Description(some(text)),
            Filter::Attribute(Attribute::Native, text) => Prop::NativeRole(some(text)),
            Filter::Attribute(Attribute::Id, text) => Prop::StableId(some(text)),
        });
    }
    if let Some(tag) = tag {
        props.set(Prop::TestTag(some(tag)));
    }
    if let Some(bounds) = bounds {
        let b: Vec<i32> = bounds.split(',').map(|n| n.trim().parse().expect("a number")).collect();
        props = props.at(b[0], b[1], b[2], b[3]);
    }
    props
}
