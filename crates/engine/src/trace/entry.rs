//! One line of a trace.

use crate::act::Head;
use crate::sync::SyncMode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stillpoint_core::revise::Revision;
use stillpoint_core::settle::{Reason, StabilityState};
use stillpoint_core::tree::ElementId;
use stillpoint_core::{Error, Moment};

/// Something that happened, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Milliseconds since the session began.
    pub at_ms: f64,
    /// What it was.
    #[serde(flatten)]
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum What {
    /// A recording was begun.
    Recording {
        /// The target's URI.
        target: String,
        /// Its name for people.
        name: String,
        /// When, in milliseconds since 1970.
        unix_ms: u64,
    },
    /// The mirror came to a new revision.
    Revision {
        /// Which one.
        revision: Revision,
        /// How many mutations led to it.
        mutations: usize,
        /// The first of them in words.
        changes: Vec<String>,
    },
    /// A wait was decided.
    Wait(Box<WaitRecord>),
    /// An expectation held, or did not.
    Expectation(Box<ExpectationRecord>),
    /// An action ended.
    Action(Box<ActionRecord>),
    /// A picture was taken of what a failure left.
    Picture {
        /// Whose failure: the action's name, or what was awaited.
        of: String,
        /// The file, beside the trace.
        file: String,
    },
    /// A call was refused.
    Refused {
        /// The verb.
        verb: String,
        /// Why.
        error: Error,
    },
    /// The session ended.
    Ended {
        /// How.
        why: String,
    },
    /// The file is full; nothing more was written.
    Full,
}

/// A wait: what was awaited, what was seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitRecord {
    /// What was awaited, in words.
    pub awaited: String,
    /// How long it took.
    pub elapsed_ms: u64,
    /// Why it ended.
    pub reason: Reason,
    /// How far rest is proven.
    pub stability: StabilityState,
    /// How rest is known.
    pub sync_mode: SyncMode,
    /// The revision from which changes counted.
    pub base_revision: Revision,
    /// The revision at its end.
    pub revision: Revision,
    /// When the window was started anew, in milliseconds of the wait.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resets_ms: Vec<u64>,
    /// When a barrier was asked for, in milliseconds of the wait.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub barriers_ms: Vec<u64>,
    /// How long it had been quiet at the end.
    pub quiet_ms: u64,
    /// Elements that were passed over, for they change all the time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masked: Vec<ElementId>,
    /// The first changes in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// The story in one sentence.
    #[serde(default)]
    pub story: String,
}

/// An expectation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectationRecord {
    /// What was expected, in words.
    pub expected: String,
    /// Whether it held.
    pub holds: bool,
    /// What was seen.
    pub observed: Value,
    /// How long it took.
    pub elapsed_ms: u64,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Error>,
}

/// An action with its stages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionRecord {
    /// What it answered: who it was for, how far it came, how long each stage took.
    pub envelope: Head,
    /// What spoke against it while it waited for its target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<Observation>,
    /// When the window of its settling was started anew, in milliseconds of the settling.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resets_ms: Vec<u64>,
    /// When a barrier was asked for, in milliseconds of the settling.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub barriers_ms: Vec<u64>,
    /// The first changes in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

/// What was seen at some time of a wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// Milliseconds since the wait began.
    pub at_ms: u64,
    /// In a word: `disabled`, `covered by dialog "Settings" (e9)`.
    pub seen: String,
}

/// Words longer than this are cut.
const LONGEST: usize = 300;

/// A sentence of bearable length.
pub(crate) fn cut(sentence: &str) -> String {
    match sentence.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &sentence[..end]),
        None => sentence.to_owned(),
    }
}

impl Entry {
    pub(crate) fn new(at: Moment, what: What) -> Self {
        Entry { at_ms: at.as_micros() as f64 / 1e3, what }
    }

    /// About how many bytes it takes in memory.
    pub(super) fn weight(&self) -> usize {
        let words = |list: &[String]| list.iter().map(|w| w.len() + 24).sum::<usize>();
        let own = match &self.what {
            What::Recording { target, name, .. } => target.len() + name.len(),
            What::Revision { changes, .. } => words(changes),
            What::Wait(w) => {
                let times = w.resets_ms.len() + w.barriers_ms.len() + w.masked.len();
                w.awaited.len() + w.story.len() + words(&w.changes) + 8 * times + 200
            }
            What::Expectation(e) => {
                e.expected.len() + e.observed.to_string().len() + failure(e.error.as_ref())
            }
            What::Action(a) => {
                let times = a.resets_ms.len() + a.barriers_ms.len();
                let seen: usize = a.observed.iter().map(|o| o.seen.len() + 32).sum();
                words(&a.changes) + seen + 8 * times + failure(a.envelope.error.as_ref()) + 1200
            }
            What::Picture { of, file } => of.len() + file.len(),
            What::Refused { verb, error } => verb.len() + failure(Some(error)),
            What::Ended { why } => why.len(),
            What::Full => 0,
        };
        own + std::mem::size_of::<Entry>()
    }
}

fn failure(error: Option<&Error>) -> usize {
    error.map_or(0, |e| e.message.len() + e.hint.len() + e.details.to_string().len())
}
