//! What came of an action (SPEC §9): evidence in, a class and its reasons out. What the UI shows comes before what
//! the network did.

use crate::tree::{ElementId, Role, State, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the action reached the app.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// It surely did not.
    NotDelivered,
    /// It surely did.
    Delivered,
    /// Nobody can say.
    #[default]
    Unknown,
}

/// What an expectation in the call said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// It came true.
    Passed,
    /// It did not.
    Failed,
}

/// One request that the app made after the action.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkResult {
    /// Its address.
    #[serde(default)]
    pub url: String,
    /// The status of the answer, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Whether it failed without an answer.
    #[serde(default)]
    pub failed: bool,
}

impl NetworkResult {
    fn is_bad(&self) -> bool {
        self.failed || self.status.is_some_and(|s| s >= 400)
    }

    fn is_good(&self) -> bool {
        !self.failed && self.status.is_some_and(|s| (200..400).contains(&s))
    }

    fn told(&self) -> String {
        let what = self.status.map_or_else(|| "no answer".to_owned(), |s| s.to_string());
        if self.url.is_empty() { what } else { format!("{} answered {what}", self.url) }
    }
}

/// What was seen of an action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OutcomeEvidence {
    /// Whether it reached the app.
    pub delivery: Delivery,
    /// Whether the UI changed after it; absent if nobody looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ui_changed: Option<bool>,
    /// What its expectation said, if it had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// What errors and alerts that appeared after it say.
    pub complaints: Vec<String>,
    /// Requests that the app made after it.
    pub network: Vec<NetworkResult>,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It did what it should.
    Success,
    /// It did nothing.
    NoOp,
    /// The app refused, or something else came of it.
    UiFailure,
    /// The app tried, and what it relies on failed.
    BackendFailure,
    /// The evidence does not tell.
    Unknown,
}

/// The class with the reasons for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutcomeVerdict {
    /// What came of it.
    pub outcome: Outcome,
    /// Why, in words, the weightiest first.
    pub reasoning: Vec<String>,
}

/// Classifies what came of an action.
pub fn classify_action_outcome(seen: &OutcomeEvidence) -> OutcomeVerdict {
    let bad: Vec<String> = seen.network.iter().filter(|r| r.is_bad()).map(NetworkResult::told).collect();
    let served = seen.network.iter().any(NetworkResult::is_good);
    let (outcome, first) = decide(seen, !bad.is_empty(), served);
    let mut reasoning = vec![first.to_owned()];
    reasoning.extend(seen.complaints.iter().map(|text| format!("the app says: {text}")));
    reasoning.extend(bad.into_iter().map(|told| format!("a request failed: {told}")));
    OutcomeVerdict { outcome, reasoning }
}

fn decide(seen: &OutcomeEvidence, request_failed: bool, served: bool) -> (Outcome, &'static str) {
    if seen.delivery == Delivery::NotDelivered {
        return (Outcome::UiFailure, "the action was not delivered to the app");
    }
    match seen.verification {
        Some(Verification::Passed) => return (Outcome::Success, "what was expected came true"),
        Some(Verification::Failed) if request_failed => {
            return (Outcome::BackendFailure, "what was expected did not come true, and a request failed");
        }
        Some(Verification::Failed) if seen.ui_changed == Some(false) && seen.complaints.is_empty() => {
            return (Outcome::NoOp, "what was expected did not come true, and nothing changed");
        }
        Some(Verification::Failed) => {
            return (Outcome::UiFailure, "the UI shows something else than what was expected");
        }
        None => {}
    }
    if !seen.complaints.is_empty() {
        return if request_failed {
            (Outcome::BackendFailure, "an error appeared, and a request failed")
        } else {
            (Outcome::UiFailure, "an error or alert appeared after the action")
        };
    }
    match (seen.ui_changed, seen.delivery) {
        (Some(true), _) => (Outcome::Success, "the UI changed, and no error appeared"),
        (_, _) if request_failed => (Outcome::BackendFailure, "no UI change was seen, and a request failed"),
        (Some(false), _) if served => {
            (Outcome::Success, "the UI did not change, but the app's requests were answered well")
        }
        (Some(false), Delivery::Delivered) => {
            (Outcome::NoOp, "the action was delivered, and neither the UI nor the network shows an effect")
        }
        (Some(false), _) => {
            (Outcome::Unknown, "no effect was seen, and it is not known whether the action arrived")
        }
        (None, _) if served => {
            (Outcome::Success, "the app's requests were answered well; nobody looked at the UI")
        }
        (None, _) => (Outcome::Unknown, "nobody looked at the UI, and the network shows nothing"),
    }
}

/// What errors among newly appeared or changed elements say: alerts, and fields marked invalid.
pub fn complaints(tree: &TreeView, appeared: impl IntoIterator<Item = ElementId>) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for id in appeared {
        let Some(node) = tree.get(id) else { continue };
        let complains =
            matches!(node.role(), Role::Alert | Role::AlertDialog) || node.states().is(State::Invalid);
        if !complains || crate::select::is_hidden(tree, id) {
            continue;
        }
        let text = node.label().or(node.text()).or(node.description()).unwrap_or("an alert without words");
        if !said.iter().any(|s| s == text) {
            said.push(text.to_owned());
        }
    }
    said
}
