//! Acting on widgets changes what the app itself believes.

mod stage;

use stage::{Stage, Watched, patience};
use std::sync::Arc;
use std::time::Duration;
use stillpoint_core::tree::{NativeKey, Role};
use stillpoint_engine::backend::{Action, Backend as _, Button, Key, Means, Place, SetTo};
use stillpoint_lab::{App, Fixture};

async fn act(watched: &mut Watched, action: Action) -> Means {
    let done = watched.backend.perform(&action, patience()).await;
    done.unwrap_or_else(|refusal| panic!("{action:?} was refused: {refusal:?}")).means
}

fn tap(on: NativeKey) -> Action {
    Action::Tap { on: Place::Element(on), button: Button::Left, count: 1, hold: None }
}

async fn truth(watched: &mut Watched, app: &Arc<App>) -> serde_json::Value {
    watched.control(app, "rest").await;
    serde_json::from_str(&watched.control(app, "truth").await).expect("truth is JSON")
}

async fn show(watched: &mut Watched, app: &Arc<App>, page: &str) {
    watched.control(app, &format!("show {page}")).await;
    watched.catch_up().await;
}

async fn every_toolkit_obeys(fixture: Fixture) {
    let stage = Stage::new();
    let app = stage.fixture(fixture);
    let mut watched = stage.attach(&app).await;

    show(&mut watched, &app, "animation").await;
    let button = watched.key(Role::Button, "Count");
    let means = act(&mut watched, tap(button)).await;
    assert!(matches!(means, Means::Native(_)), "{means:?}");
    watched.control(&app, "activated animation.count 1").await;

    show(&mut watched, &app, "debounce").await;
    let field = watched.key(Role::Textbox, "Quantity");
    act(&mut watched, Action::TypeText { on: Some(field), text: "6".to_owned(), replace: true }).await;
    let after = truth(&mut watched, &app).await;
    assert_eq!(after["values"]["debounce.quantity"]["text"], "6", "{after}");
    watched.catch_up().await;
    assert!(
        watched.tree().walk().any(|(_, n)| n.label() == Some("Total: 42") || n.text() == Some("Total: 42"))
    );

    show(&mut watched, &app, "choices").await;
    let check = watched.key(Role::Checkbox, "Remember me");
    act(&mut watched, Action::Toggle { on: check }).await;
    watched.control(&app, "happened toggled choices.remember 1").await;

    show(&mut watched, &app, "values").await;
    let slider = watched.key(Role::Slider, "Volume");
    act(&mut watched, Action::SetValue { on: slider, to: SetTo::Number(42.0) }).await;
    let after = truth(&mut watched, &app).await;
    assert_eq!(after["values"]["values.slider"]["value"].as_f64(), Some(42.0), "{after}");
}

#[tokio::test]
async fn gtk3_does_as_it_is_told() {
    every_toolkit_obeys(Fixture::Gtk3).await;
}

#[tokio::test]
async fn gtk4_does_as_it_is_told() {
    every_toolkit_obeys(Fixture::Gtk4).await;
}

#[tokio::test]
async fn qt_does_as_it_is_told() {
    every_toolkit_obeys(Fixture::Qt).await;
}

#[tokio::test]
async fn qt6_does_as_it_is_told() {
    every_toolkit_obeys(Fixture::Qt6).await;
}

#[tokio::test]
async fn synthesised_input_reaches_the_app_and_is_named() {
    let stage = Stage::new();
    let app = stage.fixture(Fixture::Gtk3);
    let mut watched = stage.attach(&app).await;

    show(&mut watched, &app, "animation").await;
    let id = watched.find(Role::Button, "Count").unwrap();
    let (x, y) = watched.tree().get(id).unwrap().bounds().unwrap().center();
    let at_point = Action::Tap { on: Place::Point(x, y), button: Button::Left, count: 1, hold: None };
    let means = act(&mut watched, at_point).await;
    assert_eq!(means, Means::Synthesised("xtest".to_owned()));
    watched.control(&app, "activated animation.count 1").await;
    let hit = watched.backend.hit_test(x, y, patience()).await.unwrap();
    assert_eq!(hit, Some(watched.key(Role::Button, "Count")));

    show(&mut watched, &app, "debounce").await;
    let field = watched.key(Role::Textbox, "Quantity");
    act(&mut watched, Action::Focus { on: field }).await;
    let wide = "Añ→ж 日本 42";
    act(&mut watched, Action::TypeText { on: None, text: wide.to_owned(), replace: false }).await;
    let typed = format!("happened changed debounce.quantity {}", wide.chars().count());
    watched.control(&app, &typed).await;
    let after = truth(&mut watched, &app).await;
    assert_eq!(after["values"]["debounce.quantity"]["text"], wide);

    let save = Key { name: "s".to_owned(), ctrl: true, shift: false, alt: false, meta: false };
    act(&mut watched, Action::PressKey { on: None, key: save }).await;
    watched.control(&app, "happened saved shortcut 1").await;
}

#[tokio::test]
async fn a_drag_drops_what_it_carries() {
    let stage = Stage::new();
    let app = stage.fixture(Fixture::Gtk3);
    let mut watched = stage.attach(&app).await;
    show(&mut watched, &app, "drag").await;
    let place = |watched: &Watched, label: &str| {
        let tree = watched.tree();
        let shown =
            tree.by_label(label).into_iter().filter_map(|id| tree.get(id)).find(|n| n.bounds().is_some());
        Place::Element(shown.expect("it is on the screen").key())
    };
    let (from, to) = (place(&watched, "Card"), place(&watched, "Tray"));
    act(&mut watched, Action::Drag { from, to, over: Duration::from_secs(2) }).await;
    watched.control(&app, "happened dropped drag.tray 1").await;
}

#[tokio::test]
async fn a_picture_of_an_element_has_its_size() {
    let stage = Stage::new();
    let app = stage.fixture(Fixture::Gtk3);
    let mut watched = stage.attach(&app).await;
    show(&mut watched, &app, "animation").await;
    let id = watched.find(Role::Button, "Count").unwrap();
    let node = watched.tree().get(id).unwrap();
    let (key, bounds) = (node.key(), node.bounds().unwrap());
    let size = |png: &[u8]| {
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        (number(16) as i32, number(20) as i32)
    };
    let picture = watched.backend.screenshot(Some(key), patience()).await.unwrap();
    assert_eq!(size(&picture), (bounds.width, bounds.height));
    let window = watched.backend.screenshot(None, patience()).await.unwrap();
    assert!(size(&window).0 >= bounds.width && size(&window).1 >= bounds.height);
}
