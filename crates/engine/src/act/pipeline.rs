//! The stages of an action, in their order.

use super::envelope::{Envelope, Head, Lifecycle, TargetReport, Timing};
use super::expectation::Proof;
use super::options::{ActOptions, SettleName};
use super::{finding, loading};
use crate::backend::{Action, Deadline, Delivery, Refusal};
use crate::session::{Session, Watch, Watched};
use crate::trace::Seen;
use crate::verbs::Call;
use std::time::Duration;
use stillpoint_core::judge::Verb;
use stillpoint_core::render::Element;
use stillpoint_core::select::{Resolved, Selector};
use stillpoint_core::settle::{LoadingState, Reason, Rules, StabilityState};
use stillpoint_core::tree::{ElementId, NativeKey, TreeView};
use stillpoint_core::{Code, Error, Moment, Result};
use tokio::time::Instant;

/// Makes the platform's action for the targets' keys.
pub type MakeAction<'a> =
    Box<dyn Fn(Option<NativeKey>, Option<NativeKey>) -> Result<Action> + Send + Sync + 'a>;

/// Looks at an element of the tree; `None` if the platform does not say.
pub type Look = Box<dyn Fn(&TreeView, ElementId) -> Option<bool> + Send + Sync>;

/// What is to be done.
pub struct Intent<'a> {
    /// The verb.
    pub verb: Verb,
    /// The target; `None` for what has none, or goes to whoever has the focus.
    pub selector: Option<Selector>,
    /// A second target: where something is dropped.
    pub second: Option<Selector>,
    /// The platform's action, once the targets are known by their keys.
    pub action: MakeAction<'a>,
    /// What the target itself must show afterwards, where the verb has a meaning that can be read back.
    pub read_back: Option<ReadBack>,
}

/// A look at the target after the action: in words what is looked for, and whether it is so.
pub struct ReadBack {
    /// In words.
    pub expected: String,
    /// Whether it is so; `None` if the platform does not say.
    pub look: Look,
}

/// Does it, and tells what came of it.
pub async fn act(
    session: &Session,
    intent: Intent<'_>,
    options: &ActOptions,
    call: &Call,
) -> Result<Envelope> {
    options.check()?;
    let proof = options.expect.as_ref().map(super::ExpectInput::proof).transpose()?;
    let run = Run::new(session, &intent, options, call);
    Ok(run.go(proof).await)
}

/// How often a target that was replaced is looked for anew.
const LOOKS: usize = 3;

/// An action under way.
pub(super) struct Run<'a> {
    pub(super) session: &'a Session,
    pub(super) intent: &'a Intent<'a>,
    pub(super) options: &'a ActOptions,
    pub(super) call: &'a Call,
    pub(super) deadline: Deadline,
    pub(super) head: Head,
    /// When it was handed to the app.
    pub(super) dispatched: Option<Moment>,
    /// What spoke against it while it waited for its target.
    pub(super) seen: Seen,
    /// What its settling saw.
    pub(super) watched: Option<Watched>,
    /// What was dangerous about it and was confirmed.
    pub(super) confirmed: Vec<String>,
    /// What it brings along, for the audit log.
    pub(super) given: serde_json::Value,
}

/// What stopped an action, and whether it had reached the app.
pub(super) struct Stop {
    pub(super) error: Error,
    pub(super) delivery: Delivery,
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
    fn new(session: &'a Session, intent: &'a Intent<'a>, options: &'a ActOptions, call: &'a Call) -> Self {
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
            loading_state: LoadingState::default(),
            busy_resources: Vec::new(),
            verification: None,
            converged: None,
            timing: Timing::default(),
            error: None,
        };
        let deadline = Deadline::after(Duration::from_millis(options.timeout_ms));
        let seen = Seen::from(session.now());
        Run {
            session,
            intent,
            options,
            call,
            deadline,
            head,
            seen,
            dispatched: None,
            watched: None,
            confirmed: Vec::new(),
            given: serde_json::Value::Null,
        }
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
        // Without any time, what is known must do: a target that is not there is still told as that.
        if !self.deadline.has_passed() {
            self.session.catch_up(self.deadline).await?;
        }
        self.head.revision_before = self.session.revision();
        let mut again = 0;
        let handed_over = loop {
            match self.hand_over().await {
                Err(stop) if again < LOOKS && self.was_replaced(&stop) => {
                    again += 1;
                    self.head.target = None;
                    self.session.catch_up(self.deadline).await?;
                }
                handed_over => break handed_over?,
            }
        };
        let Some((first, watch)) = handed_over else {
            self.head.success = true;
            return Ok(());
        };
        self.head.lifecycle_state = Lifecycle::Dispatched;
        self.settle(watch).await;
        self.verify(first, proof).await.map_err(|error| Stop { error, delivery: Delivery::Delivered })?;
        let failure = self.watched.as_ref().and_then(|w| w.failure.clone());
        if let Some(failure) = failure.filter(|e| e.code == Code::TargetLost) {
            // It arrived, and the app died of it or soon after: worth knowing, and never worth a retry.
            return Err(Stop { error: failure, delivery: Delivery::Delivered });
        }
        self.head.success = true;
        Ok(())
    }

    /// Whether what was found went away before anything was dispatched: a page that is drawn anew replaces its elements,
    /// and a selector means whichever of them is there.
    fn was_replaced(&self, stop: &Stop) -> bool {
        let was_found = self.head.target.as_ref().is_some_and(|target| target.resolved.is_some());
        was_found
            && stop.error.code == Code::StaleReference
            && stop.delivery == Delivery::NotDelivered
            && !self.deadline.has_passed()
    }

    /// Finds the target, makes sure of it, and dispatches; gives the target and what watches the effect. Nothing where
    /// nothing may be dispatched.
    async fn hand_over(&mut self) -> Result<Option<(Option<ElementId>, Option<Watch>)>, Stop> {
        let (first, second) = self.resolve().await?;
        self.head.lifecycle_state = Lifecycle::Resolved;
        self.precondition(first)?;
        let action = self.action(first, second)?;
        self.permit(&action).await?;
        self.take_turn()?;
        self.actionability(first, second).await?;
        // While it waited, its target may have become something else.
        let action = self.action(first, second)?;
        self.permit(&action).await?;
        if self.is_dry() {
            return Ok(None);
        }
        let watch = self.subscribe()?;
        self.dispatch(&action).await?;
        Ok(Some((first, watch)))
    }

    async fn resolve(&mut self) -> Result<(Option<ElementId>, Option<ElementId>)> {
        let began = Instant::now();
        let mut found = [None, None];
        for (slot, selector) in found.iter_mut().zip([&self.intent.selector, &self.intent.second]) {
            let Some(selector) = selector else { continue };
            let is_first = self.intent.selector.as_ref() == Some(selector);
            if self.head.target.is_none() {
                let selector = selector.to_string();
                self.head.target = Some(TargetReport {
                    selector,
                    resolved: None,
                    step: None,
                    confidence: None,
                    healed: None,
                });
            }
            let mut found = finding::find(self.session, selector, self.deadline, &self.call.cancel).await;
            if let Err(miss) = &found
                && miss.code == Code::ElementNotFound
                && self.intent.verb == Verb::ScrollTo
                && !self.is_dry()
            {
                found = self.reach(selector, miss.clone()).await;
            }
            // The record is of the first target.
            let resolved = match found {
                Err(miss) if is_first => self.heal(miss)?,
                found => found?,
            };
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

    async fn actionability(&mut self, first: Option<ElementId>, second: Option<ElementId>) -> Result<()> {
        let began = Instant::now();
        for id in [first, second].into_iter().flatten() {
            self.wait_until_ready(id).await?;
        }
        self.head.timing.actionability = millis(began);
        Ok(())
    }

    fn action(&self, first: Option<ElementId>, second: Option<ElementId>) -> Result<Action> {
        (self.intent.action)(self.key(first)?, self.key(second)?)
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
    pub(super) fn subscribe(&self) -> Result<Option<Watch>> {
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
        self.dispatched = Some(self.session.moment(began));
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

    async fn settle(&mut self, watch: Option<Watch>) {
        let began = Instant::now();
        let Some(watch) = watch else {
            self.head.stability_state = self.session.glance();
            // Nobody waited for its effect: whoever reads or acts next asks the app first.
            self.session.word().passed_on();
            return;
        };
        watch.quiet_from_now();
        self.await_rest(watch).await;
        self.head.timing.settle = millis(began);
    }

    /// Waits until the UI is at rest, and what the action set loading is loaded.
    pub(super) async fn await_rest(&mut self, watch: Watch) {
        let cap = Deadline::after(Duration::from_millis(self.options.settle_timeout_ms));
        let cancel = &self.call.cancel;
        let mut watched = watch.within(cap.left()).settled(cancel).await;
        if watched.outcome.reason == Reason::Converged {
            let base = self.head.revision_before;
            let loaded = loading::outlast(self.session, base, self.options.window(), cap, cancel).await;
            match loaded {
                Ok(Some(rest)) if rest.outcome.reason == Reason::Converged => watched = rest,
                // Still loading at the cap: quiet as it is, more is to come.
                Ok(Some(_)) => watched.outcome.stability = StabilityState::Stabilizing,
                Ok(None) => {}
                Err(error) => watched.failure = Some(error),
            }
        }
        self.head.stability_state = watched.outcome.stability;
        self.head.settled =
            matches!(watched.outcome.stability, StabilityState::Stable | StabilityState::Idle);
        self.watched = Some(watched);
    }
}

/// How much longer than its deadline a backend may take to say that it kept it.
const GRACE: Duration = Duration::from_millis(40);

pub(super) fn millis(since: Instant) -> f64 {
    (since.elapsed().as_secs_f64() * 1e6).round() / 1e3
}

fn too_late() -> Error {
    Error::new(
        Code::Timeout,
        "the time was over before the action could be handed over; nothing was dispatched",
        "give a longer timeout_ms",
    )
}
