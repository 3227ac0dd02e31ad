//! `get_network_activity` on a real page: what was sent, when on the session's time line, and by which action.
#![allow(clippy::unwrap_used, missing_docs)]
mod support;

use serde_json::{Value, json};
use stillpoint_chromium::Chromium;
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::verbs::{Call, by_name};
use stillpoint_engine::{Engine, Session};
use support::browser::TestBrowser;
use support::server::Server;

async fn ask(session: &Session, verb: &str, params: Value) -> Value {
    (by_name(verb).unwrap().run)(session, params, &Call::default()).await.unwrap().json().unwrap()
}

#[tokio::test]
async fn a_request_names_the_action_in_whose_course_it_was_sent() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let tab = browser.tab("about:blank").await;
    browser.close_first(&tab).await;
    let target = format!("cdp:{}", browser.url).parse().unwrap();
    let engine = Engine::new().with(Chromium::new());
    let session = engine.open(&target, &AttachOptions::default()).await.unwrap();
    let mut tab = tab;
    tab.go(&server.url("spinner.html")).await;
    ask(&session, "wait_for_ui", json!({ "selector": "button \"Load\"" })).await;

    let tapped =
        ask(&session, "tap", json!({ "selector": "button \"Load\"", "expect": "\"Report ready\"" })).await;
    assert_eq!(tapped["success"], true, "{tapped}");
    let before_all = ask(&session, "get_network_activity", json!({})).await;
    let requests = before_all["requests"].as_array().unwrap();
    let of = |part: &str| requests.iter().find(|r| r["url"].as_str().unwrap().contains(part)).unwrap();
    assert_eq!(of("/api/slow")["action_id"], tapped["action_id"], "{before_all}");
    assert_eq!(of("/api/slow")["status"], 200);
    assert!(of("spinner.html").get("action_id").is_none(), "nobody's action loaded the page: {before_all}");

    let since = ask(&session, "snapshot", json!({})).await["captured_at_ms"].clone();
    let later = ask(&session, "get_network_activity", json!({ "since": since })).await;
    assert_eq!(later["requests"], json!([]), "times are those of the session: {since}");
    session.close().await;
}
