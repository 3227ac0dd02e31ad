//! One attached target: what its backend tells goes to the session and to every connection, in one order.

use super::hub::Hub;
use crate::payload::{Occurrence, write_changes};
use async_trait::async_trait;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use stillpoint_core::tree::{Change, NativeKey};
use stillpoint_core::{Result, Target};
use stillpoint_engine::backend::{
    Action, AttachOptions, Attached, Backend, CAPACITY, Capabilities, Check, Connector, Deadline, End, Event,
    EventSink, IdleReport, Inbox, NetworkRequest, Next, Performed, Refusal, Scope, TargetInfo, channel,
};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

/// A connector whose targets can be followed by connections as well as by their session.
pub(crate) struct Followed<C> {
    connector: C,
    hub: Arc<Hub>,
}

impl<C: Connector> Followed<C> {
    pub(crate) fn new(connector: C, hub: Arc<Hub>) -> Self {
        Followed { connector, hub }
    }
}

#[async_trait]
impl<C: Connector> Connector for Followed<C> {
    fn schemes(&self) -> &'static [&'static str] {
        self.connector.schemes()
    }

    async fn attach(
        &self,
        target: &Target,
        options: &AttachOptions,
        sink: EventSink,
        deadline: Deadline,
    ) -> Result<Attached> {
        let (told, inbox) = channel(CAPACITY);
        let opened = told.opened();
        let attached = self.connector.attach(target, options, told, deadline).await?;
        let (flushes, asked) = mpsc::channel(16);
        let feed = Arc::new(Feed {
            epoch: self.hub.new_epoch(),
            backend: attached.backend,
            hub: Arc::clone(&self.hub),
            opened,
            sink,
            protected: Mutex::default(),
            flushes,
        });
        // What is protected has to be known before the first update is told.
        feed.write(&attached.first);
        self.hub.enter(target, &feed);
        tokio::spawn(forward(Arc::downgrade(&feed), feed.sink.clone(), inbox, asked));
        if let Some(word) = feed.backend.idle_signal() {
            tokio::spawn(forward_idleness(Arc::downgrade(&feed), word));
        }
        let backend = Box::new(FollowedBackend(feed));
        Ok(Attached { backend, first: attached.first, info: attached.info })
    }

    async fn list(&self, deadline: Deadline) -> Result<Vec<TargetInfo>> {
        self.connector.list(deadline).await
    }

    async fn diagnose(&self, deadline: Deadline) -> Vec<Check> {
        self.connector.diagnose(deadline).await
    }
}

/// The stream of one target.
pub(crate) struct Feed {
    /// Names this attachment.
    pub(crate) epoch: u64,
    /// The way to the app.
    pub(crate) backend: Box<dyn Backend>,
    hub: Arc<Hub>,
    opened: Instant,
    sink: EventSink,
    protected: Mutex<HashSet<NativeKey>>,
    flushes: mpsc::Sender<oneshot::Sender<()>>,
}

impl Feed {
    /// The time now, in milliseconds of the attachment, as the times of its requests are.
    pub(crate) fn now_ms(&self) -> u64 {
        self.opened.elapsed().as_millis() as u64
    }

    fn protected(&self) -> MutexGuard<'_, HashSet<NativeKey>> {
        self.protected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells a batch to the connections, and to the session if it does not have it from elsewhere.
    fn publish(&self, changes: Vec<Change>, for_session: Option<Instant>) -> u64 {
        self.hub.tell(self.epoch, |anybody| {
            let told = self.write(&changes);
            if let Some(at) = for_session {
                self.sink.send_at(at, changes);
            }
            anybody.then_some(Occurrence::Changes { changes: told })
        })
    }

    /// A round trip to the app; gives the number of the event up to which everything has been told.
    pub(crate) async fn barrier(&self, deadline: Deadline) -> Result<u64> {
        if self.backend.capabilities().barrier {
            self.backend.barrier(deadline).await?;
        }
        self.flush(deadline).await?;
        Ok(self.hub.last())
    }

    /// Returns once everything that the backend has put in was told.
    async fn flush(&self, deadline: Deadline) -> Result<()> {
        let (done, flushed) = oneshot::channel();
        let round = async {
            // The task ends with the app's stream; what it had to tell, it has told then.
            if self.flushes.send(done).await.is_ok() {
                let _ = flushed.await;
            }
            Ok(())
        };
        deadline.bound("the queue of its events", round).await
    }

    /// Reads part of the app again. Nobody but the caller would learn what was found, so everybody is told: the
    /// connections, and the session unless it is the one that asks. Gives the number of the event that told it.
    pub(crate) async fn refresh(
        &self,
        scope: Scope,
        tell_session: bool,
        deadline: Deadline,
    ) -> Result<(u64, Vec<Change>)> {
        self.flush(deadline).await?;
        let changes = self.backend.refresh(scope, deadline).await?;
        if !self.backend.capabilities().events {
            // Whoever follows such a target looks for itself.
            return Ok((self.hub.last(), changes));
        }
        let n = self.publish(changes.clone(), tell_session.then(Instant::now));
        Ok((n, changes))
    }

    /// Changes as a connection is told them.
    pub(crate) fn write(&self, changes: &[Change]) -> Vec<crate::payload::ChangeForm> {
        write_changes(changes, &mut self.protected(), &self.hub.salt)
    }
}

/// Hands on what the backend tells until it ends. A flush is answered only when the inbox is empty.
async fn forward(
    feed: Weak<Feed>,
    sink: EventSink,
    mut inbox: Inbox,
    mut flushes: mpsc::Receiver<oneshot::Sender<()>>,
) {
    loop {
        let next = tokio::select! {
            biased;
            next = inbox.next() => next,
            Some(done) = flushes.recv() => {
                // Whoever asked may have given up.
                let _ = done.send(());
                continue;
            }
        };
        let Some(feed) = feed.upgrade() else { return sink.end(End::Closed) };
        match next {
            Next::Event(Event::Batch { at, changes }) => {
                feed.publish(changes, Some(at));
            }
            Next::Event(Event::Marker(reached)) => drop(reached.send(())),
            Next::Resync(dropped) => {
                tracing::debug!(dropped, "the target told more than could be handed on");
                feed.hub.tell(feed.epoch, |_| {
                    sink.resync();
                    Some(Occurrence::Reread)
                });
            }
            Next::End(end) => {
                let error = match &end {
                    End::Lost(error) => Some(error.clone()),
                    End::Closed => None,
                };
                feed.hub.tell(feed.epoch, |_| {
                    sink.end(end);
                    Some(Occurrence::End { error })
                });
                return;
            }
        }
    }
}

async fn forward_idleness(feed: Weak<Feed>, mut word: watch::Receiver<IdleReport>) {
    while word.changed().await.is_ok() {
        let Some(feed) = feed.upgrade() else { return };
        let report = word.borrow_and_update().clone();
        feed.hub.tell(feed.epoch, |_| Some(Occurrence::Idle(report.into())));
    }
}

/// What the session holds: the backend, with its stream followed.
struct FollowedBackend(Arc<Feed>);

#[async_trait]
impl Backend for FollowedBackend {
    fn capabilities(&self) -> Capabilities {
        self.0.backend.capabilities()
    }

    async fn barrier(&self, deadline: Deadline) -> Result<()> {
        self.0.barrier(deadline).await.map(|_| ())
    }

    async fn perform(&self, action: &Action, deadline: Deadline) -> Result<Performed, Refusal> {
        self.0.backend.perform(action, deadline).await
    }

    async fn refresh(&self, scope: Scope, deadline: Deadline) -> Result<Vec<Change>> {
        self.0.refresh(scope, false, deadline).await.map(|(_, changes)| changes)
    }

    async fn screenshot(&self, of: Option<NativeKey>, deadline: Deadline) -> Result<Vec<u8>> {
        self.0.backend.screenshot(of, deadline).await
    }

    async fn hit_test(&self, x: i32, y: i32, deadline: Deadline) -> Result<Option<NativeKey>> {
        self.0.backend.hit_test(x, y, deadline).await
    }

    fn idle_signal(&self) -> Option<watch::Receiver<IdleReport>> {
        self.0.backend.idle_signal()
    }

    async fn network(&self, since_ms: u64, deadline: Deadline) -> Result<Vec<NetworkRequest>> {
        self.0.backend.network(since_ms, deadline).await
    }

    async fn close(&self) {
        self.0.backend.close().await;
    }
}
