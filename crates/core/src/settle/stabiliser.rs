//! The stabiliser (SPEC §4): says when a UI has come to rest, and never too early.
//!
//! It is fed with mutations, answers to barriers and the app's idle signal, and asked with [`Stabiliser::poll`] what to
//! do next. The same inputs with the same times give the same outcome.

use super::scope::{ExpectedChange, Scope};
use crate::Moment;
use crate::revise::Mutation;
use crate::tree::{ElementId, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::time::Duration;

/// What a wait is for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// The quiet time that must pass, unbroken, after the last qualifying mutation.
    pub window: Duration,
    /// Whether something must change first.
    pub needs_change: bool,
    /// What kind of change that must be.
    pub expected: Option<ExpectedChange>,
    /// Where.
    pub scope: Scope,
    /// Elements whose changes, and those of what lies in them, do not count.
    pub ignore: Vec<ElementId>,
    /// Whether elements that change all the time by themselves are passed over.
    pub mask_volatile: bool,
}

/// How far rest is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StabilityState {
    /// It is changing.
    Transient,
    /// It has gone quiet, but not for long enough.
    Stabilizing,
    /// It was quiet for the whole window, and nothing was under way.
    Stable,
    /// The app itself said that it is idle.
    Idle,
}

impl StabilityState {
    /// Its name in every face.
    pub const fn name(self) -> &'static str {
        match self {
            StabilityState::Transient => "transient",
            StabilityState::Stabilizing => "stabilizing",
            StabilityState::Stable => "stable",
            StabilityState::Idle => "idle",
        }
    }
}

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// What was awaited happened, and the UI came to rest.
    Converged,
    /// The time is over and nothing changed.
    NoChange,
    /// The time is over and it was still changing.
    NotStable,
    /// The element that was watched is gone.
    TargetInvalid,
    /// The app is gone.
    TargetLost,
    /// The app does not answer.
    TargetUnresponsive,
    /// The caller gave up.
    Cancelled,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why.
    pub reason: Reason,
    /// How far rest was proven.
    pub stability: StabilityState,
}

/// Names one request for a barrier, so that a late answer to an earlier one proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierTicket(u32);

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing, until something happens or this moment comes.
    Wait(Moment),
    /// Run a barrier, and say with [`Stabiliser::barrier_passed`] when it is through.
    Barrier(BarrierTicket),
    /// It is decided.
    Done(Outcome),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Barrier {
    Open,
    /// Since when, and whether something that is passed over changed meanwhile: then its answer proves nothing.
    Asked(BarrierTicket, Moment, bool),
    Passed,
}

/// An app that leaves a barrier unanswered for this long, up to the very deadline, does not answer.
const UNANSWERED: Duration = Duration::from_millis(100);

/// After so many changes that are passed over, and that came while a barrier was under way, none is asked for anew because of them. A
/// ticker that is quicker than the app's answers would keep a wait going for ever. Enough for a label that goes through five texts, each
/// told as its name and its text.
const MOST_OVERTAKEN: u32 = 12;

/// The state machine of one wait.
#[derive(Clone, Debug)]
pub struct Stabiliser {
    rules: Rules,
    deadline: Moment,
    /// The last qualifying mutation in scope; at first, the last one before the wait.
    last: Moment,
    changed: bool,
    resets: u32,
    barrier: Barrier,
    overtaken: u32,
    first_asked: Option<Moment>,
    tickets: u32,
    idle: Option<bool>,
    masked: BTreeSet<ElementId>,
    samples: Option<Samples>,
    decided: Option<Outcome>,
}

/// Rest that is proven by looking again and again.
#[derive(Clone, Copy, Debug)]
struct Samples {
    needed: u32,
    equal: u32,
    /// Looks that began earlier prove nothing.
    from: Moment,
}

impl Stabiliser {
    /// A wait that starts after the mutation at `last` and must be decided by `deadline`.
    pub fn new(rules: Rules, last: Moment, deadline: Moment) -> Self {
        Stabiliser {
            rules,
            deadline,
            last,
            changed: false,
            resets: 0,
            barrier: Barrier::Open,
            overtaken: 0,
            first_asked: None,
            tickets: 0,
            idle: None,
            masked: BTreeSet::new(),
            samples: None,
            decided: None,
        }
    }

    /// Takes note of mutations. `tree` is the tree after them.
    pub fn mutated(&mut self, tree: &TreeView, mutations: &[Mutation]) {
        if self.decided.is_some() {
            return;
        }
        if let Scope::Subtree(top) = self.rules.scope
            && tree.get(top).is_none()
        {
            let stability = StabilityState::Transient;
            self.decided = Some(Outcome { reason: Reason::TargetInvalid, stability });
            return;
        }
        for m in mutations.iter().filter(|m| m.class.qualifies()) {
            if !self.rules.scope.contains(tree, m) {
                continue;
            }
            if self.rules.ignore.iter().any(|top| m.element == *top || tree.is_within(m.anchor, *top)) {
                continue;
            }
            if m.volatile && self.rules.mask_volatile {
                // A text that another has replaced is listed under the one that is there.
                if tree.get(m.element).is_some() {
                    self.masked.insert(m.element);
                } else {
                    self.masked.remove(&m.element);
                }
                self.overtake_barrier(m.at);
                continue;
            }
            self.changed |= self.rules.expected.is_none_or(|e| e.matches(m.class));
            self.last = self.last.max(m.at);
            self.resets += 1;
            self.barrier = Barrier::Open;
            if let Some(samples) = &mut self.samples {
                samples.equal = 0;
            }
        }
    }

    /// What belongs to a change that is passed over may lie behind the barrier that is under way: the text of a label behind its
    /// name. The window is not started again, but another barrier has to bring the rest of it, once this one is answered: asked for
    /// at each tick, they would queue up in an app that is slower than its clock. From the middle of the time that is left at the
    /// first barrier on, the one that is under way has to do.
    fn overtake_barrier(&mut self, at: Moment) {
        let is_late = self.first_asked.is_some_and(|first| at >= first + self.deadline.since(first) / 2);
        if self.samples.is_some() || is_late || self.overtaken >= MOST_OVERTAKEN {
            return;
        }
        self.barrier = match self.barrier {
            Barrier::Asked(ticket, since, _) => Barrier::Asked(ticket, since, true),
            Barrier::Passed => Barrier::Open,
            Barrier::Open => return,
        };
        self.overtaken += 1;
    }

    /// Rest is proven by `needed` samples without a change instead of a barrier (SPEC §5, heuristic mode). The window
    /// must pass all the same: samples tell nothing of what happens between them.
    pub fn by_samples(&mut self, needed: u32) {
        self.samples = Some(Samples { needed, equal: 0, from: Moment::START });
    }

    /// A sample was taken whose look began at `began`; what it showed has been told with [`Stabiliser::mutated`].
    pub fn sampled(&mut self, began: Moment) {
        let Some(samples) = self.samples.as_mut().filter(|s| began >= s.from) else { return };
        samples.equal += 1;
        let enough = samples.equal >= samples.needed && began >= self.last + self.rules.window;
        let awaited = self.changed || !self.rules.needs_change;
        if enough && awaited && began < self.deadline {
            self.barrier = Barrier::Passed;
        }
    }

    /// When the window will have passed, where samples decide: a look then may be the last.
    pub fn quiet_at(&self) -> Option<Moment> {
        self.samples.filter(|_| self.decided.is_none()).map(|_| self.last + self.rules.window)
    }

    /// Says that what was awaited had changed before the wait began (a baseline in the past).
    pub fn changed_before(&mut self) {
        self.changed = true;
    }

    /// The wait must be decided by `deadline`.
    pub fn decide_by(&mut self, deadline: Moment) {
        self.deadline = deadline;
    }

    /// The quiet time counts from `at` at the earliest: something was done then whose effects are yet to come.
    pub fn quiet_from(&mut self, at: Moment) {
        self.last = self.last.max(at);
        self.barrier = Barrier::Open;
        if let Some(samples) = &mut self.samples {
            (samples.equal, samples.from) = (0, at);
        }
    }

    /// The barrier with this ticket was through at `at`. After the deadline it proves nothing any more.
    pub fn barrier_passed(&mut self, ticket: BarrierTicket, at: Moment) {
        if let Barrier::Asked(asked, _, overtaken) = self.barrier
            && asked == ticket
            && at < self.deadline
        {
            self.barrier = if overtaken { Barrier::Open } else { Barrier::Passed };
        }
    }

    /// What the app itself says: idle, busy, or (again) nothing.
    pub fn idle_signal(&mut self, idle: Option<bool>) {
        if self.idle != idle {
            self.idle = idle;
            self.barrier = Barrier::Open;
        }
    }

    /// The wait ends for a reason that lies outside.
    pub fn end(&mut self, reason: Reason, now: Moment) {
        if self.decided.is_none() {
            self.decided = Some(Outcome { reason, stability: self.unproven(now) });
        }
    }

    /// What to do at `now`.
    pub fn poll(&mut self, now: Moment) -> Step {
        if let Some(outcome) = self.decided {
            return Step::Done(outcome);
        }
        if let Barrier::Passed = self.barrier {
            let stability =
                if self.idle == Some(true) { StabilityState::Idle } else { StabilityState::Stable };
            return self.decide(Outcome { reason: Reason::Converged, stability });
        }
        if now >= self.deadline {
            return self.decide(Outcome { reason: self.late(now), stability: self.unproven(now) });
        }
        if (self.rules.needs_change && !self.changed) || self.idle == Some(false) {
            return Step::Wait(self.deadline);
        }
        if self.samples.is_some() {
            return Step::Wait(self.deadline);
        }
        let quiet = self.last + self.rules.window;
        if self.idle != Some(true) && now < quiet {
            return Step::Wait(quiet.min(self.deadline));
        }
        match self.barrier {
            Barrier::Asked(..) | Barrier::Passed => Step::Wait(self.deadline),
            Barrier::Open => {
                self.tickets += 1;
                let ticket = BarrierTicket(self.tickets);
                self.barrier = Barrier::Asked(ticket, now, false);
                self.first_asked.get_or_insert(now);
                Step::Barrier(ticket)
            }
        }
    }

    fn decide(&mut self, outcome: Outcome) -> Step {
        self.decided = Some(outcome);
        Step::Done(outcome)
    }

    fn late(&self, now: Moment) -> Reason {
        match self.barrier {
            Barrier::Asked(_, at, _) if now.since(at) >= UNANSWERED => Reason::TargetUnresponsive,
            _ if self.rules.needs_change && !self.changed => Reason::NoChange,
            _ => Reason::NotStable,
        }
    }

    /// The state of a wait that is not over its window: quiet for at least half of it, or not.
    fn unproven(&self, now: Moment) -> StabilityState {
        if now.since(self.last) * 2 >= self.rules.window && self.idle != Some(false) {
            StabilityState::Stabilizing
        } else {
            StabilityState::Transient
        }
    }

    /// Whether the awaited change was seen.
    pub fn change_detected(&self) -> bool {
        self.changed
    }

    /// How often the window was started again.
    pub fn resets(&self) -> u32 {
        self.resets
    }

    /// When the last mutation came that counted.
    pub fn last_mutation(&self) -> Moment {
        self.last
    }

    /// Elements whose changes were passed over because they change all the time.
    pub fn masked(&self) -> impl Iterator<Item = ElementId> {
        self.masked.iter().copied()
    }
}
