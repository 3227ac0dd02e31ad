//! What breaks: renderers, browsers, sockets, main threads, and pages without measure.
#![allow(clippy::unwrap_used, missing_docs)]
mod support;

use serde_json::json;
use std::time::Duration;
use stillpoint_core::Code;
use stillpoint_core::tree::Role;
use stillpoint_engine::backend::{Action, Button, Deadline, Delivery, End, Place};
use support::browser::TestBrowser;
use support::{Rig, server::Server, soon};

fn lost(end: End) -> Code {
    match end {
        End::Lost(error) => error.code,
        End::Closed => panic!("closed in good order"),
    }
}

#[tokio::test]
async fn a_crashed_page_is_an_alert_and_the_last_one_ends_the_session() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab(&server.url("static.html")).await;
    browser.close_first(&tab).await;
    let mut other = browser.tab(&server.url("second.html")).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[]).await;
    assert_eq!(rig.mirror.tree().count_of_role(Role::Document), 2, "{}", rig.text());
    tab.post("Page.crash", json!({})).await;
    while rig.mirror.tree().count_of_role(Role::Alert) == 0 {
        rig.barrier().await;
    }
    assert_eq!(rig.mirror.tree().count_of_role(Role::Document), 1, "{}", rig.text());
    other.post("Page.crash", json!({})).await;
    assert_eq!(lost(rig.ended().await), Code::TargetLost);
    // A new attachment works once the page has been loaded again.
    let again = browser.tab(&server.url("static.html")).await;
    let rig = Rig::attach(&format!("cdp:{}", browser.url), &[]).await;
    rig.must_say("Count: 0");
    drop(again);
}

/// Carries bytes between us and the browser until it is dropped.
struct Wire {
    carrying: tokio::task::JoinHandle<()>,
    url: String,
}

impl Wire {
    async fn to(browser: &TestBrowser) -> Wire {
        let (authority, path) = browser.url.trim_start_matches("ws://").split_once('/').unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}/{path}", listener.local_addr().unwrap());
        let authority = authority.to_owned();
        let carrying = tokio::spawn(async move {
            let (mut ours, _) = listener.accept().await.unwrap();
            let mut theirs = tokio::net::TcpStream::connect(authority).await.unwrap();
            // Either side may hang up first.
            let _ = tokio::io::copy_bidirectional(&mut ours, &mut theirs).await;
        });
        Wire { carrying, url }
    }
}

#[tokio::test]
async fn a_cut_socket_is_a_lost_target_and_the_browser_can_be_attached_again() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let tab = browser.tab(&server.url("static.html")).await;
    browser.close_first(&tab).await;
    let wire = Wire::to(&browser).await;
    let mut rig = Rig::attach(&format!("cdp:{}", wire.url), &[]).await;
    rig.must_say("Count: 0");
    wire.carrying.abort();
    assert_eq!(lost(rig.ended().await), Code::TargetLost);
    assert_eq!(rig.backend.barrier(soon()).await.unwrap_err().code, Code::TargetLost);
    let rig = Rig::attach(&format!("cdp:{}", browser.url), &[]).await;
    rig.must_say("Count: 0");
}

#[tokio::test]
async fn a_killed_browser_is_a_lost_target() {
    let server = Server::start().await;
    let mut browser = TestBrowser::start().await;
    let tab = browser.tab(&server.url("static.html")).await;
    browser.close_first(&tab).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[]).await;
    browser.kill();
    assert_eq!(lost(rig.ended().await), Code::TargetLost);
    assert_eq!(rig.backend.barrier(soon()).await.unwrap_err().code, Code::TargetLost);
    let error = Rig::try_attach("cdp:1", &[]).await.err().unwrap();
    assert_eq!(error.code, Code::TargetNotFound);
}

#[tokio::test]
async fn a_blocked_main_thread_is_unresponsive_and_nothing_is_dispatched_late() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab(&server.url("chaos.html")).await;
    browser.close_first(&tab).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[]).await;
    let calm = rig.find(Role::Button, "Open a popup");
    rig.tap(Role::Button, "Block for ten seconds").await;
    let short = || Deadline::after(Duration::from_millis(700));
    assert_eq!(rig.backend.barrier(short()).await.unwrap_err().code, Code::TargetUnresponsive);
    let tap = Action::Tap { on: Place::Element(calm), button: Button::Left, count: 1, hold: None };
    let refusal = rig.backend.perform(&tap, short()).await.unwrap_err();
    assert_eq!((refusal.error.code, refusal.delivery), (Code::TargetUnresponsive, Delivery::NotDelivered));
    tab.eval("state.textContent").await;
    rig.barrier().await;
    rig.must_say("Blocked");
    assert_eq!(
        rig.mirror.tree().count_of_role(Role::Document),
        1,
        "the popup was opened late:\n{}",
        rig.text()
    );
}

#[tokio::test]
async fn a_flood_of_nodes_stays_within_the_cap() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let tab = browser.tab(&server.url("chaos.html")).await;
    browser.close_first(&tab).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[]).await;
    rig.tap(Role::Button, "Add 100000 nodes").await;
    rig.barrier().await;
    rig.must_say("Flooded");
    let tree = rig.mirror.tree();
    assert!(tree.len() <= tree.limits().max_nodes, "{}", tree.len());
    assert!(tree.walk().any(|(_, node)| node.omitted() > 40_000), "what is cut is said");
}
