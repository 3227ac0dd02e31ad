//! What every wait answers (SPEC §6), and its story in words.

use super::{Answer, Verdict, to_json};
use crate::backend::BusyResource;
use crate::session::{Session, Watched};
use crate::sync::SyncMode;
use crate::trace::{WaitRecord, What, wait_story};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write;
use stillpoint_core::render::{ChangeSummary, summarise};
use stillpoint_core::revise::Revision;
use stillpoint_core::settle::{LoadingState, Reason, StabilityState, loading_state};
use stillpoint_core::tree::ElementId;
use stillpoint_core::{Code, Error, Result};

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitStatus {
    /// As asked.
    Success,
    /// The time was over first.
    Timeout,
    /// It could not go on.
    Failed,
}

/// What a wait answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitAnswer {
    /// How it ended.
    pub status: WaitStatus,
    /// Why it ended.
    pub reason: Reason,
    /// Whether the awaited change was seen.
    pub change_detected: bool,
    /// Whether the UI is at rest.
    pub stabilized: bool,
    /// How far rest is proven.
    pub stability_state: StabilityState,
    /// The revision from which changes counted.
    pub base_revision: Revision,
    /// The revision now.
    pub snapshot_revision: Revision,
    /// When this state was read, in milliseconds of the session.
    pub captured_at_ms: u64,
    /// How old it is when it is told.
    pub snapshot_freshness_ms: u64,
    /// Where changes counted: screen, subtree, viewport.
    pub scope: String,
    /// The element that was watched, where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What changed since the base revision.
    pub change_summary: ChangeSummary,
    /// Whether something seems to be loading: advice, not proof.
    pub loading_state: LoadingState,
    /// How rest is known.
    pub sync_mode: SyncMode,
    /// Why it is not known better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_reason: Option<String>,
    /// What the app says is under way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub busy_resources: Vec<BusyResource>,
    /// Elements that change all the time and were passed over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<ElementId>,
    /// How long it took.
    pub elapsed_ms: u64,
    /// What was awaited, what was seen, what to do: in words.
    pub story: String,
    /// What went wrong, where something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Error>,
}

/// What a wait was for, in words and names.
pub(super) struct Asked<'a> {
    /// In words: "a change anywhere on the screen".
    pub(super) what: &'a str,
    /// The scope's name.
    pub(super) scope: &'a str,
    /// The element that was watched.
    pub(super) target: Option<String>,
}

impl WaitAnswer {
    /// The answer to a wait that saw this.
    pub(super) fn of(session: &Session, asked: &Asked<'_>, watched: &Watched) -> Self {
        let captured_at = session.now();
        let (snapshot, summary, loading) = session.read_mirror(|mirror| {
            let delta = mirror.delta_since(watched.base);
            // A baseline that fell out of the history during the wait leaves nothing to tell but the counts.
            let summary =
                delta.as_ref().map(|d| summarise(d, mirror.tree(), &watched.counts)).unwrap_or_default();
            let loading = loading_state(mirror.tree(), delta.ok().as_ref());
            (mirror.snapshot(captured_at), summary, loading)
        });
        let reason = watched.outcome.reason;
        let stability = watched.outcome.stability;
        let (sync_mode, sync_reason) = session.sync_mode();
        let mut answer = WaitAnswer {
            status: status(reason),
            reason,
            change_detected: watched.change_detected,
            stabilized: matches!(stability, StabilityState::Stable | StabilityState::Idle),
            stability_state: stability,
            base_revision: watched.base,
            snapshot_revision: snapshot.revision,
            captured_at_ms: captured_at.as_millis(),
            snapshot_freshness_ms: 0,
            scope: asked.scope.to_owned(),
            target: asked.target.clone(),
            change_summary: summary,
            loading_state: loading,
            sync_mode,
            sync_reason,
            busy_resources: session.busy_resources(),
            masked: watched.masked.clone(),
            elapsed_ms: watched.ended.since(watched.began).as_millis() as u64,
            story: String::new(),
            error: None,
        };
        answer.story = wait_story(&answer.record(asked.what, watched));
        answer.error = failure(&answer, watched);
        answer.snapshot_freshness_ms = session.now().since(captured_at).as_millis() as u64;
        answer
    }

    /// The same answer, kept in the trace.
    pub(super) fn noted(self, session: &Session, asked: &str, watched: &Watched) -> Self {
        if self.error.is_some() {
            session.picture_failure(&format!("the wait for {asked}"));
        }
        let record = WaitRecord { story: self.story.clone(), ..self.record(asked, watched) };
        session.recorder().note(watched.ended, What::Wait(Box::new(record)));
        self
    }

    fn record(&self, asked: &str, watched: &Watched) -> WaitRecord {
        WaitRecord {
            awaited: asked.to_owned(),
            elapsed_ms: self.elapsed_ms,
            reason: self.reason,
            stability: self.stability_state,
            sync_mode: self.sync_mode,
            base_revision: self.base_revision,
            revision: self.snapshot_revision,
            resets_ms: watched.resets_ms(),
            barriers_ms: watched.barriers_ms(),
            quiet_ms: watched.ended.since(watched.last_mutation).as_millis() as u64,
            masked: self.masked.clone(),
            changes: self.change_summary.first.clone(),
            story: String::new(),
        }
    }
}

fn status(reason: Reason) -> WaitStatus {
    match reason {
        Reason::Converged => WaitStatus::Success,
        Reason::NoChange | Reason::NotStable => WaitStatus::Timeout,
        Reason::TargetInvalid | Reason::TargetLost | Reason::TargetUnresponsive | Reason::Cancelled => {
            WaitStatus::Failed
        }
    }
}

fn failure(answer: &WaitAnswer, watched: &Watched) -> Option<Error> {
    let code = match answer.reason {
        Reason::Converged => return None,
        Reason::NoChange | Reason::NotStable => Code::Timeout,
        Reason::TargetInvalid => Code::StaleReference,
        Reason::TargetLost => Code::TargetLost,
        Reason::TargetUnresponsive => Code::TargetUnresponsive,
        Reason::Cancelled => Code::Cancelled,
    };
    let hint = match code {
        Code::Timeout => "the story says what was seen; a longer timeout_ms or another scope may help",
        Code::StaleReference => "find the element again, and watch the new one",
        Code::TargetLost => "open the target again; element ids and revisions start anew",
        Code::TargetUnresponsive => "look at the app; try again when it answers",
        _ => "call again if the answer is still wanted",
    };
    let known = watched.failure.clone().filter(|e| e.code == code);
    Some(known.unwrap_or_else(|| Error::new(code, answer.story.clone(), hint)))
}

impl Answer for WaitAnswer {
    fn json(&self) -> Result<Value> {
        to_json(self)
    }

    fn text(&self) -> String {
        let mut out = format!(
            "{} rev {} → {}\n{}\n",
            self.stability_state.name(),
            self.base_revision,
            self.snapshot_revision,
            self.story
        );
        for change in &self.change_summary.first {
            let _ = writeln!(out, "  {change}");
        }
        if !self.masked.is_empty() {
            let names: Vec<String> = self.masked.iter().map(ToString::to_string).collect();
            let _ = writeln!(out, "passed over, for they change all the time: {}", names.join(", "));
        }
        for busy in &self.busy_resources {
            let _ = writeln!(out, "busy: {} × {} for {} ms", busy.name, busy.count, busy.age_ms);
        }
        out
    }

    fn error(&self) -> Option<Error> {
        self.error.clone()
    }

    fn verdict(&self) -> Verdict {
        match self.reason {
            Reason::Converged => Verdict::Done,
            Reason::NoChange | Reason::NotStable => Verdict::Timeout,
            Reason::TargetInvalid => Verdict::No,
            Reason::TargetLost | Reason::TargetUnresponsive => Verdict::Unavailable,
            Reason::Cancelled => Verdict::Cancelled,
        }
    }
}
