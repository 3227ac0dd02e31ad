//! Calls into the app: each is a round trip through the one task that owns the scene, and so is ordered behind
//! everything that the app has told before.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use stillpoint_core::tree::{Change, NativeKey};
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::{Action, Deadline, Performed, Refusal, Scope};
use tokio::sync::{mpsc, oneshot};

/// What can be asked of the app. Who gives up waiting drops the other end of `reply`.
pub(crate) enum Call {
    Barrier {
        reply: oneshot::Sender<Result<()>>,
    },
    Perform {
        action: Action,
        deadline: Deadline,
        claim: Claim,
        reply: oneshot::Sender<Result<Performed, Refusal>>,
    },
    Refresh {
        scope: Scope,
        reply: oneshot::Sender<Result<Vec<Change>>>,
    },
    Screenshot {
        of: Option<NativeKey>,
        reply: oneshot::Sender<Result<Vec<u8>>>,
    },
    HitTest {
        x: i32,
        y: i32,
        reply: oneshot::Sender<Result<Option<NativeKey>>>,
    },
    /// A look from outside, which even a hung app cannot refuse.
    Truth {
        reply: oneshot::Sender<Vec<Change>>,
    },
}

/// Who decides about an action: either the app takes it, or the caller takes it back. Never both.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claim(Arc<AtomicU8>);

const OPEN: u8 = 0;
const TAKEN: u8 = 1;
const WITHDRAWN: u8 = 2;

impl Claim {
    /// The app takes the action. `false`: the caller has given up.
    pub(crate) fn take(&self) -> bool {
        self.0.compare_exchange(OPEN, TAKEN, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// The caller gives up. `false`: the app has it already.
    fn withdraw(&self) -> bool {
        self.0.compare_exchange(OPEN, WITHDRAWN, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

/// Takes an unanswered action back even when the call itself is dropped.
struct Withdrawal(Claim);

impl Drop for Withdrawal {
    fn drop(&mut self) {
        self.0.withdraw();
    }
}

/// The way to the task of one app.
#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) calls: mpsc::Sender<Call>,
}

impl Line {
    /// Asks, and waits for the answer until the deadline.
    pub(crate) async fn ask<T>(
        &self,
        what: &str,
        deadline: Deadline,
        call: impl FnOnce(oneshot::Sender<Result<T>>) -> Call,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let call = call(reply);
        let round_trip = async {
            self.calls.send(call).await.map_err(|_| gone())?;
            answer.await.map_err(|_| gone())?
        };
        deadline.bound(what, round_trip).await
    }

    /// Hands an action over. When nobody answers in time, says whether the app may have it.
    pub(crate) async fn perform(&self, action: Action, deadline: Deadline) -> Result<Performed, Refusal> {
        let claim = Claim::default();
        let withdrawal = Withdrawal(claim.clone());
        let (reply, answer) = oneshot::channel();
        let call = Call::Perform { action, deadline, claim: claim.clone(), reply };
        let round_trip = async {
            self.calls.send(call).await.map_err(|_| gone())?;
            Ok(answer.await)
        };
        match deadline.bound("the action was not answered", round_trip).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) if claim.withdraw() => Err(Refusal::before_dispatch(gone())),
            Ok(Err(_)) => Err(Refusal::after_dispatch(gone())),
            Err(error) if claim.withdraw() => {
                drop(withdrawal);
                Err(Refusal::before_dispatch(error))
            }
            Err(error) => Err(Refusal::after_dispatch(error)),
        }
    }
}

/// The app is not there any more.
pub(crate) fn gone() -> Error {
    Error::new(Code::TargetLost, "the app of the scene has ended", "attach to the scene again")
}
