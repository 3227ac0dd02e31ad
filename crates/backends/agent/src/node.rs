//! A v1 element → a node. v1 has no names for its objects, so they are recognised from one dump to the next.

use crate::role::role_of;
use std::collections::{HashMap, HashSet, VecDeque};
use stillpoint_core::tree::{Change, NativeKey, NewNode, Prop, Props, Rect, Role, State, StateValue};
use stillpoint_wire::Element;

/// The type of a field that conceals what it holds.
const SECURE: &str = "SecureTextField";

/// What a dump said of one element.
#[derive(Clone, Debug)]
pub(crate) struct Sighting {
    pub(crate) key: NativeKey,
    pub(crate) id: Option<String>,
    kind: Option<String>,
    label: Option<String>,
    pub(crate) value: Option<String>,
    pub(crate) role: Role,
    pub(crate) bounds: Option<Rect>,
    children: Vec<usize>,
}

impl Sighting {
    /// Whether it is known to hold nothing. A secure field does not say what it holds, nor whether it holds anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.kind.as_deref() != Some(SECURE) && self.value.as_deref().is_none_or(str::is_empty)
    }
}

/// What the last dump said, in document order.
#[derive(Debug, Default)]
pub(crate) struct Dumps {
    pub(crate) seen: Vec<Sighting>,
    tops: Vec<usize>,
    last_key: u64,
}

/// The element around several roots. No sighting has this key.
const AROUND: NativeKey = NativeKey(0);

impl Dumps {
    /// Takes over a dump: the truth about everything.
    pub(crate) fn take(&mut self, roots: Vec<Element>) -> Vec<Change> {
        let before = std::mem::take(self);
        self.last_key = before.last_key;
        let mut nodes: Vec<(NewNode, Option<usize>)> = Vec::new();
        // Each with the place of what it lies in, and of what it was in the last dump.
        let mut ahead: Vec<(Element, Option<usize>, Option<usize>)> = Vec::new();
        push_row(&mut ahead, roots, None, &before.tops, &before.seen);
        while let Some((mut element, parent, was)) = ahead.pop() {
            let place = nodes.len();
            let key = was.map_or_else(|| self.new_key(), |was| before.seen[was].key);
            let children = std::mem::take(&mut element.children);
            let props = props(&element);
            self.seen.push(sighting(key, &element, &props));
            match parent {
                Some(parent) => self.seen[parent].children.push(place),
                None => self.tops.push(place),
            }
            nodes.push((NewNode::new(key, props), parent));
            let old = was.map(|was| before.seen[was].children.as_slice()).unwrap_or_default();
            push_row(&mut ahead, children, Some(place), old, &before.seen);
        }
        let mut tops = Vec::new();
        while let Some((mut node, parent)) = nodes.pop() {
            node.children.reverse();
            match parent {
                Some(parent) => nodes[parent].0.children.push(node),
                None => tops.push(node),
            }
        }
        tops.reverse();
        let title = self.seen.iter().find(|s| s.role.is_window()).or(self.seen.first());
        let title = title.and_then(|s| s.label.as_deref()).map(Into::into);
        vec![Change::Replace(one_root(tops)), Change::Screen { title, url: None, active: None }]
    }

    fn new_key(&mut self) -> NativeKey {
        self.last_key += 1;
        NativeKey(self.last_key)
    }

    /// The element with this key, if the last dump had it.
    pub(crate) fn get(&self, key: NativeKey) -> Option<&Sighting> {
        self.seen.iter().find(|seen| seen.key == key)
    }

    /// Whether no other element has this identifier.
    pub(crate) fn is_only(&self, id: &str) -> bool {
        self.seen.iter().filter(|seen| seen.id.as_deref() == Some(id)).count() == 1
    }
}

fn one_root(mut tops: Vec<NewNode>) -> NewNode {
    if tops.len() == 1
        && let Some(only) = tops.pop()
    {
        return only;
    }
    NewNode { key: AROUND, props: Props::new(Role::Application), children: tops }
}

/// Puts siblings on the stack, each with what it was in the last dump.
fn push_row(
    ahead: &mut Vec<(Element, Option<usize>, Option<usize>)>,
    row: Vec<Element>,
    parent: Option<usize>,
    old: &[usize],
    seen: &[Sighting],
) {
    let matches = recognise(&row, old, seen);
    ahead.extend(row.into_iter().zip(matches).rev().map(|(element, was)| (element, parent, was)));
}

/// Which sibling was which: by type and identifier, then by type and label, then by type and order alone, so that an
/// element that only changed its label stays itself.
fn recognise(row: &[Element], old: &[usize], seen: &[Sighting]) -> Vec<Option<usize>> {
    let mut found: Vec<Option<usize>> = vec![None; row.len()];
    let mut taken: HashSet<usize> = HashSet::new();
    for pass in 0..3 {
        let key = |id: Option<&'_ String>, kind: Option<&'_ String>, label: Option<&'_ String>| match pass {
            0 => id.is_some().then(|| (kind.cloned(), id.cloned(), None)),
            1 => Some((kind.cloned(), id.cloned(), label.cloned())),
            _ => id.is_none().then(|| (kind.cloned(), None, None)),
        };
        let mut free: HashMap<_, VecDeque<usize>> = HashMap::new();
        for place in old.iter().filter(|place| !taken.contains(place)) {
            let was = &seen[*place];
            if let Some(key) = key(was.id.as_ref(), was.kind.as_ref(), was.label.as_ref()) {
                free.entry(key).or_default().push_back(*place);
            }
        }
        for (element, slot) in row.iter().zip(&mut found).filter(|(_, slot)| slot.is_none()) {
            let key = key(element.unique_id.as_ref(), element.element_type.as_ref(), element.label.as_ref());
            if let Some(place) = key.and_then(|key| free.get_mut(&key)?.pop_front()) {
                *slot = Some(place);
                taken.insert(place);
            }
        }
    }
    found
}

fn sighting(key: NativeKey, element: &Element, props: &Props) -> Sighting {
    Sighting {
        key,
        id: element.unique_id.clone(),
        kind: element.element_type.clone(),
        label: element.label.clone(),
        value: element.value.clone(),
        role: props.role(),
        bounds: props.bounds(),
        children: Vec::new(),
    }
}

/// What a v1 element tells about itself. What it leaves out stays unknown.
fn props(element: &Element) -> Props {
    let kind = element.element_type.as_deref();
    let role = element.role.as_deref().and_then(Role::from_name);
    let role = role.or_else(|| kind.and_then(role_of)).unwrap_or_default();
    let mut props = Props::new(role);
    // Before any content comes in.
    if kind == Some(SECURE) {
        props.set(Prop::State(State::Protected, Some(StateValue::On)));
    }
    props.set(Prop::NativeRole(kind.map(Into::into)));
    props.set(Prop::StableId(element.unique_id.as_deref().map(Into::into)));
    props.set(Prop::Label(element.label.as_deref().map(Into::into)));
    props.set(Prop::Bounds(element.frame.map(pixels)));
    let value = element.value.as_deref();
    let mark = match role {
        Role::Checkbox | Role::Radio | Role::Switch | Role::MenuItemCheckbox | Role::MenuItemRadio => {
            Some(State::Checked)
        }
        Role::ToggleButton => Some(State::Pressed),
        _ => None,
    };
    if let Some(state) = mark {
        props.set(Prop::State(state, value.and_then(marked)));
    } else if role.is_input() || role.is_progress() {
        props.set(Prop::Value(value.map(Into::into)));
        props.set(Prop::RawValue(value.and_then(|v| v.trim_end_matches('%').parse().ok())));
    } else {
        props.set(Prop::Text(value.map(Into::into)));
    }
    if matches!(role, Role::Textbox | Role::Searchbox) {
        props.set(Prop::State(State::Editable, Some(StateValue::On)));
    }
    props
}

fn marked(value: &str) -> Option<StateValue> {
    match value {
        "1" | "true" => Some(StateValue::On),
        "0" | "false" => Some(StateValue::Off),
        "2" | "mixed" => Some(StateValue::Mixed),
        _ => None,
    }
}

fn pixels(frame: stillpoint_wire::codec::Rect) -> Rect {
    // A cast of a float saturates, so nothing from the wire can overflow.
    let round = |number: f64| number.round() as i32;
    Rect::new(round(frame.x), round(frame.y), round(frame.width), round(frame.height))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn element(kind: &str, label: &str, children: Vec<Element>) -> Element {
        Element { element_type: Some(kind.into()), label: Some(label.into()), children, ..Element::default() }
    }

    fn root(changes: &[Change]) -> &NewNode {
        let Change::Replace(root) = &changes[0] else { panic!() };
        root
    }

    fn keys(changes: &[Change]) -> Vec<(String, u64)> {
        let name = |n: &NewNode| n.props.label().unwrap_or_default().to_owned();
        root(changes).children.iter().map(|n| (name(n), n.key.0)).collect()
    }

    #[test]
    fn an_element_stays_itself_when_a_sibling_comes_or_its_label_changes() {
        let mut dumps = Dumps::default();
        let window = |row: &[&str]| {
            let row = row.iter().map(|label| element("Button", label, vec![])).collect();
            vec![element("Window", "W", row)]
        };
        let first = keys(&dumps.take(window(&["a", "b"])));
        let inserted = keys(&dumps.take(window(&["new", "a", "b"])));
        assert_eq!(inserted[1..], first[..]);
        let renamed = keys(&dumps.take(window(&["new", "a", "c"])));
        assert_eq!(renamed[2].1, first[1].1);
    }

    #[test]
    fn an_identifier_outweighs_place_and_label() {
        let mut dumps = Dumps::default();
        let row = |ids: [&str; 2]| {
            let with = |id: &str| Element { unique_id: Some(id.into()), ..element("Cell", "same", vec![]) };
            vec![element("Window", "W", ids.map(with).into())]
        };
        let first = keys(&dumps.take(row(["x", "y"])));
        let swapped = keys(&dumps.take(row(["y", "x"])));
        assert_eq!((swapped[0].1, swapped[1].1), (first[1].1, first[0].1));
    }

    #[test]
    fn several_roots_lie_in_one_and_a_deep_tree_needs_no_deep_stack() {
        let mut dumps = Dumps::default();
        let two = dumps.take(vec![element("Window", "A", vec![]), element("Window", "B", vec![])]);
        assert_eq!((root(&two).key, root(&two).children.len()), (AROUND, 2));
        let deep = (0..2_000).fold(Vec::new(), |inside, _| vec![element("Group", "g", inside)]);
        assert_eq!(root(&dumps.take(deep)).count(), 2_000);
    }

    #[test]
    fn states_that_a_value_tells_are_known_and_the_rest_is_not() {
        let checked = Element { value: Some("1".into()), ..element("Switch", "Wi-Fi", vec![]) };
        let known: Vec<_> = props(&checked).states().known().collect();
        assert_eq!(known, [(State::Checked, StateValue::On)]);
        let secret = Element { value: Some("hunter2".into()), ..element("SecureTextField", "P", vec![]) };
        assert!(props(&secret).is_protected() && props(&secret).value().is_none());
    }
}
