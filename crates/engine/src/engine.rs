//! All sessions of a process, and who can open which target.

use crate::backend::{AttachOptions, CAPACITY, Check, Connector, Deadline, TargetInfo};
use crate::policy::{Guard, Policy};
use crate::session::{Session, Setting};
use crate::telemetry::Telemetry;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use stillpoint_core::{Code, Error, Result, Target};

/// How long attaching may take.
const ATTACH: Duration = Duration::from_secs(30);
/// How long looking around may take, for each backend.
const LOOK: Duration = Duration::from_secs(5);

/// The sessions of this process and the backends that make them.
#[derive(Default)]
pub struct Engine {
    connectors: Vec<Box<dyn Connector>>,
    sessions: Mutex<HashMap<Target, Session>>,
    telemetry: Arc<Telemetry>,
    guard: Option<Arc<Guard>>,
}

impl Engine {
    /// An engine that knows no target yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more kind of target.
    pub fn with(mut self, connector: impl Connector) -> Self {
        self.connectors.push(Box::new(connector));
        self
    }

    /// The same under a policy, for every target that is opened from now on.
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.guard = Some(Arc::new(Guard::new(policy)));
        self
    }

    /// Counters of everything that happens here.
    pub fn telemetry(&self) -> &Telemetry {
        &self.telemetry
    }

    fn connector(&self, target: &Target) -> Result<&dyn Connector> {
        let found = self.connectors.iter().find(|c| c.schemes().contains(&target.scheme()));
        found.map(|c| &**c).ok_or_else(|| {
            let known: Vec<&str> = self.connectors.iter().flat_map(|c| c.schemes()).copied().collect();
            Error::new(
                Code::Unsupported,
                format!("this build cannot open {}: targets", target.scheme()),
                format!("it can open {}:", known.join(":, ")),
            )
        })
    }

    /// The session with a target: the one that is open, or a new one.
    pub async fn open(&self, target: &Target, options: &AttachOptions) -> Result<Session> {
        if let Some(open) = self.session(target) {
            return Ok(open);
        }
        if let Some(guard) = &self.guard {
            guard.admit_target(target)?;
        }
        let connector = self.connector(target)?;
        let deadline = Deadline::after(ATTACH);
        let setting =
            Setting { telemetry: self.telemetry.clone(), guard: self.guard.clone(), capacity: CAPACITY };
        let fresh = Session::attach_in(connector, target.clone(), options, setting, deadline).await?;
        if let Some(refused) = self.guard.as_ref().and_then(|g| g.admit_attached(target, fresh.info()).err())
        {
            fresh.close().await;
            return Err(refused);
        }
        let raced = {
            let mut sessions = self.sessions();
            match sessions.get(target) {
                Some(open) if open.end().is_none() => Some(open.clone()),
                _ => {
                    sessions.insert(target.clone(), fresh.clone());
                    None
                }
            }
        };
        match raced {
            None => Ok(fresh),
            Some(open) => {
                fresh.close().await;
                Ok(open)
            }
        }
    }

    /// The open session with a target, if it is alive.
    pub fn session(&self, target: &Target) -> Option<Session> {
        self.sessions().get(target).filter(|s| s.end().is_none()).cloned()
    }

    /// All sessions that are open.
    pub fn open_sessions(&self) -> Vec<Session> {
        self.sessions().values().filter(|s| s.end().is_none()).cloned().collect()
    }

    /// Closes the session with a target; whether there was one.
    pub async fn close(&self, target: &Target) -> bool {
        let found = self.sessions().remove(target);
        match found {
            Some(session) => {
                session.close().await;
                true
            }
            None => false,
        }
    }

    /// Closes everything.
    pub async fn shut_down(&self) {
        let all: Vec<Session> = self.sessions().drain().map(|(_, s)| s).collect();
        for session in all {
            session.close().await;
        }
    }

    /// What could be opened now. A backend that cannot say is left out and logged.
    pub async fn list(&self) -> Vec<TargetInfo> {
        let mut found = Vec::new();
        for connector in &self.connectors {
            let deadline = Deadline::after(LOOK);
            match deadline.bound("listing targets", connector.list(deadline)).await {
                Ok(targets) => found.extend(targets),
                Err(error) => tracing::info!(schemes = ?connector.schemes(), %error, "cannot list targets"),
            }
        }
        found
    }

    /// What each backend needs and whether it is there.
    pub async fn diagnose(&self) -> Vec<(String, Vec<Check>)> {
        let mut found = Vec::new();
        for connector in &self.connectors {
            let name = connector.schemes().iter().map(|s| format!("{s}:")).collect::<Vec<_>>().join(" ");
            found.push((name, connector.diagnose(Deadline::after(LOOK)).await));
        }
        found
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, HashMap<Target, Session>> {
        // The map is whole whatever panicked elsewhere.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
