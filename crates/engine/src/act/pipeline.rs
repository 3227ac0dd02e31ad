//! The stages of an action, in their order.

use super::envelope::{Envelope, Head, Lifecycle, TargetReport, Timing, VerificationReport};
use super::expectation::Proof;
use super::options::{ActOptions, SettleName};
use super::{actionable, finding};
use crate::backend::{Action, Deadline, Delivery, Refusal};
use crate::session::{Session, Watch, Watched};
use std::time::Duration;
use stillpoint_core::judge::Verb;
use stillpoint_core::render::Element;
use stillpoint_core::revise::{Class, Revision};
use stillpoint_core::select::{Resolved, Selector};
use stillpoint_core::settle::{Rules, StabilityState, loading_state};
use stillpoint_core::tree::{ElementId, NativeKey, TreeView};
use stillpoint_core::{Code, Error, Result};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What is to be done.
pub struct Intent<'a> {
    /// The verb.
    pub verb: Verb,
    /// The target; `None` for what has none, or goes to whoever has the focus.
    pub selector: Option<Selector>,
    /// A second target: where something is dropped.
    pub second: Option<Selector>,
    /// The platform's action, once the targets are known by their keys.
    pub action: Box<dyn Fn(Option<NativeKey>, Option<NativeKey>) -> Result<Action> + Send + Sync + 'a>,
    /// What the target itself must show afterwards, where the verb has a meaning that can be read back.
    pub read_back: Option<ReadBack>,
}

/// A look at the target after the action: in words what is looked for, and whether it is so.
pub struct ReadBack {
    /// In words.
    pub expected: String,
    /// Whether it is so; `None` if the platform does not say.
    pub look: Box<dyn Fn(&TreeView, ElementId) -> Option<bool> + Send + Sync>,
}

/// Does it, and tells what came of it.
pub async fn act(
    session: &Session,
    intent: Intent<'_>,
    options: &ActOptions,
    cancel: &CancellationToken,
) -> Result<Envelope> {
    options.check()?;
    let proof = options.expect.as_ref().map(super::ExpectInput::proof).transpose()?;
    let run = Run::new(session, &intent, options, cancel);
    Ok(run.go(proof).await)
}

/// An action under way.
struct Run<'a> {
    session: &'a Session,
    intent: &'a Intent<'a>,
    options: &'a ActOptions,
    cancel: &'a CancellationToken,
    deadline: Deadline,
    head: Head,
}

/// What stopped an action, and whether it had reached the app.
struct Stop {
    error: Error,
    delivery: Delivery,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop { error, delivery: Delivery::NotDelivered }
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Stop { error: refusal.error, delivery: refusal.delivery }
    }
}

impl<'a> Run<'a> {
    fn new(
        session: &'a Session,
        intent: &'a Intent<'a>,
        options: &'a ActOptions,
        cancel: &'a CancellationToken,
    ) -> Self {
        let action_id = session.next_action_id();
        let revision = session.revision();
        let head = Head {
            trace_id: format!("{}/{action_id}", session.target()),
            action_id,
            action_type: intent.verb,
            target: None,
            lifecycle_state: Lifecycle::Failed,
            success: false,
            delivery_status: Delivery::NotDelivered,
            means: None,
            failure_code: None,
            retryable: false,
            revision_before: revision,
            revision_after: revision,
            settled: false,
            stability_state: StabilityState::Transient,
            loading_state: Default::default(),
            busy_resources: Vec::new(),
            verification: None,
            converged: None,
            timing: Timing::default(),
            error: None,
        };
        let deadline = Deadline::after(Duration::from_millis(options.timeout_ms));
        Run { session, intent, options, cancel, deadline, head }
    }

    async fn go(mut self, proof: Option<Proof>) -> Envelope {
        match self.stages(proof).await {
            Ok(()) => {}
            Err(stop) => self.stopped(stop),
        }
        self.finish()
    }

    async fn stages(&mut self, proof: Option<Proof>) -> Result<(), Stop> {
        self.session.alive()?;
        let (first, second) = self.resolve().await?;
        self.head.lifecycle_state = Lifecycle::Resolved;
        self.precondition(first)?;
        self.actionability(first, second).await?;
        let action = (self.intent.action)(self.key(first)?, self.key(second)?)?;
        if self.options.dry_run {
            self.head.success = true;
            return Ok(());
        }
        let watch = self.subscribe()?;
        self.dispatch(&action).await?;
        self.head.lifecycle_state = Lifecycle::Dispatched;
        let settled = self.settle(watch).await;
        self.verify(first, proof).await.map_err(|error| Stop { error, delivery: Delivery::Delivered })?;
        if let Some(failure) = settled.and_then(|w| w.failure).filter(|e| e.code == Code::TargetLost) {
            // It arrived, and the app died of it or soon after: worth knowing, and never worth a retry.
            return Err(Stop { error: failure, delivery: Delivery::Delivered });
        }
        self.head.success = true;
        Ok(())
    }

    async fn resolve(&mut self) -> Result<(Option<ElementId>, Option<ElementId>)> {
        let began = Instant::now();
        let mut found = [None, None];
        for (slot, selector) in found.iter_mut().zip([&self.intent.selector, &self.intent.second]) {
            let Some(selector) = selector else { continue };
            if self.head.target.is_none() {
                let selector = selector.to_string();
                self.head.target =
                    Some(TargetReport { selector, resolved: None, step: None, confidence: None });
            }
            let resolved = finding::find(self.session, selector, self.deadline, self.cancel).await?;
            *slot = Some(resolved.id);
            self.report_target(selector, resolved);
        }
        self.head.timing.resolve = millis(began);
        Ok((found[0], found[1]))
    }

    fn report_target(&mut self, selector: &Selector, resolved: Resolved) {
        let Some(report) = self.head.target.as_mut().filter(|t| t.resolved.is_none()) else { return };
        debug_assert_eq!(report.selector, selector.to_string());
        report.resolved = self.session.read(|tree| {
            let node = tree.get(resolved.id)?;
            Some(Element::of(resolved.id, node, node.parent()))
        });
        report.step = Some(resolved.step);
        report.confidence = Some(resolved.confidence);
    }

    /// Refuses if the target, or what it lies in, changed since the caller looked.
    fn precondition(&self, target: Option<ElementId>) -> Result<()> {
        let (Some(expected), Some(target)) = (self.options.expected_revision, target) else { return Ok(()) };
        if self.is_unchanged_since(expected, target)? {
            return Ok(());
        }
        self.session.telemetry().premature_refused.add(1);
        let delta = self.session.read_mirror(|mirror| {
            let delta = mirror.delta_since(expected)?;
            Ok::<_, Error>(stillpoint_core::render::delta_text(&delta, mirror.tree()))
        })?;
        Err(Error::new(
            Code::StaleRevision,
            format!("{target} or what it lies in changed since revision {expected}; nothing was dispatched"),
            "look at the delta in details, then act on what is there now",
        )
        .with_details(serde_json::json!({ "delta": delta, "snapshot_revision": self.session.revision() })))
    }

    fn is_unchanged_since(&self, expected: Revision, target: ElementId) -> Result<bool> {
        self.session.read_mirror(|mirror| {
            let mutations = mirror.mutations_since(expected)?;
            let line: Vec<ElementId> =
                std::iter::once(target).chain(mirror.tree().ancestors(target)).collect();
            // A window that was raised or a screen that got another title is told on the root; the element is the same.
            let root = mirror.tree().root();
            let touched = |m: &stillpoint_core::revise::Mutation| {
                line.contains(&m.element) && !(m.class == Class::Navigation && Some(m.element) == root)
            };
            Ok(!mutations.iter().any(touched))
        })
    }

    async fn actionability(&mut self, first: Option<ElementId>, second: Option<ElementId>) -> Result<()> {
        let began = Instant::now();
        for id in [first, second].into_iter().flatten() {
            let dry = self.options.dry_run;
            actionable::wait(self.session, id, self.intent.verb, dry, self.deadline, self.cancel).await?;
        }
        self.head.timing.actionability = millis(began);
        Ok(())
    }

    fn key(&self, id: Option<ElementId>) -> Result<Option<NativeKey>> {
        let Some(id) = id else { return Ok(None) };
        let key = self.session.read(|tree| tree.get(id).map(stillpoint_core::tree::Node::key));
        key.map(Some).ok_or_else(|| {
            let hint = "take a new snapshot; the element was removed or replaced";
            Error::new(Code::StaleReference, format!("{id} is gone"), hint)
        })
    }

    /// Starts to watch before anything is done, so that no effect can be missed.
    fn subscribe(&self) -> Result<Option<Watch>> {
        if self.options.settle == SettleName::None {
            return Ok(None);
        }
        let rules = Rules { window: self.options.window(), mask_volatile: true, ..Rules::default() };
        let longest = self.options.timeout_ms.saturating_add(self.options.settle_timeout_ms);
        self.session.watch(rules, None, Deadline::after(Duration::from_millis(longest))).map(Some)
    }

    async fn dispatch(&mut self, action: &Action) -> Result<(), Stop> {
        if self.deadline.has_passed() {
            return Err(too_late().into());
        }
        let began = Instant::now();
        let deadline = self.deadline;
        let performed = tokio::select! {
            performed = self.session.backend().perform(action, deadline) => performed?,
            () = tokio::time::sleep_until(deadline.instant() + GRACE) => {
                return Err(Refusal::after_dispatch(Error::new(
                    Code::TargetUnresponsive,
                    "the app did not answer while the action was handed over; it may have arrived",
                    "look at a snapshot before doing it again",
                ))
                .into());
            }
        };
        self.head.timing.dispatch = millis(began);
        self.head.means = Some(performed.means);
        self.head.delivery_status = Delivery::Delivered;
        Ok(())
    }

    async fn settle(&mut self, watch: Option<Watch>) -> Option<Watched> {
        let began = Instant::now();
        let Some(watch) = watch else {
            self.head.stability_state = self.session.glance();
            return None;
        };
        watch.quiet_from_now();
        let watched =
            watch.within(Duration::from_millis(self.options.settle_timeout_ms)).settled(self.cancel).await;
        self.head.stability_state = watched.outcome.stability;
        self.head.settled =
            matches!(watched.outcome.stability, StabilityState::Stable | StabilityState::Idle);
        self.head.timing.settle = millis(began);
        Some(watched)
    }

    /// Looks for evidence that it did what it should: the caller's expectation first, then what can be read back.
    async fn verify(&mut self, target: Option<ElementId>, proof: Option<Proof>) -> Result<()> {
        let began = Instant::now();
        self.head.lifecycle_state = Lifecycle::PendingVerification;
        if let Some(proof) = proof {
            let seen = proof.hold(self.session, self.cancel).await?;
            let (expected, holds) = (proof.in_words(), seen.holds);
            let observed = seen.observed;
            let failure = (!holds).then(|| self.session.read(|tree| proof.failure(tree, &observed)));
            self.head.verification = Some(VerificationReport { expected, holds, observed });
            self.head.timing.verify = millis(began);
            if let Some(failure) = failure {
                return Err(failure);
            }
            self.head.lifecycle_state = Lifecycle::Verified;
        } else if let (Some(read_back), Some(target)) = (&self.intent.read_back, target)
            && let Some(holds) = self.session.read(|tree| (read_back.look)(tree, target))
        {
            let expected = read_back.expected.clone();
            self.head.verification = Some(VerificationReport { expected, holds, observed: holds.into() });
            if holds {
                self.head.lifecycle_state = Lifecycle::Verified;
            }
        }
        self.head.timing.verify = millis(began);
        Ok(())
    }

    fn stopped(&mut self, stop: Stop) {
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

    fn finish(mut self) -> Envelope {
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
        let delta = delta.filter(|d| !d.is_empty()).map(|d| (d, snapshot));
        let envelope = Envelope { head: self.head, delta };
        self.session.remember(&envelope);
        envelope
    }
}

/// How much longer than its deadline a backend may take to say that it kept it.
const GRACE: Duration = Duration::from_millis(40);

fn millis(since: Instant) -> f64 {
    (since.elapsed().as_secs_f64() * 1e6).round() / 1e3
}

fn too_late() -> Error {
    Error::new(
        Code::Timeout,
        "the time was over before the action could be handed over; nothing was dispatched",
        "give a longer timeout_ms",
    )
}
