//! Who waits for which answer, and what each of them hears when the connection ends.

use std::collections::{HashMap, VecDeque};

use tokio::sync::oneshot;

use crate::codec::ServerFrame;
use crate::error::{Delivery, WireError};

/// Why there is no answer.
#[derive(Debug, Clone)]
pub(super) enum Failure {
    Lost { delivery: Delivery, reason: String },
    Malformed(String),
}

impl Failure {
    pub(super) fn into_error(self, during: &str) -> WireError {
        match self {
            Self::Lost { delivery, reason } => {
                WireError::Lost { during: during.to_owned(), delivery, reason }
            }
            Self::Malformed(text) => WireError::Protocol(text),
        }
    }
}

pub(super) type Outcome = Result<ServerFrame, Failure>;

/// What a frame waits for.
#[derive(Debug)]
pub(super) enum Awaits {
    /// The next reply in order.
    Reply(oneshot::Sender<Outcome>),
    /// The answer with this id.
    Answer(u64, oneshot::Sender<Outcome>),
    /// Nothing.
    Nothing,
}

impl Awaits {
    /// Whether the one who asked went away before the frame was written.
    fn is_abandoned(&self) -> bool {
        match self {
            Self::Reply(waiter) | Self::Answer(_, waiter) => waiter.is_closed(),
            Self::Nothing => false,
        }
    }

    fn fail(self, delivery: Delivery, reason: &str) {
        if let Self::Reply(waiter) | Self::Answer(_, waiter) = self {
            let failure = Failure::Lost { delivery, reason: reason.to_owned() };
            // A waiter that went away no longer wants to know.
            let _ = waiter.send(Err(failure));
        }
    }
}

/// Whether a frame may go out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MayWrite {
    Yes,
    NoLongerWanted,
    Ended,
}

/// The waiters of one connection.
///
/// A frame can only have been carried out once its last byte left, and only the writer knows that moment. So the end of
/// the connection fails the frames that were sent whole, and leaves the one that is being written to the writer.
#[derive(Debug, Default)]
pub(super) struct Pending {
    replies: VecDeque<oneshot::Sender<Outcome>>,
    answers: HashMap<u64, oneshot::Sender<Outcome>>,
    being_written: Option<Written>,
    ended: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Written {
    Reply,
    Answer(u64),
}

impl Pending {
    /// Called before a frame's first byte is written. Whoever comes after the end is told so.
    pub(super) fn begin_write(&mut self, awaits: Awaits) -> MayWrite {
        if let Some(reason) = &self.ended {
            awaits.fail(Delivery::NotSent, reason);
            return MayWrite::Ended;
        }
        if awaits.is_abandoned() {
            return MayWrite::NoLongerWanted;
        }
        self.being_written = match awaits {
            Awaits::Reply(waiter) => {
                self.replies.push_back(waiter);
                Some(Written::Reply)
            }
            Awaits::Answer(id, waiter) => {
                self.answers.insert(id, waiter);
                Some(Written::Answer(id))
            }
            Awaits::Nothing => None,
        };
        MayWrite::Yes
    }

    /// Called after a frame's last byte was accepted.
    pub(super) fn finish_write(&mut self) {
        self.being_written = None;
        if let Some(reason) = self.ended.clone() {
            self.fail_all(Delivery::Unknown, &reason);
        }
    }

    /// Called when a frame could not be written whole: nobody can have carried it out.
    pub(super) fn fail_write(&mut self, reason: &str) {
        let cut = match self.being_written.take() {
            // Only the newest reply can be the one that is being written.
            Some(Written::Reply) => self.replies.pop_back().map(Awaits::Reply),
            Some(Written::Answer(id)) => self.answers.remove(&id).map(|waiter| Awaits::Answer(id, waiter)),
            None => None,
        };
        if let Some(awaits) = cut {
            awaits.fail(Delivery::NotSent, reason);
        }
        self.end(reason);
    }

    /// The connection is over. The first reason stays.
    pub(super) fn end(&mut self, reason: &str) {
        if self.ended.is_some() {
            return;
        }
        self.ended = Some(reason.to_owned());
        let kept_reply = matches!(self.being_written, Some(Written::Reply)).then(|| self.replies.pop_back());
        let kept_answer = match self.being_written {
            Some(Written::Answer(id)) => self.answers.remove_entry(&id),
            _ => None,
        };
        self.fail_all(Delivery::Unknown, reason);
        self.replies.extend(kept_reply.flatten());
        self.answers.extend(kept_answer);
    }

    fn fail_all(&mut self, delivery: Delivery, reason: &str) {
        let replies = self.replies.drain(..).map(Awaits::Reply);
        let answers = self.answers.drain().map(|(id, waiter)| Awaits::Answer(id, waiter));
        replies.chain(answers).for_each(|awaits| awaits.fail(delivery, reason));
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// Gives an outcome to the oldest request; false when nobody waits.
    pub(super) fn settle_reply(&mut self, outcome: Outcome) -> bool {
        let Some(waiter) = self.replies.pop_front() else { return false };
        if self.replies.is_empty() && self.being_written == Some(Written::Reply) {
            // Answered before its last byte was seen to leave; the writer has nothing more to judge.
            self.being_written = None;
        }
        let _ = waiter.send(outcome);
        true
    }

    /// Gives an outcome to a call; false when nobody waits, as after a cancellation.
    pub(super) fn settle_answer(&mut self, id: u64, outcome: Outcome) -> bool {
        if self.being_written == Some(Written::Answer(id)) {
            self.being_written = None;
        }
        self.answers.remove(&id).is_some_and(|waiter| waiter.send(outcome).is_ok())
    }

    /// The caller of `id` went away.
    pub(super) fn forget_call(&mut self, id: u64) {
        self.answers.remove(&id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Reply;

    fn reply_waiter() -> (Awaits, oneshot::Receiver<Outcome>) {
        let (waiter, outcome) = oneshot::channel();
        (Awaits::Reply(waiter), outcome)
    }

    fn delivery(mut outcome: oneshot::Receiver<Outcome>) -> Option<Delivery> {
        match outcome.try_recv() {
            Ok(Err(Failure::Lost { delivery, .. })) => Some(delivery),
            _ => None,
        }
    }

    #[test]
    fn a_frame_sent_whole_has_an_unknown_fate() {
        let mut pending = Pending::default();
        let (awaits, outcome) = reply_waiter();
        assert_eq!(pending.begin_write(awaits), MayWrite::Yes);
        pending.finish_write();
        pending.end("reset");
        assert_eq!(delivery(outcome), Some(Delivery::Unknown));
    }

    #[test]
    fn a_frame_cut_in_the_middle_was_not_sent_and_its_elders_are_unknown() {
        let mut pending = Pending::default();
        let (elder, elder_outcome) = reply_waiter();
        assert_eq!(pending.begin_write(elder), MayWrite::Yes);
        pending.finish_write();
        let (cut, cut_outcome) = reply_waiter();
        assert_eq!(pending.begin_write(cut), MayWrite::Yes);
        pending.end("reset seen by the reader");
        pending.fail_write("broken pipe");
        assert_eq!(delivery(elder_outcome), Some(Delivery::Unknown));
        assert_eq!(delivery(cut_outcome), Some(Delivery::NotSent));
    }

    #[test]
    fn a_frame_whose_last_byte_leaves_after_the_end_is_unknown() {
        let mut pending = Pending::default();
        let (awaits, outcome) = reply_waiter();
        assert_eq!(pending.begin_write(awaits), MayWrite::Yes);
        pending.end("half-closed by the peer");
        pending.finish_write();
        assert_eq!(delivery(outcome), Some(Delivery::Unknown));
    }

    #[test]
    fn after_the_end_nothing_is_sent() {
        let mut pending = Pending::default();
        pending.end("gone");
        let (awaits, outcome) = reply_waiter();
        assert_eq!(pending.begin_write(awaits), MayWrite::Ended);
        assert_eq!(delivery(outcome), Some(Delivery::NotSent));
    }

    #[test]
    fn what_nobody_waits_for_any_more_is_not_sent() {
        let (awaits, outcome) = reply_waiter();
        drop(outcome);
        assert_eq!(Pending::default().begin_write(awaits), MayWrite::NoLongerWanted);
    }

    #[test]
    fn replies_come_in_order_and_an_early_reply_frees_the_writer() {
        let mut pending = Pending::default();
        let (first, mut first_outcome) = reply_waiter();
        assert_eq!(pending.begin_write(first), MayWrite::Yes);
        assert!(pending.settle_reply(Ok(ServerFrame::Reply(Reply::Ok))));
        assert!(first_outcome.try_recv().unwrap().is_ok());
        let (second, second_outcome) = reply_waiter();
        pending.finish_write();
        assert_eq!(pending.begin_write(second), MayWrite::Yes);
        pending.finish_write();
        pending.end("gone");
        assert_eq!(delivery(second_outcome), Some(Delivery::Unknown));
        assert!(!pending.settle_reply(Ok(ServerFrame::Reply(Reply::Ok))));
    }
}
