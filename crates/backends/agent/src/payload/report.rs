//! What the agent answers besides actions, and what it tells by itself.

use super::ChangeForm;
use serde::{Deserialize, Serialize};
use stillpoint_core::Error;
use stillpoint_engine::backend::{BusyResource, Capabilities, IdleReport, TargetInfo};

/// The app's own word.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct IdleForm {
    pub(crate) idle: bool,
    #[serde(default)]
    pub(crate) busy: Vec<BusyResource>,
}

impl From<IdleReport> for IdleForm {
    fn from(report: IdleReport) -> Self {
        IdleForm { idle: report.idle, busy: report.busy }
    }
}

impl From<IdleForm> for IdleReport {
    fn from(form: IdleForm) -> Self {
        IdleReport { idle: form.idle, busy: form.busy }
    }
}

/// The answer to `backend.attach`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Attached {
    /// Names the session over there; keys and deadlines mean something in it alone.
    pub(crate) epoch: u64,
    /// Events up to this one are in `changes` already.
    pub(crate) n: u64,
    /// The far side's clock when it answered, in microseconds.
    pub(crate) clock_us: u64,
    pub(crate) capabilities: Capabilities,
    pub(crate) info: TargetInfo,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) idle: Option<IdleForm>,
    /// The tree and the screen.
    pub(crate) changes: Vec<ChangeForm>,
}

/// The answer to `backend.barrier`: every change that the app had told before is in the events up to `n`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Barrier {
    pub(crate) epoch: u64,
    pub(crate) n: u64,
}

/// The answer to `backend.refresh`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Refreshed {
    pub(crate) changes: Vec<ChangeForm>,
}

/// An event.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EventForm {
    /// Counts up by one for each event of the agent.
    #[serde(default)]
    pub(crate) n: u64,
    #[serde(default)]
    pub(crate) epoch: u64,
    #[serde(flatten)]
    pub(crate) what: Occurrence,
}

/// What happened.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Occurrence {
    /// Changes that belong together.
    Changes { changes: Vec<ChangeForm> },
    /// The app's own word is another.
    Idle(IdleForm),
    /// Changes were lost: read everything again.
    Reread,
    /// This connection was too slow and missed events. It comes from the connection itself, without `n` and `epoch`.
    Resync,
    /// The agent serves another target.
    Target,
    /// The app is gone; with an error if it was lost.
    End {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<Error>,
    },
}
