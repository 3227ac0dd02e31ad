//! Measures the time to the first full tree (bounds and text included), that of a barrier, and that of reading the whole
//! tree again from the mirror, and prints JSON.
//!
//! Usage: `bench-attach TARGET [RUNS]`, on the desktop of the environment.

use std::time::{Duration, Instant};
use stillpoint_atspi::AtspiConnector;
use stillpoint_core::Moment;
use stillpoint_core::revise::Mirror;
use stillpoint_core::tree::{Change, Limits, NewNode};
use stillpoint_engine::backend::{AttachOptions, Backend as _, CAPACITY, Deadline, channel};

fn count(node: &NewNode, of: &dyn Fn(&NewNode) -> bool) -> usize {
    usize::from(of(node)) + node.children.iter().map(|child| count(child, of)).sum::<usize>()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let target = arguments.next().ok_or("usage: bench-attach TARGET [RUNS]")?.parse()?;
    let runs: usize = arguments.next().map_or(Ok(20), |n| n.parse())?;
    let connector = AtspiConnector::from_env();
    let mut samples = Vec::new();
    let mut barriers = Vec::new();
    let mut again = Vec::new();
    let mut figures = (0, 0, 0, 0);
    for _ in 0..runs {
        let (sink, _inbox) = channel(CAPACITY);
        let deadline = Deadline::after(Duration::from_secs(30));
        let began = Instant::now();
        let (backend, first, _) =
            connector.attach_to(&target, &AttachOptions::default(), sink, deadline).await?;
        samples.push(began.elapsed().as_secs_f64() * 1000.0);
        if let Some(Change::Replace(root)) = first.first() {
            figures = (
                root.count(),
                count(root, &|n| n.props.bounds().is_some()),
                count(root, &|n| n.props.text().is_some()),
                count(root, &|n| !n.props.actions().is_empty()),
            );
        }
        let mut mirror = Mirror::new(Limits::default());
        mirror.apply(first, Moment::START);
        let began = Instant::now();
        let snapshot = mirror.snapshot(Moment::START);
        let read = snapshot.tree.walk().filter(|(_, node)| node.bounds().is_some()).count();
        again.push(began.elapsed().as_secs_f64() * 1000.0);
        std::hint::black_box(read);
        let began = Instant::now();
        backend.barrier(deadline).await?;
        barriers.push(began.elapsed().as_secs_f64() * 1000.0);
        backend.close().await;
    }
    samples.sort_by(f64::total_cmp);
    barriers.sort_by(f64::total_cmp);
    again.sort_by(f64::total_cmp);
    let at = |share: f64| samples[((samples.len() - 1) as f64 * share) as usize];
    println!(
        "{}",
        serde_json::json!({
            "name": "first_full_tree", "unit": "ms", "samples": runs, "p50": at(0.5), "p99": at(0.99),
            "min": at(0.0), "nodes": figures.0, "with_bounds": figures.1, "with_text": figures.2,
            "with_actions": figures.3, "barrier_p50": barriers[barriers.len() / 2],
            "read_again_p50": again[again.len() / 2],
        })
    );
    Ok(())
}
