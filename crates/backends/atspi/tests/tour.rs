//! A tour through programs of the distribution, every step through the engine: pages, menus, dialogs, typing, pressing.
//! At each stop the mirror is what other readers see.

mod stage;

use serde_json::{Value, json};
use stage::Stage;
use stage::truthful::assert_session_true;
use stage::verbs::ask;

/// Makes the tour. A step is a verb with its parameters; `look` as a verb compares.
async fn tour(program: &str, steps: &[(&str, Value)]) {
    let stage = Stage::new();
    let app = stage.program(program).await;
    let session = stage.open(&app).await;
    ask(&session, "wait_for_idle", json!({ "timeout_ms": 60_000 })).await;
    for (number, (verb, params)) in steps.iter().enumerate() {
        let when = format!("step {number}: {verb} {params}");
        if *verb != "look" {
            let told = ask(&session, verb, params.clone()).await;
            assert_ne!(told["success"], json!(false), "{when}: {told}");
            continue;
        }
        let rest = ask(&session, "wait_for_idle", json!({ "timeout_ms": 60_000 })).await;
        assert_eq!(rest["stabilized"], true, "{when}: {rest}");
        assert_session_true(&stage, &session, app.pid(), &when).await;
    }
    assert_eq!(session.telemetry().resyncs.get(), 0);
}

fn on(selector: &str) -> Value {
    json!({ "selector": selector, "timeout_ms": 30_000 })
}

fn look() -> (&'static str, Value) {
    ("look", json!({}))
}

#[tokio::test]
async fn the_mirror_of_gtk3_widget_factory_is_true_at_every_stop() {
    let steps = [
        look(),
        ("select", on("radio \"Page 2\"")),
        look(),
        ("select", on("radio \"Page 3\"")),
        look(),
        ("select", on("radio \"Page 1\"")),
        ("type_text", json!({ "selector": "textbox[enabled][0]", "text": "Jet" })),
        ("toggle", on("togglebutton \"togglebutton\"[0]")),
        ("tap", on("togglebutton \"Menu\"")),
        look(),
        ("tap", on("button \"About Widget Factory\"")),
        look(),
    ];
    tour("gtk3-widget-factory", &steps).await;
}

#[tokio::test]
async fn the_mirror_of_gtk4_widget_factory_is_true_at_every_stop() {
    let steps = [
        ("select", on("tab \"Page _2\"")),
        look(),
        ("select", on("tab \"Page _3\"")),
        ("select", on("tab \"Page _1\"")),
        ("toggle", on("checkbox \"checkbutton\"[enabled][0]")),
        look(),
    ];
    tour("gtk4-widget-factory", &steps).await;
}

#[tokio::test]
async fn the_mirror_of_kcalc_is_true_at_every_stop() {
    let steps = [
        look(),
        ("tap", on("button \"7\"")),
        ("tap", on("button \"×\"")),
        ("tap", on("button \"6\"")),
        ("tap", on("button \"=\"")),
        look(),
        ("tap", on("menuitem \"Settings\"")),
        look(),
        ("tap", on("menuitem \"Science Mode\"")),
        look(),
        ("press_key", json!({ "key": "1" })),
        ("press_key", json!({ "key": "2" })),
        look(),
        ("tap", on("menuitem \"Help\"")),
        ("tap", on("menuitem \"About KCalc\"")),
        look(),
        ("press_key", json!({ "key": "Escape" })),
        look(),
    ];
    tour("kcalc", &steps).await;
}
