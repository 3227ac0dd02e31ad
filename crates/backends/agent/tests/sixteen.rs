//! All sixteen requests of v1 against a real desktop app and a real web page behind the agent.
#![allow(clippy::unwrap_used)]
#![cfg(target_os = "linux")]

mod support;

use std::time::Duration;
use stillpoint_agent::AgentBuilder;
use stillpoint_chromium::Chromium;
use stillpoint_lab::{App, Desktop, Fixture};
use stillpoint_wire::{Client, Element, ErrorCode};
use support::Served;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Patience of the lookups: a backstop, nothing waits for it to pass.
const SOON: Option<u64> = Some(30_000);

/// What the two apps call their elements.
struct Names {
    email: &'static str,
    agree: &'static str,
    submit: &'static str,
}

fn flat(roots: &[Element]) -> Vec<&Element> {
    let mut all: Vec<&Element> = roots.iter().collect();
    let mut next = 0;
    while next < all.len() {
        all.extend(&all[next].children);
        next += 1;
    }
    all
}

fn middle(element: &Element) -> (i32, i32) {
    let frame = element.frame.unwrap();
    ((frame.x + frame.width / 2.0) as i32, (frame.y + frame.height / 2.0) as i32)
}

async fn find(client: &Client, id: &str) -> Element {
    client.find_element(id, false, None).await.unwrap().unwrap_or_else(|| panic!("no {id}"))
}

/// What is the same for both: everything but where the app counts.
async fn reads_and_fills_the_form(client: &Client, names: &Names) {
    client.heartbeat().await.unwrap();
    client.bridge_health().await.unwrap();
    let udid = client.device_udid().await.unwrap().unwrap();
    assert_eq!(client.device_udid().await.unwrap().as_deref(), Some(udid.as_str()));
    let info = client.target_info().await.unwrap();
    assert!(info["target"].is_string() && info["name"].is_string(), "{info}");

    let tree = client.dump_tree().await.unwrap();
    let all = flat(&tree);
    assert!(all.iter().any(|e| e.unique_id.as_deref() == Some(names.email)), "{tree:#?}");
    assert!(all.iter().all(|e| e.hittable.is_none()), "a dump does not ask whether an element can be hit");

    assert_eq!(find(client, names.email).await.hittable, Some(true));
    assert_eq!(client.find_element("nowhere", false, None).await.unwrap(), None);
    let typed = client.find_element(names.submit, true, Some("Button")).await.unwrap().unwrap();
    assert_eq!(typed.hittable, Some(false), "a disabled button cannot be hit: {typed:?}");
    let wrong = client.tap_with_type(names.submit, true, "Slider", None).await.unwrap_err();
    assert_eq!(wrong.code(), ErrorCode::ElementNotFound, "{wrong}");

    let nobody = client.type_text("lost").await.unwrap_err();
    assert_eq!(nobody.code(), ErrorCode::NotActionable, "{nobody}");
    let disabled = client.tap_by_label(names.submit, None).await.unwrap_err();
    assert_eq!(disabled.code(), ErrorCode::NotActionable, "{disabled}");

    let (x, y) = middle(&find(client, names.email).await);
    client.tap_coord(x, y).await.unwrap();
    client.type_text("ada@example.org").await.unwrap();
    let value = client.get_value(names.email, false, Some("TextField"), SOON).await.unwrap();
    assert_eq!(value.as_deref(), Some("ada@example.org"));
    client.tap_by_label(names.agree, SOON).await.unwrap();
    // It waits until the button is enabled.
    client.tap_with_type(names.submit, true, "Button", SOON).await.unwrap();
}

async fn is_a_picture(client: &Client) {
    let png = client.screenshot().await.unwrap();
    assert_eq!(png[..8], [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A]);
}

fn control(app: &App, line: &str) -> String {
    tokio::task::block_in_place(|| app.control(line).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gtk_app_obeys_every_request() {
    let desktop = Desktop::builder().deadline(Duration::from_secs(120)).start().unwrap();
    let app = desktop.fixture(Fixture::Gtk3).unwrap();
    control(&app, "show form");
    let connector = stillpoint_atspi::AtspiConnector::on(stillpoint_atspi::Desktop {
        accessibility_bus: Some(desktop.a11y_address().to_owned()),
        session_bus: Some(desktop.session_address()),
        display: Some(desktop.display()),
    });
    let target = format!("app:pid={}", app.pid());
    let served = Served::with(AgentBuilder::new().with(connector), &target).await;
    let client = served.client().await;
    let names = Names { email: "form.email", agree: "I agree", submit: "Submit" };
    reads_and_fills_the_form(&client, &names).await;
    control(&app, "activated form.submit 1");

    let submit = find(&client, "form.submit").await;
    let (x, y) = middle(&submit);
    client.tap_element("form.submit", SOON).await.unwrap();
    control(&app, "activated form.submit 2");
    client.tap_coord(x, y).await.unwrap();
    control(&app, "activated form.submit 3");
    client.long_press(x, y, 0.2).await.unwrap();
    control(&app, "activated form.submit 4");

    is_a_picture(&client).await;
    control(&app, "show drag");
    let (card, tray) = (find(&client, "drag.card").await, find(&client, "drag.tray").await);
    client.swipe(middle(&card), middle(&tray), Some(0.4)).await.unwrap();
    control(&app, "happened dropped drag.tray 1");
    // The toolkit has parked the picture of the card outside of the screen; it is not what is to be seen.
    is_a_picture(&client).await;

    client.set_target(Fixture::Gtk3.accessible_name()).await.unwrap();
    let info = client.target_info().await.unwrap();
    assert_eq!(info["target"], format!("app:{}", Fixture::Gtk3.accessible_name()));
    find(&client, "drag.card").await;
    let gone = client.set_target("app:pid=1").await.unwrap_err();
    assert!(matches!(gone.code(), ErrorCode::TargetNotFound | ErrorCode::HierarchyEmpty), "{gone}");
    find(&client, "drag.card").await;
    served.end().await;
}

const PAGE: &str = r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Form</title><body>
<label>Email <input id="email" type="email"></label>
<label><input id="agree" type="checkbox"> I agree</label>
<button id="submit" disabled>Submit</button>
<p id="count" role="status">0 taps</p><p id="pressed" role="status">not pressed</p>
<div id="pad" role="group" aria-label="Pad" style="width:300px;height:200px;background:#eee"></div>
<p id="swiped" role="status">not swiped</p>
<script>
const check = () => { submit.disabled = !(email.value.includes('@') && agree.checked); };
email.oninput = check; agree.onchange = check;
let taps = 0;
submit.onclick = () => { taps += 1; count.textContent = `${taps} taps`; };
let down = null;
pad.onpointerdown = (e) => { down = [performance.now(), e.clientX]; };
pad.onpointerup = (e) => {
  if (Math.abs(e.clientX - down[1]) > 50) swiped.textContent = 'swiped';
  else if (performance.now() - down[0] >= 200) pressed.textContent = 'pressed for long';
};
</script>"#;

async fn page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.windows(4).any(|w| w == b"\r\n\r\n") {
                    match stream.read_buf(&mut head).await {
                        Ok(n) if n > 0 => {}
                        _ => return,
                    }
                }
                let answer = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{PAGE}",
                    PAGE.len()
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    format!("web:http://{addr}/")
}

/// The status shows this text, or will before the time is up.
async fn shows(client: &Client, text: &str) {
    let shown = client.get_value(text, true, None, SOON).await;
    shown.unwrap_or_else(|error| panic!("{text}: {error}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_web_page_obeys_every_request() {
    let url = page().await;
    let served = Served::with(AgentBuilder::new().with(Chromium::new()), &url).await;
    let client = served.client().await;
    let names = Names { email: "email", agree: "I agree", submit: "Submit" };
    reads_and_fills_the_form(&client, &names).await;
    shows(&client, "1 taps").await;

    let (x, y) = middle(&find(&client, "submit").await);
    client.tap_element("submit", SOON).await.unwrap();
    shows(&client, "2 taps").await;
    client.tap_coord(x, y).await.unwrap();
    shows(&client, "3 taps").await;

    let (x, y) = middle(&find(&client, "pad").await);
    client.long_press(x, y, 0.4).await.unwrap();
    shows(&client, "pressed for long").await;
    client.swipe((x - 60, y), (x + 60, y), Some(0.2)).await.unwrap();
    shows(&client, "swiped").await;
    is_a_picture(&client).await;

    client.set_target(&url).await.unwrap();
    let other = page().await;
    client.set_target(&other).await.unwrap();
    assert_eq!(client.target_info().await.unwrap()["target"], other);
    shows(&client, "0 taps").await;
    served.end().await;
}
