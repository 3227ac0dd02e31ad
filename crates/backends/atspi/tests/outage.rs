//! An app that stands still, dies or is busy in the middle of a wait, an action, a snapshot and an attachment, through the
//! engine: the right code, before the app goes on; another session works meanwhile; and a new attachment afterwards.
#![allow(clippy::unwrap_used)] // a test may panic

mod stage;

use serde_json::{Value, json};
use stage::verbs::{answer, ask};
use stage::{Stage, patience};
use std::sync::Arc;
use std::time::Duration;
use stillpoint_core::Code;
use stillpoint_engine::Session;
use stillpoint_engine::backend::Deadline;
use stillpoint_lab::{App, Fixture};
use tokio::task::{JoinHandle, spawn_blocking};

/// What ails the app.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outage {
    Stopped,
    Killed,
    Busy,
}

impl Outage {
    fn begin(self, app: &App) {
        match self {
            Outage::Stopped => app.stop().unwrap(),
            Outage::Killed => app.kill().unwrap(),
            // It replies, then keeps its main loop for ten seconds.
            Outage::Busy => drop(app.control("busyloop 10000").unwrap()),
        }
    }

    fn code(self) -> Code {
        if self == Outage::Killed { Code::TargetLost } else { Code::TargetUnresponsive }
    }
}

async fn control(app: &Arc<App>, line: &'static str) -> String {
    let app = app.clone();
    spawn_blocking(move || app.control(line).unwrap()).await.unwrap()
}

/// The code that a call ended with, whether it was refused or told in its answer.
async fn code_of(session: &Session, verb: &str, params: Value) -> String {
    match answer(session, verb, params).await {
        Err(error) => error.code.to_string(),
        Ok(told) => told.json().unwrap()["error"]["code"].as_str().unwrap_or("none").to_owned(),
    }
}

/// A wait that has seen a change and is on its way to rest.
async fn wait_under_way(session: &Session, app: &Arc<App>) -> JoinHandle<String> {
    let base = session.revision();
    let mut changes = session.changes();
    let waiting = session.clone();
    let wait = tokio::spawn(async move {
        // The window is longer than the time left, so that rest can only be proven by an app that answers.
        let params = json!({ "since_revision": base, "timeout_ms": 1500, "stability_window_ms": 600 });
        code_of(&waiting, "wait_for_ui_change", params).await
    });
    control(app, "op signin").await;
    while session.revision() == base {
        changes.changed().await.unwrap();
    }
    wait
}

async fn is_survived(outage: Outage) {
    let stage = Stage::new();
    let (app, lively) = (stage.fixture(Fixture::Gtk3), stage.fixture(Fixture::Gtk3));
    let (session, other) = (stage.open(&app).await, stage.open(&lively).await);
    let wait = wait_under_way(&session, &app).await;
    let ailing = app.clone();
    spawn_blocking(move || outage.begin(&ailing)).await.unwrap();
    let ailing = app.clone();
    // Answered by nobody before the outage is over.
    let recovery = spawn_blocking(move || ailing.control("rest"));

    let code = outage.code().to_string();
    assert_eq!(wait.await.unwrap(), code, "the wait, {outage:?}");
    let typing = json!({ "selector": "textbox \"Username\"", "text": "ada", "timeout_ms": 400 });
    assert_eq!(code_of(&session, "type_text", typing).await, code, "the action, {outage:?}");
    let brief = Deadline::after(Duration::from_millis(400));
    let Err(attach) = stage.try_attach(&format!("app:pid={}", app.pid()), brief).await else {
        panic!("attached to an app that is {outage:?}")
    };
    if outage == Outage::Killed {
        assert_eq!(code_of(&session, "snapshot", json!({})).await, code);
        assert!(matches!(attach.code, Code::TargetNotFound | Code::TargetLost), "{attach:?}");
    } else {
        let told = ask(&session, "snapshot", json!({})).await;
        assert_ne!(told["stability_state"], "stable", "nobody can know");
        assert_eq!(attach.code, Code::TargetUnresponsive);
    }
    assert_eq!(control(&lively, "show values").await, "ok show values");
    let moved = ask(&other, "set_value", json!({ "selector": "slider \"Volume\"", "value": 42 })).await;
    assert_eq!(moved["success"], true, "{outage:?} held another session up: {moved}");

    assert!(outage == Outage::Killed || !recovery.is_finished(), "{outage:?} was over before the answers");
    recovers(outage, &stage, &session, app, recovery).await;
}

async fn recovers<T>(
    outage: Outage,
    stage: &Stage,
    session: &Session,
    app: Arc<App>,
    recovery: JoinHandle<T>,
) {
    if outage == Outage::Stopped {
        app.cont().unwrap();
    }
    recovery.await.unwrap();
    if outage == Outage::Killed {
        let again = stage.fixture(Fixture::Gtk3);
        ask(&stage.open(&again).await, "wait_for_idle", json!({})).await;
        return;
    }
    let truth: Value = serde_json::from_str(&control(&app, "truth").await).unwrap();
    assert_eq!(truth["values"]["login.username"]["text"], "", "an action fired after its deadline: {truth}");
    let typing = json!({ "selector": "textbox \"Username\"", "text": "ada" });
    let typed = ask(session, "type_text", typing).await;
    assert_eq!(typed["success"], true, "the session goes on where it was: {typed}");
    stage.try_attach(&format!("app:pid={}", app.pid()), patience()).await.expect("a new attachment works");
}

#[tokio::test]
async fn a_stopped_app_holds_up_nothing_and_comes_back() {
    is_survived(Outage::Stopped).await;
}

#[tokio::test]
async fn a_killed_app_is_lost_and_its_successor_can_be_opened() {
    is_survived(Outage::Killed).await;
}

#[tokio::test]
async fn a_busy_loop_of_ten_seconds_is_told_long_before_its_end() {
    is_survived(Outage::Busy).await;
}

/// Lets a call run for a moment, then lets the outage begin; gives what came of the call.
async fn struck<T>(call: impl Future<Output = T>, moment: Duration, strike: impl FnOnce()) -> T {
    tokio::pin!(call);
    if let Ok(done) = tokio::time::timeout(moment, &mut call).await {
        strike();
        return done;
    }
    strike();
    call.await
}

#[tokio::test]
async fn an_app_that_stops_in_the_middle_of_an_attachment_is_told_and_can_be_attached_to_later() {
    let stage = Stage::new();
    let app = stage.fixture(Fixture::Gtk3);
    let target = format!("app:pid={}", app.pid());
    let mut interrupted = 0;
    for micros in [0, 500, 2_000, 5_000, 10_000, 20_000] {
        let brief = Deadline::after(Duration::from_millis(400));
        let attaching = stage.try_attach(&target, brief);
        match struck(Box::pin(attaching), Duration::from_micros(micros), || app.stop().unwrap()).await {
            Ok(_) => {}
            Err(error) => {
                assert_eq!(error.code, Code::TargetUnresponsive, "after {micros} µs: {error:?}");
                interrupted += 1;
            }
        }
        app.cont().unwrap();
        stage.try_attach(&target, patience()).await.expect("it can be attached to afterwards");
    }
    assert!(interrupted > 0, "an attachment was over before the app was stopped, each time");
}

#[tokio::test]
async fn an_app_that_dies_in_the_middle_of_an_attachment_is_gone_not_waited_for() {
    let stage = Stage::new();
    for micros in [0, 3_000, 9_000] {
        let app = stage.fixture(Fixture::Gtk3);
        let target = format!("app:pid={}", app.pid());
        let attaching = stage.try_attach(&target, patience());
        if let Err(error) =
            struck(Box::pin(attaching), Duration::from_micros(micros), || app.kill().unwrap()).await
        {
            let codes = [Code::TargetLost, Code::TargetNotFound, Code::HierarchyEmpty];
            assert!(codes.contains(&error.code), "after {micros} µs: {error:?}");
        }
    }
}

#[tokio::test]
async fn an_app_that_stops_in_the_middle_of_an_action_sees_what_the_answer_says_it_saw() {
    let stage = Stage::new();
    let app = stage.fixture(Fixture::Gtk3);
    let session = stage.open(&app).await;
    let mut typed = String::new();
    for (n, micros) in [0, 500, 2_000, 5_000, 10_000, 30_000].into_iter().enumerate() {
        let text = format!("ada{n}");
        let params = json!({ "selector": "textbox \"Username\"", "text": text, "replace": true, "timeout_ms": 400,
            "settle_timeout_ms": 400 });
        let acting = ask(&session, "type_text", params);
        let told = struck(acting, Duration::from_micros(micros), || app.stop().unwrap()).await;
        app.cont().unwrap();
        // Answered once the app has dealt with everything that it was sent.
        control(&app, "rest").await;
        let truth: Value = serde_json::from_str(&control(&app, "truth").await).unwrap();
        let seen = truth["values"]["login.username"]["text"].as_str().unwrap().to_owned();
        match told["delivery_status"].as_str().unwrap() {
            "not_delivered" => assert_eq!(seen, typed, "it fired after all: {told}"),
            "delivered" => assert_eq!(seen, text, "it did not arrive: {told}"),
            _ => {
                assert!(seen == text || seen == typed || seen.is_empty(), "half of it, {seen:?}: {told}");
                assert_eq!(told["retryable"], false, "{told}");
            }
        }
        assert!(
            ["none", "TARGET_UNRESPONSIVE"].contains(&told["failure_code"].as_str().unwrap_or("none")),
            "{told}"
        );
        typed = seen;
    }
}
