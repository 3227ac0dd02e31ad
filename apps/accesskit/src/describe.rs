//! The form in AccessKit's words. The whole tree every time: the adapter finds out what is new.

use crate::form::{Element, Form, Kind, ROOT};
use accesskit::{Action, Node, NodeId, Role, TextDirection, TreeId, TreeInfo, TreeUpdate};

/// The version of the `accesskit` crate that this was written for.
pub(crate) const VERSION: &str = "0.25";
/// The text of an element is a node of its own, with this added to its number.
const TEXT: u64 = 1 << 32;
/// How wide a character is drawn.
const CHARACTER: f32 = 6.0;

/// The whole tree.
pub(crate) fn whole(form: &Form) -> TreeUpdate {
    let mut nodes = Vec::new();
    for (id, element) in &form.elements {
        let mut node = describe(element);
        let mut children: Vec<NodeId> = element.children.iter().map(|child| NodeId(*child)).collect();
        if matches!(element.kind, Kind::Entry | Kind::Password) {
            children.push(NodeId(id + TEXT));
            nodes.push((NodeId(id + TEXT), text(element)));
        }
        node.set_children(children);
        nodes.push((NodeId(*id), node));
    }
    let mut info = TreeInfo::new(NodeId(ROOT));
    info.toolkit_name = Some("AccessKit".to_owned());
    info.toolkit_version = Some(VERSION.to_owned());
    TreeUpdate { nodes, tree: Some(info), tree_id: TreeId::ROOT, focus: NodeId(form.focus) }
}

fn describe(element: &Element) -> Node {
    let mut node = Node::new(match element.kind {
        Kind::Window => Role::Window,
        Kind::Group => Role::Group,
        Kind::List => Role::List,
        Kind::Item => Role::ListItem,
        Kind::Label => Role::Label,
        Kind::Button => Role::Button,
        Kind::Check => Role::CheckBox,
        Kind::Entry => Role::TextInput,
        Kind::Password => Role::PasswordInput,
        Kind::Slider => Role::Slider,
    });
    node.set_author_id(element.tag.clone());
    node.set_bounds(element.bounds);
    if element.kind == Kind::Label {
        // The name of a label is its value.
        node.set_value(element.name.clone());
    } else {
        node.set_label(element.name.clone());
    }
    if !element.visible {
        node.set_hidden();
    }
    if !element.enabled {
        node.set_disabled();
    }
    match element.kind {
        Kind::Button => node.add_action(Action::Click),
        Kind::Check => {
            node.set_toggled(element.checked.into());
            node.add_action(Action::Click);
        }
        Kind::Entry | Kind::Password => node.add_action(Action::SetValue),
        Kind::Slider => {
            node.set_numeric_value(element.value);
            node.set_min_numeric_value(0.0);
            node.set_max_numeric_value(100.0);
            node.set_numeric_value_step(1.0);
            node.add_action(Action::SetValue);
        }
        _ => {}
    }
    if matches!(element.kind, Kind::Button | Kind::Check | Kind::Entry | Kind::Password | Kind::Slider) {
        node.add_action(Action::Focus);
    }
    node
}

fn text(element: &Element) -> Node {
    let mut run = Node::new(Role::TextRun);
    let count = element.text.chars().count();
    run.set_value(element.text.clone());
    run.set_bounds(element.bounds);
    run.set_text_direction(TextDirection::LeftToRight);
    run.set_character_lengths(element.text.chars().map(|c| c.len_utf8() as u8).collect::<Vec<u8>>());
    run.set_character_positions((0..count).map(|n| n as f32 * CHARACTER).collect::<Vec<f32>>());
    run.set_character_widths(vec![CHARACTER; count]);
    run
}
