//! The agent killed by `kill -9` at every moment of every command. What the app saw is counted in a file.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]
#![allow(dead_code, unreachable_pub, reason = "shared with other tests")]

#[path = "agent/process.rs"]
mod process;

use std::time::Duration;

use process::{Workshop, has_ended};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use stillpoint_wire::codec::ClientHello;
use stillpoint_wire::{
    AgentLifecycle, ClientOptions, Delivery, ErrorCode, Reply, Request, ResilientClient, Safety, WireError,
};

fn every_request() -> Vec<Request> {
    let text = |text: &str| text.to_owned();
    vec![
        Request::Heartbeat,
        Request::TapCoord { x: 1, y: 2 },
        Request::TapElement { id: text("save"), timeout_ms: Some(10) },
        Request::TapByLabel { label: text("Save"), timeout_ms: None },
        Request::TapWithType {
            selector: text("s"),
            by_label: true,
            element_type: text("Button"),
            timeout_ms: None,
        },
        Request::TypeText { text: text("hello") },
        Request::Swipe { start_x: 0, start_y: 0, end_x: 9, end_y: 9, duration_s: None },
        Request::GetValue { selector: text("s"), by_label: false, element_type: None, timeout_ms: None },
        Request::LongPress { x: 3, y: 4, duration_s: 0.5 },
        Request::DumpTree,
        Request::Screenshot,
        Request::SetTarget { target: text("app") },
        Request::FindElement { selector: text("s"), by_label: false, element_type: None },
        Request::GetTargetInfo,
        Request::BridgeHealth,
        Request::DeviceUdid,
    ]
}

fn times_carried_out(workshop: &Workshop, request: &Request) -> usize {
    let is_it = |line: &&String| line.split(' ').next() == Some(request.name());
    workshop.log().iter().filter(is_it).count()
}

async fn resilient(workshop: &Workshop) -> ResilientClient {
    ResilientClient::start(AgentLifecycle::new(workshop.options(workshop.agent()))).await.unwrap()
}

async fn target_is_set(client: &ResilientClient) {
    let info = client.request(Request::GetTargetInfo).await.unwrap();
    assert_eq!(info, Reply::TargetInfo(r#"{"target":"app"}"#.into()));
}

/// Kills the agent at `moment` of every command in turn, and checks the rule for each.
async fn killed_at(moment: &str) {
    let workshop = Workshop::new();
    let client = resilient(&workshop).await;
    client.request(Request::SetTarget { target: "app".into() }).await.unwrap();
    for request in every_request() {
        let name = request.name();
        let before = times_carried_out(&workshop, &request);
        std::fs::write(workshop.path("plan"), format!("{moment} {name}")).unwrap();
        let outcome = client.request(request.clone()).await;
        assert!(!workshop.path("plan").exists(), "{name}: the agent was not killed");
        let times = times_carried_out(&workshop, &request) - before;
        if request.is_idempotent() {
            outcome.unwrap_or_else(|error| panic!("{name}: {error}"));
        } else {
            let error = outcome.unwrap_err();
            assert!(matches!(error, WireError::DeliveryUnknown { .. }), "{name}: {error}");
            assert_eq!(error.to_fault().details["delivery_status"], "unknown");
            assert!(error.to_string().contains("the agent is back"), "{name}: {error}");
            assert_eq!(times, usize::from(moment != "received"), "{name} after {moment}");
        }
        target_is_set(&client).await;
    }
}

#[tokio::test]
async fn killed_after_the_frame_arrived_and_before_it_was_carried_out() {
    killed_at("received").await;
}

#[tokio::test]
async fn killed_after_the_command_was_carried_out_and_before_its_reply() {
    killed_at("carried-out").await;
}

#[tokio::test]
async fn killed_in_the_middle_of_the_reply() {
    killed_at("mid-reply").await;
}

/// The agent's own process, asked of the kernel by way of the port's owner: the test's only child.
fn only_child() -> u32 {
    let children = children();
    assert_eq!(children.len(), 1, "{children:?}");
    children[0]
}

fn children() -> Vec<u32> {
    let me = std::process::id();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        // Behind the name in parentheses: state, parent.
        let parent =
            stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)).and_then(|p| p.parse().ok());
        if parent == Some(me) {
            found.push(pid);
        }
    }
    found
}

fn kill_minus_9(pid: u32) {
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL).unwrap();
}

#[tokio::test]
async fn killed_before_the_frame_every_command_succeeds_once_the_loss_is_known() {
    let workshop = Workshop::new();
    let client = resilient(&workshop).await;
    client.request(Request::SetTarget { target: "app".into() }).await.unwrap();
    for request in every_request() {
        let before = times_carried_out(&workshop, &request);
        let victim = only_child();
        kill_minus_9(victim);
        has_ended(victim).await;
        client.client().closed().await;
        client.request(request.clone()).await.unwrap_or_else(|error| panic!("{}: {error}", request.name()));
        if !request.is_idempotent() {
            assert_eq!(times_carried_out(&workshop, &request) - before, 1, "{}", request.name());
        }
        target_is_set(&client).await;
    }
}

#[tokio::test]
async fn killed_before_the_frame_with_the_loss_unnoticed_a_tap_is_carried_out_once_or_not_at_all() {
    let workshop = Workshop::new();
    let client = resilient(&workshop).await;
    for _ in 0..20 {
        let tap = Request::TapCoord { x: 1, y: 2 };
        let before = times_carried_out(&workshop, &tap);
        kill_minus_9(only_child());
        let outcome = client.request(tap.clone()).await;
        let times = times_carried_out(&workshop, &tap) - before;
        match outcome {
            Ok(_) => assert_eq!(times, 1),
            Err(WireError::DeliveryUnknown { .. }) => assert!(times <= 1),
            Err(other) => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn five_hundred_kills_in_a_row_leak_neither_processes_nor_sockets() {
    let workshop = Workshop::new();
    let client = resilient(&workshop).await;
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let mut after_the_first = None;
    for _ in 0..500 {
        kill_minus_9(only_child());
        client.request(Request::Heartbeat).await.unwrap();
        let open = descriptors();
        let first = *after_the_first.get_or_insert(open);
        assert!(open <= first + 4, "{first} descriptors at first, {open} now");
    }
    only_child();
}

#[tokio::test]
async fn many_who_lose_the_same_connection_share_one_recovery() {
    let workshop = Workshop::new();
    let client = resilient(&workshop).await;
    let victim = only_child();
    kill_minus_9(victim);
    has_ended(victim).await;
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.request(Request::DumpTree).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    only_child();
}

#[tokio::test]
async fn the_agent_ends_with_the_last_clone() {
    let workshop = Workshop::new();
    let client = resilient(&workshop).await;
    let agent = only_child();
    drop(client.clone());
    client.request(Request::Heartbeat).await.unwrap();
    drop(client);
    has_ended(agent).await;
}

#[tokio::test]
async fn without_a_lifecycle_a_lost_agent_is_reported_and_a_returned_one_is_found() {
    let workshop = Workshop::new();
    let mut keeper = AgentLifecycle::new(workshop.options(workshop.agent()));
    keeper.ensure_running().await.unwrap();
    let port = keeper.options().agent_port;
    let client = ResilientClient::attach("127.0.0.1", port, None, ClientOptions::default()).await.unwrap();
    client.request(Request::SetTarget { target: "app".into() }).await.unwrap();
    keeper.terminate().await;
    client.client().closed().await;
    let error = client.request(Request::TapCoord { x: 1, y: 1 }).await.unwrap_err();
    assert_eq!((error.code(), error.delivery()), (ErrorCode::AgentUnavailable, Some(Delivery::NotSent)));
    keeper.ensure_running().await.unwrap();
    target_is_set(&client).await;
}

async fn resilient_v2(workshop: &Workshop) -> ResilientClient {
    let mut options = workshop.options(workshop.agent());
    options.hello = Some(ClientHello::new(None, &[]));
    ResilientClient::start(AgentLifecycle::new(options)).await.unwrap()
}

#[tokio::test]
async fn calls_follow_what_their_caller_says_of_them_and_v2_is_agreed_anew() {
    let workshop = Workshop::new();
    let client = resilient_v2(&workshop).await;
    let patience = Duration::from_secs(30);
    for _ in 0..3 {
        let waiting = tokio::spawn({
            let client = client.clone();
            async move { client.call("wait", &json!({}), patience, Safety::AtMostOnce).await }
        });
        // One turn lets the call be queued. The heartbeat is behind it: once that is answered, the call has been sent.
        tokio::task::yield_now().await;
        client.request(Request::Heartbeat).await.unwrap();
        kill_minus_9(only_child());
        let error = waiting.await.unwrap().unwrap_err();
        assert!(matches!(error, WireError::DeliveryUnknown { .. }), "{error}");
        let echoed = client.call("echo", &json!({ "n": 1 }), patience, Safety::Idempotent).await.unwrap();
        assert_eq!(echoed, json!({ "n": 1 }));
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_costs_neither_connection_nor_agent() {
    let workshop = Workshop::new();
    let client = resilient_v2(&workshop).await;
    let (agent, connection) = (only_child(), client.client());
    for safety in [Safety::AtMostOnce, Safety::Idempotent] {
        let error = client.call("wait", &json!({}), Duration::from_millis(20), safety).await.unwrap_err();
        assert!(matches!(error, WireError::NoAnswer { .. }), "{error}");
        assert_eq!(error.to_fault().details["delivery_status"], "unknown");
    }
    connection.heartbeat().await.unwrap();
    assert_eq!(only_child(), agent);
}
