//! What every action answers: what was done, what it did, and how sure that is (SPEC §8).

use crate::backend::{BusyResource, Delivery, Means};
use crate::verbs::{Answer, Verdict, to_json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write;
use stillpoint_core::judge::Verb;
use stillpoint_core::render::{
    DeltaJson, Element, EmitOptions, SnapshotView, delta_text, diff, snapshot_text,
};
use stillpoint_core::revise::{Delta, Revision, Snapshot};
use stillpoint_core::select::{Confidence, Step};
use stillpoint_core::settle::{LoadingState, StabilityState};
use stillpoint_core::{Code, Error, Result};

/// Changes that take more bytes to tell than this are compared with the screen.
const LONG: usize = 4096;

/// How far an action came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// Its target was found; nothing was dispatched.
    Resolved,
    /// It was handed to the app.
    Dispatched,
    /// It was handed over; nothing was expected of it, so nothing is proven.
    PendingVerification,
    /// There is evidence that it did what it should.
    Verified,
    /// It was not done, or did not do what it should.
    Failed,
}

/// Whom an action was for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetReport {
    /// The selector that was given.
    pub selector: String,
    /// The element that it meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Element>,
    /// Which step of the resolution found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
    /// How sure that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// How it was found although its selector no longer finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub healed: Option<HealReport>,
}

/// How a recorded element was found again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HealReport {
    /// The selector that finds it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// How well it fits the record, from 0 to 1.
    pub score: f64,
    /// How well the next best fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<f64>,
    /// What is no longer as it was recorded, in words.
    pub changes: Vec<String>,
}

/// What was checked afterwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerificationReport {
    /// What was expected, in words.
    pub expected: String,
    /// Whether it came true.
    pub holds: bool,
    /// What was seen.
    pub observed: Value,
}

/// How long each stage took, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// Finding the target.
    pub resolve: f64,
    /// Waiting until it could be acted on.
    pub actionability: f64,
    /// Handing over.
    pub dispatch: f64,
    /// Waiting for rest.
    pub settle: f64,
    /// Checking what was expected.
    pub verify: f64,
}

/// What an action answers.
#[derive(Clone, Debug)]
pub struct Envelope {
    pub(super) head: Head,
    pub(super) delta: Option<(Delta, Snapshot)>,
}

/// The fields of an envelope that are plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Head {
    /// Names this action in the session: `a7`.
    pub action_id: String,
    /// What was asked for.
    pub action_type: Verb,
    /// Whom it was for; `None` for what has no target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetReport>,
    /// How far it came.
    pub lifecycle_state: Lifecycle,
    /// Whether it was done and nothing speaks against it. Only `verified` is proof.
    pub success: bool,
    /// Whether it reached the app.
    pub delivery_status: Delivery,
    /// By which means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub means: Option<Means>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_code: Option<Code>,
    /// Whether the same call may be made again.
    pub retryable: bool,
    /// The revision when it began.
    pub revision_before: Revision,
    /// The revision when it ended.
    pub revision_after: Revision,
    /// Whether the UI came to rest.
    pub settled: bool,
    /// How far rest is proven.
    pub stability_state: StabilityState,
    /// Whether something seems to be loading: advice, not proof.
    pub loading_state: LoadingState,
    /// What the app says is under way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub busy_resources: Vec<BusyResource>,
    /// What was checked afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<VerificationReport>,
    /// A control reached the value that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub converged: Option<bool>,
    /// How long each stage took, in milliseconds.
    pub timing: Timing,
    /// Names this action in the trace.
    pub trace_id: String,
    /// What went wrong, with what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Error>,
}

/// The envelope as JSON.
#[derive(JsonSchema)]
#[allow(dead_code)] // only its schema is used; the values are made in `json`
struct EnvelopeSchema {
    #[serde(flatten)]
    head: Head,
    /// What changed while it was done.
    delta: Option<DeltaJson>,
}

impl JsonSchema for Envelope {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Envelope".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        EnvelopeSchema::json_schema(generator)
    }
}

impl std::ops::Deref for Envelope {
    type Target = Head;
    fn deref(&self) -> &Head {
        &self.head
    }
}

impl Envelope {
    /// What changed while it was done, with the state that it led to.
    pub fn delta(&self) -> Option<(&Delta, &Snapshot)> {
        self.delta.as_ref().map(|(delta, snapshot)| (delta, snapshot))
    }

    /// Says whether a control reached its value; one that did not makes the action a failure.
    pub(crate) fn conclude(&mut self, converged: Option<bool>, failure: Error) {
        self.head.converged = converged;
        if converged == Some(false) {
            self.head.success = false;
            self.head.lifecycle_state = Lifecycle::Failed;
            self.head.failure_code = Some(failure.code);
            self.head.error = Some(failure);
        }
    }

    /// What changed, or the whole screen where that is shorter: a long list that was scrolled has a thousand rows gone and
    /// a thousand new, and twenty on the screen.
    fn changes_text(&self, delta: &Delta, snapshot: &Snapshot) -> String {
        let changes = delta_text(delta, &snapshot.tree);
        if changes.len() <= LONG {
            return changes;
        }
        let view = SnapshotView {
            target: self.head.trace_id.rsplit_once('/').map_or("", |(target, _)| target),
            snapshot,
            stability: self.head.stability_state,
            loading: self.head.loading_state,
            options: EmitOptions::default(),
        };
        let screen = snapshot_text(&view);
        if screen.len() < changes.len() { screen } else { changes }
    }

    fn delta_json(&self) -> Option<DeltaJson> {
        let (delta, snapshot) = self.delta.as_ref()?;
        Some(diff(delta, &snapshot.tree, &EmitOptions::default()))
    }
}

impl Answer for Envelope {
    fn json(&self) -> Result<Value> {
        let mut value = to_json(&self.head)?;
        if let Some(delta) = self.delta_json() {
            value["delta"] = to_json(&delta)?;
        }
        Ok(value)
    }

    fn text(&self) -> String {
        let h = &self.head;
        let mut out = String::new();
        let whom = h.target.as_ref().map_or(String::new(), |t| format!(" {}", t.selector));
        let state = match h.lifecycle_state {
            Lifecycle::Verified => "verified",
            Lifecycle::PendingVerification | Lifecycle::Dispatched => "done",
            Lifecycle::Resolved => "could be done",
            Lifecycle::Failed => "failed",
        };
        let _ = writeln!(
            out,
            "{}{whom}: {state}, rev {} → {} {}",
            h.action_type,
            h.revision_before,
            h.revision_after,
            h.stability_state.name()
        );
        if let Some(healed) = h.target.as_ref().and_then(|t| t.healed.as_ref()) {
            let now = healed.selector.as_deref().unwrap_or("no selector of its own");
            let _ = writeln!(out, "healed: it is {now} now; {}", healed.changes.join("; "));
        }
        if let Some(error) = &h.error {
            let _ = writeln!(out, "{error}\n  {}", error.hint);
        }
        if let Some(v) = &h.verification {
            let _ = writeln!(out, "{} {}", if v.holds { "✓" } else { "✗" }, v.expected);
        }
        if !h.settled && h.success {
            let busy: Vec<&str> = h.busy_resources.iter().map(|b| b.name.as_str()).collect();
            let who = if busy.is_empty() { String::new() } else { format!("; busy: {}", busy.join(", ")) };
            let _ = writeln!(out, "not at rest yet{who}");
        }
        if let Some((delta, snapshot)) = &self.delta {
            out.push_str(&self.changes_text(delta, snapshot));
        }
        out
    }

    fn error(&self) -> Option<Error> {
        self.head.error.clone()
    }

    fn verdict(&self) -> Verdict {
        match &self.head.error {
            None => Verdict::Done,
            Some(error) => Verdict::of(error).unwrap_or(Verdict::No),
        }
    }
}
