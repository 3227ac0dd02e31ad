//! The daemon: takes its place, serves, and comes to its end without losing an action that runs.

use crate::connection;
use crate::desk::Desk;
use crate::metrics::{Metrics, MetricsOptions};
use crate::place::Place;
use crate::start::READY;
use crate::version::OURS;
use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::Engine;
use tokio::net::UnixListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long a client may take to read its last answers.
const GOODBYE: Duration = Duration::from_secs(2);

/// A daemon that nobody called for so long ends.
#[allow(clippy::duration_suboptimal_units)] // `from_mins` is younger than the oldest Rust that we build with
const IDLE: Duration = Duration::from_secs(10 * 60);

/// How a daemon serves.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Where it is found.
    pub place: Place,
    /// After how long without a call it ends.
    pub idle: Duration,
    /// Where it tells what it counts, if it does.
    pub metrics: Option<MetricsOptions>,
    /// The version that it says it is.
    pub version: String,
}

impl Default for ServeOptions {
    fn default() -> Self {
        ServeOptions { place: Place::of_user(), idle: IDLE, metrics: None, version: OURS.to_owned() }
    }
}

/// A daemon that has its place, and serves once it is run.
pub struct Daemon {
    listener: UnixListener,
    lock: File,
    metrics: Option<Metrics>,
    desk: Arc<Desk>,
    engine: Arc<Engine>,
    options: ServeOptions,
}

/// Takes the place, says so on standard output, and serves until it is stopped, idle, replaced, or `cancel` is
/// cancelled. Whoever started it may wait for that line.
pub async fn serve(engine: Arc<Engine>, options: ServeOptions, cancel: CancellationToken) -> Result<()> {
    let daemon = Daemon::bind(engine, options).await?;
    let line = match daemon.metrics_addr() {
        None => format!("{READY} {}\n", daemon.socket().display()),
        Some(addr) => format!("{READY} {} metrics http://{addr}/metrics\n", daemon.socket().display()),
    };
    let mut stdout = std::io::stdout();
    if let Err(error) = stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush()) {
        tracing::debug!(%error, "nobody waits for the daemon to be ready");
    }
    daemon.run(cancel).await
}

impl Daemon {
    /// Takes the place; refused if another daemon has it.
    pub async fn bind(engine: Arc<Engine>, options: ServeOptions) -> Result<Self> {
        options.place.prepare()?;
        let Some(lock) = options.place.lock()? else {
            return Err(Error::new(
                Code::AgentUnavailable,
                format!("another daemon serves {}", options.place.socket().display()),
                "`stillpoint serve --status` tells about it, `stillpoint serve --stop` ends it",
            ));
        };
        let metrics = match &options.metrics {
            Some(metrics) => Some(Metrics::bind(metrics).await?),
            None => None,
        };
        let listener = options.place.listen()?;
        let desk = Desk::new(engine.clone(), options.version.clone(), options.place.socket());
        Ok(Daemon { listener, lock, metrics, desk: Arc::new(desk), engine, options })
    }

    /// The socket that it listens on.
    pub fn socket(&self) -> PathBuf {
        self.options.place.socket()
    }

    /// Where it tells what it counts.
    pub fn metrics_addr(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().map(|m| m.addr)
    }

    /// Serves until it is stopped, idle, replaced, or `cancel` is cancelled.
    pub async fn run(self, cancel: CancellationToken) -> Result<()> {
        let Daemon { listener, lock, metrics, desk, engine, options } = self;
        let telling = metrics.map(|metrics| tokio::spawn(metrics.run(desk.clone(), desk.ending().clone())));
        let mut connections = JoinSet::new();
        let served = accept(&listener, &desk, options.idle, &mut connections, &cancel).await;
        desk.finish();
        // In this order: once the lock is gone, the socket may be another daemon's.
        if let Err(error) = std::fs::remove_file(options.place.socket()) {
            tracing::info!(%error, "the socket was gone already");
        }
        drop(listener);
        drop(lock);
        desk.release();
        tokio::select! {
            () = desk.done() => {}
            () = cancel.cancelled() => {
                desk.stop();
                desk.done().await;
            }
        }
        let goodbye = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(GOODBYE, goodbye).await.is_err() {
            tracing::info!("a client did not read its last answers");
        }
        if let Some(telling) = telling {
            telling.abort();
        }
        engine.shut_down().await;
        served
    }
}

/// Takes connections until there is a reason to end.
async fn accept(
    listener: &UnixListener,
    desk: &Arc<Desk>,
    idle: Duration,
    connections: &mut JoinSet<()>,
    cancel: &CancellationToken,
) -> Result<()> {
    loop {
        tokio::select! {
            () = desk.finishing().cancelled() => return Ok(()),
            () = cancel.cancelled() => {
                desk.stop();
                return Ok(());
            }
            () = desk.idle(idle) => return Ok(()),
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => drop(connections.spawn(connection::serve(stream, desk.clone()))),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be taken");
                    // Out of descriptors, most likely: the next one is taken when a client has gone.
                    if connections.join_next().await.is_none() {
                        return Err(Error::internal(format!("connections cannot be taken: {error}")));
                    }
                }
            },
            _ = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}
