//! Bounds on what a caller may ask for, and the errors beyond them.

use crate::backend::Deadline;
use std::time::Duration;
use stillpoint_core::{Error, Result};

/// The longest wait that makes sense in one call.
const MAX_TIMEOUT_MS: u64 = 3_600_000;
/// The longest window that makes sense.
const MAX_WINDOW_MS: u64 = 60_000;

/// How long a wait takes at most, unless the caller says otherwise.
pub(super) fn default_timeout() -> u64 {
    10_000
}

/// How long it must be quiet to be at rest, unless the caller says otherwise.
pub(super) fn default_window() -> u64 {
    300
}

/// How long a plain look may take, where the app tells nothing by itself.
pub(super) fn reading() -> Deadline {
    Deadline::after(Duration::from_secs(5))
}

/// The deadline of a wait of so many milliseconds.
pub(super) fn deadline(timeout_ms: u64) -> Result<Deadline> {
    if timeout_ms > MAX_TIMEOUT_MS {
        return Err(Error::invalid(
            format!("timeout_ms {timeout_ms} is more than an hour"),
            format!("give at most {MAX_TIMEOUT_MS}, and wait again if need be"),
        ));
    }
    Ok(Deadline::after(Duration::from_millis(timeout_ms)))
}

/// The window of so many milliseconds in a wait of so many.
pub(super) fn window(stability_window_ms: u64, timeout_ms: u64) -> Result<Duration> {
    if stability_window_ms > MAX_WINDOW_MS {
        return Err(Error::invalid(
            format!("stability_window_ms {stability_window_ms} is more than a minute"),
            "300 is right for most apps; 150 for fast ones",
        ));
    }
    if timeout_ms > 0 && stability_window_ms > timeout_ms {
        return Err(Error::invalid(
            format!("a window of {stability_window_ms} ms cannot pass within a timeout of {timeout_ms} ms"),
            "give a longer timeout_ms or a shorter stability_window_ms",
        ));
    }
    Ok(Duration::from_millis(stability_window_ms))
}
