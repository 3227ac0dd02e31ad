//! A daemon whose only targets are the simulator's scenes: `daemon DIR [IDLE_MS] [VERSION]`.

use std::sync::Arc;
use std::time::Duration;
use stillpoint_core::Error;
use stillpoint_daemon::{Place, ServeOptions, serve};
use stillpoint_engine::Engine;
use stillpoint_sim::Sim;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut words = std::env::args().skip(1);
    let mut options = ServeOptions::default();
    if let Some(dir) = words.next() {
        options.place = Place::at(dir);
    }
    if let Some(idle) = words.next().and_then(|ms| ms.parse().ok()) {
        options.idle = Duration::from_millis(idle);
    }
    if let Some(version) = words.next() {
        options.version = version;
    }
    let engine = Arc::new(Engine::new().with(Sim::new()));
    serve(engine, options, CancellationToken::new()).await
}
