//! A daemon in this process, with the simulator, in a directory of its own.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // each test file uses its own part; a test may panic

use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use stillpoint_core::Error;
use stillpoint_daemon::{Client, Daemon, Place, Reply, ServeOptions};
use stillpoint_engine::Engine;
use stillpoint_sim::Sim;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The version of the daemons here.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub struct House {
    dir: TempDir,
    pub place: Place,
}

impl House {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let place = Place::at(dir.path().join("stillpoint"));
        House { dir, place }
    }

    pub fn dir(&self) -> PathBuf {
        self.dir.path().join("stillpoint")
    }

    pub fn options(&self) -> ServeOptions {
        ServeOptions { place: self.place.clone(), ..ServeOptions::default() }
    }

    /// Starts a daemon as a task; it ends with its own reasons.
    pub async fn serve(&self, options: ServeOptions) -> (Arc<Engine>, JoinHandle<Result<(), Error>>) {
        let engine = Arc::new(Engine::new().with(Sim::new()));
        let daemon = Daemon::bind(engine.clone(), options).await.unwrap();
        (engine, tokio::spawn(daemon.run(CancellationToken::new())))
    }

    pub async fn client(&self) -> Client {
        Client::connect(&self.place).await.unwrap().expect("no daemon runs")
    }
}

pub async fn ask(client: &Client, method: &str, params: Value) -> Result<Reply, Error> {
    client.call(method, params, &CancellationToken::new()).await
}

pub async fn json(client: &Client, method: &str, params: Value) -> Value {
    ask(client, method, params).await.unwrap().into_json()
}

/// The example daemon, built if it is not there yet.
pub fn example() -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    if path.ends_with("deps") {
        path.pop();
    }
    path.push("examples/daemon");
    if !path.exists() {
        let built = std::process::Command::new(env!("CARGO"))
            .args(["build", "-p", "stillpoint-daemon", "--example", "daemon"])
            .status()
            .unwrap();
        assert!(built.success(), "the example daemon could not be built");
    }
    path
}
