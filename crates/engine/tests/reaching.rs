//! `scroll_to` in lists of which only a part is mirrored, on the simulator, in virtual time.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::json;
use support::{ask, open, refused};

#[tokio::test(start_paused = true)]
async fn a_row_that_is_not_mirrored_yet_is_reached_by_scrolling() {
    let session = open("sim:table:3000").await;
    let params = json!({ "selector": "#row-2500", "timeout_ms": 600_000 });
    let missing = refused(&session, "find_element", json!({ "selector": "#row-2500" })).await;
    assert_eq!(missing.code, stillpoint_core::Code::ElementNotFound);
    let done = ask(&session, "scroll_to", params).await;
    assert_eq!(done["success"], true, "{done}");
    let tapped =
        ask(&session, "tap", json!({ "selector": "#open-2500", "expect": "\"Opened row 2500\"" })).await;
    assert_eq!(tapped["lifecycle_state"], "verified", "{tapped}");
}

#[tokio::test(start_paused = true)]
async fn what_lies_above_is_reached_too() {
    let session = open("sim:table:3000").await;
    let far = json!({ "selector": "#row-2000", "timeout_ms": 600_000 });
    assert_eq!(ask(&session, "scroll_to", far).await["success"], true);
    let back = json!({ "selector": "#row-7", "timeout_ms": 600_000 });
    assert_eq!(ask(&session, "scroll_to", back).await["success"], true);
}

#[tokio::test(start_paused = true)]
async fn a_row_that_is_nowhere_is_not_found_and_the_list_is_named() {
    let session = open("sim:table:1500").await;
    let params = json!({ "selector": "#row-9999", "timeout_ms": 600_000 });
    let missed = ask(&session, "scroll_to", params).await;
    assert_eq!(missed["failure_code"], "ELEMENT_NOT_FOUND", "{missed}");
    assert!(missed["error"]["message"].as_str().unwrap().contains("scrolled from end to end"), "{missed}");
    assert!(missed["error"]["message"].as_str().unwrap().contains("Results"), "{missed}");
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_scrolls_nothing() {
    let session = open("sim:table:3000").await;
    let layout = session.snapshot().layout_revision;
    let params = json!({ "selector": "#row-2500", "dry_run": true });
    assert_eq!(ask(&session, "scroll_to", params).await["failure_code"], "ELEMENT_NOT_FOUND");
    assert_eq!(session.snapshot().layout_revision, layout);
}
