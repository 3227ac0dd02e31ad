//! Is something loading? Advice, never proof (SPEC §6).

use crate::revise::{Delta, FieldChange};
use crate::select::is_hidden;
use crate::tree::{ElementId, Node, Prop, Role, State, StateValue, Tree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What gives the impression that something is loading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadingSignal {
    /// A progress bar that is indeterminate or below its end.
    ProgressIndicator,
    /// An element that says it is busy.
    BusyState,
    /// A spinner, or "Loading…" on something that tells a state.
    Spinner,
    /// Grey boxes where content will be.
    Skeleton,
    /// A modal layer that says it is busy.
    Overlay,
    /// A submit button that was enabled before the action and is not now.
    DisabledSubmit,
    /// Another page is on its way.
    Navigation,
    /// Nothing.
    #[default]
    None,
}

/// Who says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadingSource {
    /// The platform's own states and roles.
    #[default]
    Platform,
    /// The app, through the idle SDK.
    Sdk,
    /// What it looks like.
    Heuristic,
}

/// Whether something seems to be loading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoadingState {
    /// Whether it does.
    pub active: bool,
    /// What gives the impression.
    pub signal: LoadingSignal,
    /// Who says so.
    pub source: LoadingSource,
    /// Which element, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element_id: Option<ElementId>,
}

impl LoadingState {
    fn seen(signal: LoadingSignal, source: LoadingSource, element: ElementId) -> Self {
        LoadingState { active: true, signal, source, element_id: Some(element) }
    }
}

/// Words that mean loading when they are all that an element with a status-like role says.
const PHRASES: [&str; 8] =
    ["loading", "please wait", "saving", "working", "processing", "signing in", "submitting", "connecting"];

/// What seems to be loading in `tree`; `since` is what changed since the action, where there was one.
pub fn loading_state(tree: &Tree, since: Option<&Delta>) -> LoadingState {
    // Every answer tells this, so neither way visits those who have nothing to say: they are nearly all.
    let unfinished = |test: &dyn Fn(&Node) -> bool| -> Option<ElementId> {
        tree.unfinished().find(|id| tree.get(*id).is_some_and(test) && !is_hidden(tree, *id))
    };
    let of_roles = |roles: &[Role], test: &dyn Fn(&Node) -> bool| -> Option<ElementId> {
        let all = roles.iter().flat_map(|role| tree.by_role(*role));
        all.filter(|id| tree.get(*id).is_some_and(test) && !is_hidden(tree, *id)).min()
    };
    let busy = |n: &Node| n.states().is(State::Busy);
    if let Some(id) = unfinished(&|n| busy(n) && is_modal(n)) {
        return LoadingState::seen(LoadingSignal::Overlay, LoadingSource::Platform, id);
    }
    if let Some(id) = of_roles(&[Role::Progressbar], &is_unfinished) {
        return LoadingState::seen(LoadingSignal::ProgressIndicator, LoadingSource::Platform, id);
    }
    if let Some(id) = of_roles(&[Role::Spinner], &|n| !n.states().is_not(State::Busy)) {
        return LoadingState::seen(LoadingSignal::Spinner, LoadingSource::Platform, id);
    }
    if let Some(id) = unfinished(&|n| busy(n) && matches!(n.role(), Role::Document | Role::Page)) {
        return LoadingState::seen(LoadingSignal::Navigation, LoadingSource::Platform, id);
    }
    if let Some(id) = unfinished(&busy) {
        return LoadingState::seen(LoadingSignal::BusyState, LoadingSource::Platform, id);
    }
    if let Some(id) = since.and_then(|delta| newly_disabled_button(tree, delta)) {
        return LoadingState::seen(LoadingSignal::DisabledSubmit, LoadingSource::Heuristic, id);
    }
    if let Some(id) = unfinished(&is_skeleton) {
        return LoadingState::seen(LoadingSignal::Skeleton, LoadingSource::Heuristic, id);
    }
    if let Some(id) = of_roles(&[Role::Status, Role::Alert, Role::Statusbar, Role::Log], &says_loading) {
        return LoadingState::seen(LoadingSignal::Spinner, LoadingSource::Heuristic, id);
    }
    LoadingState::default()
}

fn is_modal(node: &Node) -> bool {
    matches!(node.role(), Role::Dialog | Role::AlertDialog) && node.states().is(State::Modal)
}

/// A progress bar that shows no number, or one below its end.
fn is_unfinished(node: &Node) -> bool {
    match (node.raw_value(), node.value_range()) {
        (Some(now), Some(range)) => now < range.max,
        (Some(now), None) => now < 1.0,
        (None, _) => match node.value().and_then(percentage) {
            Some(percent) => percent < 100.0,
            None => !node.states().is_not(State::Busy),
        },
    }
}

/// The number before a per cent sign.
fn percentage(text: &str) -> Option<f64> {
    text.trim().strip_suffix('%')?.trim_end().parse().ok()
}

/// A placeholder among those that are not done: it was named so, for looks alone prove nothing.
fn is_skeleton(node: &Node) -> bool {
    let may_be = matches!(node.role(), Role::Generic | Role::Group | Role::Image);
    may_be && node.label().is_none() && !node.states().is(State::Busy)
}

/// The whole of a short text is one of the known phrases, dots aside.
fn says_loading(node: &Node) -> bool {
    let says = |text: Option<&str>| {
        text.is_some_and(|t| {
            let t = t.trim().trim_end_matches(['.', '…']).trim_end();
            PHRASES.iter().any(|p| t.eq_ignore_ascii_case(p))
        })
    };
    says(node.label()) || says(node.text())
}

fn newly_disabled_button(tree: &Tree, delta: &Delta) -> Option<ElementId> {
    delta.changed().find_map(|(id, mut fields)| {
        let node = tree.get(id).filter(|n| n.role() == Role::Button)?;
        let off = fields.any(|f| {
            matches!(
                f,
                FieldChange::Prop(
                    Prop::State(State::Enabled, Some(StateValue::On)),
                    Prop::State(State::Enabled, Some(StateValue::Off))
                )
            )
        });
        (off && node.states().is_not(State::Enabled) && !is_hidden(tree, id)).then_some(id)
    })
}
