//! How daemons begin and end: one for each place, started on first use, replaced by a newer one, gone when idle.
#![allow(clippy::unwrap_used)] // a test may panic

mod support;

use serde_json::json;
use std::process::Stdio;
use std::time::Duration;
use stillpoint_core::Code;
use stillpoint_daemon::{Client, Daemon, ServeOptions};
use stillpoint_engine::verbs::{Answer, Verdict};
use support::{House, VERSION, ask, example, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// Starts the example daemon and returns once it is ready.
async fn start(house: &House, more: &[&str]) -> Child {
    let mut child = Command::new(example())
        .arg(house.dir())
        .args(more)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let line = BufReader::new(child.stdout.take().unwrap()).lines().next_line().await.unwrap();
    assert!(line.unwrap().starts_with("stillpoint ready"));
    child
}

#[tokio::test]
async fn a_second_daemon_refuses() {
    let house = House::new();
    let _serving = house.serve(house.options()).await;
    let engine = std::sync::Arc::new(stillpoint_engine::Engine::new());
    let refused = Daemon::bind(engine, house.options()).await.err().unwrap();
    assert_eq!(refused.code, Code::AgentUnavailable);
    assert!(refused.hint.contains("--status"));
    json(&house.client().await, "status", json!({})).await;
}

#[tokio::test]
async fn clients_that_find_none_start_one_together() {
    let house = House::new();
    assert!(Client::connect(&house.place).await.unwrap().is_none());
    let (exe, dir) = (example(), house.dir());
    let args = [dir.as_os_str()];
    let connect = || Client::connect_or_start(&house.place, &exe, &args);
    let (one, two, three) = tokio::join!(connect(), connect(), connect());
    let (one, two, three) = (one.unwrap(), two.unwrap(), three.unwrap());
    assert_eq!((one.info().pid, one.info().pid), (two.info().pid, three.info().pid));
    assert_ne!(one.info().pid, std::process::id());
    json(&one, "open", json!({ "app": "sim:login" })).await;
    assert_eq!(json(&three, "status", json!({})).await["sessions"][0]["app"], "sim:login");
    json(&two, "stop", json!({})).await;
}

#[tokio::test]
async fn a_program_that_is_no_daemon_is_told_with_its_last_words() {
    let house = House::new();
    let args = ["-c", "echo no display >&2; exit 7"];
    let failed = Client::connect_or_start(&house.place, "/bin/sh".as_ref(), &args).await.err().unwrap();
    assert_eq!(failed.code, Code::AgentUnavailable);
    assert!(failed.message.contains("no display") && failed.message.contains('7'), "{failed}");
}

#[tokio::test]
async fn a_daemon_that_nobody_needs_ends_by_itself() {
    let house = House::new();
    let mut child = start(&house, &["200"]).await;
    assert!(child.wait().await.unwrap().success());
    assert!(!house.place.socket().exists());
}

#[tokio::test(start_paused = true)]
async fn a_running_call_is_not_idle() {
    let house = House::new();
    let options = ServeOptions { idle: Duration::from_secs(59), ..house.options() };
    let (_, serving) = house.serve(options).await;
    let client = house.client().await;
    let never = json!({ "app": "sim:noop", "timeout_ms": 600_000 });
    let waited = ask(&client, "wait_for_ui_change", never).await.unwrap();
    assert_eq!(waited.verdict(), Verdict::Timeout);
    serving.await.unwrap().unwrap();
    assert_eq!(ask(&client, "status", json!({})).await.unwrap_err().code, Code::AgentUnavailable);
}

#[tokio::test]
async fn a_killed_daemons_socket_is_replaced_by_the_next() {
    let house = House::new();
    let mut child = start(&house, &[]).await;
    child.kill().await.unwrap();
    assert!(house.place.socket().exists());
    assert!(Client::connect(&house.place).await.unwrap().is_none());
    let (_, serving) = house.serve(house.options()).await;
    json(&house.client().await, "stop", json!({})).await;
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_newer_client_replaces_an_older_daemon_without_losing_what_runs() {
    let house = House::new();
    let older = ServeOptions { version: "0.0.1".to_owned(), ..house.options() };
    let (engine, serving) = house.serve(older).await;
    let old_client = Client::connect_as(&house.place, "0.0.1").await.unwrap().unwrap();
    json(&old_client, "open", json!({ "app": "sim:slow" })).await;
    let ready = ask(&old_client, "wait_for_ui", json!({ "selector": "\"Ready\"" }));
    ready.await.unwrap();
    let running = ask(&old_client, "tap", json!({ "selector": "#compute", "expect": "\"Computed 1\"" }));
    let replacing = async {
        // The tap has reached the app, and runs until the app has computed.
        let session = engine.session(&"sim:slow".parse().unwrap()).unwrap();
        session.changes().changed().await.unwrap();
        assert!(Client::connect(&house.place).await.unwrap().is_none());
        let (_, newer) = house.serve(house.options()).await;
        let client = house.client().await;
        assert_eq!(client.info().version, VERSION);
        let refused = ask(&old_client, "snapshot", json!({})).await.unwrap_err();
        assert_eq!(refused.code, Code::AgentUnavailable);
        (newer, client)
    };
    let (tapped, (newer, client)) = tokio::join!(running, replacing);
    assert_eq!(tapped.unwrap().into_json()["lifecycle_state"], "verified");
    serving.await.unwrap().unwrap();
    json(&client, "stop", json!({})).await;
    newer.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_older_client_is_served_by_a_newer_daemon() {
    let house = House::new();
    let _serving = house.serve(house.options()).await;
    let client = Client::connect_as(&house.place, "0.0.1").await.unwrap().unwrap();
    assert!(!client.info().finishing);
    json(&client, "status", json!({})).await;
}

#[tokio::test]
async fn stopping_gives_up_what_runs() {
    let house = House::new();
    let (_, serving) = house.serve(house.options()).await;
    let (one, two) = (house.client().await, house.client().await);
    json(&one, "open", json!({ "app": "sim:noop" })).await;
    let waiting = ask(&one, "wait_for_ui_change", json!({ "timeout_ms": 3_600_000 }));
    let stopping = async {
        while json(&two, "status", json!({})).await["running"] == 0 {
            tokio::task::yield_now().await;
        }
        json(&two, "stop", json!({})).await;
    };
    let (waited, ()) = tokio::join!(waiting, stopping);
    assert_eq!(waited.unwrap().verdict(), Verdict::Cancelled);
    serving.await.unwrap().unwrap();
}
