//! Waits that are under way, fed by the mirror task itself, so that none of them misses a mutation or counts one late.

use super::{Inner, Session, lost};
use crate::backend::{Deadline, End};
use crate::sync::IdleSource;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use stillpoint_core::revise::{Applied, Class, Revision};
use stillpoint_core::settle::{BarrierTicket, Outcome, Reason, Rules, Stabiliser, StabilityState, Step};
use stillpoint_core::tree::{ElementId, TreeView};
use stillpoint_core::{Error, Moment};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// One wait under way.
struct Running {
    stabiliser: Stabiliser,
    counts: BTreeMap<Class, u32>,
    resets: Vec<Moment>,
    failure: Option<Error>,
    /// The revision at which it was last asked whether it is decided.
    polled_at: Revision,
}

/// At most this many window resets are remembered for the story of a wait.
const MAX_RESETS: usize = 512;

/// The waits of a session.
#[derive(Default)]
pub(crate) struct Watches {
    running: HashMap<u64, Running>,
    last: u64,
}

impl Watches {
    pub(super) fn mutated(&mut self, tree: &TreeView, applied: &Applied) {
        for watch in self.running.values_mut() {
            let before = watch.stabiliser.resets();
            watch.stabiliser.mutated(tree, &applied.mutations);
            stillpoint_core::render::count(&mut watch.counts, &applied.mutations);
            if watch.stabiliser.resets() != before && watch.resets.len() < MAX_RESETS {
                watch.resets.push(watch.stabiliser.last_mutation());
            }
        }
    }
}

impl Watches {
    /// A sample was taken.
    pub(super) fn sampled(&mut self, began: Moment) {
        for watch in self.running.values_mut() {
            watch.stabiliser.sampled(began);
        }
    }
}

impl super::State {
    /// When the first window ends that has not ended at `from`, where samples decide.
    pub(crate) fn quiet_after(&self, from: Moment) -> Option<Moment> {
        let windows = self.watches.running.values().filter_map(|w| w.stabiliser.quiet_at());
        windows.filter(|quiet| *quiet > from).min()
    }
}

/// What a wait saw.
#[derive(Clone, Debug)]
pub struct Watched {
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the awaited change was seen.
    pub change_detected: bool,
    /// The revision at which it started.
    pub base: Revision,
    /// Mutations by class.
    pub counts: BTreeMap<Class, u32>,
    /// When the window was started anew.
    pub resets: Vec<Moment>,
    /// When the barrier that proved rest was asked for.
    pub barriers: Vec<Moment>,
    /// When it began.
    pub began: Moment,
    /// When it was decided.
    pub ended: Moment,
    /// The revision at which it was decided: what came later is not part of the rest that it tells of.
    pub at: Revision,
    /// When the last mutation came that counted.
    pub last_mutation: Moment,
    /// Elements that were passed over because they change all the time.
    pub masked: Vec<ElementId>,
    /// Why it failed, if it did.
    pub failure: Option<Error>,
}

impl Watched {
    /// When the window was started anew, in milliseconds of the wait.
    pub fn resets_ms(&self) -> Vec<u64> {
        self.in_millis(&self.resets)
    }

    /// When a barrier was asked for, in milliseconds of the wait.
    pub fn barriers_ms(&self) -> Vec<u64> {
        self.in_millis(&self.barriers)
    }

    fn in_millis(&self, moments: &[Moment]) -> Vec<u64> {
        moments.iter().map(|m| m.since(self.began).as_millis() as u64).collect()
    }
}

/// A wait: registered when it is made, so that nothing between that and [`Watch::settled`] is missed.
pub struct Watch {
    session: Session,
    id: u64,
    base: Revision,
    began: Moment,
    deadline: Deadline,
    by_word: bool,
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.session.state().watches.running.remove(&self.id);
    }
}

impl Session {
    /// Starts to watch for rest. `since` is a revision in the past from which changes count.
    pub fn watch(&self, rules: Rules, since: Option<Revision>, deadline: Deadline) -> Result<Watch, Error> {
        let began = self.now();
        self.listen();
        let samples = self.samples_needed();
        let mut state = self.state();
        let last = state.mirror.last_qualifying().unwrap_or(Moment::START);
        let mut stabiliser = Stabiliser::new(rules, last, self.moment(deadline.instant()));
        if let Some(needed) = samples {
            stabiliser.by_samples(needed);
        }
        let base = since.unwrap_or(state.mirror.revision());
        if let Some(since) = since {
            let mutations = state.mirror.mutations_since(since)?;
            if !mutations.is_empty() {
                stabiliser.mutated(state.mirror.tree(), &mutations);
            }
        }
        state.watches.last += 1;
        let id = state.watches.last;
        let running = Running {
            stabiliser,
            counts: BTreeMap::new(),
            resets: Vec::new(),
            failure: None,
            polled_at: base,
        };
        state.watches.running.insert(id, running);
        drop(state);
        Ok(Watch { session: self.clone(), id, base, began, deadline, by_word: false })
    }
}

impl Watch {
    /// The revision at which it started.
    pub fn base(&self) -> Revision {
        self.base
    }

    /// The same, to be decided this much from now at the latest.
    pub fn within(mut self, time: Duration) -> Self {
        self.deadline = self.deadline.or_after(time);
        let deadline = self.session.moment(self.deadline.instant());
        self.with(|r| r.stabiliser.decide_by(deadline));
        self
    }

    /// Counts quiet from now on: something was just done to the app.
    pub fn quiet_from_now(&self) {
        let now = self.session.now();
        self.with(|r| r.stabiliser.quiet_from(now));
    }

    /// Takes the word of an app with the idle SDK as soon as it is given: the app has answered one call since the wait
    /// began, so it has seen what was done to it before. What it told meanwhile is read by whoever reads next.
    pub fn by_word(mut self) -> Self {
        self.by_word = true;
        self
    }

    /// Waits until it is decided: at rest, too late, lost, or cancelled.
    pub async fn settled(self, cancel: &CancellationToken) -> Watched {
        let mut tick = self.session.changes();
        let mut idle = self.session.idle_source();
        // Whoever takes the app's word needs no looks, for as long as it gives its word.
        let mut looks = (!self.believes(idle.as_ref())).then(|| self.session.keep_sampling());
        let mut barriers = Vec::new();
        // One is enough: an earlier one proves nothing any more once another is due, and would only keep the app busy.
        let mut barrier = None;
        let hail = Hail::start(&self.session, self.deadline, self.believes(idle.as_ref()));
        // The barrier that the app's word stands for, from when it is due until the app has answered the first call.
        let mut due = None;
        let outcome = loop {
            tick.borrow_and_update();
            if let Some(source) = idle.as_mut() {
                let is_idle = source.is_idle();
                self.with(|r| r.stabiliser.idle_signal(is_idle));
                if is_idle.is_none() && looks.is_none() {
                    looks = Some(self.session.keep_sampling());
                }
                match is_idle {
                    Some(true) if hail.is_answered() => self.take_the_word_for(due.take()),
                    Some(true) => {}
                    _ => due = None,
                }
            }
            match self.step() {
                Step::Done(outcome) => break outcome,
                Step::Barrier(ticket) if self.believes(idle.as_ref()) => due = Some(ticket),
                Step::Barrier(ticket) => {
                    barriers.push(self.session.now());
                    drop(barrier.replace(self.ask(ticket)));
                }
                Step::Wait(until) => {
                    let until = self.session.instant(until);
                    tokio::select! {
                        _ = tick.changed() => {}
                        () = idle_changed(&mut idle) => {}
                        () = tokio::time::sleep_until(until) => {}
                        () = cancel.cancelled() => {
                            let now = self.session.now();
                            self.with(|r| r.stabiliser.end(Reason::Cancelled, now));
                        }
                    }
                }
            }
        };
        let outcome = hail.judge(outcome, self.session.now().since(self.began));
        self.report(outcome, barriers)
    }

    fn believes(&self, idle: Option<&IdleSource>) -> bool {
        self.by_word && idle.is_some_and(IdleSource::is_of_the_app)
    }

    fn take_the_word_for(&self, barrier: Option<BarrierTicket>) {
        if let Some(ticket) = barrier {
            self.session.word().passed_on();
            let now = self.session.now();
            self.with(|r| r.stabiliser.barrier_passed(ticket, now));
        }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Running) -> T) -> Option<T> {
        self.session.state().watches.running.get_mut(&self.id).map(act)
    }

    fn step(&self) -> Step {
        let now = self.session.now();
        let mut state = self.session.state();
        let (ended, revision) = (state.ended.clone(), state.mirror.revision());
        let Some(running) = state.watches.running.get_mut(&self.id) else {
            let stability = StabilityState::Transient;
            return Step::Done(Outcome { reason: Reason::Cancelled, stability });
        };
        if let Some(end) = ended {
            let reason = if end == End::Closed { Reason::Cancelled } else { Reason::TargetLost };
            running.failure.get_or_insert_with(|| lost(self.session.target(), &end));
            running.stabiliser.end(reason, now);
        }
        running.polled_at = revision;
        running.stabiliser.poll(now)
    }

    /// Runs a barrier on the side, so that the wait itself keeps its deadline whatever the app does.
    fn ask(&self, ticket: BarrierTicket) -> Aside {
        let (session, id, deadline) = (self.session.clone(), self.id, self.deadline);
        tracing::trace!(target = %session.target(), ?ticket, left = ?deadline.left(), "a barrier is asked for");
        Aside(tokio::spawn(async move {
            let mut answer = session.barrier(deadline).await;
            if answer.is_ok() && session.idle_report().is_some() {
                // The app's word may be newer than what the first barrier read: work that ended in between is read by
                // a second one, which begins after that word.
                answer = session.barrier(deadline).await;
            }
            let now = session.now();
            if let Some(running) = session.state().watches.running.get_mut(&id) {
                match answer {
                    Ok(()) => running.stabiliser.barrier_passed(ticket, now),
                    Err(error) => running.failure = Some(error),
                }
            }
            session.inner.wake();
        }))
    }

    fn report(&self, outcome: Outcome, barriers: Vec<Moment>) -> Watched {
        let ended = self.session.now();
        let seen = self.with(|r| {
            let masked: Vec<ElementId> = r.stabiliser.masked().collect();
            let failure = r.failure.take();
            let counts = std::mem::take(&mut r.counts);
            let resets = std::mem::take(&mut r.resets);
            let (change_detected, last_mutation) =
                (r.stabiliser.change_detected(), r.stabiliser.last_mutation());
            (change_detected, counts, resets, r.polled_at, last_mutation, masked, failure)
        });
        let (change_detected, counts, resets, at, last_mutation, masked, failure) =
            seen.unwrap_or((false, BTreeMap::new(), Vec::new(), self.base, self.began, Vec::new(), None));
        let watched = Watched {
            outcome,
            change_detected,
            base: self.base,
            counts,
            resets,
            barriers,
            began: self.began,
            ended,
            at,
            last_mutation,
            masked,
            failure,
        };
        self.session.telemetry().waited(&watched);
        tracing::debug!(target = %self.session.target(), reason = ?outcome.reason, revision = %at, "a wait is decided");
        watched
    }
}

async fn idle_changed(source: &mut Option<IdleSource>) {
    match source {
        Some(source) => source.changed().await,
        None => std::future::pending().await,
    }
}

/// A task that ends with whoever started it.
struct Aside(tokio::task::JoinHandle<()>);

impl Drop for Aside {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// An app that leaves the first call of a wait unanswered for this long is not just slow.
const PATIENCE: Duration = Duration::from_millis(100);

/// A wait that is about to run out calls the app once more, so long before its end, or half of what it had: an app that
/// began to hang meanwhile has not been quiet.
const LAST_CALL: Duration = Duration::from_secs(1);

/// When a wait that ends at `deadline` calls the app for the last time; not at all if it is short.
pub(crate) fn last_call(deadline: Deadline) -> Option<Instant> {
    let lead = (deadline.left() / 2).min(LAST_CALL);
    (lead >= PATIENCE).then(|| deadline.instant() - lead)
}

/// Calls to the app at the start of a wait and before its end: the first brings what the app had told before, except to those
/// who take its word, and both show an app that hangs.
struct Hail {
    answered: Arc<AtomicBool>,
    /// The last call has not been answered.
    silent: Arc<AtomicBool>,
    _calls: Aside,
}

impl Hail {
    /// Whoever takes the app's word needs an answer alone: reading what the app did not tell would keep it busy.
    fn start(session: &Session, deadline: Deadline, by_word: bool) -> Self {
        let (answered, silent) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (first, last, session) = (answered.clone(), silent.clone(), session.clone());
        let task = tokio::spawn(async move {
            let answer = if by_word { session.hail(deadline).await } else { session.barrier(deadline).await };
            if answer.is_err() {
                return;
            }
            first.store(true, Ordering::Release);
            session.inner.wake();
            let Some(last_call) = last_call(deadline) else { return };
            tokio::time::sleep_until(last_call).await;
            last.store(true, Ordering::Release);
            if session.barrier(deadline).await.is_ok() {
                last.store(false, Ordering::Release);
            }
        });
        Hail { answered, silent, _calls: Aside(task) }
    }

    fn is_answered(&self) -> bool {
        self.answered.load(Ordering::Acquire)
    }

    /// A wait that ran out while the app did not answer says so.
    fn judge(self, outcome: Outcome, waited: Duration) -> Outcome {
        let answered = self.is_answered() && !self.silent.load(Ordering::Acquire);
        match outcome.reason {
            Reason::NoChange | Reason::NotStable if !answered && waited >= PATIENCE => {
                Outcome { reason: Reason::TargetUnresponsive, ..outcome }
            }
            _ => outcome,
        }
    }
}

// The mirror task and the waits share `Inner` only through the session's lock and its tick.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Inner>();
};
