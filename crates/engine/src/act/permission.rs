//! May it be done? The one place where the policy is asked about actions.

use super::pipeline::Run;
use crate::backend::{Action, Deadline};
use crate::policy::Audited;
use stillpoint_core::{Code, Error, Result};
use tokio::time::Instant;

impl Run<'_> {
    /// Whether nothing may be dispatched: the caller, or the policy, wants to know only what would happen.
    pub(super) fn is_dry(&self) -> bool {
        self.options.dry_run || self.session.guard().is_some_and(crate::policy::Guard::is_dry)
    }

    /// Refuses what the policy forbids. What is dangerous needs the caller's confirmation or a person's yes; what was
    /// confirmed once is not asked about again, unless it has become something else.
    pub(super) async fn permit(&mut self, action: &Action) -> Result<()> {
        let Some(guard) = self.session.guard() else { return Ok(()) };
        self.given = crate::policy::given(action);
        guard.admit_acting(self.session)?;
        let mut dangers = guard.dangers(self.session, action, self.deadline).await?;
        dangers.retain(|danger| !self.confirmed.contains(danger));
        if dangers.is_empty() {
            return Ok(());
        }
        if !self.options.confirm && !self.is_dry() && !self.asked(&dangers).await? {
            return Err(denied(&dangers, "the person who was asked said no"));
        }
        if !self.options.confirm && self.is_dry() {
            return Err(denied(&dangers, "the policy holds this for destructive, and it is not confirmed"));
        }
        self.confirmed.append(&mut dangers);
        Ok(())
    }

    /// Counts the action against the target's limit.
    pub(super) fn take_turn(&self) -> Result<()> {
        match self.session.guard() {
            Some(guard) if !self.is_dry() => guard.take_turn(self.session.target()),
            _ => Ok(()),
        }
    }

    /// Asks a person, if the call brought a way to. The time that they take is not the action's.
    async fn asked(&mut self, dangers: &[String]) -> Result<bool> {
        let Some(confirm) = &self.call.confirm else {
            return Err(denied(dangers, "the policy holds this for destructive, and it is not confirmed"));
        };
        let began = Instant::now();
        let question = format!(
            "{} on {}: {}. Shall it be done?",
            self.head.action_type,
            self.session.target(),
            dangers.join("; ")
        );
        let answer = tokio::select! {
            answer = confirm(question) => answer,
            () = self.call.cancel.cancelled() => {
                let hint = "nothing was dispatched; call again if it is still wanted";
                return Err(Error::new(Code::Cancelled, "cancelled by the caller", hint));
            }
        };
        self.deadline = Deadline::at(self.deadline.instant() + began.elapsed());
        Ok(answer)
    }

    /// Tells the audit log what came of it.
    pub(super) fn audit(&self) {
        let Some(guard) = self.session.guard() else { return };
        let head = &self.head;
        let outcome = match head.failure_code {
            Some(Code::PolicyDenied | Code::RateLimited) => "denied",
            Some(_) => "failed",
            None if self.is_dry() => "dry_run",
            None if head.lifecycle_state == super::Lifecycle::Verified => "verified",
            None => "done",
        };
        guard.audit(&Audited {
            target: &self.session.target().to_string(),
            verb: head.action_type.name(),
            action_id: Some(&head.action_id),
            selector: head.target.as_ref().map(|t| t.selector.as_str()),
            given: self.given.clone(),
            outcome,
            code: head.failure_code,
            confirmed: &self.confirmed,
        });
    }
}

fn denied(dangers: &[String], why: &str) -> Error {
    Error::new(
        Code::PolicyDenied,
        format!("{}: {why}; nothing was dispatched", dangers.join("; ")),
        "if it is really meant, call again with confirm: true",
    )
    .with_details(serde_json::json!({ "dangers": dangers }))
}
