//! What happened during the demo, moment by moment.

use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use stillpoint_core::Moment;
use stillpoint_core::revise::{Class, Mutation, Revision};
use stillpoint_core::settle::Reason;
use stillpoint_engine::{Session, Watched};
use tokio::task::JoinHandle;

/// A wait and what it saw.
pub(super) struct Wait {
    /// When something was done first, if anything was.
    pub(super) act: Option<Moment>,
    /// How long it must be quiet.
    pub(super) window: Duration,
    pub(super) watched: Watched,
}

impl Wait {
    /// Whether it ended at rest.
    pub(super) fn at_rest(&self) -> bool {
        self.watched.outcome.reason == Reason::Converged
    }
}

/// Notes when changes come that are no revision of their own: progress, focus, geometry.
pub(super) struct Recorder {
    minor: Arc<Mutex<Vec<Moment>>>,
    task: JoinHandle<()>,
    base: Revision,
}

/// All of it.
pub(super) struct Record {
    pub(super) waits: Vec<Wait>,
    pub(super) mutations: Vec<Mutation>,
    pub(super) minor: Vec<Moment>,
}

/// How many mutations that do not count have been seen.
fn uncounted(session: &Session) -> u64 {
    let counters = &session.telemetry().mutations;
    Class::ALL
        .iter()
        .zip(counters)
        .filter(|(class, _)| !class.qualifies())
        .map(|(_, counter)| counter.get())
        .sum()
}

impl Recorder {
    /// Starts to take notes.
    pub(super) fn start(session: &Session) -> Self {
        let minor = Arc::new(Mutex::new(Vec::new()));
        let (notes, watched) = (minor.clone(), session.clone());
        let task = tokio::spawn(async move {
            let mut changes = watched.changes();
            let mut seen = uncounted(&watched);
            while changes.changed().await.is_ok() {
                let now = uncounted(&watched);
                if now != seen {
                    seen = now;
                    notes.lock().unwrap_or_else(PoisonError::into_inner).push(watched.now());
                }
            }
        });
        Recorder { minor, task, base: session.revision() }
    }

    /// What was noted, with what the waits saw.
    pub(super) fn finish(self, session: &Session, waits: Vec<Wait>) -> Record {
        self.task.abort();
        let minor = std::mem::take(&mut *self.minor.lock().unwrap_or_else(PoisonError::into_inner));
        // The demo makes a dozen revisions, so all of them are still kept.
        let mutations = session.read_mirror(|mirror| mirror.mutations_since(self.base)).unwrap_or_default();
        Record { waits, mutations, minor }
    }
}

impl Record {
    /// As data, in milliseconds of the session.
    pub(super) fn json(&self) -> Value {
        let at = |m: &Moment| m.as_micros() as f64 / 1000.0;
        let list = |moments: &[Moment]| moments.iter().map(at).collect::<Vec<f64>>();
        let wait = |w: &Wait| {
            json!({
                "began_ms": at(&w.watched.began),
                "act_ms": w.act.as_ref().map(at),
                "window_ms": w.window.as_millis() as u64,
                "resets_ms": list(&w.watched.resets),
                "barriers_ms": list(&w.watched.barriers),
                "ended_ms": at(&w.watched.ended),
                "at_rest": w.at_rest(),
            })
        };
        let mutation = |m: &Mutation| json!({ "at_ms": at(&m.at), "class": m.class, "element": m.element });
        json!({
            "waits": self.waits.iter().map(wait).collect::<Vec<_>>(),
            "mutations": self.mutations.iter().map(mutation).collect::<Vec<_>>(),
            "uncounted_ms": list(&self.minor),
        })
    }
}
