//! Looking for an element until it is there and can be hit, or time is up.
//!
//! [`Poll`] decides, without a clock; [`poll_until`] asks it what to do and does it.

use std::future::Future;
use std::time::Duration;

use serde_json::json;

use crate::error::{ErrorCode, Fault};

/// v1 has no events to wait for, so it looks again; never more often than this.
pub const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// What one look found.
#[derive(Debug, Clone, PartialEq)]
pub enum Sighting<T> {
    /// The element, ready.
    Found(T),
    /// No such element.
    NotFound,
    /// The element is there, and a tap would not reach it.
    NotHittable,
    /// Looking failed. That is never retried.
    Failed(Fault),
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step<T> {
    /// The end of it.
    Done(Result<T, Fault>),
    /// Look again when this much time has passed since the start.
    LookAgainAt(Duration),
}

/// The decisions of one lookup. Time comes in as what has passed since the start.
#[derive(Debug, Clone)]
pub struct Poll {
    selector: String,
    timeout: Duration,
    not_found: u32,
    not_hittable: u32,
    last_look: bool,
}

impl Poll {
    /// A lookup of `selector`. Without a timeout, or with zero, there is one look.
    pub fn new(selector: impl Into<String>, timeout: Option<Duration>) -> Self {
        let timeout = timeout.unwrap_or(Duration::ZERO);
        Self {
            selector: selector.into(),
            timeout,
            not_found: 0,
            not_hittable: 0,
            last_look: timeout.is_zero(),
        }
    }

    /// Takes what a look found, that began `began` and ended `now` after the start.
    pub fn saw<T>(&mut self, began: Duration, now: Duration, sighting: Sighting<T>) -> Step<T> {
        let code = match sighting {
            Sighting::Found(element) => return Step::Done(Ok(element)),
            Sighting::Failed(fault) => return Step::Done(Err(fault)),
            Sighting::NotFound => {
                self.not_found += 1;
                ErrorCode::ElementNotFound
            }
            Sighting::NotHittable => {
                self.not_hittable += 1;
                ErrorCode::NotActionable
            }
        };
        if self.last_look || now >= self.timeout {
            return Step::Done(Err(self.story(code)));
        }
        let next = (began + POLL_INTERVAL).max(now);
        // One look falls on the very end, so that what appears in time is never missed.
        self.last_look = next >= self.timeout;
        Step::LookAgainAt(next.min(self.timeout))
    }

    /// The last sighting gives the code; the counts say how it came to that.
    fn story(&self, code: ErrorCode) -> Fault {
        let (selector, timeout) = (&self.selector, self.timeout);
        let looks = self.not_found + self.not_hittable;
        let (what, hint) = if code == ErrorCode::ElementNotFound {
            ("was not found", "check the identifier or label in the tree, or wait longer")
        } else {
            ("is there but cannot be hit", "something covers it, or it is off the screen")
        };
        let message = if timeout.is_zero() {
            format!("`{selector}` {what}")
        } else {
            format!("`{selector}` {what} within {timeout:?} ({looks} looks)")
        };
        Fault::new(code, message)
            .hint(hint)
            .retryable()
            .details(json!({ "looks_not_found": self.not_found, "looks_not_hittable": self.not_hittable }))
    }
}

/// Looks until the element is found and hittable, the lookup fails, or the timeout has passed.
pub async fn poll_until<T, Looking>(
    selector: &str,
    timeout: Option<Duration>,
    mut look: impl FnMut() -> Looking,
) -> Result<T, Fault>
where
    Looking: Future<Output = Sighting<T>>,
{
    let start = tokio::time::Instant::now();
    let mut poll = Poll::new(selector, timeout);
    loop {
        let began = start.elapsed();
        let sighting = look().await;
        match poll.saw(began, start.elapsed(), sighting) {
            Step::Done(outcome) => return outcome,
            Step::LookAgainAt(at) => tokio::time::sleep_until(start + at).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn miss(poll: &mut Poll, began: u64, now: u64, sighting: Sighting<()>) -> Step<()> {
        poll.saw(ms(began), ms(now), sighting)
    }

    fn code(step: Step<()>) -> ErrorCode {
        match step {
            Step::Done(Err(fault)) => fault.code,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn without_a_timeout_there_is_one_look() {
        for timeout in [None, Some(Duration::ZERO)] {
            let mut poll = Poll::new("save", timeout);
            assert_eq!(code(miss(&mut poll, 0, 0, Sighting::NotFound)), ErrorCode::ElementNotFound);
        }
    }

    #[test]
    fn looks_are_fifty_milliseconds_apart_and_one_falls_on_the_end() {
        let mut poll = Poll::new("save", Some(ms(120)));
        assert_eq!(miss(&mut poll, 0, 3, Sighting::NotFound), Step::LookAgainAt(ms(50)));
        assert_eq!(miss(&mut poll, 50, 55, Sighting::NotFound), Step::LookAgainAt(ms(100)));
        assert_eq!(miss(&mut poll, 100, 101, Sighting::NotFound), Step::LookAgainAt(ms(120)));
        assert_eq!(code(miss(&mut poll, 120, 121, Sighting::NotFound)), ErrorCode::ElementNotFound);
    }

    #[test]
    fn a_slow_look_is_followed_at_once() {
        let mut poll = Poll::new("save", Some(ms(1000)));
        assert_eq!(miss(&mut poll, 0, 300, Sighting::NotHittable), Step::LookAgainAt(ms(300)));
    }

    #[test]
    fn the_last_sighting_names_the_error_and_the_counts_tell_the_story() {
        let mut poll = Poll::new("save", Some(ms(60)));
        miss(&mut poll, 0, 1, Sighting::NotFound);
        miss(&mut poll, 50, 51, Sighting::NotFound);
        let Step::Done(Err(fault)) = miss(&mut poll, 60, 61, Sighting::NotHittable) else { panic!() };
        assert_eq!(fault.code, ErrorCode::NotActionable);
        assert_eq!(fault.details, json!({ "looks_not_found": 2, "looks_not_hittable": 1 }));
    }

    #[test]
    fn a_failure_is_not_retried() {
        let mut poll = Poll::new("save", Some(ms(1000)));
        let fault = Fault::new(ErrorCode::Internal, "exception");
        assert_eq!(miss(&mut poll, 0, 1, Sighting::Failed(fault.clone())), Step::Done(Err(fault)));
    }

    #[tokio::test(start_paused = true)]
    async fn what_appears_is_found() {
        let mut looks = 0;
        let found = poll_until("save", Some(ms(500)), || {
            looks += 1;
            let sighting = match looks {
                1 => Sighting::NotFound,
                2 => Sighting::NotHittable,
                _ => Sighting::Found(looks),
            };
            std::future::ready(sighting)
        })
        .await;
        assert_eq!(found, Ok(3));
    }
}
