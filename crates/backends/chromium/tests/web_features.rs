//! What a browser does beside showing pages: downloads, leaving a page with a question, going back, a real screen.
#![allow(clippy::unwrap_used, missing_docs)]
mod support;

use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use stillpoint_core::Code;
use stillpoint_core::tree::{Role, State};
use stillpoint_engine::backend::{Action, Delivery, IdleReport, Place, SetTo};
use support::browser::{Tab, TestBrowser};
use support::{Rig, server::Server, soon};

/// Waits for the page to say so.
async fn until(rig: &Rig, wanted: impl Fn(&IdleReport) -> bool) -> IdleReport {
    let mut signal = rig.backend.idle_signal().unwrap();
    let said = tokio::time::timeout_at(soon().instant(), signal.wait_for(|report| wanted(report))).await;
    said.unwrap_or_else(|_| panic!("it says {:?}", rig.backend.idle_signal().unwrap().borrow()))
        .unwrap()
        .clone()
}

#[tokio::test]
async fn a_download_is_busy_until_it_is_complete_and_is_in_the_log() {
    let _ = tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_test_writer()
        .try_init();
    let server = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let downloads = folder.path().display().to_string();
    let target = format!("web:{}", server.url("download.html"));
    let mut rig = Rig::attach(&target, &[("downloads", &downloads)]).await;
    rig.settle().await;
    rig.tap(Role::Link, "Get the report").await;
    // The server sends its end only when it is told to: the download cannot be over before it was seen.
    let is_downloading = |report: &IdleReport| report.busy.iter().any(|b| b.name == "download" && !b.stuck);
    assert!(!until(&rig, is_downloading).await.idle);
    server.let_go();
    until(&rig, |report| !is_downloading(report)).await;
    let log = rig.backend.network(0, soon()).await.unwrap();
    let entry = log.iter().find(|r| r.kind.as_deref() == Some("download")).unwrap();
    assert!(entry.url.ends_with("/report.txt") && entry.duration_ms.is_some() && entry.error.is_none());
    let saved = std::fs::read_to_string(folder.path().join("report.txt")).unwrap();
    assert!(saved.len() == 8195 && saved.ends_with("end"));
    rig.backend.close().await;
}

#[tokio::test]
async fn a_page_that_asks_before_it_is_left_is_a_dialog_and_stays_or_goes_as_told() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let tab = browser.tab(&server.url("leave.html")).await;
    browser.close_first(&tab).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[("instrument", "full")]).await;
    rig.type_into("Draft", "unsaved").await;
    rig.settle().await;
    for (button, lands) in [("Stay", "Draft"), ("Leave", "Second page")] {
        rig.tap(Role::Link, "Away").await;
        while rig.all(Role::AlertDialog, "Leave this page?").is_empty() {
            rig.barrier().await;
        }
        rig.tap(Role::Button, button).await;
        rig.settle().await;
        assert!(rig.all(Role::AlertDialog, "Leave this page?").is_empty(), "{}", rig.text());
        rig.must_say(lands);
    }
}

#[tokio::test]
async fn a_page_from_the_back_forward_cache_is_mirrored_and_followed_again() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab(&server.url("static.html?keep=1")).await;
    browser.close_first(&tab).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[("instrument", "full")]).await;
    tab.eval("addEventListener('pageshow', (event) => { document.title = event.persisted ? 'From the cache' : 'Fresh'; })")
        .await;
    rig.tap(Role::Button, "Add one").await;
    rig.settle().await;
    rig.must_say("Count: 1");
    for _ in 0..2 {
        tab.eval("setTimeout(() => { location = 'second.html' }, 0)").await;
        while !rig.says("Second page") {
            rig.barrier().await;
        }
        tab.eval("setTimeout(() => history.back(), 0)").await;
        while !rig.says("Count: 1") {
            rig.barrier().await;
        }
    }
    rig.settle().await;
    // The count survived, which only the cache can do: the page begins with 0.
    rig.tap(Role::Button, "Add one").await;
    rig.settle().await;
    rig.must_say("Count: 2");
    assert_eq!(rig.mirror.tree().screen().title.as_deref(), Some("From the cache"));
}

#[tokio::test]
async fn with_a_screen_the_browser_has_a_window_on_it() {
    let desktop = stillpoint_lab::Desktop::start().unwrap();
    let server = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let browser = folder.path().join("browser");
    let display = desktop.display();
    std::fs::write(&browser, format!("#!/bin/sh\nDISPLAY={display} exec chromium \"$@\"\n")).unwrap();
    std::fs::set_permissions(&browser, PermissionsExt::from_mode(0o755)).unwrap();
    let path = browser.display().to_string();
    let target = format!("web:{}", server.url("static.html"));
    let mut rig = Rig::attach(&target, &[("headless", "false"), ("browser", &path)]).await;
    rig.tap(Role::Button, "Add one").await;
    rig.settle().await;
    rig.must_say("Count: 1");
    let windows = desktop.windows().unwrap();
    assert!(windows.iter().any(|w| w.title.contains("Static")), "{windows:?}");
    rig.backend.close().await;
}

#[tokio::test]
async fn a_slider_that_the_page_draws_is_moved_by_its_keys_and_one_that_does_not_move_says_so() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let tab = browser.tab(&server.url("controls.html")).await;
    browser.close_first(&tab).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[("instrument", "full")]).await;
    let dial = rig.find(Role::Slider, "Dial");
    for wanted in [40.0, 6.0, 60.0] {
        rig.act(Action::SetValue { on: dial, to: SetTo::Number(wanted) }).await;
        rig.settle().await;
        assert_eq!(rig.node(dial).raw_value(), Some(wanted), "{}", rig.text());
    }
    // Its steps are of two: as near as they come.
    rig.act(Action::SetValue { on: dial, to: SetTo::Number(31.0) }).await;
    rig.settle().await;
    assert!(rig.node(dial).raw_value().is_some_and(|v| (v - 31.0).abs() <= 1.0), "{}", rig.text());
    let beyond = Action::SetValue { on: dial, to: SetTo::Number(61.0) };
    let refusal = rig.backend.perform(&beyond, soon()).await.unwrap_err();
    assert_eq!((refusal.error.code, refusal.delivery), (Code::InvalidArgument, Delivery::NotDelivered));
    let stuck = Action::SetValue { on: rig.find(Role::Slider, "Stuck"), to: SetTo::Number(7.0) };
    let refusal = rig.backend.perform(&stuck, soon()).await.unwrap_err();
    assert_eq!(refusal.error.code, Code::ControlNotConverged);
    assert!(!rig.node(dial).states().is(State::Busy));
}

#[tokio::test]
async fn what_is_on_screen_of_a_list_too_long_to_mirror_is_mirrored_wherever_it_is_scrolled_to() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab(&server.url("long.html")).await;
    browser.close_first(&tab).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[("instrument", "full")]).await;
    rig.settle().await;
    let list = rig.find(Role::List, "Rows");
    let seen =
        "(() => { const box = rows.getBoundingClientRect(); return [...rows.children].filter((row) => {
        const at = row.getBoundingClientRect(); return at.top < box.bottom && at.bottom > box.top; })
        .map((row) => row.textContent).join() })()";
    // By wheel to the end, to the middle and back to the beginning; then by the page itself.
    let moves = [Some(100_000), Some(-18_000), Some(-100_000), None];
    for (way, expected) in moves.into_iter().zip(["Row 2000", "", "Row 1", "Row 1500"]) {
        let ended =
            "void (ended = new Promise((done) => rows.addEventListener('scrollend', done, { once: true })))";
        tab.eval(ended).await;
        if let Some(dy) = way {
            rig.act(Action::Scroll { on: Place::Element(list), dx: 0, dy }).await;
        } else {
            tab.eval("rows.children[1499].scrollIntoView()").await;
        }
        tab.eval("ended.then(() => 1)").await;
        rig.settle().await;
        let on_screen = tab.eval(seen).await;
        let on_screen: Vec<&str> = on_screen.as_str().unwrap().split(',').collect();
        assert!(
            on_screen.len() > 5 && (expected.is_empty() || on_screen.contains(&expected)),
            "{on_screen:?}"
        );
        let mirrored = rig.mirror.tree().walk().filter(|(_, n)| n.states().is(State::OnScreen));
        let mirrored: Vec<&str> = mirrored.filter_map(|(_, n)| n.label()).collect();
        for row in &on_screen {
            assert!(mirrored.contains(row), "{row} is missing among {mirrored:?}");
        }
        assert_eq!(rig.node(list).omitted(), 1000);
    }
}

#[tokio::test]
async fn a_turn_of_the_wheel_is_done_when_the_page_has_begun_to_move_however_slow_its_frames_are() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab(&server.url("long.html")).await;
    browser.close_first(&tab).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[]).await;
    // Each frame of this page takes its time.
    tab.eval("void requestAnimationFrame(function slow() {
        const end = performance.now() + 100; while (performance.now() < end); requestAnimationFrame(slow); })")
        .await;
    for _ in 0..3 {
        let list = rig.find(Role::List, "Rows");
        let before = tab.eval("rows.scrollTop").await.as_f64().unwrap();
        rig.act(Action::Scroll { on: Place::Element(list), dx: 0, dy: 200 }).await;
        let after = tab.eval("rows.scrollTop").await.as_f64().unwrap();
        assert!(after > before, "{before} → {after}");
    }
}

#[tokio::test]
async fn what_lies_under_a_point_and_what_is_in_a_picture_heed_how_far_the_page_is_scrolled() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab(&server.url("static.html")).await;
    browser.close_first(&tab).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[("instrument", "full")]).await;
    tab.eval("for (const [name, color, top] of [['Near', 'red', 200], ['Other', 'green', 300], ['Far', 'red', 5000]]) {
        const button = document.createElement('button');
        button.setAttribute('aria-label', name);
        button.style.cssText = `position: absolute; left: 20px; top: ${top}px; width: 60px; height: 40px; border: 0; background: ${color}`;
        document.body.append(button); }").await;
    rig.settle().await;
    let [near, other, far] = ["Near", "Other", "Far"].map(|name| rig.find(Role::Button, name));
    let red = rig.backend.screenshot(Some(near), soon()).await.unwrap();
    let green = rig.backend.screenshot(Some(other), soon()).await.unwrap();
    assert_ne!(red, green);
    // Taking its picture scrolls it into view.
    assert_eq!(rig.backend.screenshot(Some(far), soon()).await.unwrap(), red);
    rig.settle().await;
    assert!(tab.eval("scrollY > 3000").await.as_bool().unwrap());
    let (x, y) = rig.node(far).bounds().unwrap().center();
    assert_eq!(rig.backend.hit_test(x, y, soon()).await.unwrap(), Some(far));
}

#[tokio::test]
async fn what_makes_a_frame_inert_takes_its_inside_out_of_the_tree_and_back() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab(&server.url("frame.html")).await;
    browser.close_first(&tab).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[("instrument", "full")]).await;
    rig.settle().await;
    assert_eq!(rig.all(Role::Textbox, "Email").len(), 2, "{}", rig.text());
    for (inert, left) in [("near", 1), ("document.body", 0)] {
        tab.eval(&format!("{inert}.inert = true")).await;
        rig.settle().await;
        // The other frame has a process of its own, which hears of it later.
        while rig.all(Role::Textbox, "Email").len() != left {
            assert!(left == 0, "{}", rig.text());
            rig.barrier().await;
        }
        tab.eval(&format!("{inert}.inert = false")).await;
        rig.settle().await;
        while rig.all(Role::Textbox, "Email").len() != 2 {
            assert!(left == 0, "{}", rig.text());
            rig.barrier().await;
        }
    }
}

#[tokio::test]
async fn nothing_is_typed_where_the_page_passes_the_focus_on() {
    let server = Server::start().await;
    let mut rig = Rig::attach(&format!("web:{}", server.url("toil.html")), &[]).await;
    let shy = Some(rig.find(Role::Textbox, "Shy"));
    for replace in [true, false] {
        let secret = Action::TypeText { on: shy, text: "secret".into(), replace };
        let refusal = rig.backend.perform(&secret, soon()).await.unwrap_err();
        assert_eq!((refusal.error.code, refusal.delivery), (Code::ActionRejected, Delivery::NotDelivered));
        assert!(refusal.error.message.contains("\"First\" has it"), "{}", refusal.error);
    }
    rig.type_into("Second", "mine").await;
    rig.settle().await;
    let held = ["First", "Second", "Shy"].map(|label| rig.node(rig.find(Role::Textbox, label)).value());
    assert_eq!(held.map(Option::unwrap_or_default), ["", "mine", ""], "{}", rig.text());
    rig.backend.close().await;
}

#[tokio::test]
async fn a_large_document_is_read_in_part_from_the_first_reading_on() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab(&server.url("static.html")).await;
    browser.close_first(&tab).await;
    // No list in it is too long by itself.
    tab.eval(
        "document.body.innerHTML = Array.from({ length: 80 }, (_, n) => `<section aria-label=\"Part ${n}\">${'<p>one</p>'.repeat(200)}</section>`).join('')",
    )
    .await;
    let rig = Rig::attach(&format!("cdp:{}", browser.url), &[]).await;
    assert!(rig.mirror.tree().len() < 5_000, "{} elements are mirrored", rig.mirror.tree().len());
    assert!(rig.mirror.tree().iter().any(|(_, node)| node.omitted() > 0), "what is left out is counted");
    assert_eq!(rig.all(Role::Region, "Part 79").len(), 1, "breadth first: every part is there");
}

#[tokio::test]
async fn what_is_on_screen_of_a_large_document_is_there_in_full_also_after_scrolling() {
    let table = "document.body.innerHTML = '<p role=status>nothing</p><table><tbody>' + Array.from({ length: 7000 },
        (_, n) => `<tr><td>${1000 + n}</td><td><a href=#${n}>Customer ${n}</a></td><td>open</td><td><button>Mark ${n}</button></td></tr>`).join('')
        + '</tbody></table>'";
    // No list in it is too long by itself, and what is on screen lies in something that is nowhere.
    let parts = "document.body.innerHTML = '<p role=status>nothing</p>' + Array.from({ length: 100 },
        (_, part) => `<section style=\"display: contents\">${Array.from({ length: 70 },
        (_, n) => `<p><b>${part * 70 + n}</b> <i>open</i> <button>Mark ${part * 70 + n}</button></p>`).join('')}</section>`).join('')";
    for page in [table, parts] {
        let server = Server::start().await;
        let browser = TestBrowser::start().await;
        let mut tab = browser.tab(&server.url("static.html")).await;
        browser.close_first(&tab).await;
        tab.eval(page).await;
        tab.eval("document.body.onclick = (event) => document.querySelector('[role=status]').textContent = `${event.target.textContent}: done`").await;
        let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[]).await;
        assert!(rig.mirror.tree().len() < 5_000, "{} elements are mirrored", rig.mirror.tree().len());
        assert_eq!(rig.all(Role::Button, "Mark 7").len(), 1, "at its beginning");
        for wanted in [6990, 3456, 200] {
            let scroll = format!(
                "new Promise((done) => {{ document.addEventListener('scrollend', () => done(1), {{ once: true }});
                    document.querySelectorAll('button')[{wanted}].scrollIntoView({{ block: 'center' }}) }})"
            );
            tab.eval(&scroll).await;
            rig.barrier().await;
            for near in [wanted - 3, wanted, wanted + 3] {
                assert_eq!(rig.all(Role::Button, &format!("Mark {near}")).len(), 1, "{near} of {wanted}");
            }
            rig.tap(Role::Button, &format!("Mark {wanted}")).await;
            rig.barrier().await;
            // The status is out of sight: that it changed is told all the same.
            assert!(rig.says(&format!("Mark {wanted}: done")), "{wanted}");
            assert!(rig.mirror.tree().len() < 9_000, "{} elements are mirrored", rig.mirror.tree().len());
        }
    }
}

#[tokio::test]
async fn a_barrier_waits_for_what_it_found_and_not_for_what_a_clock_does_meanwhile() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab(&server.url("static.html")).await;
    let frames = tab.call("Page.getFrameTree", json!({})).await;
    let frame = json!({ "frameId": frames["frameTree"]["frame"]["id"] });
    let world = tab.call("Page.createIsolatedWorld", frame).await["executionContextId"].clone();
    let source = include_str!("../src/observer.js");
    observer(&mut tab, &world, &format!("({source})({{ tests: [], idle: false, token: null }})")).await;
    let ask = "stillpoint.next().then(([told]) => JSON.parse(told).dirty.length)";
    observer(&mut tab, &world, ask).await;

    let tick = "document.querySelector('h1').firstChild.data += '.'; 0";
    tab.eval(tick).await;
    assert!(
        observer(&mut tab, &world, "stillpoint.settle(false, false)").await > 0,
        "nobody has asked for it yet"
    );
    assert!(observer(&mut tab, &world, "stillpoint.owed()").await > 0, "still nobody");
    assert!(observer(&mut tab, &world, ask).await > 0, "now it is told");
    tab.eval(tick).await;
    assert_eq!(observer(&mut tab, &world, "stillpoint.owed()").await, 0, "what came later is not owed");
    assert!(
        observer(&mut tab, &world, "stillpoint.settle(false, false)").await > 0,
        "until another barrier finds it"
    );
}

#[tokio::test]
async fn a_text_that_is_replaced_all_the_time_is_at_no_time_missing() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab(&server.url("static.html")).await;
    browser.close_first(&tab).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[]).await;
    // Quicker than two questions can be asked one after the other.
    tab.eval(
        "const { port1, port2 } = new MessageChannel(); let ticks = 0;
         port1.onmessage = () => { count.textContent = `Tick ${++ticks}`; port2.postMessage(0); };
         port2.postMessage(0)",
    )
    .await;
    for look in 0..20 {
        rig.barrier().await;
        let is_tick = |text: Option<&str>| text.is_some_and(|text| text.starts_with("Tick "));
        let is_there = rig.mirror.tree().walk().any(|(_, n)| is_tick(n.label()) || is_tick(n.text()));
        assert!(is_there, "look {look}:\n{}", rig.text());
    }
}

#[tokio::test]
async fn a_page_that_is_long_under_the_parser_is_shown_as_far_as_it_has_come() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab(&server.url("static.html")).await;
    browser.close_first(&tab).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[]).await;
    tab.post("Page.navigate", json!({ "url": server.url("halves.html") })).await;
    rig.until_it_says("First half").await;
    assert!(!rig.says("Second half"), "{}", rig.text());
    server.let_go();
    rig.until_it_says("Second half").await;
}

#[tokio::test]
async fn a_page_that_grows_large_while_it_is_parsed_is_read_in_part() {
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab(&server.url("static.html")).await;
    browser.close_first(&tab).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[]).await;
    tab.post("Page.navigate", json!({ "url": server.url("halves.html?ms=30") })).await;
    rig.until_it_says("Part 79").await;
    assert!(rig.mirror.tree().len() < 5_000, "{} elements are mirrored", rig.mirror.tree().len());
}

/// What a script gives as a number in the observer's world.
async fn observer(tab: &mut Tab, world: &Value, script: &str) -> i64 {
    let params =
        json!({ "expression": script, "contextId": world, "returnByValue": true, "awaitPromise": true });
    tab.call("Runtime.evaluate", params).await["result"]["value"].as_i64().unwrap_or_default()
}
