//! What kind of change it was, and whether it counts (SPEC §3, to the letter).

use crate::Moment;
use crate::tree::net::{Field, Net, NodeChange};
use crate::tree::{ElementId, Node, Prop, Props, Role, State, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The class of a mutation: a row of the table in SPEC §3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// A node was added, removed or moved.
    Structure,
    /// A window was opened, closed or raised; another document or screen is shown.
    Navigation,
    /// Shown or hidden.
    Visibility,
    /// Enabled, disabled, read-only.
    Enabled,
    /// Label, text, description.
    Text,
    /// Checked, selected, expanded, pressed, invalid; the value of an input control.
    State,
    /// The value of a progress bar or meter; the busy flag.
    Progress,
    /// Focus, caret, text selection.
    Focus,
    /// Bounds only.
    Geometry,
    /// Nothing that anybody would wait for.
    Cosmetic,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 10] = [
        Class::Structure,
        Class::Navigation,
        Class::Visibility,
        Class::Enabled,
        Class::Text,
        Class::State,
        Class::Progress,
        Class::Focus,
        Class::Geometry,
        Class::Cosmetic,
    ];

    /// Whether it bumps the revision and resets the stabilisation window.
    pub const fn qualifies(self) -> bool {
        !matches!(self, Class::Progress | Class::Focus | Class::Geometry | Class::Cosmetic)
    }

    /// Its name in every face.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Structure => "structure",
            Class::Navigation => "navigation",
            Class::Visibility => "visibility",
            Class::Enabled => "enabled",
            Class::Text => "text",
            Class::State => "state",
            Class::Progress => "progress",
            Class::Focus => "focus",
            Class::Geometry => "geometry",
            Class::Cosmetic => "cosmetic",
        }
    }
}

/// One thing that changed about one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// What kind of change.
    pub class: Class,
    /// What changed.
    pub element: ElementId,
    /// The element itself, or the nearest one around it that is still there.
    pub anchor: ElementId,
    /// When it was received.
    pub at: Moment,
    /// Whether the element was known to change all the time already (SPEC §3, volatile nodes).
    pub volatile: bool,
}

/// The class of a property's change on an element of this role.
fn of_prop(props: &Props, prop: &Prop) -> Class {
    let value_class = |role: Role| {
        if role.is_progress() {
            Class::Progress
        } else if role.is_input() || props.states().get(State::Editable).is_some() {
            Class::State
        } else {
            Class::Text
        }
    };
    match prop {
        // Whoever is another kind of thing, or goes by another name, is as good as another node.
        Prop::Role(_) | Prop::NativeRole(_) | Prop::StableId(_) | Prop::TestTag(_) | Prop::Omitted(_) => {
            Class::Structure
        }
        Prop::Label(_) | Prop::Description(_) => Class::Text,
        Prop::Text(_) if props.role().is_input() => Class::State,
        Prop::Text(_) => Class::Text,
        Prop::Value(_) | Prop::RawValue(_) => value_class(props.role()),
        Prop::ValueRange(_) => Class::State,
        // What is offered follows from what is enabled and focusable; Qt tells it late, and nobody sees it.
        Prop::Actions(_) => Class::Cosmetic,
        Prop::Bounds(_) => Class::Geometry,
        Prop::State(state, _) => match state {
            State::Visible => Class::Visibility,
            State::Enabled | State::Editable => Class::Enabled,
            State::Busy => Class::Progress,
            State::Focused => Class::Focus,
            State::OnScreen => Class::Geometry,
            State::Focusable => Class::Cosmetic,
            State::Selected
            | State::Checked
            | State::Expanded
            | State::Pressed
            | State::Modal
            | State::Required
            | State::Invalid
            | State::Protected => Class::State,
        },
    }
}

/// The class of a node's coming or going.
fn of_presence(node: &Node) -> Class {
    if node.role().is_window() { Class::Navigation } else { Class::Structure }
}

/// What a net change means, mutation by mutation. `after` is the tree that it led to.
pub(super) fn classify(net: &Net, after: &TreeView, at: Moment) -> Vec<Mutation> {
    let mut found = Vec::with_capacity(net.nodes.len());
    let mut note = |class, element, anchor| {
        found.push(Mutation { class, element, anchor, at, volatile: false });
    };
    for (id, change) in &net.nodes {
        match change {
            NodeChange::Added(node) => note(of_presence(node), *id, *id),
            NodeChange::Removed(node) => {
                let anchor = survivor(net, after, node.parent()).unwrap_or(*id);
                note(of_presence(node), *id, anchor);
            }
            NodeChange::Changed(fields) => {
                let Some(node) = after.get(*id) else { continue };
                for field in fields {
                    if let Some(class) = of_field(node, field) {
                        note(class, *id, *id);
                    }
                }
            }
        }
    }
    for passed in &net.passed {
        let anchor = survivor(net, after, passed.node.parent()).unwrap_or(passed.id);
        note(of_presence(&passed.node), passed.id, anchor);
    }
    if net.screen.is_some()
        && let Some(root) = after.root().or_else(|| net.nodes.keys().next().copied())
    {
        note(Class::Navigation, root, root);
    }
    found
}

fn of_field(node: &Node, field: &Field) -> Option<Class> {
    match field {
        Field::Prop { new, .. } => Some(of_prop(node, new)),
        Field::Veiled { .. } => Some(Class::State),
        Field::Parent { .. } => Some(Class::Structure),
        // A window of its own is told by the move that caused it.
        Field::Window { .. } => None,
        // Children that came or went speak for themselves; here only a new order counts.
        Field::Children { old, new } => {
            let sorted = |ids: &[ElementId]| {
                let mut ids = ids.to_vec();
                ids.sort_unstable();
                ids
            };
            (sorted(old.as_slice()) == sorted(new.as_slice())).then_some(Class::Structure)
        }
    }
}

/// The nearest element, from `start` outwards, that is still there.
fn survivor(net: &Net, after: &TreeView, start: Option<ElementId>) -> Option<ElementId> {
    let mut at = start;
    while let Some(id) = at {
        if after.get(id).is_some() {
            return Some(id);
        }
        at = match net.nodes.get(&id) {
            Some(NodeChange::Removed(node)) => node.parent(),
            _ => net.passed.iter().find(|p| p.id == id).and_then(|p| p.node.parent()),
        };
    }
    after.root()
}
