//! All that Stillpoint has in this operating-system process: one runtime, the sessions, the desktops, and the thread
//! that brings answers to event loops.
//!
//! It is made when it is first needed. After a fork, the child makes its own and leaves the parent's alone: its memory
//! is there, its threads are not, and its browsers and desktops belong to the parent.

use crate::call::Delivery;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::Session;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::sync::CancellationToken;

/// How long calls that are under way may take to end once they were cancelled.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How long sessions may take to close at the end.
const FAREWELL: Duration = Duration::from_secs(5);
/// How long what was begun in the background, such as ending a desktop, may take at the end.
const LEFTOVERS: Duration = Duration::from_secs(20);

/// The one of this process. Locked only by threads that hold the interpreter's lock, as a fork does: a child never
/// finds it locked.
static CURRENT: Mutex<Option<&'static Process>> = Mutex::new(None);

/// What this operating-system process has.
pub(crate) struct Process {
    pid: u32,
    handle: Handle,
    runtime: Mutex<Option<Runtime>>,
    /// Parent of every call's token.
    over: CancellationToken,
    calls: Mutex<usize>,
    calls_changed: Condvar,
    sessions: Mutex<HashMap<u64, Session>>,
    #[cfg(target_os = "linux")]
    desktops: Mutex<HashMap<u64, Arc<crate::desktop::Running>>>,
    next: AtomicU64,
    delivery: Delivery,
}

/// Whatever panicked elsewhere, these maps and counts are whole.
fn locked<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call under way; the end of the process waits for it.
pub(crate) struct UnderWay(&'static Process);

impl Drop for UnderWay {
    fn drop(&mut self) {
        *locked(&self.0.calls) -= 1;
        self.0.calls_changed.notify_all();
    }
}

impl Process {
    /// The one of this process, made if need be. The token proves that the caller holds the interpreter's lock.
    pub(crate) fn current(_: Python<'_>) -> Result<&'static Process> {
        let mut current = locked(&CURRENT);
        match *current {
            Some(process) if process.pid == std::process::id() => Ok(process),
            _ => Ok(current.insert(Process::make()?)),
        }
    }

    fn make() -> Result<&'static Process> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("stillpoint")
            .enable_all()
            .build()
            .map_err(|error| Error::internal(format!("no threads can be started: {error}")))?;
        // Never freed: there is one for each process, and objects point to it until the end.
        Ok(Box::leak(Box::new(Process {
            pid: std::process::id(),
            handle: runtime.handle().clone(),
            runtime: Mutex::new(Some(runtime)),
            over: CancellationToken::new(),
            calls: Mutex::new(0),
            calls_changed: Condvar::new(),
            sessions: Mutex::default(),
            #[cfg(target_os = "linux")]
            desktops: Mutex::default(),
            next: AtomicU64::new(1),
            delivery: Delivery::default(),
        })))
    }

    /// Where its work runs.
    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// A token that is cancelled at the end at the latest.
    pub(crate) fn token(&self) -> CancellationToken {
        self.over.child_token()
    }

    /// Brings answers to event loops.
    pub(crate) fn delivery(&self) -> &Delivery {
        &self.delivery
    }

    /// Counts a call, unless everything is over.
    pub(crate) fn begin(&'static self) -> Result<UnderWay> {
        let mut calls = locked(&self.calls);
        if self.over.is_cancelled() {
            let hint = "call it before the interpreter ends";
            return Err(Error::new(Code::TargetLost, "Stillpoint has been shut down in this process", hint));
        }
        *calls += 1;
        Ok(UnderWay(self))
    }

    /// Keeps a session until it is closed; gives its number.
    pub(crate) fn keep(&self, session: Session) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        locked(&self.sessions).insert(number, session);
        number
    }

    /// Gives up a session that is closed by the caller; `None` if it was given up before.
    pub(crate) fn give_up(&self, number: u64) -> Option<Session> {
        locked(&self.sessions).remove(&number)
    }

    /// Keeps a desktop until it is closed; gives its number.
    #[cfg(target_os = "linux")]
    pub(crate) fn keep_desktop(&self, desktop: Arc<crate::desktop::Running>) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        locked(&self.desktops).insert(number, desktop);
        number
    }

    /// Gives up a desktop that is closed by the caller.
    #[cfg(target_os = "linux")]
    pub(crate) fn give_up_desktop(&self, number: u64) {
        locked(&self.desktops).remove(&number);
    }

    fn end(&self) {
        self.over.cancel();
        let calls = locked(&self.calls);
        let waited = self.calls_changed.wait_timeout_while(calls, LAST_WORDS, |calls| *calls > 0);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        let sessions: Vec<Session> = locked(&self.sessions).drain().map(|(_, session)| session).collect();
        let closing: Vec<_> =
            sessions.into_iter().map(|s| self.handle.spawn(async move { s.close().await })).collect();
        let closed = async {
            for one in closing {
                if let Err(panicked) = one.await {
                    tracing::error!(%panicked, "a session was not closed");
                }
            }
        };
        if self.handle.block_on(async { tokio::time::timeout(FAREWELL, closed).await }).is_err() {
            tracing::error!("a session took too long to close");
        }
        #[cfg(target_os = "linux")]
        for (_, desktop) in locked(&self.desktops).drain() {
            if let Err(error) = desktop.end() {
                tracing::error!(%error, "a desktop was not torn down completely");
            }
        }
        self.delivery.end();
        let runtime = locked(&self.runtime).take();
        if let Some(runtime) = runtime {
            runtime.shutdown_timeout(LEFTOVERS);
        }
    }
}

/// Ends what this process has, if it has anything.
pub(crate) fn shut_down(py: Python<'_>) {
    let process = (*locked(&CURRENT)).filter(|process| process.pid == std::process::id());
    if let Some(process) = process {
        py.detach(|| process.end());
    }
}
