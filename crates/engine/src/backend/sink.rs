//! The way of changes from a backend to its session: bounded, ordered, and honest about what did not fit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use stillpoint_core::Error;
use stillpoint_core::tree::Change;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::Instant;

/// How many batches may wait for the mirror before the rest is left out and everything is read again.
pub const CAPACITY: usize = 1024;

/// Why a stream of changes ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// It was closed by us, or the app closed in good order.
    Closed,
    /// The app died or the connection broke.
    Lost(Error),
}

/// What the session receives.
#[derive(Debug)]
pub enum Event {
    /// Changes that belong together, with the time at which they were received.
    Batch {
        /// When they were received.
        at: Instant,
        /// In the order in which the platform told them.
        changes: Vec<Change>,
    },
    /// Everything before this has been received.
    Marker(oneshot::Sender<()>),
}

#[derive(Debug, Default)]
struct Shared {
    overflowed: AtomicBool,
    dropped: AtomicU64,
    resync_asked: AtomicBool,
    /// How many batches were handed over, and how many of those the last whole reading contains.
    sent: AtomicU64,
    superseded: AtomicU64,
    end: std::sync::Mutex<Option<End>>,
    changed: Notify,
}

/// Where a backend puts what it sees. Never blocks: when the mirror cannot keep up, batches are dropped and counted,
/// and the engine reads everything again.
#[derive(Clone, Debug)]
pub struct EventSink {
    queue: mpsc::Sender<(u64, Event)>,
    shared: Arc<Shared>,
    opened: Instant,
}

/// The session's end of it.
#[derive(Debug)]
pub struct Inbox {
    queue: mpsc::Receiver<(u64, Event)>,
    shared: Arc<Shared>,
    /// Batches up to this one are passed over.
    read: u64,
}

/// Markers have no number, and are never passed over.
const MARKER: u64 = u64::MAX;

/// A sink and its inbox, with room for `capacity` batches.
pub fn channel(capacity: usize) -> (EventSink, Inbox) {
    let (tx, rx) = mpsc::channel(capacity);
    let shared = Arc::new(Shared::default());
    (
        EventSink { queue: tx, shared: shared.clone(), opened: Instant::now() },
        Inbox { queue: rx, shared, read: 0 },
    )
}

impl EventSink {
    /// The start of the session's time line: every time in milliseconds of the session counts from here.
    pub fn opened(&self) -> Instant {
        self.opened
    }

    /// Hands over a batch that was received now.
    pub fn send(&self, changes: Vec<Change>) {
        self.send_at(Instant::now(), changes);
    }

    /// Hands over a batch that was received at `at`.
    pub fn send_at(&self, at: Instant, changes: Vec<Change>) {
        if changes.is_empty() {
            return;
        }
        let number = self.shared.sent.fetch_add(1, Ordering::AcqRel) + 1;
        let sent = self.queue.try_send((number, Event::Batch { at, changes }));
        if let Err(mpsc::error::TrySendError::Full(_)) = sent {
            self.shared.dropped.fetch_add(1, Ordering::Relaxed);
            self.shared.overflowed.store(true, Ordering::Release);
            self.shared.changed.notify_one();
        }
    }

    /// Says that the whole reading that is given now contains everything that was handed over so far: applied after it, what still
    /// waits would bring back what is past.
    pub fn supersede(&self) {
        self.shared.superseded.store(self.shared.sent.load(Ordering::Acquire), Ordering::Release);
    }

    /// Says that something was missed on the platform's side: everything is to be read again.
    pub fn resync(&self) {
        self.shared.resync_asked.store(true, Ordering::Release);
        self.shared.changed.notify_one();
    }

    /// Says that no more will come. Only the first word counts.
    pub fn end(&self, end: End) {
        let mut slot = self.shared.end.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        slot.get_or_insert(end);
        drop(slot);
        self.shared.changed.notify_one();
    }

    /// Whether anybody still listens.
    pub fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    /// A token that comes back when everything sent before it has been received.
    pub(crate) async fn marker(&self) -> Option<oneshot::Receiver<()>> {
        let (tx, rx) = oneshot::channel();
        self.queue.send((MARKER, Event::Marker(tx))).await.ok()?;
        Some(rx)
    }
}

/// What the inbox has to say next.
#[derive(Debug)]
pub enum Next {
    /// An event, in order.
    Event(Event),
    /// Batches were lost: read everything again. With the number of lost batches.
    Resync(u64),
    /// Nothing more will come.
    End(End),
}

impl Inbox {
    /// Everything was read: batches that the reading contains are passed over from now on.
    pub fn read_everything(&mut self) {
        self.read = self.shared.superseded.load(Ordering::Acquire);
    }

    /// Waits for what comes next. Everything that was queued comes before a resync or the end.
    pub async fn next(&mut self) -> Next {
        loop {
            if let Ok((number, event)) = self.queue.try_recv() {
                if number > self.read {
                    return Next::Event(event);
                }
                continue;
            }
            if self.shared.overflowed.swap(false, Ordering::AcqRel)
                | self.shared.resync_asked.swap(false, Ordering::AcqRel)
            {
                return Next::Resync(self.shared.dropped.swap(0, Ordering::Relaxed));
            }
            if let Some(end) = self.end() {
                return Next::End(end);
            }
            tokio::select! {
                biased;
                event = self.queue.recv() => match event {
                    Some((number, event)) if number > self.read => return Next::Event(event),
                    Some(_) => {}
                    None => return Next::End(self.end().unwrap_or(End::Closed)),
                },
                () = self.shared.changed.notified() => {}
            }
        }
    }

    fn end(&self) -> Option<End> {
        self.shared.end.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stillpoint_core::tree::NativeKey;

    fn remove(key: u64) -> Vec<Change> {
        vec![Change::Remove { key: NativeKey(key) }]
    }

    async fn next_removed(inbox: &mut Inbox) -> Option<u64> {
        match inbox.next().await {
            Next::Event(Event::Batch { changes, .. }) => match changes.as_slice() {
                [Change::Remove { key }] => Some(key.0),
                _ => None,
            },
            _ => None,
        }
    }

    #[tokio::test]
    async fn what_a_whole_reading_contains_is_not_applied_after_it() {
        let (sink, mut inbox) = channel(8);
        sink.send(remove(1));
        sink.send(remove(2));
        sink.supersede();
        sink.send(remove(3));
        inbox.read_everything();
        assert_eq!(next_removed(&mut inbox).await, Some(3));
    }

    #[tokio::test]
    async fn what_comes_before_a_reading_is_given_until_the_reading_is_there() {
        let (sink, mut inbox) = channel(8);
        sink.send(remove(1));
        sink.supersede();
        assert_eq!(next_removed(&mut inbox).await, Some(1));
    }

    #[tokio::test]
    async fn a_marker_is_never_passed_over() {
        let (sink, mut inbox) = channel(8);
        sink.send(remove(1));
        let _reached = sink.marker().await;
        sink.supersede();
        inbox.read_everything();
        assert!(matches!(inbox.next().await, Next::Event(Event::Marker(_))));
    }
}
