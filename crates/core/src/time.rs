//! Time as data: the caller owns the clock.

use serde::{Deserialize, Serialize};
use std::ops::{Add, Sub};
use std::time::Duration;

/// A point on one session's own time line, counted from the session's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(u64);

impl Moment {
    /// The start of the session.
    pub const START: Moment = Moment(0);

    /// The moment `micros` microseconds after the session's start.
    pub const fn from_micros(micros: u64) -> Self {
        Moment(micros)
    }

    /// The moment `millis` milliseconds after the session's start.
    pub const fn from_millis(millis: u64) -> Self {
        Moment(millis * 1000)
    }

    /// Microseconds since the session's start.
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// Whole milliseconds since the session's start.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1000
    }

    /// How long ago `earlier` was; zero if it lies in the future.
    pub fn since(self, earlier: Moment) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Moment {
    type Output = Moment;
    fn add(self, by: Duration) -> Moment {
        Moment(self.0.saturating_add(u64::try_from(by.as_micros()).unwrap_or(u64::MAX)))
    }
}

impl Sub<Duration> for Moment {
    type Output = Moment;
    fn sub(self, by: Duration) -> Moment {
        Moment(self.0.saturating_sub(u64::try_from(by.as_micros()).unwrap_or(u64::MAX)))
    }
}
