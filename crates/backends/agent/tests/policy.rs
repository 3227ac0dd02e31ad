//! SPEC §14 on the machine that serves: what its policy forbids never reaches the app, whichever way the client takes.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use std::path::Path;
use stillpoint_agent::{AgentBuilder, ServerOptions};
use stillpoint_core::Code;
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::{Policy, Session};
use stillpoint_sim::Sim;
use stillpoint_wire::{Client, ErrorCode};
use support::{Served, ask, done};

/// Every tap counts.
const COUNTER: &str = "application \"Counter\" #app
  window \"Counter\" #window @0,0,800,600
    button \"Go\" #go @100,100,100,30
    textbox \"Note\" #note @100,200,100,30
    status #count text=\"untouched\" @100,300,100,30

on tap #go:
  set #count text \"tapped\"
";

fn builder(policy: &str, beside: &Path) -> AgentBuilder {
    AgentBuilder::new().under(Policy::parse(policy, beside).unwrap()).with(Sim::scripted(COUNTER))
}

async fn under(policy: &str) -> Served {
    Served::with(builder(policy, Path::new(".")), "sim:custom").await
}

/// A tap of every way: a request of v1, a verb of v2, and an action that an engine over here decided upon, by v1 and v2.
/// Gives the code of each one's failure.
async fn taps(served: &Served) -> Vec<Option<ErrorCode>> {
    let (client, caller) = (served.client().await, served.client_v2().await);
    let mut codes = vec![
        client.tap_element("go", Some(1_000)).await.err().map(|e| e.code()),
        client.tap_coord(150, 115).await.err().map(|e| e.code()),
        caller
            .call("tap", &json!({ "selector": "#go" }))
            .await
            .map_or_else(|e| Some(e.code()), |told| code(&told)),
    ];
    for protocol in ["v1", "v2"] {
        let app = served.session(&[("protocol", protocol)]).await;
        codes.push(code(&ask(&app, "tap", json!({ "selector": "#go" })).await.json().unwrap()));
        app.close().await;
    }
    codes
}

fn code(envelope: &Value) -> Option<ErrorCode> {
    envelope["failure_code"].as_str().map(|code| serde_json::from_value(json!(code)).unwrap())
}

async fn count(client: &Client) -> Option<String> {
    client.find_element("count", false, None).await.unwrap().unwrap().label
}

#[tokio::test]
async fn a_target_that_is_denied_is_not_served_and_not_switched_to() {
    let policy = "[targets]\ndeny = [\"sim:login\"]";
    let builder =
        || AgentBuilder::new().under(Policy::parse(policy, Path::new(".")).unwrap()).with(Sim::new());
    let (attach, addr) = (AttachOptions::default(), ([127, 0, 0, 1], 0).into());
    let target = "sim:login".parse().unwrap();
    let refused = builder().serve(&target, attach, addr, ServerOptions::default()).await.err().unwrap();
    assert_eq!(refused.code, Code::PolicyDenied);
    let served = Served::with(builder(), "sim:checkout").await;
    let client = served.client().await;
    let before = client.target_info().await.unwrap();
    assert_eq!(client.set_target("sim:login").await.unwrap_err().code(), ErrorCode::PolicyDenied);
    assert_eq!(client.target_info().await.unwrap(), before);
    served.end().await;
}

#[tokio::test]
async fn under_a_read_only_policy_everything_can_be_seen_and_nothing_done() {
    let served = under("read_only = true").await;
    assert_eq!(taps(&served).await, [Some(ErrorCode::PolicyDenied); 5]);
    let client = served.client().await;
    assert_eq!(count(&client).await.as_deref(), Some("untouched"));
    assert_eq!(client.find_element("go", false, None).await.unwrap().unwrap().hittable, None);
    assert!(!client.dump_tree().await.unwrap().is_empty());
    served.end().await;
}

#[tokio::test]
async fn under_a_dry_policy_nobody_is_told_that_something_was_done() {
    let served = under("dry_run = true").await;
    let codes = taps(&served).await;
    // The verb's own envelope says that nothing was dispatched; nobody else can be told so.
    let denied = Some(ErrorCode::PolicyDenied);
    assert_eq!(codes, [denied, denied, None, denied, denied]);
    assert_eq!(count(&served.client().await).await.as_deref(), Some("untouched"));
    served.end().await;
}

#[tokio::test]
async fn the_rate_limit_counts_every_way_together() {
    let served = under("[rate_limit]\nactions = 3\nper_seconds = 86400").await;
    let limited = Some(ErrorCode::RateLimited);
    assert_eq!(taps(&served).await, [None, None, None, limited, limited]);
    assert_eq!(count(&served.client().await).await.as_deref(), Some("tapped"));
    served.end().await;
}

#[tokio::test]
async fn whatever_was_asked_for_is_in_the_audit_log_and_what_was_typed_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let policy = "[audit]\nfile = \"audit.jsonl\"";
    let served = Served::with(builder(policy, folder.path()), "sim:custom").await;
    let app: Session = served.session(&[]).await;
    done(&app, "tap", json!({ "selector": "#go" })).await;
    done(&app, "type_text", json!({ "selector": "#note", "text": "hunter2" })).await;
    served.client().await.tap_element("go", None).await.unwrap();
    served.end().await;
    let log = std::fs::read_to_string(folder.path().join("audit.jsonl")).unwrap();
    let told = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["target"], "sim:custom", "{line}");
        format!("{} {}", line["verb"].as_str().unwrap(), line["outcome"].as_str().unwrap())
    };
    let lines: Vec<String> = log.lines().map(told).collect();
    assert_eq!(lines, ["open allowed", "tap done", "type_text done", "tap done"], "{log}");
    assert!(log.contains("\"text_length\":7") && !log.contains("hunter2"), "{log}");
}
