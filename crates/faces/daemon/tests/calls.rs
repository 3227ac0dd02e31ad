//! Calls over the socket: answers, several clients, cancelling, and what cannot be read.
#![allow(clippy::unwrap_used)] // a test may panic

mod support;

use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use stillpoint_core::Code;
use stillpoint_daemon::{Form, MetricsOptions, ServeOptions};
use stillpoint_engine::verbs::{Answer, Verdict};
use support::{House, ask, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpStream, UnixStream};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_session_lives_on_between_connections() {
    let house = House::new();
    let (_, serving) = house.serve(house.options()).await;
    let first = house.client().await;
    json(&first, "open", json!({ "app": "sim:toast" })).await;
    let waited = ask(&first, "wait_for_ui", json!({ "selector": "\"Opened\"" })).await.unwrap();
    assert_eq!(waited.verdict(), Verdict::Done);
    let before = json(&first, "snapshot", json!({})).await["snapshot_revision"].clone();
    drop(first);
    let second = house.client().await;
    let again = ask(&second, "snapshot", json!({ "app": "sim:toast", "since": before })).await.unwrap();
    assert_eq!(again.json().unwrap()["kind"], "unchanged");
    assert!(again.text().contains("unchanged"));
    let status = json(&second, "status", json!({})).await;
    assert_eq!(status["sessions"][0]["app"], "sim:toast");
    assert_eq!(status["pid"], std::process::id());
    assert!(status["calls"].as_u64() >= Some(4), "{status}");
    assert!(
        ask(&second, "metrics", json!({})).await.unwrap().text().contains("stillpoint_daemon_sessions 1")
    );
    assert!(json(&second, "list", json!({})).await["targets"].as_array().unwrap().len() > 10);
    assert_eq!(json(&second, "close", json!({})).await["closed"], "sim:toast");
    json(&second, "stop", json!({})).await;
    serving.await.unwrap().unwrap();
    assert!(!house.place.socket().exists());
}

#[tokio::test]
async fn an_answer_comes_in_the_form_that_is_asked_for() {
    let house = House::new();
    let _serving = house.serve(house.options()).await;
    let client = house.client().await;
    json(&client, "open", json!({ "app": "sim:noop" })).await;
    let never = CancellationToken::new();
    for (form, has_json, has_text) in
        [(Form::Both, true, true), (Form::Json, true, false), (Form::Text, false, true)]
    {
        let reply = client.call_for(form, "snapshot", json!({}), &never).await.unwrap();
        assert_eq!(reply.json().unwrap()["elements"].is_array(), has_json, "{form:?}");
        assert_eq!(reply.text().contains("window"), has_text, "{form:?}");
        assert_eq!(reply.verdict(), Verdict::Done);
    }
}

#[tokio::test]
async fn only_the_owner_may_reach_the_socket() {
    let house = House::new();
    let _serving = house.serve(house.options()).await;
    let mode = |path: std::path::PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(house.place.socket()), 0o600);
    assert_eq!(mode(house.dir()), 0o700);
}

#[tokio::test]
async fn a_directory_that_others_may_enter_is_not_used() {
    let house = House::new();
    std::fs::create_dir(house.dir()).unwrap();
    std::fs::set_permissions(house.dir(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let engine = std::sync::Arc::new(stillpoint_engine::Engine::new());
    let refused = stillpoint_daemon::Daemon::bind(engine, house.options()).await;
    assert!(refused.err().unwrap().message.contains("others may enter it"));
}

#[tokio::test]
async fn errors_come_back_as_they_were_raised() {
    let house = House::new();
    let _serving = house.serve(house.options()).await;
    let client = house.client().await;
    let missing = ask(&client, "snapshot", json!({})).await.unwrap_err();
    assert_eq!((missing.code, missing.retryable), (Code::InvalidArgument, false));
    assert_eq!(
        ask(&client, "open", json!({ "app": "sim:nowhere" })).await.unwrap_err().code,
        Code::TargetNotFound
    );
    assert_eq!(ask(&client, "no_such_verb", json!({})).await.unwrap_err().code, Code::InvalidArgument);
    let late = json!({ "app": "sim:noop", "timeout_ms": 1, "stability_window_ms": 1 });
    let late = ask(&client, "wait_for_ui_change", late).await.unwrap();
    assert_eq!((late.verdict(), late.error().unwrap().code), (Verdict::Timeout, Code::Timeout));
}

#[tokio::test]
async fn a_cancelled_call_ends_at_the_daemon_and_says_what_it_saw() {
    let house = House::new();
    let (engine, _serving) = house.serve(house.options()).await;
    let client = house.client().await;
    json(&client, "open", json!({ "app": "sim:clock" })).await;
    let cancel = CancellationToken::new();
    let params = json!({ "mask_volatile": false, "timeout_ms": 3_600_000 });
    let waiting = client.call("wait_for_ui_change", params, &cancel);
    let session = engine.session(&"sim:clock".parse().unwrap()).unwrap();
    let give_up = async {
        let mut ticks = session.changes();
        ticks.changed().await.unwrap();
        cancel.cancel();
    };
    let (waited, ()) = tokio::join!(waiting, give_up);
    assert_eq!(waited.unwrap().verdict(), Verdict::Cancelled);
    assert_eq!(engine.telemetry().timeouts.get(), 0);
    json(&client, "snapshot", json!({})).await;
}

#[tokio::test]
async fn a_client_that_goes_away_gives_up_its_calls() {
    let house = House::new();
    let (engine, _serving) = house.serve(house.options()).await;
    let mut raw = UnixStream::connect(house.place.socket()).await.unwrap();
    let call = json!({ "jsonrpc": "2.0", "id": "w", "method": "wait_for_ui_change",
        "params": { "app": "sim:clock", "mask_volatile": false, "timeout_ms": 3_600_000 } });
    raw.write_all(format!("{call}\n").as_bytes()).await.unwrap();
    let watcher = house.client().await;
    while json(&watcher, "status", json!({})).await["sessions"] == json!([]) {
        tokio::task::yield_now().await;
    }
    drop(raw);
    let session = engine.session(&"sim:clock".parse().unwrap()).unwrap();
    let mut ticks = session.changes();
    while json(&watcher, "status", json!({})).await["running"] != 0 {
        ticks.changed().await.unwrap();
    }
    assert_eq!(engine.telemetry().timeouts.get(), 0);
}

#[tokio::test]
async fn two_clients_see_the_same_revisions_at_the_same_time() {
    let house = House::new();
    let _serving = house.serve(house.options()).await;
    let (one, two) = (house.client().await, house.client().await);
    ask(&one, "wait_for_ui", json!({ "app": "sim:toast", "selector": "\"Opened\"" })).await.unwrap();
    let before = json(&two, "snapshot", json!({ "app": "sim:toast" })).await["snapshot_revision"].clone();
    let cancel = CancellationToken::new();
    let waiting = two.call("wait_for_ui_change", json!({ "since_revision": before }), &cancel);
    let tapping = ask(&one, "tap", json!({ "selector": "#save", "expect": "\"Saved 1 times\"" }));
    let (seen, tapped) = tokio::join!(waiting, tapping);
    assert_eq!(seen.unwrap().into_json()["snapshot_revision"], tapped.unwrap().into_json()["revision_after"]);
}

#[tokio::test]
async fn what_cannot_be_read_is_answered_and_the_rest_is_served() {
    let house = House::new();
    let _serving = house.serve(house.options()).await;
    let raw = UnixStream::connect(house.place.socket()).await.unwrap();
    let (read, mut write) = raw.into_split();
    let mut lines = BufReader::new(read).lines();
    let cases = [
        ("{", -32700),
        ("[]", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"status\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\",\"params\":[]}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\",\"form\":\"song\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nonsense\"}", -32601),
    ];
    for (line, code) in cases {
        write.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        let answer: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!(answer["error"]["code"], code, "{line}");
    }
    write.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"status\"}\n").await.unwrap();
    assert!(lines.next_line().await.unwrap().unwrap().contains("\"id\":\"s\""));
    let _ = write.write_all(&vec![b'x'; 3 << 20]).await;
    assert!(lines.next_line().await.unwrap().unwrap().contains("longer than"));
    json(&house.client().await, "status", json!({})).await;
}

#[tokio::test]
async fn metrics_are_told_over_http_with_the_token() {
    let house = House::new();
    let token = "open-sesame-open-sesame";
    let metrics = MetricsOptions { addr: "127.0.0.1:0".parse().unwrap(), token: token.to_owned() };
    let engine = std::sync::Arc::new(stillpoint_engine::Engine::new());
    let options = ServeOptions { metrics: Some(metrics), ..house.options() };
    let daemon = stillpoint_daemon::Daemon::bind(engine, options).await.unwrap();
    let addr = daemon.metrics_addr().unwrap();
    tokio::spawn(daemon.run(CancellationToken::new()));
    for (header, status) in [(format!("Authorization: Bearer {token}\r\n"), "200"), (String::new(), "401")] {
        let mut stream = TcpStream::connect(addr).await.unwrap();
        let request = format!("GET /metrics HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n{header}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer.split(' ').nth(1), Some(status), "{answer}");
        assert_eq!(answer.contains("stillpoint_daemon_calls_total"), status == "200");
    }
}
