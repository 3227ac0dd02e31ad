//! What a session remembers of itself, and the story that is told from it; in virtual time.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::json;
use stillpoint_core::Code;
use stillpoint_engine::trace::{Entry, What, read, story};
use stillpoint_sim::Sim;
use support::{ask, open, open_with, refused, scripted};

fn waits(entries: &[Entry]) -> Vec<&stillpoint_engine::trace::WaitRecord> {
    entries.iter().filter_map(|e| if let What::Wait(w) = &e.what { Some(&**w) } else { None }).collect()
}

fn actions(entries: &[Entry]) -> Vec<&stillpoint_engine::trace::ActionRecord> {
    entries.iter().filter_map(|e| if let What::Action(a) = &e.what { Some(&**a) } else { None }).collect()
}

#[tokio::test(start_paused = true)]
async fn revisions_are_kept_with_their_change_in_words() {
    let session = open("sim:login").await;
    ask(&session, "wait_for_ui_change", json!({})).await;
    let told = session.trace();
    let ready = told.iter().find_map(|e| match &e.what {
        What::Revision { changes, .. } => changes.iter().find(|c| c.contains("Ready")),
        _ => None,
    });
    assert!(ready.is_some(), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_kept_with_its_resets_barriers_and_outcome() {
    let scene = "application \"A\"\n  text \"s\" #s text=\"0\"\n\non attach:\n  every 100ms times 5:\n    set #s text \"{n}\"\n";
    let session = scripted(scene).await;
    let answer = ask(&session, "wait_for_ui_change", json!({})).await;
    let told = session.trace();
    let wait = waits(&told)[0];
    assert_eq!(wait.story, answer["story"].as_str().unwrap());
    assert_eq!(wait.resets_ms, [100, 200, 300, 400, 500]);
    assert_eq!(wait.barriers_ms.last(), Some(&800));
    assert_eq!(serde_json::to_value(wait.reason).unwrap(), "converged");
    let story = story(&told);
    assert!(story.contains("window restarted at 100, 200, 300, 400, 500 ms"), "{story}");
}

#[tokio::test(start_paused = true)]
async fn an_action_that_waited_in_vain_tells_what_it_saw_and_when() {
    let session = open("sim:login").await;
    let done = ask(&session, "tap", json!({ "selector": "#signin", "timeout_ms": 800 })).await;
    let message = done["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("waited 800 ms for button \"Sign in\""), "{message}");
    assert!(message.contains("to be enabled: at 0 ms disabled"), "{message}");
    let told = session.trace();
    assert_eq!(actions(&told)[0].observed[0].seen, "disabled");
    let story = story(&told);
    assert!(
        story.contains("a1 tap #signin: failed") && story.contains("→ do what enables it first"),
        "{story}"
    );
}

#[tokio::test(start_paused = true)]
async fn each_change_of_what_stands_in_the_way_is_one_observation() {
    let scene = "application \"A\"\n  button \"Go\" #go [not enabled, not visible]\n\non attach:\n  after 200ms set #go visible\n";
    let session = scripted(scene).await;
    let done = ask(&session, "tap", json!({ "selector": "#go", "timeout_ms": 600 })).await;
    let message = done["error"]["message"].as_str().unwrap();
    assert!(message.contains("at 0 ms not visible, at 200 ms disabled"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_file_has_everything_and_a_picture_of_each_failure() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("run.jsonl");
    let session = open_with(&Sim::new(), "sim:login", &[("trace", path.to_str().unwrap())]).await.unwrap();
    ask(&session, "wait_for_idle", json!({})).await;
    ask(&session, "tap", json!({ "selector": "#signin", "timeout_ms": 300 })).await;
    let gone = json!({ "selector": "#nothing", "property": "enabled", "expected": true, "timeout_ms": 50 });
    ask(&session, "expect_state", gone).await;
    refused(&session, "snapshot", json!({ "max_nodes": 0 })).await;
    session.close().await;
    let told = read(&path).unwrap();
    assert!(matches!(&told[0].what, What::Recording { target, .. } if target == "sim:login"));
    assert!(matches!(&told.last().unwrap().what, What::Ended { .. }), "{told:?}");
    let pictures: Vec<&str> = told
        .iter()
        .filter_map(|e| if let What::Picture { file, .. } = &e.what { Some(file.as_str()) } else { None })
        .collect();
    assert_eq!(pictures.len(), 2, "{told:?}");
    for file in pictures {
        assert!(std::fs::read(room.path().join(file)).unwrap().starts_with(b"\x89PNG"));
    }
    let story = story(&told);
    for part in ["recording sim:login", "waited", "a1 tap", "✗ expected #nothing", "snapshot was refused"] {
        assert!(story.contains(part), "{part} is missing in\n{story}");
    }
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_trace_can_be_read_by_its_user_only() {
    use std::os::unix::fs::PermissionsExt;
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("run.jsonl");
    open("sim:noop").await.record_to(&path).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test(start_paused = true)]
async fn what_is_protected_is_in_no_trace() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("run.jsonl");
    let session = open("sim:login").await;
    session.record_to(&path).unwrap();
    let secret = "hunter2secret";
    ask(&session, "type_text", json!({ "selector": "#password", "text": secret })).await;
    ask(&session, "set_value", json!({ "selector": "#password", "value": format!("{secret}!") })).await;
    for key in ["h", "Backspace"] {
        ask(&session, "press_key", json!({ "selector": "#password", "key": key })).await;
    }
    let looked =
        json!({ "selector": "#password", "property": "value", "expected": secret, "timeout_ms": 10 });
    refused(&session, "expect_state", looked.clone()).await;
    let params = json!({ "selector": "#username", "text": "ada", "expect": looked });
    ask(&session, "type_text", params).await;
    ask(&session, "snapshot", json!({})).await;
    session.close().await;
    let file = std::fs::read_to_string(&path).unwrap();
    assert!(file.lines().count() > 5 && !file.contains(secret), "{file}");
    assert!(!format!("{:?}", session.trace()).contains(secret));
}

#[tokio::test(start_paused = true)]
async fn memory_is_bounded_whatever_happens() {
    let session = open("sim:clock").await;
    let params = json!({ "mask_volatile": false, "timeout_ms": 600_000 });
    ask(&session, "wait_for_ui_change", params).await;
    let told = session.trace();
    assert_eq!(told.len(), 4096, "six thousand ticks came");
    assert!(told[0].at_ms > 100_000.0, "the oldest are gone");
}

#[test]
fn what_is_no_trace_is_refused_with_the_line() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("x");
    assert_eq!(read(&path).unwrap_err().code, Code::InvalidArgument);
    std::fs::write(&path, "{\"at_ms\":1.0,\"kind\":\"full\"}\nnonsense\n{\"at_ms\":1.0,\"kind\":\"full\"}\n")
        .unwrap();
    assert!(read(&path).unwrap_err().message.contains("line 2"));
    std::fs::write(&path, "{\"at_ms\":1.0,\"kind\":\"full\"}\n{\"at_ms\":1.0,\"ki").unwrap();
    assert_eq!(read(&path).unwrap().len(), 1, "a line that a crash cut short is left out");
}
