//! Until when a call may take.

use std::future::Future;
use std::time::Duration;
use stillpoint_core::{Code, Error, Result};
use tokio::time::Instant;

/// The moment at which a call must have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// The deadline at this instant.
    pub fn at(instant: Instant) -> Self {
        Deadline(instant)
    }

    /// The deadline this far from now.
    pub fn after(duration: Duration) -> Self {
        // A duration too long for the clock means "far away"; a billion seconds, thirty years, are far enough.
        let now = Instant::now();
        Deadline(now.checked_add(duration).unwrap_or_else(|| now + Duration::from_secs(1_000_000_000)))
    }

    /// When it is.
    pub fn instant(self) -> Instant {
        self.0
    }

    /// How much time is left.
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Whether it has passed.
    pub fn has_passed(self) -> bool {
        self.left().is_zero()
    }

    /// The earlier of this deadline and one this far from now.
    pub fn or_after(self, duration: Duration) -> Self {
        self.min(Deadline::after(duration))
    }

    /// Runs `work` until it ends or the deadline passes; `what` was awaited, in words.
    pub async fn bound<T>(self, what: &str, work: impl Future<Output = Result<T>>) -> Result<T> {
        match tokio::time::timeout_at(self.0, work).await {
            Ok(done) => done,
            Err(_) => Err(Error::new(
                Code::TargetUnresponsive,
                format!("the app did not answer in time: {what}"),
                "the app may be stopped, busy or showing a modal dialog; look at it, or give a longer timeout",
            )),
        }
    }
}
