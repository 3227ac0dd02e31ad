//! The mirror as v1 tells it: elements in elements.

use crate::role::type_of;
use stillpoint_core::tree::{ElementId, Node, State, StateValue, TreeView};
use stillpoint_wire::Element;
use stillpoint_wire::codec::{MAX_TREE_NODES, Rect};

/// One element without what lies in it.
pub(crate) fn describe(node: &Node) -> Element {
    let text = node.text().filter(|_| !node.is_protected());
    let label = node.label().or(text);
    let value = node.value().map(str::to_owned).or_else(|| marked(node));
    let shown = value.or_else(|| text.filter(|t| Some(*t) != label).map(str::to_owned));
    Element {
        unique_id: node.stable_id().or(node.test_tag()).map(str::to_owned),
        label: label.map(str::to_owned),
        value: shown,
        element_type: Some(type_of(node.role(), node.is_protected()).to_owned()),
        frame: node.bounds().map(|b| Rect {
            x: b.x.into(),
            y: b.y.into(),
            width: b.width.into(),
            height: b.height.into(),
        }),
        children: Vec::new(),
        role: Some(node.role().name().to_owned()),
        hittable: None,
    }
}

/// Check boxes and switches have their state as their value, as phones tell it.
fn marked(node: &Node) -> Option<String> {
    let state = node.states().get(State::Checked).or_else(|| node.states().get(State::Pressed))?;
    let number = match state {
        StateValue::Off => "0",
        StateValue::On => "1",
        StateValue::Mixed => "2",
    };
    Some(number.to_owned())
}

/// The whole tree, hidden elements left out, capped and pruned.
pub(crate) fn dump(tree: &TreeView) -> Vec<Element> {
    let shown = |id: ElementId| tree.get(id).filter(|n| !n.states().is_not(State::Visible));
    let mut nodes: Vec<(Element, Option<usize>)> = Vec::new();
    let mut stack: Vec<(ElementId, Option<usize>)> =
        tree.root().map(|root| (root, None)).into_iter().collect();
    while let Some((id, parent)) = stack.pop() {
        let Some(node) = shown(id) else { continue };
        let place = nodes.len();
        nodes.push((describe(node), parent));
        stack.extend(node.children().iter().rev().map(|child| (*child, Some(place))));
    }
    let mut roots = Vec::new();
    // In document order children stand behind their parents, so from the back each is whole when it is put in.
    while let Some((mut element, parent)) = nodes.pop() {
        element.children.reverse();
        match parent {
            Some(place) => nodes[place].0.children.push(element),
            None => roots.push(element),
        }
    }
    Element::pruned(roots, MAX_TREE_NODES)
}
