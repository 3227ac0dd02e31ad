//! A whole session of an agent, played by the SDK's own client.
#![allow(clippy::unwrap_used)] // a test may panic

mod support;

use rmcp::model::{
    ReadResourceRequestParams, ResourceContents, SubscribeRequestParams, UnsubscribeRequestParams,
};
use serde_json::json;
use support::{Heard, connect, end, engine, scripted, text};

#[tokio::test]
async fn list_open_look_act_and_verify() {
    let agent = connect(&engine()).await;
    let listed = agent.ask("list_targets", json!({})).await;
    let targets = listed["targets"].as_array().unwrap();
    assert!(targets.iter().any(|t| t["target"] == "sim:login"));
    assert_eq!(listed["open"], json!([]));

    let opened = agent.ask("open_target", json!({ "app": "sim:login" })).await;
    assert_eq!(opened["app"], "sim:login");
    agent.ask("wait_for_ui", json!({ "selector": "\"Ready\"" })).await;
    let looked = agent.call("snapshot", json!({})).await;
    assert!(text(&looked).contains("button \"Sign in\""), "{}", text(&looked));
    let before = looked.structured_content.unwrap()["snapshot_revision"].as_u64().unwrap();

    agent.ask("type_text", json!({ "selector": "#username", "text": "ada" })).await;
    agent.ask("type_text", json!({ "selector": "#password", "text": "secret" })).await;
    let tapped = agent
        .ask("tap", json!({ "selector": "button \"Sign in\"", "expect": "heading \"Welcome, ada\"" }))
        .await;
    assert_eq!(tapped["lifecycle_state"], "verified");
    assert!(!tapped["delta"]["added"].as_array().unwrap().is_empty(), "{tapped}");
    assert!(tapped["revision_after"].as_u64() > Some(before));
    let since = agent.ask("snapshot", json!({ "since": tapped["revision_after"] })).await;
    assert_eq!(since["kind"], "unchanged");

    agent.ask("expect_screen", json!({ "title": "Orders" })).await;
    let judged = agent.ask("classify_action_outcome", json!({ "action_id": tapped["action_id"] })).await;
    assert_eq!(judged["outcome"], "success");
    let flow = json!({ "steps": [
        { "verb": "tap", "selector": "#signout" },
        { "verb": "expect_element_visible", "selector": "textbox \"Username\"" },
    ] });
    assert_eq!(agent.ask("run_flow", flow).await["passed"], true);
    assert_eq!(agent.ask("close_target", json!({})).await["closed"], "sim:login");
}

#[tokio::test]
async fn a_screenshot_is_an_image_of_the_app_or_of_one_element() {
    let agent = connect(&engine()).await;
    for params in [json!({ "app": "sim:dialog" }), json!({ "selector": "button[0]" })] {
        let result = agent.call("screenshot", params).await;
        let picture = result.content.iter().find_map(|c| c.as_image()).unwrap();
        assert_eq!(picture.mime_type, "image/png");
        assert!(picture.data.starts_with("iVBORw0KGgo"), "not a PNG");
    }
}

#[tokio::test]
async fn what_a_verb_refuses_is_a_result_with_code_and_hint() {
    let agent = connect(&engine()).await;
    let missing = agent.refused("snapshot", json!({})).await;
    assert_eq!(missing["code"], "INVALID_ARGUMENT");
    let nonsense = agent.refused("snapshot", json!({ "app": "gedit" })).await;
    assert_eq!(nonsense["code"], "INVALID_ARGUMENT");
    assert_eq!(
        agent.refused("open_target", json!({ "app": "sim:nowhere" })).await["code"],
        "TARGET_NOT_FOUND"
    );
    agent.ask("open_target", json!({ "app": "sim:two_buttons" })).await;
    agent.ask("open_target", json!({ "app": "sim:noop" })).await;
    let several = agent.refused("snapshot", json!({})).await;
    assert!(several["hint"].as_str().unwrap().contains("sim:noop, sim:two_buttons"), "{several}");
    let app = "sim:two_buttons";
    assert_eq!(
        agent.refused("tap", json!({ "app": app, "selector": "button" })).await["code"],
        "AMBIGUOUS_TARGET"
    );
    let absent = json!({ "app": app, "selector": "button \"No such\"", "timeout_ms": 300 });
    assert_eq!(agent.refused("tap", absent).await["code"], "ELEMENT_NOT_FOUND");
    let bad = json!({ "app": app, "selector": "button \"unfinished" });
    assert_eq!(agent.refused("tap", bad).await["code"], "INVALID_SELECTOR");
    let stray = json!({ "app": app, "selector": "button", "colour": "red" });
    let known = ["INVALID_ARGUMENT", "AMBIGUOUS_TARGET"];
    assert!(known.contains(&agent.refused("tap", stray).await["code"].as_str().unwrap()));
    let never = json!({ "app": app, "timeout_ms": 1, "stability_window_ms": 1 });
    assert_eq!(agent.refused("wait_for_ui_change", never).await["code"], "TIMEOUT");
    let wrong = json!({ "app": app, "title": "Another screen", "timeout_ms": 0 });
    assert_eq!(agent.refused("expect_screen", wrong).await["code"], "VERIFICATION_FAILED");
    assert_eq!(agent.refused("get_network_activity", json!({ "app": app })).await["code"], "UNSUPPORTED");
    assert_eq!(agent.refused("close_target", json!({ "app": "sim:feed" })).await["code"], "TARGET_NOT_FOUND");
}

#[tokio::test]
async fn a_lost_target_is_told_once_and_then_opened_afresh() {
    let engine = engine();
    let agent = connect(&engine).await;
    let app = json!({ "app": "sim:login" });
    agent.ask("snapshot", app.clone()).await;
    engine.close(&"sim:login".parse().unwrap()).await;
    assert_eq!(agent.refused("snapshot", app.clone()).await["code"], "TARGET_LOST");
    agent.ask("snapshot", app).await;
}

const STEADY: &str = "title \"Steady\"\napplication \"Steady\" #app\n  window \"Steady\" #window\n    status #status text=\"0\"\n\non attach:\n  every 100ms set #status text \"{n}\"\n";

#[tokio::test]
async fn a_wait_tells_its_progress_and_ends_when_it_is_cancelled() {
    let engine = scripted(STEADY);
    let agent = connect(&engine).await;
    let params = json!({ "app": "sim:custom", "mask_volatile": false, "timeout_ms": 3_600_000 });
    let waiting = agent.begin("wait_for_ui_change", params).await;
    let mut last = 0.0;
    for _ in 0..3 {
        let Heard::Progress(progress) = agent.hear().await else { panic!("not a progress") };
        assert_eq!(progress.progress_token, waiting.progress_token);
        assert!(progress.progress > last);
        assert!(progress.message.as_ref().is_some_and(|m| m.starts_with("rev ")), "{progress:?}");
        last = progress.progress;
    }
    let decided = || engine.telemetry().waits.get();
    assert_eq!(decided(), 0);
    waiting.cancel(Some("enough".to_owned())).await.unwrap();
    // The wait itself ends: it is counted, and it did not run out of time.
    let session = engine.session(&"sim:custom".parse().unwrap()).unwrap();
    let mut ticks = session.changes();
    while decided() == 0 {
        ticks.changed().await.unwrap();
    }
    assert_eq!(engine.telemetry().timeouts.get(), 0);
    agent.ask("snapshot", json!({})).await;
}

#[tokio::test]
async fn a_client_that_goes_away_takes_its_waits_with_it() {
    let engine = scripted(STEADY);
    let agent = connect(&engine).await;
    let params = json!({ "app": "sim:custom", "mask_volatile": false, "timeout_ms": 3_600_000 });
    let _waiting = agent.begin("wait_for_ui_change", params).await;
    let Heard::Progress(_) = agent.hear().await else { panic!("not a progress") };
    agent.service.cancel().await.unwrap();
    let session = engine.session(&"sim:custom".parse().unwrap()).unwrap();
    let mut ticks = session.changes();
    while engine.telemetry().waits.get() == 0 {
        ticks.changed().await.unwrap();
    }
    assert_eq!(engine.telemetry().timeouts.get(), 0);
}

#[tokio::test]
async fn a_subscriber_hears_of_each_settled_revision_until_it_unsubscribes() {
    let agent = connect(&engine()).await;
    agent.ask("open_target", json!({ "app": "sim:toast" })).await;
    let resources = agent.service.list_all_resources().await.unwrap();
    let uri = resources[0].uri.clone();
    assert_eq!(uri, "stillpoint://sim%3Atoast/snapshot");
    assert_eq!(agent.service.list_all_resource_templates().await.unwrap().len(), 1);
    agent.ask("wait_for_ui", json!({ "selector": "\"Opened\"" })).await;
    #[allow(deprecated)] // what clients of today send
    agent.service.subscribe(SubscribeRequestParams::new(&uri)).await.unwrap();
    for saves in 1..=2 {
        agent.ask("tap", json!({ "selector": "#save" })).await;
        assert_eq!(agent.hear_update().await, uri);
        let read = agent.service.read_resource(ReadResourceRequestParams::new(&uri)).await.unwrap();
        let ResourceContents::TextResourceContents { text, .. } = &read.contents[0] else {
            panic!("not text")
        };
        assert!(text.contains(&format!("Saved {saves} times")), "{text}");
    }
    #[allow(deprecated)]
    agent.service.unsubscribe(UnsubscribeRequestParams::new(&uri)).await.unwrap();
    let strange = ReadResourceRequestParams::new("stillpoint://nonsense");
    assert!(agent.service.read_resource(strange).await.is_err());
}

#[tokio::test]
async fn a_subscriber_hears_when_the_target_is_gone() {
    let engine = engine();
    let agent = connect(&engine).await;
    let uri = "stillpoint://sim%3Anoop/snapshot";
    #[allow(deprecated)] // what clients of today send
    agent.service.subscribe(SubscribeRequestParams::new(uri)).await.unwrap();
    assert!(engine.close(&"sim:noop".parse().unwrap()).await);
    assert_eq!(agent.hear_update().await, uri);
}

#[tokio::test]
async fn two_clients_of_one_target_see_the_same_revisions() {
    let engine = engine();
    let (one, two) = (connect(&engine).await, connect(&engine).await);
    let app = json!({ "app": "sim:toast" });
    one.ask("wait_for_ui", json!({ "app": "sim:toast", "selector": "\"Opened\"" })).await;
    let before = two.ask("snapshot", app.clone()).await["snapshot_revision"].clone();
    assert_eq!(one.ask("snapshot", app.clone()).await["snapshot_revision"], before);
    let waiting =
        two.begin("wait_for_ui_change", json!({ "since_revision": before, "timeout_ms": 60000 })).await;
    let tapped = one.ask("tap", json!({ "selector": "#save", "expect": "\"Saved 1 times\"" })).await;
    let seen = end(waiting).await.structured_content.unwrap();
    assert_eq!(seen["status"], "success", "{seen}");
    assert_eq!(seen["snapshot_revision"], tapped["revision_after"]);
    let (a, b) = tokio::join!(one.ask("snapshot", app.clone()), two.ask("snapshot", app));
    assert_eq!(a["elements"], b["elements"]);
    assert_eq!(a["snapshot_revision"], b["snapshot_revision"]);
}
