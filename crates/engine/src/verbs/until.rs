//! Waiting until something holds: looked at on every change of the mirror, never on a timer.

use crate::backend::Deadline;
use crate::session::{Session, Watched, last_call};
use std::collections::BTreeMap;
use std::time::Duration;
use stillpoint_core::revise::Revision;
use stillpoint_core::settle::{Outcome, Reason, Rules, StabilityState};
use stillpoint_core::{Moment, Result};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long an app may take to answer before a look that has no time: it is part of the 50 ms by which no wait outlives
/// its deadline.
const GLANCE: Duration = Duration::from_millis(40);

/// A wait for something that can be looked at.
pub(crate) struct Until<'a> {
    session: &'a Session,
    deadline: Deadline,
    cancel: &'a CancellationToken,
    began: Moment,
    base: Revision,
}

impl<'a> Until<'a> {
    pub(crate) fn new(session: &'a Session, deadline: Deadline, cancel: &'a CancellationToken) -> Self {
        Until { session, deadline, cancel, began: session.now(), base: session.revision() }
    }

    /// Waits until `look` says that it holds, and, with a window, until it holds at rest.
    pub(crate) async fn holds(
        &self,
        window: Option<Duration>,
        look: impl Fn(&Session) -> Result<bool>,
    ) -> Result<Watched> {
        loop {
            let reason = self.seen(&look).await?;
            let Some(window) = window.filter(|_| reason == Reason::Converged) else {
                return Ok(self.report(reason));
            };
            let rules = Rules { window, mask_volatile: true, ..Rules::default() };
            let settled = self.session.watch(rules, None, self.deadline)?.settled(self.cancel).await;
            // It may have come and gone while the UI settled: what counts is what holds at rest.
            if settled.outcome.reason != Reason::Converged || look(self.session)? {
                let change_detected = self.session.revision() > self.base;
                return Ok(Watched { began: self.began, base: self.base, change_detected, ..settled });
            }
        }
    }

    async fn seen(&self, look: impl Fn(&Session) -> Result<bool>) -> Result<Reason> {
        if self.deadline.has_passed() {
            // Without any time, one fresh look decides, if the app is quick to answer.
            let fresh = self.session.barrier(Deadline::after(GLANCE)).await;
            tracing::trace!(answered = fresh.is_ok(), "a look without a wait");
            return Ok(if look(self.session)? { Reason::Converged } else { Reason::NoChange });
        }
        let mut changes = self.session.changes();
        let _looks = self.session.keep_sampling();
        let hail = self.session.barrier(self.deadline);
        tokio::pin!(hail);
        let (mut hailed, mut answered) = (false, false);
        let mut last_call = last_call(self.deadline);
        loop {
            changes.borrow_and_update();
            // The last state of an app that is gone still tells whether it held.
            if look(self.session)? {
                return Ok(Reason::Converged);
            }
            if self.session.end().is_some() {
                return Ok(Reason::TargetLost);
            }
            if self.deadline.has_passed() {
                return Ok(if answered { Reason::NoChange } else { Reason::TargetUnresponsive });
            }
            tokio::select! {
                _ = changes.changed() => {}
                answer = &mut hail, if !hailed => (hailed, answered) = (true, answer.is_ok()),
                () = due(last_call), if hailed => {
                    last_call = None;
                    (hailed, answered) = (false, false);
                    hail.set(self.session.barrier(self.deadline));
                }
                () = tokio::time::sleep_until(self.deadline.instant()) => {}
                () = self.cancel.cancelled() => return Ok(Reason::Cancelled),
            }
        }
    }

    fn report(&self, reason: Reason) -> Watched {
        let stability =
            if reason == Reason::Converged { self.session.glance() } else { StabilityState::Transient };
        let last = self.session.read_mirror(stillpoint_core::revise::Mirror::last_qualifying);
        let watched = Watched {
            at: self.session.revision(),
            outcome: Outcome { reason, stability },
            change_detected: self.session.revision() > self.base,
            base: self.base,
            counts: BTreeMap::new(),
            resets: Vec::new(),
            barriers: Vec::new(),
            began: self.began,
            ended: self.session.now(),
            last_mutation: last.unwrap_or(self.began),
            masked: Vec::new(),
            failure: self.session.alive().err(),
        };
        self.session.telemetry().waited(&watched);
        watched
    }
}

async fn due(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
