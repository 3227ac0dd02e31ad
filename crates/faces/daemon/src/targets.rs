//! Which open session a caller means by `app`, for faces whose callers name their target in every call.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use stillpoint_core::{Code, Error, Result, Target};
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::verbs::Call;
use stillpoint_engine::{Engine, Session};
use tokio_util::sync::CancellationToken;

/// The sessions of an engine as the callers of one face name them.
///
/// A target is opened when it is first named. One that was lost is not opened again behind the caller's back, for
/// element ids and revisions start anew then: the first call after the loss is told so, the next one opens it.
pub struct Targets {
    engine: Arc<Engine>,
    used: Mutex<HashSet<Target>>,
}

impl Targets {
    /// The sessions of `engine`, none of which was named yet.
    pub fn new(engine: Arc<Engine>) -> Self {
        Targets { engine, used: Mutex::default() }
    }

    /// The engine behind.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The open sessions, by their URIs.
    pub fn sessions(&self) -> BTreeMap<String, Session> {
        self.engine.open_sessions().into_iter().map(|s| (s.target().to_string(), s)).collect()
    }

    /// The session that is meant by `app`: the one with this URI, or the only one that is open.
    pub async fn session(&self, app: Option<&str>, cancel: &CancellationToken) -> Result<Session> {
        let Some(app) = app else { return self.only() };
        let target = self.target(app)?;
        if let Some(open) = self.engine.session(&target) {
            self.used().insert(target);
            return Ok(open);
        }
        if self.used().remove(&target) {
            return Err(Error::new(
                Code::TargetLost,
                format!("{target} is no longer open: the app ended, or somebody closed it"),
                "call again to open it afresh; its element ids and revisions start anew",
            ));
        }
        self.open(app, &BTreeMap::new(), cancel).await
    }

    /// Opens a target with settings of its backend, or finds it open.
    pub async fn open(
        &self,
        app: &str,
        settings: &BTreeMap<String, String>,
        cancel: &CancellationToken,
    ) -> Result<Session> {
        let target = self.target(app)?;
        let options = AttachOptions { settings: settings.clone(), ..AttachOptions::default() };
        let session = tokio::select! {
            opened = self.engine.open(&target, &options) => opened?,
            () = cancel.cancelled() => return Err(cancelled()),
        };
        self.used().insert(target);
        Ok(session)
    }

    /// Closes a target: the one with this URI, or the only one that is open. Gives back its URI.
    pub async fn close(&self, app: Option<&str>) -> Result<String> {
        let target = match app {
            Some(app) => self.target(app)?,
            None => self.only()?.target().clone(),
        };
        self.used().remove(&target);
        if self.engine.close(&target).await {
            return Ok(target.to_string());
        }
        Err(Error::new(Code::TargetNotFound, format!("{target} is not open"), self.open_ones()))
    }

    fn only(&self) -> Result<Session> {
        let mut open = self.engine.open_sessions();
        match (open.pop(), open.len()) {
            (Some(only), 0) => Ok(only),
            (Some(_), _) => {
                Err(Error::invalid("several targets are open, and app names none", self.open_ones()))
            }
            (None, _) => Err(Error::invalid("no target is open, and app names none", self.open_ones())),
        }
    }

    /// Reads a URI; what is none is told together with what is open.
    fn target(&self, app: &str) -> Result<Target> {
        app.parse().map_err(|error: Error| {
            let hint = format!("{}; {}", self.open_ones(), error.hint);
            Error { hint, ..error }
        })
    }

    fn open_ones(&self) -> String {
        let open: Vec<String> = self.sessions().into_keys().collect();
        if open.is_empty() {
            "nothing is open; give app a target's URI such as sim:login".to_owned()
        } else {
            format!("open now: {}; give one of them as app", open.join(", "))
        }
    }

    fn used(&self) -> MutexGuard<'_, HashSet<Target>> {
        // The set is whole whatever panicked elsewhere.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error of a call that the caller gave up.
pub fn cancelled() -> Error {
    Error::new(Code::Cancelled, "cancelled by the caller", "call again if the answer is still wanted")
}

/// What a call brings along that ends with `cancel` and has nobody to ask back.
#[allow(clippy::field_reassign_with_default)] // what else a call may bring keeps its default
pub fn call_until(cancel: CancellationToken) -> Call {
    let mut call = Call::default();
    call.cancel = cancel;
    call
}
