//! Whether a command may be sent again.

use crate::codec::Request;
use crate::error::{Delivery, WireError};

/// What sending a command twice would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Safety {
    /// The same as sending it once: reads, and commands that set something to a value.
    Idempotent,
    /// Harm: a tap, text, a swipe, a press.
    AtMostOnce,
}

impl From<&Request> for Safety {
    fn from(request: &Request) -> Self {
        if request.is_idempotent() { Self::Idempotent } else { Self::AtMostOnce }
    }
}

/// What becomes of a command whose connection failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The agent answered, or nothing about the connection was wrong: the error is the answer.
    Report,
    /// Recover, then send it once more.
    RecoverAndRetry,
    /// Recover for the next command's sake, and say that this one's fate is unknown.
    RecoverAndReport,
}

impl Verdict {
    /// Judges an error by what it says about delivery.
    pub fn on(error: &WireError, safety: Safety) -> Self {
        match (error.delivery(), safety) {
            (None, _) => Self::Report,
            (Some(Delivery::NotSent), _) | (Some(Delivery::Unknown), Safety::Idempotent) => {
                Self::RecoverAndRetry
            }
            (Some(Delivery::Unknown), Safety::AtMostOnce) => Self::RecoverAndReport,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{ErrorCode, Fault};

    fn lost(delivery: Delivery) -> WireError {
        WireError::Lost { during: "x".into(), delivery, reason: "reset".into() }
    }

    #[test]
    fn a_tap_that_may_have_arrived_is_never_sent_again() {
        let verdict = |error| Verdict::on(&error, Safety::AtMostOnce);
        assert_eq!(verdict(lost(Delivery::Unknown)), Verdict::RecoverAndReport);
        let silent = WireError::NoAnswer { during: "TapCoord".into(), after: std::time::Duration::ZERO };
        assert_eq!(verdict(silent), Verdict::RecoverAndReport);
        assert_eq!(verdict(lost(Delivery::NotSent)), Verdict::RecoverAndRetry);
    }

    #[test]
    fn reads_are_sent_again_whatever_happened_to_them() {
        for delivery in [Delivery::NotSent, Delivery::Unknown] {
            assert_eq!(Verdict::on(&lost(delivery), Safety::Idempotent), Verdict::RecoverAndRetry);
        }
    }

    #[test]
    fn an_answer_is_an_answer() {
        let fault = Fault::new(ErrorCode::ElementNotFound, "no `save`");
        assert_eq!(Verdict::on(&fault.into(), Safety::Idempotent), Verdict::Report);
    }

    #[test]
    fn only_what_touches_the_app_is_at_most_once() {
        let touching = [
            Request::TapCoord { x: 0, y: 0 },
            Request::TapElement { id: String::new(), timeout_ms: None },
            Request::TapByLabel { label: String::new(), timeout_ms: None },
            Request::TypeText { text: String::new() },
            Request::LongPress { x: 0, y: 0, duration_s: 0.0 },
        ];
        assert!(touching.iter().all(|request| Safety::from(request) == Safety::AtMostOnce));
        let harmless = [Request::Heartbeat, Request::DumpTree, Request::SetTarget { target: String::new() }];
        assert!(harmless.iter().all(|request| Safety::from(request) == Safety::Idempotent));
    }
}
