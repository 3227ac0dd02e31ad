//! SPEC §5: the three ways to know that an app is at rest, and the choice between them.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use stillpoint_core::settle::UiState;
use stillpoint_core::{Code, Moment};
use stillpoint_engine::Session;
use stillpoint_engine::sync::{SyncEngine, SyncMode};
use stillpoint_sim::Sim;
use support::wrapped::Wrapped;
use support::{ask, open, open_with};

/// What a scene leads to, in one mode.
async fn outcome(uri: &str) -> (Value, Session, Sim) {
    let sim = Sim::new();
    let session = open_with(&sim, uri, &[]).await.unwrap();
    let answer = ask(&session, "wait_for_ui_change", json!({ "timeout_ms": 20_000 })).await;
    (answer, session, sim)
}

#[tokio::test(start_paused = true)]
async fn sampling_settles_where_events_do_and_sees_the_same() {
    for scene in [
        "login",
        "checkout",
        "dialog",
        "drag",
        "feed",
        "flood",
        "mover",
        "noop",
        "pulse",
        "replace",
        "rollback",
        "shortcut",
        "slow",
        "toast",
        "two_buttons",
        "validation",
        "clock",
    ] {
        let (events, heard, _) = outcome(&format!("sim:{scene}")).await;
        let quiet = format!("sim:{scene}?events=0");
        let (samples, seen, sim) = outcome(&quiet).await;
        assert_eq!(samples["sync_mode"], "heuristic", "{scene}");
        assert_eq!(samples["status"], events["status"], "{scene}: {samples}\n{events}");
        assert_eq!(samples["stability_state"], events["stability_state"], "{scene}");
        if scene == "clock" {
            continue; // it never shows the same twice
        }
        let digest = |session: &Session| session.read(|tree| (tree.semantic_hash(), tree.len()));
        assert_eq!(digest(&seen), digest(&heard), "{scene}");
        let mut truth = stillpoint_core::revise::Mirror::new(stillpoint_core::tree::Limits::default());
        truth.apply(sim.truth(&quiet).await.unwrap(), Moment::START);
        assert_eq!(digest(&seen), (truth.tree().semantic_hash(), truth.tree().len()), "{scene}");
    }
}

#[tokio::test(start_paused = true)]
async fn actions_prove_themselves_without_events_too() {
    let session = open("sim:login?events=0").await;
    for (field, text) in [("#username", "ada"), ("#password", "engine")] {
        let typed = ask(&session, "type_text", json!({ "selector": field, "text": text })).await;
        assert_eq!(typed["settled"], true, "{typed}");
    }
    let params = json!({ "selector": "#signin", "expect": "heading \"Welcome, ada\"" });
    let done = ask(&session, "tap", params).await;
    assert_eq!(done["lifecycle_state"], "verified", "{done}");
    assert!(done["delta"]["added"].to_string().contains("Welcome, ada"));
}

#[tokio::test(start_paused = true)]
async fn what_changed_while_nobody_looked_is_seen_by_the_next_reader() {
    let session = open("sim:login?events=0").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let told = ask(&session, "snapshot", json!({})).await;
    assert!(told.to_string().contains("Ready"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn nobody_looks_while_nobody_waits() {
    let looks = Arc::new(AtomicUsize::new(0));
    let app = Wrapped { looks: looks.clone(), ..Wrapped::default() };
    let session = open_with(&app, "sim:login?events=0", &[]).await.unwrap();
    ask(&session, "wait_for_idle", json!({})).await;
    let before = looks.load(Ordering::Relaxed);
    assert!(before >= 3, "three equal samples were needed");
    tokio::time::sleep(Duration::from_secs(50)).await;
    tokio::task::yield_now().await;
    assert_eq!(looks.load(Ordering::Relaxed), before);
}

#[tokio::test(start_paused = true)]
async fn so_many_samples_are_taken_as_were_asked_for() {
    for samples in [3, 5, 9] {
        let looks = Arc::new(AtomicUsize::new(0));
        let app = Wrapped { looks: looks.clone(), ..Wrapped::default() };
        let settings = [("samples", samples.to_string())];
        let settings: Vec<(&str, &str)> = settings.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let session = open_with(&app, "sim:noop?events=0", &settings).await.unwrap();
        let answer = ask(&session, "wait_for_idle", json!({ "stability_window_ms": 0 })).await;
        assert_eq!(answer["stability_state"], "stable");
        assert_eq!(looks.load(Ordering::Relaxed), samples);
    }
}

#[tokio::test(start_paused = true)]
async fn a_window_is_kept_between_samples_too() {
    let session = open("sim:feed?events=0").await;
    let began = session.now();
    let answer = ask(&session, "wait_for_ui_change", json!({ "stability_window_ms": 300 })).await;
    let took = session.now().since(began);
    assert_eq!(answer["status"], "success");
    // Virtual time: the last of thirty stories comes at 2,400 ms, and nobody may call the pauses between them rest.
    assert!(took >= Duration::from_millis(2_700), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn an_app_that_hangs_or_dies_is_told_without_events_too() {
    let session = open("sim:hang?events=0").await;
    let began = tokio::time::Instant::now();
    let answer =
        ask(&session, "wait_for_ui_change", json!({ "timeout_ms": 1000, "since_revision": 1 })).await;
    assert_ne!(answer["status"], "success", "{answer}");
    // Virtual time: this is the machine's own arithmetic, not a measurement.
    assert!(began.elapsed() <= Duration::from_millis(1050));
    let session = open("sim:crash?events=0").await;
    let answer = ask(&session, "wait_for_ui", json!({ "selector": "#nothing" })).await;
    assert_eq!(answer["reason"], "target_lost", "{answer}");
}

#[tokio::test(start_paused = true)]
async fn the_mode_is_chosen_and_every_answer_says_why() {
    for (uri, asked, used, reason) in [
        ("sim:login", "auto", "events", Some("no idle signal")),
        ("sim:login", "sdk", "events", Some("no idle signal")),
        ("sim:login", "heuristic", "heuristic", Some("asked for")),
        ("sim:login?sdk=1", "auto", "sdk", None),
        ("sim:login?sdk=1", "events", "events", Some("asked for")),
        ("sim:login?sdk=1", "heuristic", "heuristic", Some("asked for")),
        ("sim:login?sdk=1&events=0", "auto", "sdk", None),
        ("sim:login?events=0", "auto", "heuristic", Some("tells no changes")),
        ("sim:login?events=0", "events", "heuristic", Some("tells no changes")),
    ] {
        let session = open_with(&Sim::new(), uri, &[("sync", asked)]).await.unwrap();
        let answer = ask(&session, "wait_for_ui_change", json!({ "timeout_ms": 20_000 })).await;
        assert_eq!(answer["sync_mode"], used, "{uri} {asked}: {answer}");
        assert_eq!(answer["status"], "success", "{uri} {asked}: {answer}");
        match reason {
            Some(part) => assert!(answer["sync_reason"].as_str().unwrap().contains(part), "{answer}"),
            None => assert!(answer["sync_reason"].is_null()),
        }
        let idle = answer["stability_state"] == "idle";
        assert_eq!(idle, used == "sdk", "only the app's own word makes it idle: {uri} {asked}");
    }
}

#[tokio::test(start_paused = true)]
async fn settings_that_make_no_sense_are_refused() {
    for setting in [("sync", "magic"), ("samples", "0"), ("samples", "many")] {
        let error = open_with(&Sim::new(), "sim:noop", &[setting]).await.err().unwrap();
        assert_eq!(error.code, Code::InvalidArgument, "{setting:?}");
        assert!(!error.hint.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn the_facade_answers_in_every_mode_and_changes_it_at_run_time() {
    let sync = SyncEngine::new(open("sim:login").await);
    assert_eq!((sync.mode(), sync.has_sdk()), (SyncMode::Events, false));
    assert!(sync.reason().unwrap().contains("no idle signal"));
    assert!(sync.wait_for_idle(Duration::from_secs(5)).await.unwrap().stabilized);
    assert!(sync.is_idle());
    let sync = sync.with_mode(SyncMode::Heuristic);
    assert_eq!(sync.mode(), SyncMode::Heuristic);
    assert!(sync.wait_for_idle(Duration::from_secs(5)).await.unwrap().stabilized);
    let sync = sync.with_mode(SyncMode::Auto);
    assert_eq!((sync.mode(), sync.ui_state()), (SyncMode::Events, UiState::Idle));
    let sdk = SyncEngine::new(open("sim:login?sdk=1").await);
    assert_eq!((sdk.mode(), sdk.has_sdk()), (SyncMode::Sdk, true));
}

#[tokio::test(start_paused = true)]
async fn events_that_came_while_samples_decided_are_caught_up_with() {
    let sim = Sim::new();
    let session = open_with(&sim, "sim:login", &[("sync", "heuristic")]).await.unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    session.set_sync_mode(SyncMode::Auto);
    let seen = ask(&session, "wait_for_ui", json!({ "selector": "~\"Ready\"" })).await;
    assert_eq!(seen["status"], "success", "{seen}");
}

/// The idle SDK in a process of its own is the idle crate's test; here it is this very process.
#[tokio::test]
async fn an_app_with_the_sdk_is_waited_for_by_its_own_word() {
    let before = stillpoint_idle::busy("network");
    let app = Wrapped { pid: Some(std::process::id()), ..Wrapped::default() };
    let session = open_with(&app, "sim:noop", &[]).await.unwrap();
    let sync = SyncEngine::new(session.clone());
    assert_eq!((sync.has_sdk(), sync.mode()), (true, SyncMode::Sdk), "{:?}", sync.reason());
    assert_eq!((sync.is_idle(), sync.ui_state()), (false, UiState::Busy));
    let busy = ask(&session, "wait_for_idle", json!({ "timeout_ms": 20, "stability_window_ms": 10 })).await;
    assert_eq!(
        (busy["status"].as_str(), busy["sync_mode"].as_str()),
        (Some("timeout"), Some("sdk")),
        "{busy}"
    );
    assert_eq!(busy["busy_resources"][0]["name"], "network");
    let (answer, ()) = tokio::join!(ask(&session, "wait_for_idle", json!({})), async {
        tokio::task::yield_now().await;
        drop(before);
    });
    assert_eq!(
        (answer["status"].as_str(), answer["stability_state"].as_str()),
        (Some("success"), Some("idle"))
    );
    stillpoint_idle::Reporter::start().stop();
    let after = ask(&session, "wait_for_idle", json!({})).await;
    assert_eq!(after["sync_mode"], "events", "the app dropped its SDK: {after}");
    assert_eq!(after["stability_state"], "stable");
}

/// Every question to an app that says when it is idle keeps it from being so; the reader who comes next asks.
#[tokio::test]
async fn an_app_that_gives_its_word_is_not_asked_what_it_left_out_while_it_is_waited_for() {
    let work = stillpoint_idle::busy("network");
    let barriers = Arc::new(AtomicUsize::new(0));
    let app = Wrapped {
        pid: Some(std::process::id()),
        omits_events: true,
        barriers: barriers.clone(),
        ..Wrapped::default()
    };
    let session = open_with(&app, "sim:noop", &[]).await.unwrap();
    let before = barriers.load(Ordering::Relaxed);
    // Longer than the pause before an app that leaves out events is first asked.
    let busy = ask(&session, "wait_for_idle", json!({ "timeout_ms": 150, "stability_window_ms": 10 })).await;
    assert_eq!(busy["status"], "timeout", "{busy}");
    drop(work);
    let idle = ask(&session, "wait_for_idle", json!({})).await;
    assert_eq!(idle["stability_state"], "idle", "{idle}");
    assert_eq!(barriers.load(Ordering::Relaxed), before, "a word is enough");
    ask(&session, "snapshot", json!({})).await;
    assert_eq!(barriers.load(Ordering::Relaxed), before + 1, "who reads, asks");
    stillpoint_idle::Reporter::start().stop();
    let after = ask(&session, "wait_for_idle", json!({})).await;
    assert_eq!(after["sync_mode"], "events", "{after}");
    assert!(barriers.load(Ordering::Relaxed) > before + 1, "without a word it is asked again");
}

/// GTK leaves out events, so a wait asks. An app that sleeps cannot have changed, and a question would wake it.
#[tokio::test(start_paused = true)]
async fn an_app_that_has_not_run_is_not_asked_again_while_it_is_waited_for() {
    let mut asked = Vec::new();
    for processor_time in [None, Some(Duration::from_millis(7))] {
        let barriers = Arc::new(AtomicUsize::new(0));
        let app =
            Wrapped { omits_events: true, barriers: barriers.clone(), processor_time, ..Wrapped::default() };
        let session = open_with(&app, "sim:noop", &[]).await.unwrap();
        let never = ask(&session, "wait_for_ui", json!({ "selector": "#never", "timeout_ms": 4_000 })).await;
        assert_eq!(never["error"]["code"], "TIMEOUT", "{never}");
        asked.push(barriers.load(Ordering::Relaxed));
    }
    let [awake, asleep] = asked[..] else { unreachable!("two apps") };
    assert!(asleep < awake / 2, "asked {asleep} times asleep, {awake} times where nothing is known");
}

#[tokio::test(start_paused = true)]
async fn an_action_whose_deadline_passed_never_fires() {
    for events in ["", "&events=0"] {
        let uri = format!("sim:dialog?latency=500{events}");
        let sim = Sim::new();
        let session = open_with(&sim, &uri, &[]).await.unwrap();
        let done = ask(&session, "tap", json!({ "selector": "#open", "timeout_ms": 300 })).await;
        assert_eq!(done["success"], false, "{done}");
        assert_eq!(done["delivery_status"], "not_delivered", "{done}");
        tokio::time::sleep(Duration::from_secs(10)).await;
        ask(&session, "wait_for_idle", json!({})).await;
        let mut truth = stillpoint_core::revise::Mirror::new(stillpoint_core::tree::Limits::default());
        truth.apply(sim.truth(&uri).await.unwrap(), Moment::START);
        assert!(truth.tree().by_stable_id("settings").is_empty(), "the dialog opened later");
    }
}
