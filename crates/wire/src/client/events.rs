//! Events that a v2 server pushes.

use std::sync::Arc;

use tokio::sync::broadcast;

/// What an event stream yields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventNotice {
    /// Something happened.
    Event {
        /// Counts up by one per connection.
        seq: u64,
        /// What happened, as JSON.
        json: Arc<str>,
    },
    /// This reader was too slow, and so many events were dropped: read the state anew.
    Missed(u64),
}

/// Events in the order in which they arrived. It ends with the connection.
#[derive(Debug)]
pub struct EventStream {
    notices: broadcast::Receiver<EventNotice>,
}

impl EventStream {
    pub(super) fn new(notices: broadcast::Receiver<EventNotice>) -> Self {
        Self { notices }
    }

    /// The next notice; `None` after the connection's end.
    pub async fn next(&mut self) -> Option<EventNotice> {
        match self.notices.recv().await {
            Ok(notice) => Some(notice),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(EventNotice::Missed(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}
