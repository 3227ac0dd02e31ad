//! Which mutations a wait is about.

use crate::revise::{Class, Mutation};
use crate::tree::{ElementId, State, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a change must happen to count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Anywhere.
    #[default]
    Screen,
    /// In one element and what lies in it.
    Subtree(ElementId),
    /// In what can be seen without scrolling.
    Viewport,
}

impl Scope {
    /// Whether a mutation lies in it. `tree` is the tree after the mutation.
    pub fn contains(self, tree: &TreeView, mutation: &Mutation) -> bool {
        match self {
            Scope::Screen => true,
            Scope::Subtree(top) => mutation.element == top || tree.is_within(mutation.anchor, top),
            // What is not known to be off the screen counts.
            Scope::Viewport => tree.get(mutation.anchor).is_none_or(|n| !n.states().is_not(State::OnScreen)),
        }
    }
}

/// What kind of change a wait is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedChange {
    /// Elements came, went, moved, were shown or hidden; another screen.
    HierarchyDiff,
    /// A label, a text or a description is another.
    TextChange,
    /// Checked, selected, expanded, enabled, the value of an input.
    StateChange,
}

impl ExpectedChange {
    /// Whether a mutation of this class is what was expected.
    pub const fn matches(self, class: Class) -> bool {
        match self {
            ExpectedChange::HierarchyDiff => {
                matches!(class, Class::Structure | Class::Navigation | Class::Visibility)
            }
            ExpectedChange::TextChange => matches!(class, Class::Text),
            ExpectedChange::StateChange => matches!(class, Class::State | Class::Enabled),
        }
    }
}
