//! What arrives on the bus, in order, and what is held of it while somebody else waits for an answer.
//!
//! A connection reads no further than its queue is long. An app that says more than that while it is attached to (GTK 3 tells of
//! each object that it makes for the first reader) would leave every answer behind its events, and nobody would take those.

use futures_util::StreamExt as _;
use std::collections::VecDeque;
use std::pin::pin;
use zbus::{Message, MessageStream};

pub(crate) struct Incoming {
    held: VecDeque<zbus::Result<Message>>,
    stream: MessageStream,
}

impl Incoming {
    pub(crate) fn new(stream: MessageStream) -> Self {
        Incoming { held: VecDeque::new(), stream }
    }

    /// Takes in whatever arrives until the work is done, so that its answers can.
    pub(crate) async fn hold_during<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                Some(message) = self.stream.next() => self.held.push_back(message),
            }
        }
    }

    /// The next message, what was held first; none when the connection has ended.
    pub(crate) async fn next(&mut self) -> Option<zbus::Result<Message>> {
        match self.held.pop_front() {
            Some(message) => Some(message),
            None => self.stream.next().await,
        }
    }
}
