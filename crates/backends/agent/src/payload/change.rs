//! Changes as JSON. A subtree is a flat list in document order, each element naming the one that it lies in, so that no
//! reader needs a stack as deep as the tree.

use super::not_understood;
use super::property::{Salt, read_props, write_prop, write_props};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use stillpoint_core::Result;
use stillpoint_core::tree::{Change, NativeKey, NewNode, Prop, Props, State, StateValue};

/// One element of a subtree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NodeForm {
    key: u64,
    /// The element that it lies in; left out for the first of the list.
    #[serde(rename = "in", default, skip_serializing_if = "Option::is_none")]
    within: Option<u64>,
    #[serde(flatten)]
    props: Map<String, Value>,
}

/// One change.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub(crate) enum ChangeForm {
    Insert {
        parent: u64,
        index: usize,
        nodes: Vec<NodeForm>,
    },
    Remove {
        key: u64,
    },
    Move {
        key: u64,
        parent: u64,
        index: usize,
    },
    Update {
        key: u64,
        props: Map<String, Value>,
    },
    Replace {
        nodes: Vec<NodeForm>,
    },
    Screen {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        active: Option<u64>,
    },
}

/// Names of the far side's objects on this side. Another session over there may use the same numbers for other objects,
/// so each has a mask of its own; the first has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    mask: u64,
}

impl Keys {
    pub(crate) fn masked(mask: u64) -> Self {
        Keys { mask }
    }

    pub(crate) fn near(self, far: u64) -> NativeKey {
        NativeKey(far ^ self.mask)
    }

    pub(crate) fn far(self, near: NativeKey) -> u64 {
        near.0 ^ self.mask
    }
}

/// Tells changes, and keeps in mind which elements are protected.
pub(crate) fn write_changes(
    changes: &[Change],
    protected: &mut HashSet<NativeKey>,
    salt: &Salt,
) -> Vec<ChangeForm> {
    changes.iter().map(|change| write_change(change, protected, salt)).collect()
}

fn write_change(change: &Change, protected: &mut HashSet<NativeKey>, salt: &Salt) -> ChangeForm {
    match change {
        Change::Insert { parent, index, node } => {
            ChangeForm::Insert { parent: parent.0, index: *index, nodes: write_nodes(node, protected, salt) }
        }
        Change::Remove { key } => {
            protected.remove(key);
            ChangeForm::Remove { key: key.0 }
        }
        Change::Move { key, parent, index } => {
            ChangeForm::Move { key: key.0, parent: parent.0, index: *index }
        }
        Change::Update { key, props } => {
            note_protection(*key, props, protected);
            let secret = protected.contains(key);
            let told = props.iter().map(|prop| write_prop(prop, secret, salt)).collect();
            ChangeForm::Update { key: key.0, props: told }
        }
        Change::Replace(node) => ChangeForm::Replace { nodes: write_nodes(node, protected, salt) },
        Change::Screen { title, url, active } => ChangeForm::Screen {
            title: title.as_deref().map(str::to_owned),
            url: url.as_deref().map(str::to_owned),
            active: active.map(|key| key.0),
        },
    }
}

/// Looks for the protection itself before any content is told: both may come in one update, in any order.
fn note_protection(key: NativeKey, props: &[Prop], protected: &mut HashSet<NativeKey>) {
    for prop in props {
        match prop {
            Prop::State(State::Protected, Some(StateValue::On)) => drop(protected.insert(key)),
            Prop::State(State::Protected, _) => drop(protected.remove(&key)),
            _ => {}
        }
    }
}

fn write_nodes(top: &NewNode, protected: &mut HashSet<NativeKey>, salt: &Salt) -> Vec<NodeForm> {
    let mut told = Vec::new();
    let mut stack = vec![(top, None)];
    while let Some((node, within)) = stack.pop() {
        if node.props.is_protected() {
            protected.insert(node.key);
        } else {
            protected.remove(&node.key);
        }
        told.push(NodeForm { key: node.key.0, within, props: write_props(&node.props, salt) });
        stack.extend(node.children.iter().rev().map(|child| (child, Some(node.key.0))));
    }
    told
}

/// Reads changes, with keys as they are named here.
pub(crate) fn read_changes(told: Vec<ChangeForm>, keys: Keys) -> Result<Vec<Change>> {
    told.into_iter().map(|change| read_change(change, keys)).collect()
}

fn read_change(told: ChangeForm, keys: Keys) -> Result<Change> {
    Ok(match told {
        ChangeForm::Insert { parent, index, nodes } => {
            Change::Insert { parent: keys.near(parent), index, node: read_nodes(nodes, keys)? }
        }
        ChangeForm::Remove { key } => Change::Remove { key: keys.near(key) },
        ChangeForm::Move { key, parent, index } => {
            Change::Move { key: keys.near(key), parent: keys.near(parent), index }
        }
        ChangeForm::Update { key, props } => {
            Change::Update { key: keys.near(key), props: read_props(&props)? }
        }
        ChangeForm::Replace { nodes } => Change::Replace(read_nodes(nodes, keys)?),
        ChangeForm::Screen { title, url, active } => Change::Screen {
            title: title.map(Into::into),
            url: url.map(Into::into),
            active: active.map(|key| keys.near(key)),
        },
    })
}

fn read_nodes(told: Vec<NodeForm>, keys: Keys) -> Result<NewNode> {
    let mut places = HashMap::new();
    let mut nodes: Vec<(NewNode, Option<usize>)> = Vec::with_capacity(told.len());
    for (place, form) in told.into_iter().enumerate() {
        let within = match form.within {
            None if place == 0 => None,
            Some(key) => Some(*places.get(&key).ok_or_else(|| {
                not_understood(
                    "a subtree",
                    format!("element {} lies in one that was not named before", form.key),
                )
            })?),
            None => return Err(not_understood("a subtree", "it has two tops")),
        };
        let mut props = Props::default();
        for prop in read_props(&form.props)? {
            props.set(prop);
        }
        places.insert(form.key, place);
        nodes.push((NewNode::new(keys.near(form.key), props), within));
    }
    // Whatever lies in an element stands behind it, so from the back every child comes before its parent.
    while let Some((mut node, within)) = nodes.pop() {
        node.children.reverse();
        match within {
            Some(place) => nodes[place].0.children.push(node),
            None => return Ok(node),
        }
    }
    Err(not_understood("a subtree", "it is empty"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use stillpoint_core::tree::Role;

    fn back(changes: &[Change]) -> Vec<Change> {
        let told = write_changes(changes, &mut HashSet::new(), &Salt::default());
        let text = serde_json::to_string(&told).unwrap();
        read_changes(serde_json::from_str(&text).unwrap(), Keys::default()).unwrap()
    }

    fn node(key: u64, label: &str) -> NewNode {
        let props = Props::new(Role::Button).labelled(label).at(1, -2, 30, 40).state(State::Enabled, false);
        NewNode::new(NativeKey(key), props.with(Prop::Actions(["press".into()].into())))
    }

    #[test]
    fn every_change_is_read_as_it_was_told() {
        let tree = node(u64::MAX, "top").child(node(2, "a").child(node(3, "b"))).child(node(4, "c"));
        let changes = vec![
            Change::Replace(tree.clone()),
            Change::Insert { parent: NativeKey(2), index: 7, node: tree },
            Change::Remove { key: NativeKey(3) },
            Change::Move { key: NativeKey(4), parent: NativeKey(2), index: 0 },
            Change::Update {
                key: NativeKey(4),
                props: vec![
                    Prop::State(State::Checked, Some(StateValue::Mixed)),
                    Prop::Label(None),
                    Prop::RawValue(Some(0.5)),
                ],
            },
            Change::Screen { title: Some("Orders".into()), url: None, active: Some(NativeKey(2)) },
        ];
        let mut read = back(&changes);
        let sort = |changes: &mut Vec<Change>| {
            if let Some(Change::Update { props, .. }) = changes.get_mut(4) {
                props.sort_by_key(|p| format!("{p:?}"));
            }
        };
        let mut expected = changes;
        sort(&mut read);
        sort(&mut expected);
        assert_eq!(read, expected);
    }

    #[test]
    fn a_chain_is_as_deep_as_it_likes_for_a_reader_with_a_limit() {
        let mut top = node(1, "x");
        for key in 2..1_000 {
            top = NewNode::new(NativeKey(key), Props::new(Role::Group)).child(top);
        }
        let told = write_changes(&[Change::Replace(top)], &mut HashSet::new(), &Salt::default());
        let text = serde_json::to_string(&told).unwrap();
        let read = read_changes(serde_json::from_str(&text).unwrap(), Keys::default()).unwrap();
        let Change::Replace(read) = &read[0] else { panic!() };
        assert_eq!(read.count(), 999);
    }

    #[test]
    fn the_content_of_a_protected_element_is_never_told_but_its_changes_are() {
        let mut protected = HashSet::new();
        let salt = Salt::default();
        let field = Props::new(Role::Textbox).state(State::Protected, true);
        let typed = |text: &str| field.clone().with(Prop::Value(Some(text.into())));
        let mut say =
            |changes: &[Change]| serde_json::to_value(write_changes(changes, &mut protected, &salt)).unwrap();
        let first = say(&[Change::Replace(NewNode::new(NativeKey(1), typed("hunter2")))]);
        let update =
            |text: &str| Change::Update { key: NativeKey(1), props: vec![Prop::Value(Some(text.into()))] };
        let same = say(&[update("hunter2")]);
        let other = say(&[update("hunter3")]);
        for told in [&first, &same, &other] {
            assert!(!told.to_string().contains("hunter"), "{told}");
        }
        assert_eq!(first[0]["nodes"][0]["value"], same[0]["props"]["value"]);
        assert_ne!(same[0]["props"]["value"], other[0]["props"]["value"]);
        let late = say(&[Change::Update {
            key: NativeKey(2),
            props: vec![
                Prop::Text(Some("hunter4".into())),
                Prop::State(State::Protected, Some(StateValue::On)),
            ],
        }]);
        assert!(!late.to_string().contains("hunter"), "{late}");
    }

    #[test]
    fn a_list_that_is_no_tree_is_refused() {
        for nodes in ["[]", r#"[{"key":1},{"key":2}]"#, r#"[{"key":1},{"key":2,"in":9}]"#] {
            let told = serde_json::from_str(&format!(r#"[{{"op":"replace","nodes":{nodes}}}]"#)).unwrap();
            assert_eq!(
                read_changes(told, Keys::default()).unwrap_err().code,
                stillpoint_core::Code::Protocol,
                "{nodes}"
            );
        }
    }
}
