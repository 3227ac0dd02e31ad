//! How fast the mirror is on the pages of `apps/web`, as one JSON object: `cargo run --release --example bench_web`.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../tests/support/mod.rs"]
mod support;

use serde_json::json;
use std::time::{Duration, Instant};
use stillpoint_core::tree::Role;
use support::browser::TestBrowser;
use support::{Rig, server::Server};

fn figures(mut samples: Vec<Duration>) -> serde_json::Value {
    samples.sort_unstable();
    let ms = |d: Duration| (d.as_secs_f64() * 100_000.0).round() / 100.0;
    let at = |part: f64| ms(samples[((samples.len() - 1) as f64 * part) as usize]);
    json!({ "unit": "ms", "samples": samples.len(), "p50": at(0.5), "p99": at(0.99), "min": at(0.0) })
}

#[tokio::main]
async fn main() {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_writer(std::io::stderr)
        .init();
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab(&server.url("table.html")).await;
    browser.close_first(&tab).await;
    let target = format!("cdp:{}", browser.url);

    let mut attach = Vec::new();
    for _ in 0..3 {
        let began = Instant::now();
        drop(Rig::attach(&target, &[]).await);
        attach.push(began.elapsed());
    }
    let mut rig = Rig::attach(&target, &[("instrument", "full")]).await;
    let nodes = rig.mirror.tree().len();

    let mut refresh = Vec::new();
    for n in 0..40 {
        let began = Instant::now();
        let script = format!("picked.textContent = 'Change {n}'");
        tab.eval(&script).await;
        while !rig.says(&format!("Change {n}")) {
            next(&mut rig).await;
        }
        refresh.push(began.elapsed());
    }
    let mut click = Vec::new();
    let mut settled = Vec::new();
    for n in 1..=20 {
        let button = rig
            .mirror
            .tree()
            .walk()
            .find(|(_, e)| e.stable_id() == Some(&format!("delete-{n}")))
            .unwrap()
            .1
            .key();
        let began = Instant::now();
        rig.act(stillpoint_engine::backend::Action::Tap {
            on: stillpoint_engine::backend::Place::Element(button),
            button: stillpoint_engine::backend::Button::Left,
            count: 1,
            hold: None,
        })
        .await;
        while !rig.says(&format!("Picked delete-{n}")) {
            next(&mut rig).await;
        }
        click.push(began.elapsed());
        rig.settle().await;
        settled.push(began.elapsed());
    }
    tab.go(&server.url("static.html")).await;
    rig.settle().await;
    let mut small = Vec::new();
    for n in 1..=40 {
        let began = Instant::now();
        rig.tap(Role::Button, "Add one").await;
        rig.settle().await;
        rig.must_say(&format!("Count: {n}"));
        small.push(began.elapsed());
    }
    let report = json!({
        "nodes_of_the_500_row_page": nodes,
        "attach_500_rows": figures(attach),
        "text_change_to_mirror_500_rows": figures(refresh),
        "click_to_observed_500_rows": figures(click),
        "click_to_idle_500_rows": figures(settled),
        "click_to_idle_static_page": figures(small),
    });
    println!("{report:#}");
}

/// Waits for the next batch and applies it.
async fn next(rig: &mut Rig) {
    use stillpoint_engine::backend::{Event, Next};
    if let Next::Event(Event::Batch { changes, .. }) = rig.inbox.next().await {
        rig.mirror.apply(changes, stillpoint_core::Moment::START);
    }
}
