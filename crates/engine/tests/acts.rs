//! The pipeline of SPEC §8 on the simulator, in virtual time.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use stillpoint_core::Code;
use stillpoint_engine::Session;
use support::{answer, ask, open, refused, scripted};

async fn log_in(session: &Session, password: &str) -> Value {
    for (field, text) in [("#username", "ada"), ("#password", password)] {
        let typed = ask(session, "type_text", json!({ "selector": field, "text": text })).await;
        assert_eq!(typed["success"], true, "{typed}");
    }
    ask(session, "tap", json!({ "selector": "button \"Sign in\"", "expect": "heading \"Welcome, ada\"" }))
        .await
}

#[tokio::test(start_paused = true)]
async fn a_tap_settles_and_proves_what_it_did() {
    let session = open("sim:login").await;
    let done = log_in(&session, "engine").await;
    assert_eq!(done["lifecycle_state"], "verified");
    assert_eq!(done["delivery_status"], "delivered");
    assert_eq!(done["verification"]["holds"], true);
    assert_eq!(done["target"]["confidence"]["score"], 0.95);
    assert!(done["revision_after"].as_u64() > done["revision_before"].as_u64());
    assert!(done["delta"]["added"].to_string().contains("Welcome, ada"), "{done}");
    for stage in ["resolve", "actionability", "dispatch", "settle", "verify"] {
        assert!(done["timing"][stage].is_number());
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_expected_late_is_told_with_all_that_came_along() {
    let scene = "application \"A\"\n  button \"Go\" #go\n  text \"s\" #s text=\"idle\"\n  text \"t\" #t text=\"idle\"\n\non tap #go:\n  after 600ms set #s text \"done\"\n  after 20ms set #t text \"done too\"\n";
    let session = scripted(scene).await;
    let done = ask(&session, "tap", json!({ "selector": "#go", "expect": "#s[text=\"done\"]" })).await;
    assert_eq!(done["lifecycle_state"], "verified", "{done}");
    assert_eq!(
        (done["settled"].as_bool(), done["stability_state"].as_str()),
        (Some(true), Some("stable")),
        "{done}"
    );
    assert!(done["delta"]["changed"].to_string().contains("done too"), "{done}");
}

#[tokio::test(start_paused = true)]
async fn changes_that_are_longer_than_the_screen_are_told_as_the_screen() {
    let rows = 1..=200;
    let mut scene = "application \"A\"\n  button \"Go\" #go\n".to_owned();
    scene.extend(rows.clone().map(|n| format!("  text \"row {n}\" #r{n} text=\"as it was before\"\n")));
    scene.push_str("\non tap #go:\n");
    scene.extend(rows.map(|n| format!("  set #r{n} text \"new\"\n")));
    let session = scripted(&scene).await;
    let told = answer(&session, "tap", json!({ "selector": "#go" })).await.unwrap().text();
    assert!(told.contains("rev 2 stable"), "the screen is told: {told}");
    assert!(!told.contains("as it was before"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn what_was_typed_into_a_password_field_is_told_nowhere() {
    let session = open("sim:login").await;
    let typed = ask(&session, "type_text", json!({ "selector": "#password", "text": "hunter2secret" })).await;
    assert_eq!(typed["success"], true, "{typed}");
    assert!(typed["verification"].is_null(), "what cannot be read back proves nothing");
    let seen = ask(&session, "snapshot", json!({})).await;
    let delta = ask(&session, "snapshot", json!({ "since": 1 })).await;
    for told in [typed.to_string(), seen.to_string(), delta.to_string(), format!("{:?}", session.snapshot())]
    {
        assert!(!told.contains("hunter2secret"));
    }
    let params = json!({ "selector": "#password", "property": "value", "expected": "x", "timeout_ms": 10 });
    let error = refused(&session, "expect_state", params).await;
    assert!(error.message.contains("protected"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_failed_expectation_tells_what_was_seen() {
    let session = open("sim:login").await;
    let done = log_in(&session, "wrong").await;
    assert_eq!((done["lifecycle_state"].as_str(), done["success"].as_bool()), (Some("failed"), Some(false)));
    assert_eq!(done["failure_code"], "VERIFICATION_FAILED");
    assert_eq!(done["delivery_status"], "delivered");
    assert_eq!(done["retryable"], false);
    let judged = ask(&session, "classify_action_outcome", json!({ "action_id": done["action_id"] })).await;
    assert_eq!(judged["outcome"], "ui_failure", "{judged}");
}

#[tokio::test(start_paused = true)]
async fn an_ambiguous_target_is_not_acted_on() {
    let session = open("sim:two_buttons").await;
    let done = ask(&session, "tap", json!({ "selector": "button \"Apply\"" })).await;
    assert_eq!(done["failure_code"], "AMBIGUOUS_TARGET");
    assert_eq!(done["delivery_status"], "not_delivered");
    let candidates = done["error"]["details"]["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 2);
    let first = candidates[0]["selector"].as_str().unwrap();
    let done = ask(&session, "tap", json!({ "selector": first })).await;
    assert_eq!(done["success"], true, "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_disabled_button_is_waited_for_and_then_refused_by_name() {
    let session = open("sim:login").await;
    let done = ask(&session, "tap", json!({ "selector": "#signin", "timeout_ms": 800 })).await;
    assert_eq!(done["failure_code"], "NOT_ACTIONABLE");
    assert_eq!(done["error"]["details"]["predicate"], "enabled");
    assert_eq!(
        (done["delivery_status"].as_str(), done["retryable"].as_bool()),
        (Some("not_delivered"), Some(true))
    );
}

#[tokio::test(start_paused = true)]
async fn a_button_that_becomes_enabled_in_time_is_tapped() {
    let scene = "application \"A\"\n  button \"Go\" #go [not enabled]\n  text \"s\" #s text=\"idle\"\n\non attach:\n  after 700ms set #go enabled\n\non tap #go:\n  set #s text \"gone\"\n";
    let session = scripted(scene).await;
    let done = ask(&session, "tap", json!({ "selector": "#go", "expect": "#s[text=\"gone\"]" })).await;
    assert_eq!(done["lifecycle_state"], "verified", "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_covered_button_names_the_dialog_that_covers_it() {
    let session = open("sim:dialog").await;
    let opened = ask(&session, "tap", json!({ "selector": "#open" })).await;
    assert_eq!(opened["success"], true, "{opened}");
    let done = ask(&session, "tap", json!({ "selector": "button \"Delete\"", "timeout_ms": 500 })).await;
    assert_eq!(done["failure_code"], "NOT_ACTIONABLE", "{done}");
    assert_eq!(done["error"]["details"]["predicate"], "receives_pointer");
    assert!(done["error"]["message"].as_str().unwrap().contains("Settings"), "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_revision_that_the_target_outlived_is_refused_with_the_delta() {
    let scene = "application \"A\"\n  button \"Go\" #go\n  text \"s\" #s text=\"idle\"\n\non attach:\n  after 100ms set #s text \"moved on\"\n  after 300ms set #go label \"Stop\"\n";
    let session = scripted(scene).await;
    let base = session.revision();
    ask(&session, "wait_for_ui", json!({ "selector": "#s[text=\"moved on\"]" })).await;
    let fine =
        ask(&session, "tap", json!({ "selector": "#go", "expected_revision": base, "settle": "none" })).await;
    assert_eq!(fine["success"], true, "an unrelated change is no reason to refuse: {fine}");
    ask(&session, "wait_for_ui", json!({ "selector": "button \"Stop\"" })).await;
    let stale = ask(&session, "tap", json!({ "selector": "#go", "expected_revision": base })).await;
    assert_eq!(stale["failure_code"], "STALE_REVISION", "{stale}");
    assert!(stale["error"]["details"]["delta"].as_str().unwrap().contains("Stop"));
    assert_eq!(stale["delivery_status"], "not_delivered");
}

#[tokio::test(start_paused = true)]
async fn a_target_that_is_replaced_while_it_is_waited_for_is_found_anew() {
    let scene = "application \"A\"\n  window \"W\" #w\n    button \"Go\" #old [not enabled]\n    status #s text=\"idle\"\n\non attach:\n  after 100ms remove #old\n  after 200ms add button \"Go\" #new to #w\n\non tap #new:\n  set #s text \"gone\"\n";
    let session = scripted(scene).await;
    let old = ask(&session, "find_element", json!({ "selector": "button \"Go\"" })).await;
    let tapped = ask(&session, "tap", json!({ "selector": "button \"Go\"", "expect": "\"gone\"" })).await;
    assert_eq!(tapped["lifecycle_state"], "verified", "{tapped}");
    let new = &tapped["target"]["resolved"]["element_id"];
    assert_ne!(*new, old["elements"][0]["element_id"], "the record is of the one that was tapped");
    let by_id = ask(&session, "tap", json!({ "selector": old["elements"][0]["element_id"] })).await;
    assert_eq!(by_id["failure_code"], "STALE_REFERENCE", "an id means one element: {by_id}");
}

#[tokio::test(start_paused = true)]
async fn a_dead_element_id_is_a_stale_reference() {
    let session = open("sim:table:20").await;
    let found = ask(&session, "find_element", json!({ "selector": "button \"Delete\"" })).await;
    let id = found["elements"][0]["element_id"].clone();
    assert_eq!(ask(&session, "tap", json!({ "selector": id })).await["success"], true);
    let again = ask(&session, "tap", json!({ "selector": id })).await;
    assert_eq!(again["failure_code"], "STALE_REFERENCE", "{again}");
}

#[tokio::test(start_paused = true)]
async fn a_miss_names_what_is_near_once_the_ui_is_at_rest() {
    let session = open("sim:login").await;
    let done = ask(&session, "tap", json!({ "selector": "button \"Sign inn\"" })).await;
    assert_eq!(done["failure_code"], "ELEMENT_NOT_FOUND");
    assert!(done["error"]["hint"].as_str().unwrap().contains("#signin"));
}

#[tokio::test(start_paused = true)]
async fn an_element_that_comes_later_is_waited_for_while_the_ui_is_on_its_way() {
    let scene = "application \"A\"\n  group #g\n    status #st text=\"Loading…\" [busy]\n\ntemplate more:\n  group #g\n    button \"Late\" #late\n\non attach:\n  after 2500ms replace #g with more\n";
    let session = scripted(scene).await;
    let done = ask(&session, "tap", json!({ "selector": "button \"Late\"" })).await;
    assert_eq!(done["success"], true, "{done}");
}

#[tokio::test(start_paused = true)]
async fn an_app_that_hangs_gets_nothing_after_the_deadline() {
    let session = open("sim:hang").await;
    ask(&session, "wait_for_ui_change", json!({ "timeout_ms": 1000 })).await;
    let found = ask(&session, "find_element", json!({ "selector": "button" })).await;
    let id = found["elements"][0]["element_id"].clone();
    let done = ask(&session, "tap", json!({ "selector": id, "timeout_ms": 400 })).await;
    assert_eq!(done["success"], false);
    assert_eq!(done["failure_code"], "TARGET_UNRESPONSIVE", "{done}");
    assert_eq!(done["delivery_status"], "not_delivered", "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_dispatches_nothing() {
    let session = open("sim:shortcut").await;
    let before = session.revision();
    let done = ask(&session, "press_key", json!({ "key": "ctrl+s", "dry_run": true })).await;
    assert_eq!((done["lifecycle_state"].as_str(), done["success"].as_bool()), (Some("resolved"), Some(true)));
    assert_eq!((done["delivery_status"].as_str(), session.revision()), (Some("not_delivered"), before));
    let done = ask(&session, "press_key", json!({ "key": "ctrl+s" })).await;
    assert!(done["delta"].to_string().contains("Saved"), "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_slider_is_set_and_read_back() {
    let session = open("sim:checkout").await;
    let done = ask(&session, "set_value", json!({ "selector": "slider", "value": "37%" })).await;
    assert_eq!(
        (done["converged"].as_bool(), done["lifecycle_state"].as_str()),
        (Some(true), Some("verified")),
        "{done}"
    );
    let error = ask(&session, "set_value", json!({ "selector": "slider", "value": 1e9 })).await;
    assert_eq!(error["failure_code"], "INVALID_ARGUMENT", "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_check_box_reaches_the_state_that_was_asked_for_whatever_it_was() {
    let session = open("sim:checkout").await;
    for wanted in [true, true, false, false, true] {
        let done = ask(&session, "set_value", json!({ "selector": "checkbox", "value": wanted })).await;
        assert_eq!(done["success"], true, "{done}");
        let seen = ask(
            &session,
            "expect_state",
            json!({ "selector": "checkbox", "property": "checked", "expected": wanted }),
        )
        .await;
        assert_eq!(seen["holds"], true, "{seen}");
    }
}

#[tokio::test(start_paused = true)]
async fn every_verb_of_the_contract_is_in_the_table() {
    for verb in stillpoint_core::judge::Verb::ALL {
        let spec = stillpoint_engine::verbs::by_name(verb.name());
        assert!(spec.is_some_and(|s| !s.read_only && !s.about.is_empty()), "{verb}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_flow_stops_at_its_first_failure() {
    let session = open("sim:login").await;
    let steps = json!([
        { "verb": "type_text", "selector": "#username", "text": "ada" },
        { "verb": "type_text", "selector": "#password", "text": "engine" },
        { "verb": "tap", "selector": "#signin" },
        { "verb": "expect_element_visible", "selector": "heading \"Welcome, ada\"" },
    ]);
    let done = ask(&session, "run_flow", json!({ "steps": steps })).await;
    assert_eq!(done["passed"], true, "{done}");
    let steps = json!([
        { "verb": "expect_state", "selector": "#signout", "property": "enabled", "expected": false, "timeout_ms": 100 },
        { "verb": "tap", "selector": "#signout" },
    ]);
    let done = ask(&session, "run_flow", json!({ "steps": steps })).await;
    let status: Vec<&str> =
        done["steps"].as_array().unwrap().iter().map(|s| s["status"].as_str().unwrap()).collect();
    assert_eq!(status, ["failed", "not_run"]);
    let error = refused(&session, "run_flow", json!({ "steps": [{ "verb": "dance" }] })).await;
    assert_eq!(error.code, Code::InvalidArgument);
}

#[tokio::test(start_paused = true)]
async fn a_tap_that_starts_a_spinner_settles_when_the_spinner_is_gone() {
    let session = open("sim:login").await;
    for (field, text) in [("#username", "ada"), ("#password", "engine")] {
        ask(&session, "type_text", json!({ "selector": field, "text": text })).await;
    }
    let done = ask(&session, "tap", json!({ "selector": "#signin" })).await;
    assert_eq!(done["settled"], true);
    assert!(done["delta"]["added"].to_string().contains("Welcome, ada"), "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_spinner_that_never_ends_does_not_hold_an_action_beyond_its_cap() {
    let scene = "application \"A\"\n  button \"Go\" #go\n  progressbar \"Work\" #p [not visible]\n\non tap #go:\n  set #p visible\n  set #p busy\n";
    let session = scripted(scene).await;
    let done = ask(&session, "tap", json!({ "selector": "#go", "settle_timeout_ms": 1000 })).await;
    assert_eq!((done["success"].as_bool(), done["settled"].as_bool()), (Some(true), Some(false)), "{done}");
    assert_eq!(done["loading_state"]["active"], true);
}
