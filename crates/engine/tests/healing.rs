//! A recorded target is found again after its screen has changed, only when that is asked for and sure.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::json;
use stillpoint_core::Code;
use support::{ask, refused, scripted};

const SCENE: &str = "application \"A\" #app
  window \"Mail\" #w
    toolbar \"Tools\" #tools
      button \"Compose\" #new @10,10,80,30
      button \"Refresh\" #refresh @100,10,80,30
    list \"Inbox\" #inbox
      listitem \"Hello\" #mail
    text #s text=\"idle\"

template renamed:
  button \"Write mail\" #new @10,10,90,30

on tap #refresh:
  replace #new with renamed

on tap #new:
  set #s text \"composing\"
";

#[tokio::test(start_paused = true)]
async fn a_renamed_target_is_found_by_its_record_and_the_answer_says_how() {
    let session = scripted(SCENE).await;
    let found =
        ask(&session, "find_element", json!({ "selector": "button \"Compose\"", "fingerprint": true })).await;
    let record = found["fingerprints"][0].clone();
    assert_eq!(record["label"], "Compose");
    ask(&session, "tap", json!({ "selector": "#refresh" })).await;
    let plain = ask(&session, "tap", json!({ "selector": "button \"Compose\"" })).await;
    assert_eq!(plain["failure_code"], "ELEMENT_NOT_FOUND", "healing is opt-in: {plain}");
    let params = json!({
        "selector": "button \"Compose\"", "heal": true, "fingerprint": record, "expect": "#s[text=\"composing\"]",
    });
    let done = ask(&session, "tap", params).await;
    assert_eq!(done["lifecycle_state"], "verified", "{done}");
    let healed = &done["target"]["healed"];
    assert_eq!(healed["selector"], "#new");
    assert!(healed["score"].as_f64().unwrap() > 0.8);
    assert!(healed["changes"].to_string().contains("Write mail"), "{healed}");
    assert_eq!(done["target"]["confidence"]["reason"], "healed");
}

#[tokio::test(start_paused = true)]
async fn what_is_not_surely_the_recorded_element_is_not_acted_on() {
    let session = scripted(SCENE).await;
    let found = ask(&session, "find_element", json!({ "selector": "#mail", "fingerprint": true })).await;
    let mut record = found["fingerprints"][0].clone();
    (record["label"], record["stable_id"]) = (json!("Gone"), json!("gone"));
    (record["neighbours"], record["ancestors"]) = (json!(["nobody"]), json!([]));
    let params = json!({ "selector": "#gone", "heal": true, "fingerprint": record });
    let done = ask(&session, "tap", params).await;
    assert_eq!(done["failure_code"], "ELEMENT_NOT_FOUND", "{done}");
    assert!(done["error"]["message"].as_str().unwrap().contains("surely the recorded"));
}

#[tokio::test(start_paused = true)]
async fn heal_without_a_record_is_refused() {
    let session = scripted(SCENE).await;
    let error = refused(&session, "tap", json!({ "selector": "#new", "heal": true })).await;
    assert_eq!(error.code, Code::InvalidArgument);
    assert!(error.hint.contains("find_element"));
    let plain = ask(&session, "find_element", json!({ "selector": "#new" })).await;
    assert!(plain["fingerprints"].is_null(), "only on request");
}
