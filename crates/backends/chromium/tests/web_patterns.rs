//! Each asynchronous pattern on a real page: act, wait until the page says it is idle, and the final state is there.
//! One browser serves all of them; each page is reached by navigation in the same tab.
#![allow(clippy::unwrap_used, missing_docs)]
mod support;

use std::time::Duration;
use stillpoint_core::tree::{Role, State, StateValue};
use stillpoint_engine::backend::{Action, Button, Key, Place, SetTo};
use support::browser::{Tab, TestBrowser};
use support::{Rig, server::Server, soon};

struct Stage {
    server: Server,
    _browser: TestBrowser,
    tab: Tab,
    rig: Rig,
}

impl Stage {
    async fn start(settings: &[(&str, &str)]) -> Stage {
        let server = Server::start().await;
        let browser = TestBrowser::start().await;
        let tab = browser.tab("about:blank").await;
        browser.close_first(&tab).await;
        let rig = Rig::attach(&format!("cdp:{}", browser.url), settings).await;
        Stage { server, _browser: browser, tab, rig }
    }

    async fn go(&mut self, page: &str) {
        self.tab.go(&self.server.url(page)).await;
        self.rig.settle().await;
    }
}

#[tokio::test]
async fn the_final_state_is_there_when_the_page_says_it_is_idle() {
    let mut stage = Stage::start(&[("instrument", "full")]).await;
    let s = &mut stage;

    s.go("static.html").await;
    s.rig.tap(Role::Button, "Add one").await;
    s.rig.settle().await;
    s.rig.must_say("Count: 1");

    s.go("debounce.html").await;
    s.rig.type_into("Quantity", "6").await;
    s.rig.settle().await;
    s.rig.must_say("Total: 42");

    s.go("spinner.html").await;
    s.rig.tap(Role::Button, "Load").await;
    s.rig.settle().await;
    s.rig.must_say("Report ready");
    let requests = s.rig.backend.network(0, soon()).await.unwrap();
    let slow = requests.iter().find(|r| r.url.contains("/api/slow")).unwrap();
    assert_eq!((slow.method.as_str(), slow.status, slow.duration_ms.is_some()), ("GET", Some(200), true));

    s.go("skeleton.html").await;
    s.rig.tap(Role::Button, "Open profile").await;
    s.rig.settle().await;
    s.rig.must_say("Ada Lovelace");

    s.go("streamed.html").await;
    s.rig.tap(Role::Button, "Load items").await;
    s.rig.settle().await;
    s.rig.must_say("Loaded 8 items");
    s.rig.must_say("Item 8");

    s.go("toast.html").await;
    s.rig.tap(Role::Button, "Save").await;
    s.rig.settle().await;
    s.rig.must_say("Saved 1 times");
    assert!(!s.rig.says("Saved to disk"), "the toast is over:\n{}", s.rig.text());

    s.go("modal.html").await;
    s.rig.tap(Role::Button, "Open settings").await;
    s.rig.settle().await;
    let dialog = s.rig.find(Role::Dialog, "Settings");
    assert!(s.rig.node(dialog).states().is(State::Modal), "{}", s.rig.text());
    s.rig.tap(Role::Checkbox, "Notifications").await;
    s.rig.tap(Role::Button, "OK").await;
    s.rig.settle().await;
    s.rig.must_say("Closed with ok, notifications on");

    s.go("optimistic.html").await;
    s.rig.tap(Role::ToggleButton, "Like").await;
    s.rig.settle().await;
    s.rig.must_say("10 likes");
    s.rig.must_say("Could not save");
}

#[tokio::test]
async fn a_clock_of_the_page_is_passed_over_also_where_it_is_one_of_several_texts() {
    let mut stage = Stage::start(&[("instrument", "full")]).await;
    let s = &mut stage;
    s.go("static.html").await;
    for page in
        ["<p id=clock>Tick 0</p>", "<div>Now: <span id=clock>Tick 0</span> o'clock</div><div>Quiet</div>"]
    {
        s.tab.eval(&format!("document.body.innerHTML = `{page}`")).await;
        s.rig.barrier().await;
        for tick in 1..=6 {
            s.tab.eval(&format!("document.getElementById('clock').textContent = 'Tick {tick}'")).await;
            s.rig.barrier().await;
            s.rig.must_say(&format!("Tick {tick}"));
        }
        let (counted, revision) = (s.rig.mirror.last_qualifying(), s.rig.mirror.revision());
        s.tab.eval("document.getElementById('clock').textContent = 'Tick 7'").await;
        s.rig.barrier().await;
        s.rig.must_say("Tick 7");
        assert!(s.rig.mirror.revision() > revision, "a tick is a revision");
        assert_eq!(
            s.rig.mirror.last_qualifying(),
            counted,
            "but nothing that a wait starts anew for:\n{}",
            s.rig.text()
        );
    }
    let counted = s.rig.mirror.last_qualifying();
    s.tab.eval("document.querySelector('div:last-child').textContent = 'Loud'").await;
    s.rig.barrier().await;
    assert_ne!(s.rig.mirror.last_qualifying(), counted, "another text of the page counts");
}

#[tokio::test]
async fn navigation_of_every_kind_is_followed() {
    let mut stage = Stage::start(&[("instrument", "full")]).await;
    let s = &mut stage;

    s.go("routes.html").await;
    s.rig.tap(Role::Link, "Orders").await;
    s.rig.settle().await;
    s.rig.find(Role::Heading, "Orders");
    assert_eq!(s.rig.mirror.tree().screen().title.as_deref(), Some("Orders"));
    assert!(s.rig.mirror.tree().screen().url.as_deref().unwrap().ends_with("#/orders"));

    for link in ["Next", "Through redirects"] {
        s.go("navigation.html").await;
        s.rig.tap(Role::Link, link).await;
        s.rig.settle().await;
        s.rig.must_say("Second page");
        s.rig.must_say("Everything is here");
        assert_eq!(s.rig.mirror.tree().screen().title.as_deref(), Some("Second page"));
    }
    s.tab.eval("setTimeout(() => history.back(), 0)").await;
    s.rig.settle().await;
    s.rig.must_say("First page");
}

#[tokio::test]
async fn work_of_workers_frames_and_chains_of_timers_is_waited_for() {
    let mut stage = Stage::start(&[("instrument", "full")]).await;
    let s = &mut stage;
    s.go("elsewhere.html").await;
    for (button, said) in [
        ("Compute", "Computed"),
        ("Glide", "Glided"),
        ("Count", "Counted"),
        ("Climb", "Climbed"),
        ("Shout", "Shouted"),
        ("Compute", "Computed"),
    ] {
        s.rig.tap(Role::Button, button).await;
        let report = s.rig.settle().await;
        s.rig.must_say(said);
        assert!(report.busy.iter().all(|b| b.stuck), "{report:?}");
    }
}

#[tokio::test]
async fn what_never_ends_does_not_block_and_is_named() {
    let mut stage = Stage::start(&[("instrument", "full")]).await;
    let s = &mut stage;

    s.go("ticker.html").await;
    s.rig.tap(Role::Button, "Add one").await;
    s.rig.settle().await;
    s.rig.must_say("Count: 1");

    s.go("endless.html").await;
    s.rig.tap(Role::Button, "Fade").await;
    let report = s.rig.settle().await;
    s.rig.must_say("Faded");
    assert!(report.busy.iter().any(|b| b.name == "endless animation" && b.stuck), "{report:?}");
    assert!(report.busy.iter().any(|b| b.name == "repeating timer" && b.stuck), "{report:?}");

    s.go("longpoll.html").await;
    s.rig.tap(Role::Button, "Add one").await;
    let report = s.rig.settle().await;
    s.rig.must_say("Count: 1");
    assert!(report.busy.iter().any(|b| b.name == "long request" && b.stuck), "{report:?}");

    s.go("lazy.html").await;
    s.rig.tap(Role::Button, "Show pictures").await;
    s.rig.settle().await;
    s.rig.must_say("All pictures loaded");

    s.go("virtual.html").await;
    let list = s.rig.find(Role::List, "Rows");
    s.rig.act(Action::Scroll { on: Place::Element(list), dx: 0, dy: 2400 }).await;
    s.tab.eval("new Promise((done) => { const look = () => port.scrollTop >= 2400 ? done(1) : requestAnimationFrame(look); look(); })").await;
    s.rig.settle().await;
    s.rig.must_say("Row 101");
    assert!(!s.rig.says("Row 1"), "{}", s.rig.text());
}

#[tokio::test]
async fn frames_shadow_roots_dialogs_and_popups_are_part_of_the_tree() {
    let mut stage = Stage::start(&[("instrument", "full")]).await;
    let s = &mut stage;

    s.go("frame.html").await;
    assert_eq!(s.rig.all(Role::Textbox, "Email").len(), 2, "{}", s.rig.text());
    // The document that another process took over is not waited for where its loading began.
    let report = s.rig.settle().await;
    assert!(report.busy.is_empty(), "{report:?}");
    for (at, name) in ["near@x", "far@x"].into_iter().enumerate() {
        let email = s.rig.all(Role::Textbox, "Email")[at];
        s.rig.act(Action::TypeText { on: Some(email), text: name.into(), replace: true }).await;
        let agree = Place::Element(s.rig.all(Role::Checkbox, "I agree")[at]);
        s.rig.act(Action::Tap { on: agree, button: Button::Left, count: 1, hold: None }).await;
        s.rig.settle().await;
        let send = s.rig.all(Role::Button, "Send")[at];
        let (x, y) = s.rig.node(send).bounds().unwrap().center();
        assert_eq!(s.rig.backend.hit_test(x, y, soon()).await.unwrap(), Some(send));
        s.rig.act(Action::Tap { on: Place::Element(send), button: Button::Left, count: 1, hold: None }).await;
        s.rig.settle().await;
        s.rig.must_say(&format!("Sent by {name}"));
    }

    s.go("component.html").await;
    for mode in ["open", "closed"] {
        s.rig.tap(Role::Button, &format!("Raise {mode}")).await;
        s.rig.settle().await;
        s.rig.must_say(&format!("{mode} 1"));
    }
    s.rig.tap(Role::Button, "Define").await;
    s.rig.settle().await;
    s.rig.find(Role::Button, "Late");

    s.go("alert.html").await;
    s.rig.tap(Role::Button, "Warn").await;
    // A page that stands still for a dialog is at rest.
    s.rig.settle().await;
    s.rig.find(Role::AlertDialog, "Careful now");
    s.rig.tap(Role::Button, "OK").await;
    s.rig.settle().await;
    s.rig.must_say("Warned");
    s.rig.tap(Role::Button, "Ask").await;
    s.rig.settle().await;
    s.rig.tap(Role::Button, "Cancel").await;
    s.rig.settle().await;
    s.rig.must_say("No");
    s.rig.tap(Role::Button, "Name").await;
    s.rig.barrier().await;
    s.rig.type_into("Answer", "Ada").await;
    s.rig.tap(Role::Button, "OK").await;
    s.rig.settle().await;
    s.rig.must_say("Hello Ada");

    s.go("chaos.html").await;
    s.rig.tap(Role::Button, "Open a popup").await;
    s.rig.settle().await;
    while s.rig.all(Role::Document, "Static").is_empty() {
        s.rig.barrier().await;
    }
    assert_eq!(s.rig.mirror.tree().count_of_role(Role::Document), 2, "{}", s.rig.text());
    s.rig.tap(Role::Button, "Add one").await;
    s.rig.settle().await;
    s.rig.must_say("Count: 1");
}

#[tokio::test]
async fn every_kind_of_control_is_driven_and_a_password_is_never_told() {
    let mut stage = Stage::start(&[("instrument", "full")]).await;
    let s = &mut stage;

    s.go("login.html").await;
    s.rig.type_into("Username", "Ada").await;
    s.rig.type_into("Password", "secret").await;
    s.rig.settle().await;
    let password = s.rig.find(Role::Textbox, "Password");
    assert!(s.rig.node(password).is_protected() && s.rig.node(password).value().is_none());
    assert_eq!(s.rig.node(s.rig.find(Role::Button, "Sign in")).stable_id(), Some("submit"));
    s.rig
        .act(Action::PressKey {
            on: Some(password),
            key: Key { name: "Enter".into(), ctrl: false, shift: false, alt: false, meta: false },
        })
        .await;
    s.rig.settle().await;
    s.rig.must_say("Welcome, Ada");

    s.go("controls.html").await;
    let option = s.rig.find(Role::Option, "Green");
    s.rig.act(Action::Select { on: option }).await;
    s.rig.settle().await;
    s.rig.must_say("colour is Green");
    let volume = s.rig.find(Role::Slider, "Volume");
    s.rig.act(Action::SetValue { on: volume, to: SetTo::Number(55.0) }).await;
    s.rig.settle().await;
    assert_eq!(s.rig.node(volume).raw_value(), Some(55.0), "{}", s.rig.text());
    assert_eq!(s.rig.node(volume).value_range().map(|r| r.max), Some(100.0));
    s.rig.type_into("Rich", "rich text").await;
    s.rig.settle().await;
    s.rig.must_say("rich text");
    let file = tempfile::NamedTempFile::new().unwrap();
    let field = s.rig.mirror.tree().walk().find(|(_, n)| n.stable_id() == Some("file")).unwrap().1.key();
    s.rig.act(Action::SetValue { on: field, to: SetTo::Text(file.path().display().to_string()) }).await;
    s.rig.settle().await;
    s.rig.must_say(&format!("file is {}", file.path().file_name().unwrap().to_string_lossy()));
    let more = s.rig.find(Role::Disclosure, "More");
    s.rig.act(Action::Expand { on: more, open: true }).await;
    s.rig.settle().await;
    assert_eq!(s.rig.node(more).states().get(State::Expanded), Some(StateValue::On));
    s.rig.must_say("Inside");
    s.rig
        .act(Action::PressKey {
            on: None,
            key: Key { name: "s".into(), ctrl: true, shift: false, alt: false, meta: false },
        })
        .await;
    s.rig.settle().await;
    s.rig.must_say("Saved");
    let by_id = |rig: &Rig, id: &str| {
        rig.mirror.tree().walk().find(|(_, n)| n.stable_id() == Some(id)).unwrap().1.key()
    };
    let (card, tray) = (by_id(&s.rig, "card"), by_id(&s.rig, "tray"));
    s.rig
        .act(Action::Drag { from: Place::Element(card), to: Place::Element(tray), over: Duration::ZERO })
        .await;
    s.rig.settle().await;
    s.rig.must_say("Dropped Card");
    s.rig.tap(Role::Button, "Set by script").await;
    s.rig.settle().await;
    s.rig.must_say("from a script");
    assert_eq!(s.rig.node(volume).raw_value(), Some(77.0));
    let picture = s.rig.backend.screenshot(Some(volume), soon()).await.unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
}

#[tokio::test]
async fn a_page_that_looks_for_traces_finds_none() {
    for mode in ["none", "full"] {
        let mut stage = Stage::start(&[("instrument", mode)]).await;
        let s = &mut stage;
        s.tab.go(&s.server.url("traces.html")).await;
        s.tab.eval("new Promise((done) => { const look = () => report.textContent === 'Looking' ? requestAnimationFrame(look) : done(1); look(); })").await;
        s.rig.barrier().await;
        assert!(s.rig.says("Nothing found"), "instrument={mode}:\n{}", s.rig.text());
        assert_eq!(s.rig.backend.idle_signal().is_some(), mode == "full");
        s.rig.tap(Role::Button, "Look again").await;
        s.tab.eval("new Promise((done) => { const look = () => report.textContent === 'Looking' ? requestAnimationFrame(look) : done(1); look(); })").await;
        s.rig.barrier().await;
        assert!(s.rig.says("Nothing found"), "instrument={mode}:\n{}", s.rig.text());
    }
}
