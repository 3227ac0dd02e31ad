//! Actions that were decided upon elsewhere: another engine resolved and judged them against its own mirror, asked its
//! own person about them, and has them carried out here. What holds for this machine holds for them too.

use super::audit::{Audited, given};
use crate::backend::{Action, Button, Performed, Place, Refusal};
use crate::session::Session;
use std::future::Future;
use stillpoint_core::judge::Verb;
use stillpoint_core::{Code, Error, Result};

impl Session {
    /// Lets `dispatch` carry out the action if the policy here allows it, and tells the audit log what came of it. The gate
    /// on destructive labels is not asked: the person who could confirm is with the engine that decided.
    pub async fn carry_out(
        &self,
        action: &Action,
        dispatch: impl Future<Output = Result<Performed, Refusal>>,
    ) -> Result<Performed, Refusal> {
        let Some(guard) = self.guard() else { return dispatch.await };
        let outcome = match self.admit_forwarded(action) {
            Ok(()) => dispatch.await,
            Err(denied) => Err(Refusal::before_dispatch(denied)),
        };
        let code = outcome.as_ref().err().map(|refusal| refusal.error.code);
        guard.audit(&Audited {
            target: &self.target().to_string(),
            verb: verb(action).name(),
            action_id: None,
            selector: None,
            given: given(action),
            outcome: match code {
                Some(Code::PolicyDenied | Code::RateLimited) => "denied",
                Some(_) => "failed",
                None => "done",
            },
            code,
            confirmed: &[],
        });
        outcome
    }

    /// Refuses if the policy lets nothing be dispatched, although judging it is allowed.
    pub fn admit_dispatch(&self) -> Result<()> {
        match self.guard() {
            Some(guard) if guard.is_dry() => Err(Error::new(
                Code::PolicyDenied,
                "the policy of the machine that this ran on is dry_run: nothing was dispatched",
                "whoever wrote that policy can set dry_run = false",
            )),
            _ => Ok(()),
        }
    }

    fn admit_forwarded(&self, action: &Action) -> Result<()> {
        let Some(guard) = self.guard() else { return Ok(()) };
        guard.admit_acting(self)?;
        self.admit_dispatch()?;
        // What prepares an action is counted with it.
        match action {
            Action::Focus { .. } | Action::ScrollTo { .. } => Ok(()),
            _ => guard.take_turn(self.target()),
        }
    }
}

/// What a forwarded action is called in the log.
fn verb(action: &Action) -> Verb {
    match action {
        Action::Tap { hold: Some(_), .. } => Verb::LongPress,
        Action::Tap { on: Place::Point(..), .. } => Verb::TapAt,
        Action::Tap { count: 2.., .. } => Verb::DoubleTap,
        Action::Tap { button: Button::Right, .. } => Verb::RightClick,
        Action::Tap { .. } => Verb::Tap,
        Action::Hover { .. } => Verb::Hover,
        Action::Focus { .. } => Verb::Focus,
        Action::TypeText { .. } => Verb::TypeText,
        Action::PressKey { .. } => Verb::PressKey,
        Action::SetValue { .. } => Verb::SetValue,
        Action::Toggle { .. } => Verb::Toggle,
        Action::Select { .. } => Verb::Select,
        Action::Expand { .. } => Verb::Expand,
        Action::Scroll { .. } => Verb::Scroll,
        Action::ScrollTo { .. } => Verb::ScrollTo,
        Action::Drag { .. } => Verb::Drag,
    }
}
