//! The story of one wait in a sentence: what was awaited, what was seen, what to do.

use super::entry::{Observation, WaitRecord};
use std::fmt::Write;
use stillpoint_core::Moment;
use stillpoint_core::settle::{Reason, StabilityState};

/// At most so many observations are kept of one wait.
const KEPT: usize = 16;

/// What was seen while something was awaited: one observation for each change of what is seen.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    began: Moment,
    observed: Vec<Observation>,
}

impl Seen {
    /// A wait that begins.
    pub(crate) fn from(began: Moment) -> Self {
        Seen { began, observed: Vec::new() }
    }

    /// Takes note of what is seen now.
    pub(crate) fn see(&mut self, now: Moment, seen: &str) {
        if self.observed.last().is_some_and(|last| last.seen == seen) {
            return;
        }
        if self.observed.len() == KEPT {
            // The first tells how it began, the last how it ended; the middle says least.
            self.observed.remove(KEPT / 2);
        }
        let at_ms = now.since(self.began).as_millis() as u64;
        self.observed.push(Observation { at_ms, seen: super::entry::cut(seen) });
    }

    /// What was seen.
    pub(crate) fn into_observed(self) -> Vec<Observation> {
        self.observed
    }

    /// `waited 800 ms for button "Sign in" (e7) to be enabled: at 0 ms disabled`.
    pub(crate) fn told(&self, awaited: &str, now: Moment) -> String {
        let mut out = format!("waited {} ms for {awaited}: ", now.since(self.began).as_millis());
        for (n, o) in self.observed.iter().enumerate() {
            let comma = if n == 0 { "" } else { ", " };
            let _ = write!(out, "{comma}at {} ms {}", o.at_ms, o.seen);
        }
        out
    }
}

/// What was awaited, what was seen, what to do.
pub(crate) fn wait_story(wait: &WaitRecord) -> String {
    let mut out = format!("waited {} ms for {}: ", wait.elapsed_ms, wait.awaited);
    let restarted = times(wait.resets_ms.len());
    let quiet = wait.quiet_ms;
    let _ = match wait.reason {
        Reason::Converged if wait.stability == StabilityState::Idle => {
            write!(out, "the app says it is idle")
        }
        Reason::Converged => {
            write!(out, "at rest; quiet for {quiet} ms, the window was restarted {restarted}")
        }
        Reason::NoChange => write!(
            out,
            "nothing of the kind came by revision {}. Did the action reach the app? If the change came before the \
             call, give since_revision",
            wait.revision
        ),
        Reason::NotStable => write!(
            out,
            "still changing; the window was restarted {restarted}, the last time {quiet} ms before the end. Give a \
             longer timeout_ms, a scope, or ignore what never rests"
        ),
        Reason::TargetInvalid => write!(out, "the element that was watched is gone; find it again"),
        Reason::TargetLost => write!(out, "the app is gone; open it again"),
        Reason::TargetUnresponsive => {
            write!(out, "the app does not answer; it may be stopped, busy or blocked by a dialog")
        }
        Reason::Cancelled => write!(out, "cancelled by the caller"),
    };
    if let Some(first) = wait.changes.first() {
        let _ = write!(out, ". Seen: {first}");
    }
    out
}

fn times(n: usize) -> String {
    if n == 1 { "once".to_owned() } else { format!("{n} times") }
}
