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
    end: std::sync::Mutex<Option<End>>,
    changed: Notify,
}

/// Where a backend puts what it sees. Never blocks: when the mirror cannot keep up, batches are dropped and counted,
/// and the engine reads everything again.
#[derive(Clone, Debug)]
pub struct EventSink {
    queue: mpsc::Sender<Event>,
    shared: Arc<Shared>,
    opened: Instant,
}

/// The session's end of it.
#[derive(Debug)]
pub struct Inbox {
    queue: mpsc::Receiver<Event>,
    shared: Arc<Shared>,
}

/// A sink and its inbox, with room for `capacity` batches.
pub fn channel(capacity: usize) -> (EventSink, Inbox) {
    let (tx, rx) = mpsc::channel(capacity);
    let shared = Arc::new(Shared::default());
    (EventSink { queue: tx, shared: shared.clone(), opened: Instant::now() }, Inbox { queue: rx, shared })
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
        if let Err(mpsc::error::TrySendError::Full(_)) = self.queue.try_send(Event::Batch { at, changes }) {
            self.shared.dropped.fetch_add(1, Ordering::Relaxed);
            self.shared.overflowed.store(true, Ordering::Release);
            self.shared.changed.notify_one();
        }
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
        self.queue.send(Event::Marker(tx)).await.ok()?;
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
    /// Waits for what comes next. Everything that was queued comes before a resync or the end.
    pub async fn next(&mut self) -> Next {
        loop {
            if let Ok(event) = self.queue.try_recv() {
                return Next::Event(event);
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
                    Some(event) => return Next::Event(event),
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
