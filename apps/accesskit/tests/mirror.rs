//! What the AT-SPI backend makes of an AccessKit app: its tree, what a tap does, and the mirror after thousands of changes.

#[path = "../../../crates/backends/atspi/tests/stage/mod.rs"]
mod stage;

use serde_json::{Value, json};
use stage::truthful::assert_true;
use stage::verbs::{answer, ask};
use stage::{Stage, outline};
use std::sync::Arc;
use std::time::Duration;
use stillpoint_core::tree::{Role, State};
use stillpoint_lab::App;

fn start(stage: &Stage) -> Arc<App> {
    let command = stage.desktop.command(env!("CARGO_BIN_EXE_fixture-accesskit"));
    let app = stage.desktop.spawn(command).expect("it starts");
    app.wait_ready(Duration::from_secs(60)).expect("it comes to the bus");
    Arc::new(app)
}

/// A line of the app's protocol, off the async threads.
async fn control(app: &Arc<App>, line: &str) -> String {
    let (app, line) = (app.clone(), line.to_owned());
    let done = tokio::task::spawn_blocking(move || app.control(&line).expect("the fixture does as told"));
    done.await.expect("no panic")
}

async fn truth(app: &Arc<App>) -> Value {
    serde_json::from_str(&control(app, "truth").await).expect("truth is JSON")
}

#[tokio::test]
async fn the_first_tree_has_roles_labels_ids_and_places() {
    let stage = Stage::new();
    let app = start(&stage);
    let mut watched = stage.attach(&app).await;
    watched.catch_up().await;
    let tree = watched.tree();
    let story = outline(tree).join("\n");
    for (role, label, id) in [
        (Role::Button, "Count", "count"),
        (Role::Label, "Counted: 0", "counted"),
        (Role::Textbox, "Username", "username"),
        (Role::Textbox, "Password", "password"),
        (Role::Checkbox, "Remember me", "remember"),
        (Role::Slider, "Volume", "volume"),
    ] {
        let found = watched.find(role, label).unwrap_or_else(|| panic!("no {role} {label:?} in:\n{story}"));
        let node = tree.get(found).expect("it was just found");
        assert_eq!(node.stable_id(), Some(id), "{story}");
        assert!(node.bounds().is_some(), "{label:?} has no place");
        assert_eq!(node.states().is(State::Protected), id == "password", "{story}");
    }
    assert_true(&stage, &mut watched, app.pid(), "at the start").await;
}

#[tokio::test]
async fn the_mirror_of_accesskit_is_true_after_two_thousand_mutations() {
    let soak = std::env::var("STILLPOINT_SOAK").ok().and_then(|n| n.parse().ok());
    for seed in 7..7 + soak.unwrap_or(1u32) {
        let stage = Stage::new();
        let app = start(&stage);
        let mut watched = stage.attach(&app).await;
        watched.control(&app, &format!("mutate 2000 {seed}")).await;
        watched.catch_up().await;
        assert_true(&stage, &mut watched, app.pid(), &format!("seed {seed}")).await;
        assert_eq!(watched.resyncs, 0);
        assert_eq!(watched.ignored, 0, "a change referred to something unknown");
    }
}

#[tokio::test]
async fn a_tap_a_text_and_a_value_reach_the_app_and_show_in_the_mirror() {
    let stage = Stage::new();
    let app = start(&stage);
    let session = stage.open(&app).await;
    let tapped = ask(&session, "tap", json!({ "selector": "#count" })).await;
    assert_eq!(tapped["success"], true, "{tapped}");
    assert!(tapped["delta"].to_string().contains("Counted: 1"), "{tapped}");
    ask(&session, "toggle", json!({ "selector": "#remember" })).await;
    ask(&session, "set_value", json!({ "selector": "#volume", "value": 42 })).await;
    ask(&session, "type_text", json!({ "selector": "#username", "text": "visible-name" })).await;
    let believed = &truth(&app).await["values"];
    assert_eq!(believed["remember"]["checked"], true, "{believed}");
    assert_eq!(believed["volume"]["value"], 42.0, "{believed}");
    assert_eq!(believed["username"]["text"], "visible-name", "{believed}");
    let shown = ask(&session, "snapshot", json!({})).await.to_string();
    assert!(shown.contains("visible-name"), "{shown}");
}

#[tokio::test]
async fn a_press_of_the_pointer_meets_the_element_that_the_mirror_has_there() {
    let stage = Stage::new();
    let app = start(&stage);
    let session = stage.open(&app).await;
    let found = ask(&session, "find_element", json!({ "selector": "#count" })).await;
    let (x, y) = middle(&found);
    let tapped = ask(&session, "tap_at", json!({ "x": x, "y": y })).await;
    assert_eq!(tapped["success"], true, "{tapped}");
    control(&app, "activated count 1").await;
}

fn middle(found: &Value) -> (i64, i64) {
    let text = found.to_string();
    let bounds = found.pointer("/element/bounds").or_else(|| found.pointer("/elements/0/bounds"));
    let bounds = bounds.unwrap_or_else(|| panic!("no bounds in {text}"));
    let number = |at: usize, name: &str| bounds.get(at).or_else(|| bounds.get(name)).and_then(Value::as_i64);
    let [x, y, width, height] = [(0, "x"), (1, "y"), (2, "width"), (3, "height")]
        .map(|(at, name)| number(at, name).expect("a number"));
    (x + width / 2, y + height / 2)
}

#[tokio::test]
async fn a_password_is_told_nowhere() {
    let stage = Stage::new();
    let app = start(&stage);
    let session = stage.open(&app).await;
    let base = session.revision();
    control(&app, "set password opensesame").await;
    control(&app, "set username visible-name").await;
    let rest = answer(&session, "wait_for_idle", json!({})).await.expect("it comes to rest");
    let shown = ask(&session, "snapshot", json!({})).await;
    let told = format!("{} {shown} {:?}", rest.text(), session.delta_since(base));
    assert!(told.contains("visible-name") && !told.contains("opensesame"), "{told}");
}
