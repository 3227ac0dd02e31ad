//! One run of a handler: where it is, when it goes on, what its names stand for.

use super::Step;
use super::expr::{Scope, Span};
use super::player::{Fate, Player};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The clock is no finer than this.
const SHORTEST: Duration = Duration::from_millis(1);

/// A handler that is under way.
#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) handler: usize,
    pub(crate) due: Instant,
    /// Breaks ties: who was started first goes first.
    pub(crate) order: u64,
    names: BTreeMap<String, String>,
    frames: Vec<Frame>,
}

#[derive(Debug)]
struct Frame {
    steps: Arc<[Step]>,
    next: usize,
    round: Option<Round>,
}

/// A loop that is under way.
#[derive(Debug)]
struct Round {
    period: Duration,
    left: Option<u64>,
    n: u64,
}

/// Whether a run goes on later.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Waits,
    Ended,
}

impl Thread {
    pub(crate) fn new(
        handler: usize,
        body: Arc<[Step]>,
        names: BTreeMap<String, String>,
        due: Instant,
        order: u64,
    ) -> Self {
        Thread { handler, due, order, names, frames: vec![Frame { steps: body, next: 0, round: None }] }
    }

    /// Runs steps until one has to wait, or there are no more.
    pub(crate) fn run(&mut self, player: &mut Player, now: Instant) -> Progress {
        while player.fate == Fate::Playing {
            let Some(frame) = self.frames.last_mut() else { return Progress::Ended };
            let steps = frame.steps.clone();
            let Some(step) = steps.get(frame.next) else {
                if self.next_round(now) == Progress::Waits {
                    return Progress::Waits;
                }
                continue;
            };
            frame.next += 1;
            match step {
                Step::Wait(span) => {
                    // Even when late, what comes after a wait is a batch of its own.
                    let wait = self.span(player, span);
                    self.due += player.stretch(wait);
                    return Progress::Waits;
                }
                Step::Every { period, times, body } => {
                    let mut period = player.scale(self.span(player, period));
                    if times.is_none() {
                        // What goes on for ever has to let time pass.
                        period = period.max(SHORTEST);
                    }
                    if *times == Some(0) {
                        continue;
                    }
                    let round = Round { period, left: *times, n: 1 };
                    self.names.insert("n".to_owned(), "1".to_owned());
                    self.frames.push(Frame { steps: body.clone(), next: 0, round: Some(round) });
                    self.due += period;
                    if !period.is_zero() {
                        return Progress::Waits;
                    }
                }
                Step::When { arms, otherwise } => {
                    let scope = Scope { stage: &player.stage, names: &self.names };
                    let arm = arms.iter().find(|(condition, _)| condition.holds(&scope));
                    let body = arm.map_or(otherwise, |(_, body)| body).clone();
                    self.frames.push(Frame { steps: body, next: 0, round: None });
                }
                Step::Do(deed) => crate::events::apply(player, deed, &self.names, now),
                Step::Flush => player.flush(),
            }
        }
        Progress::Ended
    }

    fn span(&self, player: &Player, span: &Span) -> Duration {
        span.duration(&Scope { stage: &player.stage, names: &self.names })
    }

    /// At the end of a block: another round of its loop, or back to the block around it.
    fn next_round(&mut self, now: Instant) -> Progress {
        if let Some(Frame { next, round: Some(round), .. }) = self.frames.last_mut()
            && round.left.is_none_or(|left| left > 1)
        {
            round.left = round.left.map(|left| left - 1);
            round.n += 1;
            *next = 0;
            self.names.insert("n".to_owned(), round.n.to_string());
            self.due += round.period;
            // Whoever was held up does not hurry through the rounds that it missed.
            if !round.period.is_zero() && self.due + round.period < now {
                self.due = now;
            }
            return if round.period.is_zero() { Progress::Ended } else { Progress::Waits };
        }
        self.frames.pop();
        if let Some(round) = self.frames.iter().rev().find_map(|f| f.round.as_ref()) {
            self.names.insert("n".to_owned(), round.n.to_string());
        }
        Progress::Ended
    }
}
