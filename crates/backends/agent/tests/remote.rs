//! A simulated app behind an agent, driven as if it were local.
#![allow(clippy::unwrap_used)]

mod support;

use base64::Engine as _;
use serde_json::json;
use std::time::Duration;
use stillpoint_core::tree::TreeView;
use stillpoint_engine::Session;
use stillpoint_engine::backend::{Deadline, End};
use stillpoint_engine::verbs::SyncMode;
use support::proxy::Proxy;
use support::{Served, ask, done};

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(30))
}

fn text_of(tree: &TreeView) -> Vec<String> {
    let line = |node: &stillpoint_core::tree::Node| {
        let states: Vec<String> = node.states().known().map(|(s, v)| format!("{}={v}", s.name())).collect();
        format!(
            "{} {:?} {:?} {:?} {:?} {:?} {:?}",
            node.role(),
            node.label(),
            node.text(),
            node.value(),
            node.stable_id(),
            node.bounds(),
            states
        )
    };
    tree.walk().map(|(_, node)| line(node)).collect()
}

async fn sign_in(app: &Session) {
    done(app, "type_text", json!({ "selector": "textbox \"Username\"", "text": "ada" })).await;
    done(app, "type_text", json!({ "selector": "textbox \"Password\"", "text": "engine", "replace": false }))
        .await;
    let tap = json!({ "selector": "button \"Sign in\"", "expect": "heading \"Welcome, ada\"" });
    assert_eq!(done(app, "tap", tap).await["lifecycle_state"], "verified");
}

#[tokio::test]
async fn with_v2_an_app_is_driven_by_events_as_if_it_were_local() {
    let served = Served::sim("sim:login").await;
    let app = served.session(&[]).await;
    assert_ne!(app.sync_mode().0, SyncMode::Heuristic);
    sign_in(&app).await;
    app.close().await;
    served.end().await;
}

#[tokio::test]
async fn with_v1_an_app_is_driven_by_looking() {
    let served = Served::sim("sim:login").await;
    let app = served.session(&[("protocol", "v1")]).await;
    assert_eq!(app.sync_mode().0, SyncMode::Heuristic);
    sign_in(&app).await;
    app.close().await;
    served.end().await;
}

#[tokio::test]
async fn after_a_barrier_the_mirror_here_is_the_mirror_there() {
    let served = Served::sim("sim:login").await;
    let (one, two) = (served.session(&[]).await, served.session(&[]).await);
    sign_in(&one).await;
    for app in [&one, &two] {
        app.barrier(soon()).await.unwrap();
    }
    assert_eq!(text_of(&one.snapshot().tree), text_of(&two.snapshot().tree));
    assert!(text_of(&two.snapshot().tree).iter().any(|line| line.contains("Welcome, ada")));
}

#[tokio::test]
async fn the_screenshot_verb_as_a_call_brings_its_picture() {
    let served = Served::sim("sim:login").await;
    let client = served.client_v2().await;
    let whole = client.call("screenshot", &json!({})).await.unwrap();
    let part = client.call("screenshot", &json!({ "selector": "button \"Sign in\"" })).await.unwrap();
    let mut pictures = Vec::new();
    for answer in [whole, part] {
        let picture =
            base64::engine::general_purpose::STANDARD.decode(answer["png"].as_str().unwrap()).unwrap();
        assert_eq!(picture[..8], *b"\x89PNG\r\n\x1a\n");
        assert_eq!(answer["bytes"], picture.len());
        pictures.push(picture);
    }
    assert_ne!(pictures[0], pictures[1]);
    served.end().await;
}

#[tokio::test]
async fn what_is_typed_into_a_protected_field_never_crosses_the_wire() {
    let served = Served::sim("sim:login").await;
    let (acting, listening) = (served.session(&[]).await, served.client_v2().await);
    let mut events = listening.events().unwrap();
    done(&acting, "type_text", json!({ "selector": "textbox \"Password\"", "text": "hunter2" })).await;
    let tree = listening.call("backend.attach", &json!({})).await.unwrap().to_string();
    assert!(tree.contains("protected") && !tree.contains("hunter2"));
    let last = listening.call("backend.barrier", &json!({})).await.unwrap()["n"].as_u64().unwrap();
    loop {
        let Some(stillpoint_wire::EventNotice::Event { json, .. }) = events.next().await else { panic!() };
        assert!(!json.contains("hunter2"), "{json}");
        let event: serde_json::Value = serde_json::from_str(&json).unwrap();
        if event["n"].as_u64().unwrap() >= last {
            break;
        }
    }
}

#[tokio::test]
async fn a_connection_that_is_cut_is_made_anew_and_the_session_goes_on() {
    let served = Served::sim("sim:login").await;
    let proxy = Proxy::new(served.addr, Duration::ZERO).await;
    let app = support::session(proxy.addr, &[]).await;
    let before = app.read(|tree| tree.walk().map(|(id, _)| id).collect::<Vec<_>>());
    for _ in 0..5 {
        proxy.cut();
        app.barrier(soon()).await.unwrap();
    }
    assert_eq!(app.read(|tree| tree.walk().map(|(id, _)| id).collect::<Vec<_>>()), before);
    sign_in(&app).await;
}

#[tokio::test]
async fn an_agent_that_is_started_anew_is_attached_to_anew() {
    let served = Served::sim("sim:login").await;
    let port = served.addr.port();
    let app = served.session(&[]).await;
    sign_in(&app).await;
    served.end().await;
    let builder = stillpoint_agent::AgentBuilder::new().with(stillpoint_sim::Sim::new());
    let again = Served::at(builder, "sim:login", port).await;
    let answer = done(&app, "wait_for_ui", json!({ "selector": "button \"Sign in\"" })).await;
    assert_eq!(answer["status"], "success");
    sign_in(&app).await;
    again.end().await;
}

#[tokio::test]
async fn an_agent_that_does_not_come_back_is_a_lost_target() {
    let served = Served::sim("sim:login").await;
    let app = served.session(&[]).await;
    let mut changes = app.changes();
    served.end().await;
    while app.end().is_none() {
        changes.changed().await.unwrap();
    }
    let Some(End::Lost(error)) = app.end() else { panic!() };
    assert_eq!(error.code, stillpoint_core::Code::TargetLost, "{error}");
    assert!(!error.hint.is_empty());
}

#[tokio::test]
async fn an_app_that_ends_is_told_with_its_reason() {
    let served = Served::scene("window \"W\"\n  button \"Crash\" #crash\n\non tap #crash:\n  crash\n").await;
    let app = served.session(&[]).await;
    let mut changes = app.changes();
    ask(&app, "tap", json!({ "selector": "button \"Crash\"" })).await;
    while app.end().is_none() {
        changes.changed().await.unwrap();
    }
    assert!(matches!(app.end(), Some(End::Lost(_))), "{:?}", app.end());
}

#[tokio::test]
async fn another_target_is_seen_by_everybody_who_follows() {
    let served = Served::sim("sim:login").await;
    let app = served.session(&[]).await;
    served.client().await.set_target("sim:clock").await.unwrap();
    let mut changes = app.changes();
    let login = |app: &Session| app.read(|tree| tree.by_label("Sign in").len());
    while login(&app) > 0 {
        changes.changed().await.unwrap();
    }
    app.barrier(soon()).await.unwrap();
}

#[tokio::test]
async fn a_wait_over_a_slow_link_costs_one_round_trip() {
    let served = Served::sim("sim:login").await;
    let proxy = Proxy::new(served.addr, Duration::from_millis(100)).await;
    let options = stillpoint_wire::ClientOptions::default();
    let client = stillpoint_wire::Client::connect(&proxy.addr.to_string(), options).await.unwrap();
    client.hello(stillpoint_wire::codec::ClientHello::new(None, &[])).await.unwrap();
    let near = served.session(&[]).await;
    let (requests, answers) = (proxy.traffic.requests(), proxy.traffic.answers());
    let wait = tokio::spawn({
        let client = client.clone();
        async move {
            let params = json!({ "selector": "heading \"Welcome, ada\"", "stable": true });
            client.call("wait_for_ui", &params).await
        }
    });
    sign_in(&near).await;
    assert_eq!(wait.await.unwrap().unwrap()["status"], "success");
    assert_eq!(proxy.traffic.requests() - requests, 1);
    assert_eq!(proxy.traffic.answers() - answers, 1);
    assert_eq!(proxy.traffic.events(), 0);
}
