//! The barrier: a round trip over the connection that brings the events.
//!
//! The bus keeps the order of one sender's messages to one receiver, so whatever the app had sent before its answer
//! is here when the answer is.
//!
//! Toolkits that do not tell who comes and goes (GTK, Qt 5) are asked for the children of everything on the screen
//! as part of it: what the mirror shows after a barrier is then what the app shows, and not only what it said. That keeps
//! the app busy (GTK 4 for about 0.1 ms with each question), so a hail, which is for those who do not read, does without.

use crate::bus::{self, ACCESSIBLE, message};
use crate::object::Object;
use crate::session::Session;
use crate::shadow::Round;
use std::ops::ControlFlow;
use stillpoint_engine::backend::End;
use tokio::sync::oneshot;
use zbus::Message;

/// How many round trips make a barrier.
///
/// One is not enough for GTK 3, which emits some events from idle handlers, behind the handling of a call. Counted over
/// this crate's tests (17 barriers on GTK 3.24.38, 9 on GTK 4.8.3, 9 on Qt 5.15.8): between the first and the second
/// answer GTK 3 sent 54 events, 22 of them about properties and states, the others about places; GTK 4 and Qt sent
/// none.
const ROUND_TRIPS: u8 = 2;
/// Where answers overtake events, round trips go on while each of them brings events, but no further than this: an app may
/// never stop.
const MOST_ROUND_TRIPS: u16 = 500;

/// What is read as part of a barrier.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// What the toolkit may have left untold.
    WhatIsUntold,
    /// Nothing: it is over when the app has answered.
    Nothing,
}

/// A barrier under way.
pub(crate) struct Barrier {
    id: u64,
    left: u8,
    /// How many round trips there were, and how many events had been heard when the last one began.
    made: u16,
    heard: u64,
    /// Set when the app has answered: everything asked up to this round has to be answered too.
    round: Option<Round>,
    reads: Reads,
    answer: oneshot::Sender<()>,
}

impl Session {
    pub(crate) async fn start_barrier(
        &mut self,
        answer: oneshot::Sender<()>,
        reads: Reads,
    ) -> ControlFlow<End> {
        self.last_barrier += 1;
        let id = self.last_barrier;
        let heard = self.heard;
        self.barriers.push(Barrier { id, left: ROUND_TRIPS, made: 0, heard, round: None, reads, answer });
        let sent = match self.ping(id) {
            Ok(ping) => self.bus.send(&ping).await,
            Err(error) => Err(error),
        };
        match sent {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                tracing::debug!(%error, "a barrier cannot be sent");
                ControlFlow::Break(End::Lost(bus::lost("the accessibility bus closed the connection")))
            }
        }
    }

    /// A question that every toolkit answers from its main loop, in turn with everything else.
    fn ping(&mut self, id: u64) -> zbus::Result<Message> {
        let ping = message(&Object::root_of(&self.app), ACCESSIBLE, "GetRole", &())?;
        self.pings.insert(ping.primary_header().serial_num(), id);
        Ok(ping)
    }

    /// Takes an answer that may be one to a ping. An error is an answer too: the app handled the call.
    pub(crate) fn pong(&mut self, reply: &Message) {
        let serial = reply.header().reply_serial();
        let Some(id) = serial.and_then(|serial| self.pings.remove(&serial)) else { return };
        let Some(place) = self.barriers.iter().position(|b| b.id == id) else { return };
        let barrier = &mut self.barriers[place];
        barrier.left -= 1;
        if barrier.left == 0 && barrier.reads == Reads::Nothing {
            // Whoever asked may have stopped waiting.
            let _ = self.barriers.swap_remove(place).answer.send(());
            return;
        }
        barrier.made += 1;
        let brought_events = std::mem::replace(&mut barrier.heard, self.heard) != self.heard;
        if self.shadow.dialect.events_lag && brought_events && barrier.made < MOST_ROUND_TRIPS {
            barrier.left = ROUND_TRIPS;
        }
        if barrier.left == 0 {
            barrier.round = Some(self.shadow.round);
            // What was put off belongs to what the app said before, and so does what its toolkit never says.
            self.place_due(|_| true);
            if !self.sweeps.is_empty() {
                self.sweep_now();
            }
            self.shadow.look_for_children();
            self.shadow.round.0 += 1;
            return;
        }
        match self.ping(id) {
            Ok(ping) => self.pongs.push(ping),
            Err(error) => tracing::error!(%error, "a barrier cannot be continued"),
        }
    }

    /// Where answers overtake events, a barrier during which events came goes on.
    fn without_those_overtaken(&mut self, ready: Vec<Barrier>) -> Vec<Barrier> {
        let heard = self.heard;
        let is_overtaken = |b: &Barrier| b.heard != heard && b.made < MOST_ROUND_TRIPS;
        let (overtaken, ready): (Vec<_>, Vec<_>) = ready.into_iter().partition(is_overtaken);
        for barrier in overtaken {
            match self.ping(barrier.id) {
                Ok(ping) => self.pongs.push(ping),
                Err(error) => tracing::error!(%error, "a barrier cannot be continued"),
            }
            self.barriers.push(Barrier { left: ROUND_TRIPS, heard, round: None, ..barrier });
        }
        ready
    }

    /// Lets those through whose questions are all answered and told.
    pub(crate) fn answer_barriers(&mut self) {
        let told = self.shadow.restructured.is_empty() || self.shadow.is_quiet();
        let passed = |b: &Barrier| told && b.round.is_some_and(|round| self.shadow.is_settled(round));
        let (mut ready, waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut self.barriers)
            .into_iter()
            .filter(|b| !b.answer.is_closed())
            .partition(passed);
        self.barriers = waiting;
        if self.shadow.dialect.events_lag {
            ready = self.without_those_overtaken(ready);
        }
        if !ready.is_empty() && self.shadow.is_quiet() {
            self.shadow.forget_the_lost();
        }
        for barrier in ready {
            // Whoever asked may have stopped waiting.
            let _ = barrier.answer.send(());
        }
    }
}
