//! The last actions of a session, so that a caller can ask later what came of one.

use super::Session;
use crate::act::Envelope;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use stillpoint_core::Moment;
use stillpoint_core::judge::{Delivery, OutcomeEvidence, Verification, complaints};

/// How many actions are remembered.
const KEPT: usize = 64;

/// What is remembered of an action.
#[derive(Clone, Debug)]
pub struct PastAction {
    /// Its name.
    pub action_id: String,
    /// When it was handed to the app; none if it never was.
    pub dispatched: Option<Moment>,
    /// When it ended.
    pub ended: Moment,
    /// What was seen of it.
    pub evidence: OutcomeEvidence,
}

#[derive(Debug, Default)]
pub(super) struct Recent {
    given: AtomicU64,
    past: Mutex<VecDeque<PastAction>>,
}

impl Session {
    /// A name for an action, unique in this session.
    pub(crate) fn next_action_id(&self) -> String {
        format!("a{}", self.inner.recent.given.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Keeps what was seen of an action.
    pub(crate) fn remember(&self, envelope: &Envelope, dispatched: Option<Moment>) {
        let said = envelope.delta().map(|(delta, snapshot)| {
            let touched = delta.added().map(|(id, _)| id).chain(delta.changed().map(|(id, _)| id));
            complaints(&snapshot.tree, touched)
        });
        let evidence = OutcomeEvidence {
            delivery: envelope.delivery_status,
            ui_changed: (envelope.delivery_status != Delivery::NotDelivered)
                .then_some(envelope.revision_after > envelope.revision_before),
            verification: envelope
                .verification
                .as_ref()
                .map(|v| if v.holds { Verification::Passed } else { Verification::Failed }),
            complaints: said.unwrap_or_default(),
            network: Vec::new(),
        };
        let action =
            PastAction { action_id: envelope.action_id.clone(), dispatched, ended: self.now(), evidence };
        let mut past = self.inner.recent.past.lock().unwrap_or_else(PoisonError::into_inner);
        if past.len() == KEPT {
            past.pop_front();
        }
        past.push_back(action);
    }

    /// The remembered action that was under way at a time, in milliseconds of the session. Of two at once, the later.
    pub(crate) fn action_under_way(&self, at_ms: u64) -> Option<String> {
        let past = self.inner.recent.past.lock().unwrap_or_else(PoisonError::into_inner);
        let covers = |a: &&PastAction| {
            let begun = a.dispatched.is_some_and(|at| at.as_micros() / 1000 <= at_ms);
            begun && at_ms <= a.ended.as_micros() / 1000
        };
        past.iter().filter(covers).max_by_key(|a| a.dispatched).map(|a| a.action_id.clone())
    }

    /// A remembered action.
    pub fn past_action(&self, action_id: &str) -> Option<PastAction> {
        let past = self.inner.recent.past.lock().unwrap_or_else(PoisonError::into_inner);
        past.iter().find(|a| a.action_id == action_id).cloned()
    }
}
