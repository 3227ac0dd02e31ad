//! Every code of SPEC §13 that a session on the simulator can answer with, each with words that say what to do. Only a
//! real platform can refuse with `PERMISSION_DENIED`, `AGENT_UNAVAILABLE` or `PROTOCOL`.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use std::path::Path;
use stillpoint_core::{Code, Error};
use stillpoint_engine::backend::{AttachOptions, End};
use stillpoint_engine::verbs::{Call, by_name};
use stillpoint_engine::{Engine, Policy, Session};
use stillpoint_sim::Sim;
use support::wrapped::Wrapped;
use support::{answer, open, open_with, scripted};
use tokio_util::sync::CancellationToken;

/// What a verb refuses with, in the call itself or in its answer.
async fn error_of(session: &Session, verb: &str, params: Value) -> Error {
    match answer(session, verb, params).await {
        Err(error) => error,
        Ok(answer) => answer.error().unwrap_or_else(|| panic!("{verb} did not fail: {}", answer.text())),
    }
}

fn is(error: &Error, code: Code) {
    assert_eq!(error.code, code, "{error}");
    assert!(error.message.len() > 10 && error.hint.len() > 5, "{error} ({})", error.hint);
}

#[tokio::test(start_paused = true)]
async fn what_a_caller_got_wrong() {
    let session = open("sim:login").await;
    is(&error_of(&session, "wait_for_idle", json!({ "timeout_ms": -1 })).await, Code::InvalidArgument);
    is(&error_of(&session, "tap", json!({ "selector": "button[" })).await, Code::InvalidSelector);
    is(&error_of(&session, "tap", json!({ "selector": "#nobody" })).await, Code::ElementNotFound);
    is(
        &error_of(&session, "wait_for_ui_change", json!({ "since_revision": 999 })).await,
        Code::BaseRevisionUnavailable,
    );
    is(&error_of(&session, "get_network_activity", json!({})).await, Code::Unsupported);
    is(&error_of(&session, "tap", json!({ "selector": "e99999" })).await, Code::ElementNotFound);
    let table = open("sim:table:20").await;
    let found = answer(&table, "find_element", json!({ "selector": "button \"Delete\"" })).await.unwrap();
    let first = json!({ "selector": found.json().unwrap()["elements"][0]["element_id"] });
    answer(&table, "tap", first.clone()).await.unwrap();
    is(&error_of(&table, "tap", first).await, Code::StaleReference);
    let two = open("sim:two_buttons").await;
    is(&error_of(&two, "tap", json!({ "selector": "button \"Apply\"" })).await, Code::AmbiguousTarget);
}

#[tokio::test(start_paused = true)]
async fn what_the_target_is_not() {
    let none = open_with(&Sim::new(), "sim:nonsense", &[]).await.err().unwrap();
    is(&none, Code::TargetNotFound);
    let empty = Wrapped { no_tree: true, ..Wrapped::default() };
    is(&open_with(&empty, "sim:noop", &[]).await.err().unwrap(), Code::HierarchyEmpty);
    let engine = Engine::new().with(Sim::new());
    let elsewhere = engine.open(&"web:about:blank".parse().unwrap(), &AttachOptions::default()).await;
    is(&elsewhere.err().unwrap(), Code::Unsupported);
    let crash = open("sim:crash").await;
    is(&error_of(&crash, "wait_for_ui_change", json!({})).await, Code::TargetLost);
    let hang = open("sim:hang").await;
    is(&error_of(&hang, "wait_for_ui_change", json!({ "timeout_ms": 900 })).await, Code::TargetUnresponsive);
}

#[tokio::test]
async fn a_session_that_was_closed_says_so_at_once() {
    let session = open("sim:login").await;
    session.close().await;
    assert_eq!(session.end(), Some(End::Closed));
    is(&error_of(&session, "tap", json!({ "selector": "#signin" })).await, Code::TargetLost);
}

#[tokio::test(start_paused = true)]
async fn what_the_ui_refuses() {
    let session = open("sim:login").await;
    let params = json!({ "selector": "#signin", "timeout_ms": 100 });
    is(&error_of(&session, "tap", params).await, Code::NotActionable);
    is(&error_of(&session, "toggle", json!({ "selector": "#title" })).await, Code::ActionRejected);
    let params = json!({ "selector": "#username", "expect": { "selector": "#nobody", "timeout_ms": 50 } });
    is(&error_of(&session, "tap", params).await, Code::VerificationFailed);
    let still = open("sim:noop").await;
    is(&error_of(&still, "wait_for_ui_change", json!({ "timeout_ms": 400 })).await, Code::Timeout);
    let stubborn =
        "application \"A\"\n  slider \"Volume\" #v =5 range=0..10/1\n\non change #v:\n  set #v value \"5\"\n";
    let stubborn = scripted(stubborn).await;
    let params = json!({ "selector": "#v", "value": 9 });
    is(&error_of(&stubborn, "set_value", params).await, Code::ControlNotConverged);
    let scene =
        "application \"A\"\n  button \"Go\" #go\n\non attach:\n  after 100ms set #go label \"Stop\"\n";
    let moved = scripted(scene).await;
    let base = moved.revision();
    answer(&moved, "wait_for_ui", json!({ "selector": "button \"Stop\"" })).await.unwrap();
    let params = json!({ "selector": "#go", "expected_revision": base });
    is(&error_of(&moved, "tap", params).await, Code::StaleRevision);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_allowed_or_no_longer_wanted() {
    let policy = Policy::parse("[rate_limit]\nactions = 1\nper_seconds = 60", Path::new(".")).unwrap();
    let engine = Engine::new().with(Sim::new()).with_policy(policy);
    let session = engine.open(&"sim:dialog".parse().unwrap(), &AttachOptions::default()).await.unwrap();
    is(&error_of(&session, "tap", json!({ "selector": "#delete" })).await, Code::PolicyDenied);
    answer(&session, "focus", json!({ "selector": "#open" })).await.unwrap();
    is(&error_of(&session, "focus", json!({ "selector": "#open" })).await, Code::RateLimited);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let call = Call { cancel, ..Call::default() };
    let waited = (by_name("wait_for_ui_change").unwrap().run)(&session, json!({}), &call).await;
    is(&waited.unwrap().error().unwrap(), Code::Cancelled);
}
