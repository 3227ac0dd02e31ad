//! Every scenario on every backend, with delays drawn anew for each repetition.
//! `STILLPOINT_REPEAT=200` repeats each as often as the contract asks; without it, a few times.

use serde_json::json;
use stillpoint_atspi::AtspiConnector;
use stillpoint_chromium::Chromium;
use stillpoint_core::Target;
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::{Engine, Session};
use stillpoint_lab::{Desktop, Fixture};
use stillpoint_scenarios::{Ask as _, all, play};
use stillpoint_sim::Sim;

/// How often each scenario is played: as often as asked for, or a few times.
fn repetitions() -> u64 {
    std::env::var("STILLPOINT_REPEAT").ok().and_then(|n| n.parse().ok()).unwrap_or(2)
}

/// The scenarios whose name has `STILLPOINT_SCENARIO` in it; all without it.
fn wanted(name: &str) -> bool {
    std::env::var("STILLPOINT_SCENARIO").map_or(true, |only| name.contains(&only))
}

/// Plays all of them in turn, round after round, on one session: what one leaves behind, the next has to bear.
async fn play_all(session: &Session, place: &str) {
    let scenarios = all().expect("they can be read");
    assert!(scenarios.len() >= 13, "some are missing");
    for round in 1..=repetitions() {
        println!("{place}: round {round} of {}", repetitions());
        for scenario in scenarios.iter().filter(|s| wanted(&s.name)) {
            if let Err(story) = play(session, scenario).await {
                let screen =
                    session.ask("snapshot", json!({})).await.map_or_else(|e| e.to_string(), |r| r.text);
                panic!("{place}, round {round}: {story}\nthe screen:\n{screen}");
            }
        }
    }
    session.close().await;
}

async fn open(engine: Engine, target: &str) -> Session {
    let target: Target = target.parse().expect("a target");
    engine.open(&target, &AttachOptions::default()).await.expect("it can be attached to")
}

async fn on_desktop(fixture: Fixture) {
    let desktop = Desktop::builder().start().expect("a desktop");
    let app = desktop.fixture(fixture).expect("the fixture starts");
    let connector = AtspiConnector::on(stillpoint_atspi::Desktop {
        accessibility_bus: Some(desktop.a11y_address().to_owned()),
        session_bus: Some(desktop.session_address()),
        display: Some(desktop.display()),
    });
    let session = open(Engine::new().with(connector), &format!("app:pid={}", app.pid())).await;
    play_all(&session, fixture.toolkit()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_the_simulator() {
    let session = open(Engine::new().with(Sim::new()), "sim:fixture?jitter=120&seed=7").await;
    play_all(&session, "sim").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_gtk_3() {
    on_desktop(Fixture::Gtk3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_gtk_4() {
    on_desktop(Fixture::Gtk4).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_qt() {
    on_desktop(Fixture::Qt).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_chromium() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../apps/web/fixture.html");
    let page = std::fs::canonicalize(page).expect("the page is there");
    let session = open(Engine::new().with(Chromium::new()), &format!("web:file://{}", page.display())).await;
    play_all(&session, "chromium").await;
}
