//! A policy at work: what it was told to remember between calls, and the questions that the engine asks it.

use super::audit::Audited;
use super::file::Policy;
use super::rate::Buckets;
use super::reach;
use crate::backend::{Action, Deadline, TargetInfo};
use crate::session::Session;
use std::sync::{Mutex, PoisonError};
use stillpoint_core::{Code, Error, Result, Target};
use tokio::time::Instant;

/// A policy at work.
#[derive(Debug)]
pub(crate) struct Guard {
    policy: Policy,
    buckets: Mutex<Buckets>,
}

impl Guard {
    pub(crate) fn new(policy: Policy) -> Self {
        Guard { policy, buckets: Mutex::default() }
    }

    /// Whether actions are judged only.
    pub(crate) fn is_dry(&self) -> bool {
        self.policy.dry_run
    }

    /// Refuses a target that may not be opened.
    pub(crate) fn admit_target(&self, target: &Target) -> Result<()> {
        let admitted = self.policy.targets.admit(&target.to_string());
        self.audit_open(target, &admitted);
        admitted
    }

    /// Refuses a target that turned out to be one that is denied, by whatever name it was asked for.
    pub(crate) fn admit_attached(&self, target: &Target, info: &TargetInfo) -> Result<()> {
        let named = format!("{}:{}", target.scheme(), info.name);
        let names = [info.target.as_str(), named.as_str()];
        let admitted = names.iter().try_for_each(|name| self.policy.targets.not_denied(name));
        if admitted.is_err() {
            self.audit_open(target, &admitted);
        }
        admitted
    }

    fn audit_open(&self, target: &Target, admitted: &Result<()>) {
        let code = admitted.as_ref().err().map(|e| e.code);
        self.audit(&Audited {
            target: &target.to_string(),
            verb: "open",
            action_id: None,
            selector: None,
            given: serde_json::Value::Null,
            outcome: if code.is_some() { "denied" } else { "allowed" },
            code,
            confirmed: &[],
        });
    }

    /// Refuses where nothing may be done at all: read-only, a page that is denied, no audit log.
    pub(crate) fn admit_acting(&self, session: &Session) -> Result<()> {
        if self.policy.read_only {
            return Err(Error::new(
                Code::PolicyDenied,
                "the policy is read-only: looking and waiting are allowed, acting is not; nothing was dispatched",
                "whoever wrote the policy can set read_only = false",
            ));
        }
        if let Some(audit) = &self.policy.audit {
            audit.works()?;
        }
        // A page may have led to where it could not have been opened.
        match session.read(|tree| tree.screen().url.clone()) {
            Some(url) => self.policy.targets.not_denied(&format!("web:{url}")),
            None => Ok(()),
        }
    }

    /// Everything dangerous about an action, in words; empty if it needs no confirmation.
    pub(crate) async fn dangers(
        &self,
        session: &Session,
        action: &Action,
        deadline: Deadline,
    ) -> Result<Vec<String>> {
        let Some(gate) = &self.policy.gate else { return Ok(Vec::new()) };
        let reached = reach::of(session, action, deadline).await?;
        Ok(session.read(|tree| reached.iter().filter_map(|r| gate.danger(tree, r)).collect()))
    }

    /// Takes one of the target's actions, or says when the next one is there.
    pub(crate) fn take_turn(&self, target: &Target) -> Result<()> {
        let Some(limit) = self.policy.rate_limit else { return Ok(()) };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.take(limit, target, Instant::now())
    }

    /// Records what was asked for and what came of it.
    pub(crate) fn audit(&self, audited: &Audited<'_>) {
        if let Some(audit) = &self.policy.audit {
            audit.write(audited);
        }
    }
}
