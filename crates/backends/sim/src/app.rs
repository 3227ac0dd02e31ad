//! The app itself: one task that owns the scene, plays it and answers calls, in order.

use crate::act;
use crate::barrier::{Call, gone};
use crate::picture;
use crate::scene::player::{Fate, Player};
use std::collections::VecDeque;
use std::time::Duration;
use stillpoint_core::{Code, Error};
use stillpoint_engine::backend::{Action, Deadline, End, EventSink, Refusal, Scope};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// An app that runs until it is dropped, crashes, or nobody listens any more.
pub(crate) struct App {
    pub(crate) player: Player,
    pub(crate) sink: EventSink,
    pub(crate) calls: mpsc::Receiver<Call>,
    /// Every answer takes at least this long.
    pub(crate) latency: Duration,
    /// Changes are told by themselves.
    pub(crate) events: bool,
}

impl App {
    /// Plays the scene.
    pub(crate) async fn run(mut self) {
        self.player.start(Instant::now());
        let mut waiting: VecDeque<(Instant, Call)> = VecDeque::new();
        // What a hung app has received: kept, so that its callers wait as they would for a real one.
        let mut unanswered: Vec<Call> = Vec::new();
        loop {
            self.play();
            match self.player.fate {
                Fate::Playing | Fate::Hung => {}
                Fate::Crashed => return self.sink.end(End::Lost(gone())),
                Fate::Closed => return self.sink.end(End::Closed),
            }
            if self.sink.is_closed() {
                return;
            }
            let ready = waiting.iter().position(|(at, _)| *at <= Instant::now());
            if let Some((_, call)) = ready.and_then(|at| waiting.remove(at)) {
                match (self.player.fate, call) {
                    (_, Call::Truth { reply }) => drop(reply.send(self.player.stage.truth())),
                    (Fate::Hung, call) => {
                        if let Call::Perform { claim, .. } = &call {
                            // It lies in the queue of an app that will never look: nobody can take it back.
                            claim.take();
                        }
                        unanswered.push(call);
                        unanswered.retain(|call| !is_given_up(call));
                    }
                    (_, call) => self.answer(call),
                }
                continue;
            }
            let next_answer = waiting.iter().map(|(at, _)| *at).min();
            let due = self.player.next_due().into_iter().chain(next_answer).min();
            tokio::select! {
                biased;
                call = self.calls.recv() => match call {
                    Some(call) => {
                        waiting.retain(|(_, call)| !is_given_up(call));
                        waiting.push_back((self.ready_at(&call), call));
                    }
                    None => return self.sink.end(End::Closed),
                },
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {}
            }
        }
    }

    /// Lets the scene go on until now, and tells what changed.
    fn play(&mut self) {
        if self.player.fate == Fate::Playing {
            self.player.run_due(Instant::now());
        }
        self.tell();
    }

    fn tell(&mut self) {
        for batch in self.player.take_batches() {
            if self.events {
                self.sink.send(batch);
            }
        }
    }

    /// When a call takes effect: holding and dragging take their time.
    fn ready_at(&self, call: &Call) -> Instant {
        let takes = match call {
            Call::Perform { action: Action::Tap { hold: Some(hold), .. }, .. } => *hold,
            Call::Perform { action: Action::Drag { over, .. }, .. } => *over,
            _ => Duration::ZERO,
        };
        let latency = if matches!(call, Call::Truth { .. }) { Duration::ZERO } else { self.latency };
        Deadline::after(takes.saturating_add(latency)).instant()
    }

    // A caller that is gone does not want its answer: that a reply cannot be sent is no failure.
    fn answer(&mut self, call: Call) {
        match call {
            Call::Barrier { reply } => drop(reply.send(Ok(()))),
            Call::Perform { action, deadline, claim, reply } => {
                // SPEC §8: an action whose deadline passed never fires later.
                if deadline.has_passed() || reply.is_closed() || !claim.take() {
                    let late = Error::new(
                        Code::TargetUnresponsive,
                        "the action's deadline had passed before the app could take it",
                        "give a longer timeout",
                    );
                    return drop(reply.send(Err(Refusal::before_dispatch(late))));
                }
                let now = Instant::now();
                let outcome = act::perform(&mut self.player, &action, now);
                self.player.run_due(now);
                self.tell();
                drop(reply.send(outcome));
            }
            Call::Refresh { scope: Scope::Everything, reply } => {
                self.sink.supersede();
                drop(reply.send(Ok(self.player.stage.truth())));
            }
            Call::Refresh { scope: Scope::Subtree(key), reply } => {
                let node = self.player.stage.node(key).map(stillpoint_core::tree::Change::Replace);
                drop(reply.send(node.map(|n| vec![n]).ok_or_else(stale)));
            }
            Call::Screenshot { of, reply } => drop(reply.send(picture::draw(&self.player.stage, of))),
            Call::HitTest { x, y, reply } => drop(reply.send(Ok(self.player.stage.hit(x, y)))),
            Call::Truth { reply } => drop(reply.send(self.player.stage.truth())),
        }
    }
}

fn is_given_up(call: &Call) -> bool {
    match call {
        Call::Barrier { reply } => reply.is_closed(),
        Call::Perform { reply, .. } => reply.is_closed(),
        Call::Refresh { reply, .. } => reply.is_closed(),
        Call::Screenshot { reply, .. } => reply.is_closed(),
        Call::HitTest { reply, .. } => reply.is_closed(),
        Call::Truth { reply } => reply.is_closed(),
    }
}

/// The element that was asked for is gone.
pub(crate) fn stale() -> Error {
    Error::new(
        Code::StaleReference,
        "the element is gone from the app",
        "take a new snapshot and find the element again",
    )
}
