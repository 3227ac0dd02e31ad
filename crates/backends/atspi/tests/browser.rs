//! Chromium driven as a desktop app, over AT-SPI alone: its windows, its toolbars and the page in it.

mod stage;

use serde_json::json;
use stage::truthful::assert_session_true;
use stage::verbs::ask;
use stage::{Stage, outline};
use stillpoint_core::tree::{Role, State};
use stillpoint_engine::Session;
use stillpoint_lab::App;

/// Opens a page of `apps/web` in a browser of its own, with its tabs and toolbars or `alone`.
async fn browse(stage: &Stage, page: &str, alone: bool) -> (App, Session) {
    let mut command = stage.desktop.command("chromium");
    command.args([
        "--force-renderer-accessibility",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--password-store=basic",
        "--window-size=1000,700",
    ]);
    command.arg(format!("--user-data-dir={}", stage.desktop.root().join("chromium").display()));
    let url = format!("file://{}/web/{page}", stillpoint_lab::apps_dir().display());
    command.arg(if alone { format!("--app={url}") } else { url });
    let app = stage.listed(command).await;
    let session = stage.open(&app).await;
    (app, session)
}

/// `STILLPOINT_SOAK=N` makes N rounds of changes.
fn rounds() -> u32 {
    std::env::var("STILLPOINT_SOAK").ok().and_then(|n| n.parse().ok()).unwrap_or(3)
}

async fn rest(session: &Session) {
    let rest = ask(session, "wait_for_idle", json!({ "timeout_ms": 60_000 })).await;
    assert_eq!(rest["stabilized"], true, "{rest}");
}

#[tokio::test]
async fn the_mirror_of_chromium_is_true_after_changes_of_the_page() {
    let stage = Stage::new();
    // Without tabs: what a page needs of memory is part of its tab's name, and changes at any time.
    let (app, session) = browse(&stage, "desktop.html", true).await;
    let there = json!({ "selector": "button \"Change\"", "condition": "clickable", "timeout_ms": 60_000 });
    ask(&session, "wait_for_ui", there).await;
    rest(&session).await;
    assert_session_true(&stage, &session, app.pid(), "at the start").await;
    for round in 1..=rounds() {
        let tapped = ask(&session, "tap", json!({ "selector": "button \"Change\"" })).await;
        assert_eq!(tapped["success"], true, "round {round}: {tapped}");
        let told = json!({ "selector": format!("\"Round {round}\""), "condition": "exists" });
        ask(&session, "wait_for_ui", told).await;
        rest(&session).await;
        assert_session_true(&stage, &session, app.pid(), &format!("round {round}")).await;
    }
    assert_eq!(session.telemetry().resyncs.get(), 0);
}

#[tokio::test]
async fn a_tap_and_a_text_reach_the_page_and_a_password_is_told_nowhere() {
    let stage = Stage::new();
    let (_app, session) = browse(&stage, "desktop.html", false).await;
    let there = json!({ "selector": "button \"Count\"", "condition": "clickable", "timeout_ms": 60_000 });
    ask(&session, "wait_for_ui", there).await;
    rest(&session).await;
    for count in 1..=2 {
        let tapped = ask(&session, "tap", json!({ "selector": "button \"Count\"" })).await;
        assert_eq!(tapped["success"], true, "{tapped}");
        assert!(tapped["delta"].to_string().contains(&format!("Counted: {count}")), "{tapped}");
    }
    for (label, text) in [("Your name", "visible-name"), ("Password", "opensesame")] {
        let field = json!({ "selector": format!("textbox \"{label}\""), "text": text });
        let typed = ask(&session, "type_text", field).await;
        assert_eq!(typed["success"], true, "{typed}");
    }
    rest(&session).await;
    session.read(|tree| {
        let story = outline(tree).join("\n");
        assert!(story.contains("visible-name") && !story.contains("opensesame"), "{story}");
        let field = tree.walk().find(|(_, n)| n.role() == Role::Textbox && n.label() == Some("Password"));
        assert!(field.is_some_and(|(_, n)| n.states().is(State::Protected)), "{story}");
    });
}

/// What a textbox of this name holds.
fn text_of(session: &Session, label: &str) -> Option<String> {
    session.read(|tree| {
        let mut boxes = tree.walk().filter(|(_, n)| n.role() == Role::Textbox && n.label() == Some(label));
        boxes.next().and_then(|(_, n)| n.text().map(str::to_owned))
    })
}

#[tokio::test]
async fn keys_wait_until_the_focus_has_moved_however_busy_the_page_is() {
    let stage = Stage::new();
    let (_app, session) = browse(&stage, "toil.html", true).await;
    let there = json!({ "selector": "button \"Toil\"", "condition": "clickable", "timeout_ms": 60_000 });
    ask(&session, "wait_for_ui", there).await;
    let toiling = ask(&session, "tap", json!({ "selector": "button \"Toil\"" })).await;
    assert_eq!(toiling["success"], true, "{toiling}");
    for round in 1..=3 {
        for label in ["First", "Second"] {
            let text = format!("{label} {round}");
            let field = json!({ "selector": format!("textbox \"{label}\""), "text": text });
            let typed = ask(&session, "type_text", field).await;
            assert_eq!(typed["success"], true, "{typed}");
            let there =
                json!({ "selector": format!("textbox \"{label}\"[text=\"{text}\"]"), "condition": "exists" });
            ask(&session, "wait_for_ui", there).await;
        }
        let held = ["First", "Second"].map(|label| text_of(&session, label));
        assert_eq!(held, [Some(format!("First {round}")), Some(format!("Second {round}"))]);
    }
}

#[tokio::test]
async fn nothing_is_typed_where_the_focus_goes_elsewhere() {
    let stage = Stage::new();
    let (_app, session) = browse(&stage, "toil.html", true).await;
    let there = json!({ "selector": "textbox \"Shy\"", "condition": "clickable", "timeout_ms": 60_000 });
    ask(&session, "wait_for_ui", there).await;
    let field = json!({ "selector": "textbox \"Shy\"", "text": "secret", "timeout_ms": 3_000 });
    let refused = ask(&session, "type_text", field).await;
    assert_eq!(refused["failure_code"], "ACTION_REJECTED", "{refused}");
    assert_eq!(refused["delivery_status"], "not_delivered", "{refused}");
    assert!(
        refused["error"]["message"].as_str().is_some_and(|m| m.contains("\"First\" has it")),
        "{refused}"
    );
    rest(&session).await;
    assert_eq!(["First", "Shy"].map(|label| text_of(&session, label)), [None, None]);
}
