//! The journeys of `apps/scenarios` with an agent in between: all of them by v2, by v1 those that it can express.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::json;
use stillpoint_agent::AgentBuilder;
use stillpoint_engine::Session;
use stillpoint_lab::{Desktop, Fixture};
use stillpoint_scenarios::{Ask as _, Scenario, all, play};
use support::Served;

/// What v1 has no word for, and why each of these needs it.
const BEYOND_V1: [(&str, &str); 9] = [
    ("checkout", "a number is set, and v1 knows taps and text"),
    (
        "disabled",
        "v1 does not tell whether a button is enabled: the agent waits for it, longer than the scenario does",
    ),
    ("login", "a password is replaced, and v1 can only add to what a field holds"),
    ("modal", "v1 does not tell what covers a button: the agent waits for it, longer than the scenario does"),
    ("password", "a password is replaced, and v1 can only add to what a field holds"),
    ("revision", "what made the sight stale is that the button became enabled, which v1 does not tell"),
    ("rows", "v1 cannot scroll to an element that is not there yet"),
    ("shortcut", "v1 has no keys"),
    ("slider", "a number is set, and v1 knows taps and text"),
];

fn beyond_v1(scenario: &Scenario) -> bool {
    BEYOND_V1.iter().any(|(name, _)| *name == scenario.name)
}

/// Plays a scenario; the story of its failure ends with what was to be seen.
async fn played(app: &Session, scenario: &Scenario) -> Result<(), String> {
    let Err(story) = play(app, scenario).await else { return Ok(()) };
    let screen = app.ask("snapshot", json!({})).await.map_or_else(|e| e.to_string(), |r| r.text);
    Err(format!("{story}\nthe screen:\n{screen}"))
}

async fn whole_by_v2(served: &Served) {
    let app = served.session(&[]).await;
    for scenario in all().unwrap() {
        played(&app, &scenario).await.unwrap_or_else(|story| panic!("{story}"));
    }
    app.close().await;
}

async fn in_part_by_v1(served: &Served) {
    let app = served.session(&[("protocol", "v1")]).await;
    for scenario in all().unwrap().iter().filter(|s| !beyond_v1(s)) {
        played(&app, scenario).await.unwrap_or_else(|story| panic!("{story}"));
    }
    app.close().await;
}

async fn behind_gtk(plays: impl AsyncFn(&Served)) {
    let desktop = Desktop::builder().start().unwrap();
    let app = desktop.fixture(Fixture::Gtk3).unwrap();
    let connector = stillpoint_atspi::AtspiConnector::on(stillpoint_atspi::Desktop {
        accessibility_bus: Some(desktop.a11y_address().to_owned()),
        session_bus: Some(desktop.session_address()),
        display: Some(desktop.display()),
    });
    let served = Served::with(AgentBuilder::new().with(connector), &format!("app:pid={}", app.pid())).await;
    plays(&served).await;
    served.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_simulator_by_v2() {
    let served = Served::sim("sim:fixture?jitter=120&seed=7").await;
    whole_by_v2(&served).await;
    served.end().await;
}

/// Each on an app of its own, for what fails may leave anything behind. A scenario that v1 has learned leaves the list.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_simulator_by_v1_exactly_what_it_can_express() {
    let (mut failed, mut stories) = (Vec::new(), String::new());
    for scenario in all().unwrap() {
        let served = Served::sim("sim:fixture?jitter=120&seed=7").await;
        let app = served.session(&[("protocol", "v1")]).await;
        if let Err(story) = played(&app, &scenario).await {
            failed.push(scenario.name);
            stories.extend([story.as_str(), "\n\n"]);
        }
        app.close().await;
        served.end().await;
    }
    let listed: Vec<&str> = BEYOND_V1.iter().map(|(name, _)| *name).collect();
    assert_eq!(failed, listed, "{stories}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gtk_by_v2() {
    behind_gtk(whole_by_v2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gtk_by_v1() {
    behind_gtk(in_part_by_v1).await;
}
