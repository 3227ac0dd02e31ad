//! What all connections of a daemon share: its sessions, what runs, and how it comes to its end.

use crate::sessions::described;
use crate::targets::Targets;
use crate::version::newer;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::Engine;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What all connections share.
pub(crate) struct Desk {
    pub(crate) targets: Targets,
    version: String,
    socket: PathBuf,
    began: Instant,
    calls: AtomicU64,
    busy: watch::Sender<Busy>,
    /// No new calls; those that run go on.
    finishing: CancellationToken,
    /// Another daemon may take the place.
    released: CancellationToken,
    /// Calls that run are given up.
    stopping: CancellationToken,
    /// Nothing runs any more; connections close.
    ending: CancellationToken,
}

/// How many calls run, and since when it is that many.
#[derive(Clone, Copy)]
struct Busy {
    running: usize,
    since: Instant,
}

/// A call that runs; it counts as long as this lives.
pub(crate) struct Running(Arc<Desk>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.busy.send_modify(|busy| *busy = Busy { running: busy.running - 1, since: Instant::now() });
    }
}

impl Desk {
    pub(crate) fn new(engine: Arc<Engine>, version: String, socket: PathBuf) -> Self {
        let began = Instant::now();
        Desk {
            targets: Targets::new(engine),
            version,
            socket,
            began,
            calls: AtomicU64::new(0),
            busy: watch::Sender::new(Busy { running: 0, since: began }),
            finishing: CancellationToken::new(),
            released: CancellationToken::new(),
            stopping: CancellationToken::new(),
            ending: CancellationToken::new(),
        }
    }

    /// Counts a call in, unless the daemon is coming to its end.
    pub(crate) fn begin(self: &Arc<Self>) -> Result<Running> {
        // Decided under the lock of `busy`: whoever waits for the last call sees every call that was let in.
        let let_in = self.busy.send_if_modified(|busy| {
            let open = !self.finishing.is_cancelled();
            if open {
                *busy = Busy { running: busy.running + 1, since: Instant::now() };
            }
            open
        });
        if !let_in {
            return Err(Error::new(
                Code::AgentUnavailable,
                "this daemon is coming to its end and takes no more calls",
                "connect again; another one is started",
            )
            .with_details(json!({ "taken": false })));
        }
        self.calls.fetch_add(1, Ordering::Relaxed);
        Ok(Running(self.clone()))
    }

    /// The token of a new call of a connection: it ends with the connection and when the daemon is stopped.
    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.stopping
    }

    pub(crate) fn ending(&self) -> &CancellationToken {
        &self.ending
    }

    pub(crate) fn finishing(&self) -> &CancellationToken {
        &self.finishing
    }

    /// Takes no more calls.
    pub(crate) fn finish(&self) {
        self.finishing.cancel();
    }

    /// Takes no more calls and gives up those that run.
    pub(crate) fn stop(&self) {
        self.finishing.cancel();
        self.stopping.cancel();
    }

    /// Says that another daemon may take the place.
    pub(crate) fn release(&self) {
        self.released.cancel();
    }

    /// Returns once nothing has run for so long.
    pub(crate) async fn idle(&self, limit: Duration) {
        let mut changes = self.busy.subscribe();
        loop {
            let busy = *changes.borrow_and_update();
            let quiet = async {
                if busy.running > 0 {
                    std::future::pending::<()>().await;
                }
                tokio::time::sleep_until(busy.since + limit).await;
            };
            tokio::select! {
                () = quiet => return,
                changed = changes.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Returns once nothing runs, and closes the connections.
    pub(crate) async fn done(&self) {
        let mut changes = self.busy.subscribe();
        // The sender lives as long as `self`.
        let _ = changes.wait_for(|busy| busy.running == 0).await;
        self.ending.cancel();
    }

    /// A client says its version. To a newer one the place is left; it hears of it when another daemon may start.
    pub(crate) async fn hello(&self, client: Option<&str>) -> Value {
        let finishing =
            self.finishing.is_cancelled() || client.is_some_and(|client| newer(client, &self.version));
        if finishing {
            self.finish();
            self.released.cancelled().await;
        }
        json!({ "version": self.version, "pid": std::process::id(), "finishing": finishing })
    }

    /// What the daemon is and does.
    pub(crate) fn status(&self) -> Value {
        let running = self.busy.borrow().running;
        json!({
            "version": self.version,
            "pid": std::process::id(),
            "socket": self.socket,
            "uptime_ms": self.began.elapsed().as_millis() as u64,
            "calls": self.calls.load(Ordering::Relaxed),
            "running": running,
            "finishing": self.finishing.is_cancelled(),
            "sessions": described(&self.targets),
        })
    }

    /// Everything that is counted, as Prometheus text.
    pub(crate) fn metrics(&self) -> String {
        let mut out = self.targets.engine().telemetry().to_prometheus();
        let mut tell = |name: &str, kind: &str, help: &str, value: u64| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        };
        let calls = self.calls.load(Ordering::Relaxed);
        tell("stillpoint_daemon_calls_total", "counter", "Calls that were taken.", calls);
        tell("stillpoint_daemon_running", "gauge", "Calls that run now.", self.busy.borrow().running as u64);
        let sessions = self.targets.sessions().len() as u64;
        tell("stillpoint_daemon_sessions", "gauge", "Targets that are open.", sessions);
        tell(
            "stillpoint_daemon_uptime_seconds",
            "gauge",
            "Time since the start.",
            self.began.elapsed().as_secs(),
        );
        out
    }
}
