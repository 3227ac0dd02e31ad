//! The way to an agent of v2: calls with a deadline, and the barrier.

use crate::payload::{Attached, Barrier, Keys, not_understood};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::Deadline;
use stillpoint_wire::{ErrorCode, ResilientClient, Safety, WireError};
use tokio::sync::watch;
use tokio::time::Instant;

/// What is agreed with the session over there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreement {
    /// Names the session.
    pub(crate) epoch: u64,
    /// How its objects are named here.
    pub(crate) keys: Keys,
    /// What its clock showed at the latest when `heard` was now.
    clock_us: u64,
    heard: Instant,
}

impl Agreement {
    pub(crate) fn first(attached: &Attached, heard: Instant) -> Self {
        Agreement { epoch: attached.epoch, keys: Keys::default(), clock_us: attached.clock_us, heard }
    }

    /// The same over a new connection, or that with the session that has taken its place.
    fn next(self, attached: &Attached, heard: Instant) -> Self {
        let keys = if self.epoch == attached.epoch {
            self.keys
        } else {
            Keys::masked(RandomState::new().hash_one(attached.epoch))
        };
        Agreement { epoch: attached.epoch, keys, clock_us: attached.clock_us, heard }
    }

    /// The far clock at which a deadline has passed. The clock was read before it was heard, so this is early by up to one
    /// round trip and never late: what arrives late is not carried out over there. `None` if it has passed already.
    pub(crate) fn deadline_us(self, deadline: Deadline) -> Option<u64> {
        let at = deadline.instant();
        let micros = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        match at.checked_duration_since(self.heard) {
            Some(later) => Some(self.clock_us.saturating_add(micros(later))),
            None => self.clock_us.checked_sub(micros(self.heard - at)),
        }
    }
}

/// How far the events have been taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    pub(crate) epoch: u64,
    pub(crate) n: u64,
}

/// The way to an agent.
pub(crate) struct Line {
    pub(crate) agent: ResilientClient,
    agreement: Mutex<Agreement>,
    pub(crate) reached: watch::Sender<Reached>,
}

impl Line {
    pub(crate) fn new(agent: ResilientClient, agreement: Agreement, n: u64) -> Self {
        let reached = watch::Sender::new(Reached { epoch: agreement.epoch, n });
        Line { agent, agreement: Mutex::new(agreement), reached }
    }

    fn lock(&self) -> MutexGuard<'_, Agreement> {
        self.agreement.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn agreement(&self) -> Agreement {
        *self.lock()
    }

    /// Takes over what was agreed anew, and gives it.
    pub(crate) fn agree(&self, attached: &Attached, heard: Instant) -> Agreement {
        let mut agreement = self.lock();
        *agreement = agreement.next(attached, heard);
        *agreement
    }

    /// Asks something that may be asked twice.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        mut params: Value,
        deadline: Deadline,
    ) -> Result<T> {
        params["timeout_ms"] = json!(millis_left(deadline));
        let asking = async {
            let answer = self.agent.call(method, &params, deadline.left(), Safety::Idempotent).await;
            read(method, answer.map_err(lost)?)
        };
        deadline.bound(method, asking).await
    }

    /// Asks something about an element or a part of this session.
    pub(crate) async fn ask_about<T: DeserializeOwned>(
        &self,
        method: &str,
        mut params: Value,
        deadline: Deadline,
    ) -> Result<T> {
        params["epoch"] = json!(self.agreement().epoch);
        self.ask(method, params, deadline).await
    }

    /// A round trip through the far side's own barrier; then every event that it had told is in the sink here.
    pub(crate) async fn barrier(&self, deadline: Deadline) -> Result<()> {
        let far: Barrier = self.ask("backend.barrier", json!({}), deadline).await?;
        let mut reached = self.reached.subscribe();
        let caught_up = async {
            let there = |now: &Reached| now.epoch == far.epoch && now.n >= far.n;
            reached.wait_for(there).await.map(|_| ()).map_err(|_| Error::internal("nobody follows the agent"))
        };
        deadline.bound("the agent's events", caught_up).await
    }
}

/// What is left of the time, in whole milliseconds.
pub(crate) fn millis_left(deadline: Deadline) -> u64 {
    u64::try_from(deadline.left().as_millis()).unwrap_or(u64::MAX)
}

/// Reads an answer.
pub(crate) fn read<T: DeserializeOwned>(method: &str, answer: Value) -> Result<T> {
    serde_json::from_value(answer).map_err(|why| not_understood(&format!("the answer to {method}"), why))
}

/// An agent that cannot be reached any more is a target that is lost; what it said itself is kept.
pub(crate) fn lost(error: WireError) -> Error {
    let gone = matches!(error.code(), ErrorCode::AgentUnavailable) && !matches!(error, WireError::Remote(_));
    let mut told = Error::from(error);
    if gone {
        told.code = Code::TargetLost;
        told.retryable = false;
    }
    told
}
