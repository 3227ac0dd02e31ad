//! The end of an action: its envelope, and what the trace keeps of it.

use super::envelope::{Envelope, Lifecycle};
use super::pipeline::{Run, Stop};
use crate::backend::Delivery;
use crate::session::Watched;
use crate::trace::{ActionRecord, Seen, What};
use std::collections::BTreeMap;
use stillpoint_core::Code;
use stillpoint_core::render::summarise;
use stillpoint_core::settle::loading_state;

impl Run<'_> {
    pub(super) fn stopped(&mut self, stop: Stop) {
        if stop.error.code == Code::StaleReference {
            self.session.telemetry().stale_references.add(1);
        }
        if matches!(stop.error.code, Code::NotActionable | Code::AmbiguousTarget) {
            self.session.telemetry().premature_refused.add(1);
        }
        self.head.lifecycle_state = Lifecycle::Failed;
        self.head.delivery_status = stop.delivery;
        self.head.failure_code = Some(stop.error.code);
        // What may have arrived is never to be sent again without looking.
        self.head.retryable = stop.error.retryable && stop.delivery == Delivery::NotDelivered;
        self.head.error = Some(stop.error.retryable(self.head.retryable));
    }

    pub(super) fn finish(mut self) -> Envelope {
        let now = self.session.now();
        let base = self.head.revision_before;
        let (delta, snapshot, loading) = self.session.read_mirror(|mirror| {
            let delta = mirror.delta_since(base).ok();
            let loading = loading_state(mirror.tree(), delta.as_ref());
            (delta, mirror.snapshot(now), loading)
        });
        self.head.revision_after = snapshot.revision;
        self.head.loading_state = loading;
        self.head.busy_resources = self.session.busy_resources();
        self.audit();
        let delta = delta.filter(|d| !d.is_empty()).map(|d| (d, snapshot));
        let envelope = Envelope { head: self.head, delta };
        self.session.remember(&envelope, self.dispatched);
        if envelope.error.is_some() {
            self.session.picture_failure(&envelope.action_id);
        }
        let record = record(&envelope, self.seen, self.watched.as_ref());
        self.session.recorder().note(now, What::Action(Box::new(record)));
        envelope
    }
}

/// What the trace keeps of an action.
fn record(envelope: &Envelope, seen: Seen, watched: Option<&Watched>) -> ActionRecord {
    let changes = match envelope.delta() {
        Some((delta, snapshot)) => summarise(delta, &snapshot.tree, &BTreeMap::new()).first,
        None => Vec::new(),
    };
    ActionRecord {
        envelope: envelope.head.clone(),
        observed: seen.into_observed(),
        resets_ms: watched.map(Watched::resets_ms).unwrap_or_default(),
        barriers_ms: watched.map(Watched::barriers_ms).unwrap_or_default(),
        changes,
    }
}
