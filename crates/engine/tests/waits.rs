//! Every wait of SPEC §6 on the simulator, in virtual time.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::json;
use stillpoint_core::revise::Revision;
use stillpoint_core::{Code, Moment};
use stillpoint_engine::verbs::{Call, by_name};
use stillpoint_sim::Sim;
use support::{answer, ask, open, open_in, refused, scripted};
use tokio_util::sync::CancellationToken;

#[tokio::test(start_paused = true)]
async fn a_change_is_awaited_until_the_ui_is_at_rest() {
    let session = open("sim:login").await;
    let answer = ask(&session, "wait_for_ui_change", json!({})).await;
    assert_eq!(answer["status"], "success");
    assert_eq!(answer["reason"], "converged");
    assert_eq!(answer["stability_state"], "stable");
    assert_eq!(answer["change_detected"], true);
    assert_eq!(answer["sync_mode"], "events");
    assert!(answer["sync_reason"].as_str().unwrap().contains("no idle signal"));
    let words = answer["change_summary"]["first"].to_string();
    assert!(words.contains("Ready"), "{words}");
}

#[tokio::test(start_paused = true)]
async fn pulse_settles_although_geometry_never_rests() {
    let session = open("sim:pulse").await;
    let answer = ask(&session, "wait_for_ui_change", json!({})).await;
    assert_eq!(answer["status"], "success");
    let before = session.snapshot().layout_revision;
    let still = ask(&session, "wait_for_idle", json!({})).await;
    assert_eq!(still["stabilized"], true);
    let mut changes = session.changes();
    while session.snapshot().layout_revision <= before {
        changes.changed().await.expect("it goes on moving");
    }
}

#[tokio::test(start_paused = true)]
async fn an_app_that_begins_to_hang_in_the_course_of_a_wait_has_not_been_quiet() {
    let scene =
        "application \"A\"\n  window \"W\"\n    button \"Go\" #go\n\non attach:\n  after 500ms hang\n";
    for (verb, mut params) in
        [("wait_for_ui_change", json!({})), ("wait_for_ui", json!({ "selector": "\"never there\"" }))]
    {
        params["timeout_ms"] = json!(3000);
        let answer = ask(&scripted(scene).await, verb, params.clone()).await;
        assert_eq!(answer["error"]["code"], "TARGET_UNRESPONSIVE", "{verb}: {answer}");
        params["timeout_ms"] = json!(400);
        let answer = ask(&scripted(scene).await, verb, params).await;
        assert_eq!(answer["error"]["code"], "TIMEOUT", "{verb}: it answered to the end: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn clock_settles_with_the_clock_listed_in_masked() {
    let session = open("sim:clock").await;
    let answer = ask(&session, "wait_for_ui_change", json!({})).await;
    assert_eq!(answer["status"], "success");
    let masked = answer["masked"][0].as_str().unwrap();
    let role = session.read(|tree| tree.get(masked.parse().unwrap()).unwrap().role());
    assert_eq!(role.name(), "timer");
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_not_masked_never_rests() {
    let session = open("sim:clock").await;
    let params = json!({ "mask_volatile": false, "timeout_ms": 3000 });
    let answer = ask(&session, "wait_for_ui_change", params).await;
    assert_eq!((answer["status"].as_str(), answer["reason"].as_str()), (Some("timeout"), Some("not_stable")));
    assert_eq!(answer["stabilized"], false);
    assert_eq!(answer["error"]["code"], "TIMEOUT");
    let ignored = json!({ "ignore": ["timer"], "mask_volatile": false, "timeout_ms": 3000 });
    let answer = ask(&session, "wait_for_ui_change", ignored).await;
    assert_eq!(answer["reason"], "no_change", "nothing but the ignored clock changes");
}

#[tokio::test(start_paused = true)]
async fn toast_has_its_text_in_transient() {
    let session = open("sim:toast").await;
    let base = session.revision();
    ask(&session, "wait_for_ui_change", json!({})).await;
    let told = ask(&session, "snapshot", json!({ "since": base })).await;
    assert_eq!(told["kind"], "delta");
    assert!(told["transient"].to_string().contains("Saved"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn hang_is_unresponsive_at_its_timeout() {
    let session = open("sim:hang").await;
    let began = tokio::time::Instant::now();
    let answer = ask(&session, "wait_for_ui_change", json!({ "timeout_ms": 1000 })).await;
    assert_eq!(answer["reason"], "target_unresponsive");
    assert_eq!(answer["error"]["code"], "TARGET_UNRESPONSIVE");
    // Virtual time: this is the machine's own arithmetic, not a measurement.
    assert!(began.elapsed() <= std::time::Duration::from_millis(1050));
}

#[tokio::test(start_paused = true)]
async fn crash_is_lost() {
    let session = open("sim:crash").await;
    let answer = ask(&session, "wait_for_ui_change", json!({})).await;
    assert_eq!(answer["reason"], "target_lost");
    assert_eq!(answer["error"]["code"], "TARGET_LOST");
    assert_eq!(refused(&session, "snapshot", json!({})).await.code, Code::TargetLost);
}

#[tokio::test(start_paused = true)]
async fn flood_resyncs_and_ends_with_a_mirror_equal_to_the_scene() {
    let sim = Sim::new();
    let session = open_in(&sim, "sim:flood", 64).await.unwrap();
    let answer = ask(&session, "wait_for_ui_change", json!({})).await;
    assert_eq!(answer["status"], "success");
    assert!(session.telemetry().resyncs.get() > 0, "the queue must have overflowed");
    let mut truth = stillpoint_core::revise::Mirror::new(stillpoint_core::tree::Limits::default());
    truth.apply(sim.truth("sim:flood").await.unwrap(), Moment::START);
    let mirrored = session.read(|tree| (tree.semantic_hash(), tree.layout_hash(), tree.len()));
    let scene = truth.tree();
    assert_eq!(mirrored, (scene.semantic_hash(), scene.layout_hash(), scene.len()));
}

#[tokio::test(start_paused = true)]
async fn a_change_before_the_call_counts_from_its_base_revision() {
    let session = open("sim:login").await;
    let base = session.revision();
    ask(&session, "wait_for_ui_change", json!({})).await;
    let late = ask(&session, "wait_for_ui_change", json!({ "timeout_ms": 1000 })).await;
    assert_eq!(late["reason"], "no_change");
    let since =
        ask(&session, "wait_for_ui_change", json!({ "timeout_ms": 1000, "since_revision": base })).await;
    assert_eq!((since["status"].as_str(), since["change_detected"].as_bool()), (Some("success"), Some(true)));
    assert_eq!(since["base_revision"], json!(base));
}

#[tokio::test(start_paused = true)]
async fn a_base_revision_that_is_not_kept_is_refused_with_a_hint() {
    let session = open("sim:login").await;
    let error = refused(&session, "wait_for_ui_change", json!({ "since_revision": 999 })).await;
    assert_eq!(error.code, Code::BaseRevisionUnavailable);
    assert!(!error.hint.is_empty());
    let error = refused(&session, "snapshot", json!({ "since": 999 })).await;
    assert!(matches!(error.code, Code::BaseRevisionUnavailable | Code::InvalidArgument), "{error}");
}

#[tokio::test(start_paused = true)]
async fn only_the_expected_kind_of_change_ends_the_wait() {
    let scene = "application \"A\"\n  button \"Go\" #go\n  text \"x\" #label text=\"one\"\n\non attach:\n  after 100ms set #go not enabled\n  after 2000ms set #label text \"two\"\n";
    let session = scripted(scene).await;
    let answer = ask(&session, "wait_for_ui_change", json!({ "expected_change": "text_change" })).await;
    assert_eq!(answer["status"], "success");
    assert!(answer["change_summary"]["first"].to_string().contains("two"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_subtree_wait_sees_only_its_subtree_and_ends_when_it_is_gone() {
    let scene = "application \"A\"\n  group #left\n    text \"l\" #l text=\"one\"\n  group #right\n    text \"r\" #r text=\"one\"\n\non attach:\n  after 100ms set #l text \"two\"\n  after 900ms remove #right\n";
    let session = scripted(scene).await;
    let left = json!({ "scope": "subtree", "target": "#left" });
    let answer = ask(&session, "wait_for_ui_change", left).await;
    assert_eq!((answer["status"].as_str(), answer["scope"].as_str()), (Some("success"), Some("subtree")));
    let right = json!({ "scope": "subtree", "target": "#right" });
    let gone = ask(&session, "wait_for_ui_change", right).await;
    assert_eq!(gone["reason"], "target_invalid");
    assert_eq!(gone["error"]["code"], "STALE_REFERENCE");
}

#[tokio::test(start_paused = true)]
async fn a_wait_can_be_cancelled() {
    let session = open("sim:noop").await;
    let cancel = CancellationToken::new();
    let call = Call { cancel: cancel.clone(), ..Call::default() };
    let wait = (by_name("wait_for_ui_change").unwrap().run)(&session, json!({}), &call);
    let (answer, ()) = tokio::join!(wait, async { cancel.cancel() });
    assert_eq!(answer.unwrap().json().unwrap()["reason"], "cancelled");
}

#[tokio::test(start_paused = true)]
async fn an_app_that_says_it_is_idle_needs_no_window() {
    let session = open("sim:login?sdk=1").await;
    ask(&session, "wait_for_idle", json!({})).await;
    let answer = ask(&session, "wait_for_idle", json!({})).await;
    assert_eq!(
        (answer["stability_state"].as_str(), answer["sync_mode"].as_str()),
        (Some("idle"), Some("sdk"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_condition_is_awaited_on_every_revision() {
    let session = open("sim:login").await;
    let ready = json!({ "selector": "#banner[text=\"Ready\"]", "condition": "exists" });
    let answer = ask(&session, "wait_for_ui", ready).await;
    assert_eq!(answer["status"], "success", "{answer}");
    let missing = json!({ "selector": "button \"Sing in\"", "timeout_ms": 500 });
    let answer = ask(&session, "wait_for_ui", missing).await;
    assert_eq!(
        (answer["status"].as_str(), answer["error"]["code"].as_str()),
        (Some("timeout"), Some("TIMEOUT"))
    );
    assert!(answer["error"]["hint"].as_str().unwrap().contains("#signin"), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn another_screen_is_awaited_by_its_fingerprint() {
    let session = open("sim:login").await;
    ask(&session, "wait_for_idle", json!({})).await;
    let before = ask(&session, "get_screen_fingerprint", json!({})).await["fingerprint"].clone();
    for (field, text) in [("#username", "ada"), ("#password", "engine")] {
        ask(&session, "type_text", json!({ "selector": field, "text": text })).await;
    }
    ask(&session, "tap", json!({ "selector": "#signin", "settle": "none" })).await;
    let answer = ask(&session, "wait_for_screen_change", json!({ "previous_fingerprint": before })).await;
    assert_eq!(
        (answer["status"].as_str(), answer["change_detected"].as_bool()),
        (Some("success"), Some(true))
    );
    let same = ask(&session, "get_screen_fingerprint", json!({})).await["fingerprint"].clone();
    let params = json!({ "previous_fingerprint": same, "timeout_ms": 500 });
    assert_eq!(ask(&session, "wait_for_screen_change", params).await["status"], "timeout");
}

#[tokio::test(start_paused = true)]
async fn bad_input_is_refused_with_a_code_and_a_hint() {
    let session = open("sim:noop").await;
    let cases = [
        ("wait_for_ui_change", json!({ "timeout_ms": -5 })),
        ("wait_for_ui_change", json!({ "timeout_ms": 99_999_999_999u64 })),
        ("wait_for_ui_change", json!({ "stability_window_ms": 5000, "timeout_ms": 1000 })),
        ("wait_for_ui_change", json!({ "scope": "subtree" })),
        ("wait_for_ui_change", json!({ "scope": "galaxy" })),
        ("wait_for_ui_change", json!({ "timeuot_ms": 5 })),
        ("wait_for_ui", json!({ "selector": "#x", "condition": "shiny" })),
        ("wait_for_screen_change", json!({ "previous_fingerprint": "zzz" })),
        ("snapshot", json!({ "max_nodes": 0 })),
    ];
    for (verb, params) in cases {
        let error = refused(&session, verb, params.clone()).await;
        assert_eq!(error.code, Code::InvalidArgument, "{verb} {params}: {error}");
        assert!(!error.hint.is_empty() && !error.message.is_empty());
    }
    assert_eq!(
        refused(&session, "wait_for_ui", json!({ "selector": "button[" })).await.code,
        Code::InvalidSelector
    );
}

#[tokio::test(start_paused = true)]
async fn a_target_that_is_not_there_is_refused_with_a_hint() {
    for (uri, code) in [
        ("sim:nonsense", Code::TargetNotFound),
        ("simlogin", Code::InvalidArgument),
        ("sim:", Code::InvalidArgument),
    ] {
        let Err(error) = open_in(&Sim::new(), uri, 64).await else { panic!("{uri} opened") };
        assert_eq!(error.code, code, "{uri}: {error}");
        assert!(!error.hint.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_since_a_revision_is_unchanged_a_delta_or_full() {
    let session = open("sim:table:200").await;
    ask(&session, "wait_for_idle", json!({})).await;
    let full = ask(&session, "snapshot", json!({})).await;
    assert_eq!(full["kind"], "full");
    let base = full["snapshot_revision"].clone();
    assert_eq!(ask(&session, "snapshot", json!({ "since": base })).await["kind"], "unchanged");
    let delete = answer(&session, "tap", json!({ "selector": "button \"Delete\"[0]" })).await.unwrap();
    assert_eq!(delete.json().unwrap()["success"], true, "{}", delete.text());
    let delta = ask(&session, "snapshot", json!({ "since": base })).await;
    assert_eq!(delta["kind"], "delta");
    assert!(!delta["removed"].as_array().unwrap().is_empty());
    assert!(session.revision() > Revision(base.as_u64().unwrap()));
}
