//! `LibreOffice` Calc: a table that says it has two thousand million cells, typed into, with a menu opened and closed.
//!
//! pyatspi is not asked here: it has no way to tell which of the cells are on the screen.
//!
//! Run last on 2026-11-16 with `LibreOffice` 7.4.7 (Debian 12): 2,346 elements, 495 of them cells.
//!
//! Not part of `script/test`: the office is 96 MB to download. `script/bootstrap office` installs it, and
//! `cargo test -p stillpoint-atspi --test office` runs this.

mod stage;

use serde_json::json;
use stage::truthful::{assert_session_agrees, look};
use stage::verbs::ask;
use stage::{Stage, outline};
use stillpoint_core::tree::{Role, State};
use stillpoint_engine::Session;
use stillpoint_lab::App;

const OFFICE: &str = "/usr/lib/libreoffice/program/soffice.bin";

async fn calc(stage: &Stage) -> (App, Session) {
    let office = |arguments: &[&str]| {
        let mut command = stage.desktop.command(OFFICE);
        command.env("SAL_USE_VCLPLUGIN", "gtk3").args(["--norestore", "--nologo", "--nolockcheck"]);
        command.arg(format!("-env:UserInstallation=file://{}/office", stage.desktop.root().display()));
        command.args(arguments);
        command
    };
    // The first run makes the profile and wants to be started again, which it says with its code.
    let first = office(&["--terminate_after_init"]).output().expect("LibreOffice: script/bootstrap office");
    assert!(matches!(first.status.code(), Some(0 | 81)), "{first:?}");
    let app = stage.listed(office(&["--calc"])).await;
    // It is listed while it still loads, and answers nobody until it is done: the first attachment waits for that.
    look(stage, app.pid()).await;
    let session = stage.open(&app).await;
    let cell = json!({ "selector": "cell \"A1\"", "condition": "exists", "timeout_ms": 60_000 });
    ask(&session, "wait_for_ui", cell).await;
    (app, session)
}

async fn rest(session: &Session) {
    let rest = ask(session, "wait_for_idle", json!({ "timeout_ms": 60_000 })).await;
    assert_eq!(rest["stabilized"], true, "{rest}");
}

#[tokio::test]
async fn a_spreadsheet_is_mirrored_by_what_is_on_the_screen_and_typed_into() {
    let stage = Stage::new();
    let (app, session) = calc(&stage).await;
    rest(&session).await;
    let (cells, omitted, nodes) = session.read(|tree| {
        let cells = tree.walk().filter(|(_, n)| n.role() == Role::Cell).count();
        let omitted: u64 = tree.walk().map(|(_, n)| u64::from(n.omitted())).sum();
        (cells, omitted, tree.len())
    });
    println!("{nodes} elements, {cells} of them cells, {omitted} left out");
    assert!(cells > 20 && omitted > 1_000_000_000, "{cells} cells, {omitted} left out");
    assert_session_agrees(&stage, &session, app.pid(), "at the start").await;

    let tapped = ask(&session, "tap", json!({ "selector": "cell \"B2\"", "timeout_ms": 60_000 })).await;
    assert_eq!(tapped["means"]["kind"], "native", "{tapped}");
    ask(&session, "type_text", json!({ "text": "6*7 is forty-two" })).await;
    ask(&session, "press_key", json!({ "key": "Enter" })).await;
    rest(&session).await;
    session.read(|tree| {
        let cell = tree.walk().find(|(_, n)| n.role() == Role::Cell && n.label() == Some("B2"));
        let text = cell.and_then(|(_, n)| n.text().map(str::to_owned));
        assert_eq!(text.as_deref(), Some("6*7 is forty-two"), "{}", outline(tree).join("\n"));
    });
    assert_session_agrees(&stage, &session, app.pid(), "after typing").await;
}

#[tokio::test]
async fn a_menu_of_the_office_opens_and_closes() {
    let stage = Stage::new();
    let (app, session) = calc(&stage).await;
    rest(&session).await;
    // With the pointer, as a person does.
    let place = session.read(|tree| {
        let menu = tree.walk().find(|(_, n)| n.role() == Role::Menu && n.label() == Some("Insert"));
        menu.and_then(|(_, n)| n.bounds()).expect("the menu has a place").center()
    });
    let tapped = ask(&session, "tap_at", json!({ "x": place.0, "y": place.1 })).await;
    assert_eq!(tapped["success"], true, "{tapped}");
    rest(&session).await;
    let open = |session: &Session| {
        session.read(|tree| {
            tree.walk().any(|(_, n)| n.label() == Some("Image...") && n.states().is(State::OnScreen))
        })
    };
    assert!(open(&session), "{}", session.read(outline).join("\n"));
    assert_session_agrees(&stage, &session, app.pid(), "with the menu open").await;
    ask(&session, "press_key", json!({ "key": "Escape" })).await;
    rest(&session).await;
    assert!(!open(&session), "{}", session.read(outline).join("\n"));
    assert_session_agrees(&stage, &session, app.pid(), "with the menu closed").await;
}
