//! What connections are told: one numbered stream of events, whichever target they come from.

use super::feed::Feed;
use crate::payload::{EventForm, Occurrence, Salt};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use stillpoint_core::Target;
use tokio::sync::broadcast;
use tokio::time::Instant;

/// Events that a slow connection may have waiting before it is told that it missed some.
const WAITING: usize = 1024;

/// The events of an agent.
pub(crate) struct Hub {
    news: broadcast::Sender<Arc<str>>,
    /// The number of the last event. Held while one is told, so that numbers and order agree.
    told: Mutex<u64>,
    feeds: Mutex<HashMap<Target, Weak<Feed>>>,
    started: Instant,
    pub(crate) salt: Salt,
}

impl Default for Hub {
    fn default() -> Self {
        Hub {
            news: broadcast::Sender::new(WAITING),
            told: Mutex::default(),
            feeds: Mutex::default(),
            started: Instant::now(),
            salt: Salt::default(),
        }
    }
}

impl Hub {
    /// Everything from now on.
    pub(crate) fn listen(&self) -> broadcast::Receiver<Arc<str>> {
        self.news.subscribe()
    }

    /// Tells an event and gives its number. `event` is called before anybody can tell the next one, and hears whether
    /// anybody listens: if not, nothing needs to be made.
    pub(crate) fn tell(&self, epoch: u64, event: impl FnOnce(bool) -> Option<Occurrence>) -> u64 {
        let mut told = self.told();
        *told += 1;
        if let Some(what) = event(self.news.receiver_count() > 0) {
            match serde_json::to_string(&EventForm { n: *told, epoch, what }) {
                // The last listener may have gone meanwhile; then nobody needs it.
                Ok(json) => drop(self.news.send(json.into())),
                Err(error) => tracing::error!(%error, "an event has no JSON"),
            }
        }
        *told
    }

    /// The number of the last event.
    pub(crate) fn last(&self) -> u64 {
        *self.told()
    }

    fn told(&self) -> MutexGuard<'_, u64> {
        // A number is whole whatever panicked.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The agent's clock, in microseconds.
    pub(crate) fn clock_us(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// The instant at which the agent's clock shows `clock_us`; far away if it cannot be told.
    pub(crate) fn instant(&self, clock_us: u64) -> Option<Instant> {
        self.started.checked_add(std::time::Duration::from_micros(clock_us))
    }

    /// A name for a session that no other has, in this process or the next; whole in any reader's number.
    pub(crate) fn new_epoch(&self) -> u64 {
        const WHOLE_IN_A_DOUBLE: u64 = (1 << 53) - 1;
        RandomState::new().hash_one(self.clock_us()) & WHOLE_IN_A_DOUBLE
    }

    pub(crate) fn enter(&self, target: &Target, feed: &Arc<Feed>) {
        let mut feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        feeds.retain(|_, feed| feed.strong_count() > 0);
        feeds.insert(target.clone(), Arc::downgrade(feed));
    }

    /// The stream of the target that was attached last under this name.
    pub(crate) fn feed(&self, target: &Target) -> Option<Arc<Feed>> {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner).get(target)?.upgrade()
    }
}
