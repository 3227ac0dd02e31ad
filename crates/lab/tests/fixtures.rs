//! Each fixture app starts, is visible on the accessibility bus, behaves, and tells the truth about it.

#![allow(clippy::unwrap_used, reason = "a test says no more than that")]

mod witness;

use serde_json::Value;
use std::os::unix::process::ExitStatusExt;
use std::time::Duration;
use stillpoint_lab::{App, DEBIAN_PYTHON, Desktop, Fixture, LabError};

/// Asks the independent walker; see `walker.py`.
fn walk(desktop: &Desktop, app: &App, arguments: &[&str]) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/walker.py");
    let mut command = desktop.command(DEBIAN_PYTHON);
    command.args(["-B", script, &app.pid().to_string()]).args(arguments);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn has(tree: &Value, name: &str) -> bool {
    tree["nodes"].as_array().unwrap().iter().any(|node| node["name"] == name)
}

fn starts_and_is_visible(fixture: Fixture) {
    let desktop = Desktop::start().unwrap();
    let app = desktop.fixture(fixture).unwrap();

    let tree: Value = serde_json::from_str(&walk(&desktop, &app, &["tree"])).unwrap();
    assert_eq!(tree["application"], fixture.accessible_name());
    for name in ["Login page", "Playground page", "Sign in", "Username", "Password"] {
        assert!(has(&tree, name), "{name} in {tree:#}");
    }
    assert!(!has(&tree, "Signing in"), "the spinner is hidden");
    if fixture == Fixture::Gtk3 {
        // The only one of the three that can put an id on the bus.
        let nodes = tree["nodes"].as_array().unwrap();
        assert!(
            nodes.iter().any(|node| node["id"] == "login.submit" && node["name"] == "Sign in"),
            "{tree:#}"
        );
    }

    let window = desktop.windows().unwrap().into_iter().find(|window| window.pid == Some(app.pid())).unwrap();
    assert!(window.title.contains(fixture.toolkit()));
    let picture = witness::decode(&desktop.screenshot_window(window.id).unwrap());
    assert!(picture.colours() > 10, "the window shows something");
}

fn signs_in_and_refuses(fixture: Fixture) {
    let desktop = Desktop::start().unwrap();
    let app = desktop.fixture(fixture).unwrap();
    app.control("set login.username Ada").unwrap();
    app.control("set login.password wrong").unwrap();
    walk(&desktop, &app, &["press", "push button", "Sign in"]);
    // Qt answers the call first and clicks a little later.
    app.control("activated login.submit 1").unwrap();
    app.control("rest").unwrap();
    let truth = app.control_json("truth").unwrap();
    assert_eq!(truth["page"], "login");
    assert_eq!(truth["values"]["login.error"]["visible"], true);
    assert_eq!(truth["activations"]["login.submit"], 1);
    assert!(!truth.to_string().contains("wrong"), "a password is never told");

    app.control("set login.password secret").unwrap();
    walk(&desktop, &app, &["press", "push button", "Sign in"]);
    app.control("activated login.submit 2").unwrap();
    app.control("rest").unwrap();
    let truth = app.control_json("truth").unwrap();
    assert_eq!(truth["page"], "welcome");
    assert_eq!(truth["activations"]["login.submit"], 2);
    let log = truth["log"].as_array().unwrap();
    assert_eq!(
        log.iter().map(|operation| operation["result"].clone()).collect::<Vec<_>>(),
        ["refused", "welcome"]
    );
    assert!(log.iter().all(|operation| operation["start"].as_u64() < operation["end"].as_u64()));
    let tree = serde_json::from_str(&walk(&desktop, &app, &["tree"])).unwrap();
    assert!(has(&tree, "Welcome, Ada"), "{tree:#}");
}

/// Every operation and page once, and what the app believes afterwards.
fn runs_every_operation(fixture: Fixture) {
    let desktop = Desktop::start().unwrap();
    let app =
        desktop.fixture_with(fixture, &["--delay-min", "1", "--delay-max", "5", "--items", "3"]).unwrap();
    let pages = app.control_json("pages").unwrap();
    for page in pages.as_array().unwrap() {
        let page = page.as_str().unwrap();
        assert_eq!(app.control(&format!("show {page}")).unwrap(), format!("ok show {page}"));
    }
    for command in [
        "op load",
        "op toast",
        "op move",
        "op replace",
        "op clock-start",
        "op clock-stop",
        "op pulse-start",
        "op pulse-stop",
        "op save",
        "op dialog",
        "set debounce.quantity 6",
        "set form.email a@b.c",
        "set form.agree true",
        "set values.slider 30",
        "set values.spin 4",
        "set choices.colour Blue",
        "set choices.large true",
        "set choices.remember true",
        "busyloop 1",
        "rest",
    ] {
        app.control(command).unwrap();
    }
    let truth = app.control_json("truth").unwrap();
    let value = |id: &str, what: &str| truth["values"][id][what].clone();
    assert_eq!(value("feed.status", "name"), "Loaded 3 items");
    assert_eq!(value("feed.item.3", "name"), "Item 3");
    assert_eq!(value("toast.message", "visible"), false);
    assert_eq!(value("moving.status", "name"), "At rest");
    assert_eq!(value("replaced.status", "name"), "Version 2");
    assert_eq!(value("shortcut.status", "name"), "Saved");
    assert_eq!(value("debounce.total", "name"), "Total: 42");
    assert_eq!(value("form.submit", "enabled"), true);
    assert_eq!(value("values.volume", "name"), "Volume is 30");
    assert_eq!(value("values.amount", "name"), "Amount is 4");
    assert_eq!(value("choices.colour", "text"), "Blue");
    assert_eq!(value("choices.large", "checked"), true);
    assert_eq!(value("choices.small", "checked"), false);
    assert_eq!(truth["dialog_open"], true);
    assert_eq!(truth["pending"], serde_json::json!([]));
    walk(&desktop, &app, &["press", "push button", "OK"]);
    app.control("activated settings.ok 1").unwrap();
    let status = app.control_json("truth").unwrap()["values"]["dialog.status"]["name"].clone();
    assert_eq!(status, "Settings saved, notifications off");
    let refused = app.control("nonsense").unwrap_err();
    assert!(refused.to_string().contains("no command 'nonsense'"), "{refused}");
}

/// The middle of a node on the screen.
fn middle(desktop: &Desktop, app: &App, role: &str, name: &str) -> (i32, i32) {
    let place = walk(desktop, app, &["where", role, name]);
    let (relative_to, place) = place.split_once(' ').unwrap();
    let place: Vec<i32> = place.split_whitespace().map(|number| number.parse().unwrap()).collect();
    let (x, y) = (place[0] + place[2] / 2, place[1] + place[3] / 2);
    if relative_to == "screen" {
        return (x, y);
    }
    let window = desktop.windows().unwrap().into_iter().find(|window| window.pid == Some(app.pid())).unwrap();
    (window.x + x, window.y + y)
}

fn xdotool(desktop: &Desktop, script: &str) {
    let status = desktop.command("xdotool").args(script.split_whitespace()).status().unwrap();
    assert!(status.success(), "{script}");
}

fn takes_real_keys_and_a_real_drag(fixture: Fixture) {
    let desktop = Desktop::start().unwrap();
    let app = desktop.fixture(fixture).unwrap();
    app.control("show shortcut").unwrap();
    xdotool(&desktop, "key ctrl+s");
    app.control("happened saved shortcut 1").unwrap();
    app.control("show drag").unwrap();
    let role = if fixture == Fixture::Gtk3 { "push button" } else { "label" };
    let (x, y) = middle(&desktop, &app, role, "Card");
    let (to_x, to_y) = middle(&desktop, &app, role, "Tray");
    // Each step waits for the app's word that the one before has arrived.
    xdotool(&desktop, &format!("mousemove {x} {y} mousedown 1"));
    for step in [12, 24, 36] {
        xdotool(&desktop, &format!("mousemove {} {y}", x + step));
    }
    app.control("happened dragging drag.card 1").unwrap();
    app.control("rest").unwrap();
    // As a hand does, the pointer goes on moving until the target has noticed: with GTK 4, one motion over the
    // target was not always enough. Released after the second notice, the drop was always taken.
    let noticed = |app: &App| {
        let truth = app.control_json("truth").unwrap();
        truth["events"].as_array().unwrap().iter().filter(|event| event["kind"] == "hovered").count() >= 2
    };
    let arrived = (1..200).any(|step| {
        xdotool(&desktop, &format!("mousemove {} {to_y}", to_x + step % 40));
        noticed(&app)
    });
    assert!(arrived, "the target never noticed the drag");
    xdotool(&desktop, "mouseup 1");
    app.control("happened dropped drag.tray 1").unwrap();
    let truth = app.control_json("truth").unwrap();
    assert_eq!(truth["values"]["shortcut.status"]["name"], "Saved");
    assert_eq!(truth["values"]["drag.status"]["name"], "Dropped: Card");
}

fn ends_as_told(fixture: Fixture) {
    let desktop = Desktop::start().unwrap();
    let patience = Duration::from_secs(30);
    let mut crashing = desktop.fixture(fixture).unwrap();
    crashing.stop().unwrap();
    crashing.cont().unwrap();
    crashing.send("crash").unwrap();
    assert_eq!(crashing.wait_exit(patience).unwrap().signal(), Some(6));
    let killed = desktop.fixture(fixture).unwrap();
    killed.kill().unwrap();
    assert!(!killed.is_alive());
    let mut quitting = desktop.fixture(fixture).unwrap();
    assert_eq!(quitting.control("quit").unwrap(), "ok quit");
    assert!(quitting.wait_exit(patience).unwrap().success(), "{}", quitting.stderr_tail());
}

#[test]
fn a_fixture_that_does_not_start_tells_its_last_words() {
    let desktop = Desktop::start().unwrap();
    let error = desktop.fixture_with(Fixture::Gtk3, &["--nonsense"]).unwrap_err();
    assert!(matches!(error, LabError::Ended { .. }), "{error}");
    assert!(error.to_string().contains("unrecognized arguments: --nonsense"), "{error}");
}

macro_rules! for_each_toolkit {
    ($($rule:ident),*) => {
        mod gtk3 { $(#[test] fn $rule() { super::$rule(super::Fixture::Gtk3) })* }
        mod gtk4 { $(#[test] fn $rule() { super::$rule(super::Fixture::Gtk4) })* }
        mod qt { $(#[test] fn $rule() { super::$rule(super::Fixture::Qt) })* }
        mod qt6 { $(#[test] fn $rule() { super::$rule(super::Fixture::Qt6) })* }
    };
}
for_each_toolkit!(
    starts_and_is_visible,
    signs_in_and_refuses,
    runs_every_operation,
    ends_as_told,
    takes_real_keys_and_a_real_drag
);

#[test]
fn the_same_seed_brings_the_same_playground_on_every_toolkit() {
    /// The parts that no toolkit sees differently.
    fn plain(node: &Value) -> Value {
        let children: Vec<Value> = node["children"].as_array().unwrap().iter().map(plain).collect();
        let value = node["value"].as_f64();
        let (visible, name) =
            (&node["visible"], if node["kind"] == "box" { &Value::Null } else { &node["name"] });
        serde_json::json!({
            "id": node["id"], "kind": node["kind"], "name": name, "enabled": node["enabled"], "value": value,
            "visible": if node["id"] == "playground" { &Value::Null } else { visible },
            "text": node["text"], "checked": node["checked"], "children": children,
        })
    }
    let desktop = Desktop::start().unwrap();
    let believed = Fixture::ALL.map(|fixture| {
        let app = desktop.fixture(fixture).unwrap();
        app.control("show playground").unwrap();
        assert_eq!(app.control("mutate 300 42").unwrap(), "done 300");
        assert_eq!(app.control("mutate 20 43 1").unwrap(), "done 20");
        assert_eq!(app.stderr_tail(), "", "{fixture:?}");
        plain(&app.control_json("truth").unwrap()["playground"])
    });
    assert!(believed[0].to_string().matches("\"pg-").count() > 5, "{:#}", believed[0]);
    for other in &believed[1..] {
        assert_eq!(&believed[0], other);
    }
}
