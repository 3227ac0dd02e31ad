//! The word of an app that embeds the idle SDK, judged by its own log. `script/bench sync` does the same with more
//! operations, and measures the other modes beside it.

use serde_json::{Value, json};
use stillpoint_benches::race::{self, How, Tally};
use stillpoint_engine::Session;
use stillpoint_engine::verbs::{self, Call};
use stillpoint_lab::{App, Desktop, Fixture};

/// `STILLPOINT_SOAK=1` raises it to what the bench does.
fn operations() -> usize {
    if std::env::var_os("STILLPOINT_SOAK").is_some() { 1_000 } else { 60 }
}

fn run(fixture: Fixture, how: How) -> Tally {
    race::run(fixture, how, operations(), 0x5EED).expect("the app does as told")
}

/// By its own word nobody is told that an app rests while it works, with a session or without.
fn is_never_idle_while_it_works(fixture: Fixture) {
    for how in [How::Reader, How::Session("sdk")] {
        let tally = run(fixture, how);
        assert!(tally.operations >= operations() && tally.waits > 0, "{tally:?}");
        assert_eq!(
            (tally.premature, tally.gave_up),
            (0, 0),
            "{} by {}: {tally:?}",
            fixture.toolkit(),
            how.name()
        );
    }
}

#[test]
fn a_gtk3_app_is_never_called_idle_while_it_works() {
    is_never_idle_while_it_works(Fixture::Gtk3);
}

#[test]
fn a_gtk4_app_is_never_called_idle_while_it_works() {
    is_never_idle_while_it_works(Fixture::Gtk4);
}

#[test]
fn a_qt_app_is_never_called_idle_while_it_works() {
    is_never_idle_while_it_works(Fixture::Qt);
}

async fn ask(session: &Session, verb: &str, params: Value) -> Value {
    let verb = verbs::by_name(verb).expect("a verb");
    let answer = (verb.run)(session, params, &Call::default()).await.expect("an answer");
    answer.json().expect("in JSON")
}

/// A line of the app's protocol, off the async threads.
fn control(app: &App, line: &str) -> String {
    tokio::task::block_in_place(|| app.control(line).expect("the fixture does as told"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_app_that_starts_or_drops_its_sdk_while_attached_changes_the_mode() {
    let desktop = Desktop::start().expect("a desktop");
    for fixture in Fixture::ALL {
        let app = desktop.fixture(fixture).expect("the fixture starts");
        let session = race::attach(&desktop, &app, "auto").await.expect("it can be attached to");
        let before = ask(&session, "wait_for_idle", json!({})).await;
        assert_eq!((&before["sync_mode"], &before["stability_state"]), (&json!("events"), &json!("stable")));
        let library = race::library().expect("it was built");
        control(&app, &format!("idle {}", library.display()));
        control(&app, "show feed");
        control(&app, "op load");
        let during = ask(&session, "wait_for_idle", json!({})).await;
        assert_eq!((&during["sync_mode"], &during["stability_state"]), (&json!("sdk"), &json!("idle")));
        let shown = ask(&session, "snapshot", json!({})).await.to_string();
        assert!(shown.contains("Loaded 8 items"), "what the app showed when it said so is read: {shown}");
        control(&app, "idle off");
        let after = ask(&session, "wait_for_idle", json!({})).await;
        assert_eq!((&after["sync_mode"], &after["stability_state"]), (&json!("events"), &json!("stable")));
        session.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn samples_alone_see_what_a_real_app_does() {
    let desktop = Desktop::start().expect("a desktop");
    for fixture in Fixture::ALL {
        let app = desktop.fixture(fixture).expect("the fixture starts");
        control(&app, "show feed");
        let session = race::attach(&desktop, &app, "heuristic").await.expect("it can be attached to");
        let since = session.revision().to_string().parse::<u64>().expect("a number");
        control(&app, "op load");
        control(&app, "rest");
        let waited =
            ask(&session, "wait_for_ui_change", json!({ "since_revision": since, "timeout_ms": 60_000 }))
                .await;
        assert_eq!(
            (&waited["status"], &waited["sync_mode"]),
            (&json!("success"), &json!("heuristic")),
            "{waited}"
        );
        let shown = ask(&session, "snapshot", json!({})).await.to_string();
        assert!(shown.contains("Loaded 8 items"), "{}: {shown}", fixture.toolkit());
        session.close().await;
    }
}
