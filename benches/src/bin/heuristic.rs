//! `script/bench idle`: what rest costs where the app says nothing and has to be looked at, on the same fixture app
//! whose own word the other figures are about. Prints figures as the bench of the idle SDK does.

use serde_json::json;
use std::hint::black_box;
use std::time::{Duration, Instant};
use stillpoint_benches::measure::Samples;
use stillpoint_benches::race::{self, Fault};
use stillpoint_engine::backend::{Deadline, Scope};
use stillpoint_engine::sync::SyncEngine;
use stillpoint_lab::{Desktop, Fixture};

const HASHES: usize = 2_000;
const LOOKS: usize = 50;
const SETTLES: usize = 20;
const LONGEST: Duration = Duration::from_secs(20);
/// What the idea's first write-up gives for the same on another machine, in nanoseconds.
const SEED_HASH: f64 = 12_300.0;
const SEED_SETTLE: f64 = 153_000_000.0;

fn main() -> Result<(), Fault> {
    let desktop = Desktop::start()?;
    let library = race::library()?;
    let arguments = ["--idle", library.to_str().ok_or("odd path")?];
    let app = desktop.fixture_with(Fixture::Gtk3, &arguments)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let figures = runtime.block_on(async {
        let mut figures = Vec::new();
        let session = race::attach(&desktop, &app, "heuristic").await?;
        let nodes = session.read(|tree| tree.walk().count());
        let hashes = samples(HASHES, || session.read(|tree| tree.hashes_from_scratch()));
        figures.push(figure(
            &format!("heuristic: hash of the app's {nodes} elements"),
            &hashes,
            Some(SEED_HASH),
        ));
        let mut looks = Vec::with_capacity(LOOKS);
        for _ in 0..LOOKS {
            let began = Instant::now();
            black_box(session.backend().refresh(Scope::Everything, Deadline::after(LONGEST)).await?);
            looks.push(began.elapsed());
        }
        figures.push(figure("heuristic: one look at all of the app", &Samples::of(looks), None));
        figures.push(figure(
            "heuristic: settle, app at rest",
            &settles(&SyncEngine::new(session.clone())).await?,
            Some(SEED_SETTLE),
        ));
        session.close().await;
        let session = race::attach(&desktop, &app, "sdk").await?;
        figures.push(figure(
            "sdk: settle, app at rest",
            &settles(&SyncEngine::new(session.clone())).await?,
            Some(SEED_SETTLE),
        ));
        session.close().await;
        Ok::<_, Fault>(figures)
    })?;
    desktop.close()?;
    println!("{}", json!({ "figures": figures }));
    Ok(())
}

fn samples<T>(count: usize, mut body: impl FnMut() -> T) -> Samples {
    Samples::of((0..count).map(|_| {
        let began = Instant::now();
        black_box(body());
        began.elapsed()
    }))
}

/// How long it takes to be told that an app that does nothing is at rest.
async fn settles(sync: &SyncEngine) -> Result<Samples, Fault> {
    let mut times = Vec::with_capacity(SETTLES);
    for _ in 0..SETTLES {
        let began = Instant::now();
        let answer = serde_json::to_value(sync.wait_for_idle(LONGEST).await?)?;
        times.push(began.elapsed());
        if answer["status"] != "success" {
            return Err(format!("it did not come to rest: {answer}").into());
        }
    }
    Ok(Samples::of(times))
}

fn figure(name: &str, samples: &Samples, seed: Option<f64>) -> serde_json::Value {
    let (p50, p99) = (samples.quantile(0.5), samples.quantile(0.99));
    let peers = seed.map_or_else(|| json!({}), |seed| json!({ "seed": seed }));
    json!({ "name": name, "unit": "ns", "ours": p50, "p50": p50, "p99": p99, "samples": samples.len(), "peers": peers })
}
