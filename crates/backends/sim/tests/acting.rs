//! Verbs work on scenes as they do on real controls.
#![allow(clippy::unwrap_used)] // a test may fail by panic, its helpers too

mod support;

use std::time::Duration;
use stillpoint_core::Code;
use stillpoint_core::tree::{NativeKey, Role, State};
use stillpoint_engine::backend::{Action, Button, Delivery, Means, Place, Refusal, SetTo};
use support::{Player, all, attach, key, soon};

async fn center(player: &Player, id: &str) -> (i32, i32) {
    player.props(id).await.unwrap().bounds().unwrap().center()
}

fn tap_at((x, y): (i32, i32)) -> Action {
    Action::Tap { on: Place::Point(x, y), button: Button::Left, count: 1, hold: None }
}

fn is_rejected(outcome: Result<stillpoint_engine::backend::Performed, Refusal>) -> String {
    let refusal = outcome.unwrap_err();
    assert_eq!((refusal.error.code, refusal.delivery), (Code::ActionRejected, Delivery::NotDelivered));
    assert!(!refusal.error.hint.is_empty());
    refusal.error.message
}

#[tokio::test(start_paused = true)]
async fn a_disabled_element_refuses() {
    let player = attach("sim:login").await;
    assert!(is_rejected(player.tap("signin").await).contains("disabled"));
    let gone = Action::Focus { on: NativeKey(987_654) };
    assert_eq!(player.act(gone).await.unwrap_err().error.code, Code::StaleReference);
}

#[tokio::test(start_paused = true)]
async fn a_modal_dialog_covers_what_is_behind_it() {
    let player = attach("sim:dialog").await;
    let delete = center(&player, "delete").await;
    let hit = async |at: (i32, i32)| player.backend.hit_test(at.0, at.1, soon()).await.unwrap();
    assert_eq!(hit(delete).await, Some(player.key("delete").await));
    player.tap("open").await.unwrap();
    player.play(100).await;
    assert_eq!(hit(delete).await, Some(player.key("settings").await));
    assert_eq!(hit((5, 5)).await, Some(player.key("settings").await), "a modal takes every point");
    assert!(is_rejected(player.tap("delete").await).contains("Settings"));
    assert_eq!(hit((900, 5)).await, None);
    player.tap("wifi").await.unwrap();
    player.tap("ok").await.unwrap();
    assert_eq!(player.text("status").await, "Wi-Fi is off");
    player.tap("delete").await.unwrap();
    assert_eq!(player.text("status").await, "1 file");
    player.tap("open").await.unwrap();
    player.play(100).await;
    player.press("Escape").await.unwrap();
    assert!(player.props("settings").await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_point_means_the_control_that_lies_there() {
    let player = attach("sim:noop").await;
    let performed = player.act(tap_at(center(&player, "nothing").await)).await.unwrap();
    assert_eq!(performed.means, Means::Synthesised("pointer".into()));
    assert!(player.is("nothing", State::Focused).await);
    assert_eq!(player.tap("nothing").await.unwrap().means, Means::Native("click".into()));
}

#[tokio::test(start_paused = true)]
async fn controls_keep_to_their_limits_and_steps() {
    let player = attach("sim:checkout").await;
    let set = async |id: &str, to: SetTo| {
        let on = player.key(id).await;
        player.act(Action::SetValue { on, to }).await
    };
    set("tip", SetTo::Number(33.0)).await.unwrap();
    assert_eq!(player.text("tip").await, "35");
    assert_eq!(player.props("tip").await.unwrap().raw_value(), Some(35.0));
    set("tip", SetTo::Number(1e9)).await.unwrap();
    assert_eq!(player.text("tip").await, "100");
    set("quantity", SetTo::Text("4".into())).await.unwrap();
    assert_eq!(player.text("quantity").await, "4");
    is_rejected(set("quantity", SetTo::Text("four".into())).await);
    set("shipping", SetTo::Text("Express".into())).await.unwrap();
    assert_eq!(player.text("shipping").await, "Express");
    assert!(player.is("express", State::Selected).await && !player.is("standard", State::Selected).await);
    assert!(is_rejected(set("shipping", SetTo::Text("Mule".into())).await).contains("Mule"));
    set("terms", SetTo::Text("true".into())).await.unwrap();
    assert!(player.is("terms", State::Checked).await);
    is_rejected(set("title", SetTo::Text("x".into())).await);
    is_rejected(player.type_into("submit", "x").await);
    player.act(Action::PressKey { on: Some(player.key("tip").await), key: key("ArrowDown") }).await.unwrap();
    assert_eq!(player.text("tip").await, "95");
}

#[tokio::test(start_paused = true)]
async fn the_total_follows_after_the_last_input() {
    let mut player = attach("sim:checkout").await;
    for quantity in ["2", "3", "4"] {
        player.type_into("quantity", quantity).await.unwrap();
        player.play(200).await;
    }
    assert_eq!(player.text("total").await, "Total: 19.50");
    player.play(400).await;
    assert_eq!(support::texts(&player.told().await), ["In stock", "Total: 78.00"]);
    player.type_into("email", "nobody").await.unwrap();
    assert!(player.is("email", State::Invalid).await);
    player.type_into("email", "ada@example.org").await.unwrap();
    assert!(!player.is("submit", State::Enabled).await);
    let terms = player.key("terms").await;
    player.act(Action::Toggle { on: terms }).await.unwrap();
    player.tap("submit").await.unwrap();
    player.play(700).await;
    assert!(player.is("thanks", State::Modal).await);
    player.tap("ok").await.unwrap();
    assert_eq!(player.text("placed").await, "Order placed");
    assert_eq!(player.text("receipt").await, "A receipt for 4 was sent to ada@example.org");
}

#[tokio::test(start_paused = true)]
async fn a_closed_combobox_hides_its_options() {
    let player = attach("sim:checkout").await;
    assert!(!player.is("express", State::Visible).await);
    let on = player.key("shipping").await;
    player.act(Action::Expand { on, open: true }).await.unwrap();
    assert!(player.is("express", State::Visible).await);
    player.tap("express").await.unwrap();
    assert!(!player.is("express", State::Visible).await);
    assert_eq!(player.text("shipping").await, "Express");
    let title = player.key("title").await;
    is_rejected(player.act(Action::Expand { on: title, open: true }).await);
    is_rejected(player.act(Action::Select { on: title }).await);
    is_rejected(player.act(Action::Toggle { on: title }).await);
    is_rejected(player.act(Action::Focus { on: title }).await);
}

#[tokio::test(start_paused = true)]
async fn only_one_element_has_the_focus_and_tab_moves_it() {
    let player = attach("sim:login").await;
    player.press("Tab").await.unwrap();
    assert!(player.is("username", State::Focused).await);
    for letter in ["a", "d", "x"] {
        player.press(letter).await.unwrap();
    }
    player.press("Backspace").await.unwrap();
    assert_eq!(player.text("username").await, "ad");
    player.press("Tab").await.unwrap();
    let root = player.now().await;
    let focused: Vec<_> = all(&root).into_iter().filter(|n| n.props.states().is(State::Focused)).collect();
    assert_eq!(focused.len(), 1);
    assert_eq!(focused[0].props.stable_id(), Some("password"));
    player.press("shift+Tab").await.unwrap();
    player.press("ctrl+a").await.unwrap();
    player.press("q").await.unwrap();
    assert_eq!(player.text("username").await, "q");
}

#[tokio::test(start_paused = true)]
async fn a_feed_streams_and_grows_when_scrolled() {
    let player = attach("sim:feed").await;
    player.play(3_000).await;
    assert_eq!(player.count(Role::ListItem).await, 30);
    assert!(!player.is("item-30", State::OnScreen).await);
    let last = player.key("item-30").await;
    player.act(Action::ScrollTo { on: last }).await.unwrap();
    assert!(player.is("item-30", State::OnScreen).await && !player.is("item-1", State::OnScreen).await);
    player.play(200).await;
    assert_eq!(player.count(Role::ListItem).await, 40);
    let feed = Place::Element(player.key("feed").await);
    player.act(Action::Scroll { on: feed, dx: 0, dy: -10_000 }).await.unwrap();
    assert!(player.is("item-1", State::OnScreen).await);
}

#[tokio::test(start_paused = true)]
async fn a_table_row_can_be_opened_and_deleted() {
    let player = attach("sim:table:500").await;
    assert_eq!(player.count(Role::Row).await, 500);
    player.tap("open-7").await.unwrap();
    assert_eq!(player.text("status").await, "Opened row 7");
    player.tap("delete-7").await.unwrap();
    assert!(player.props("row-7").await.is_none());
    assert_eq!(player.count(Role::Row).await, 499);
}

#[tokio::test(start_paused = true)]
async fn a_card_can_be_dragged_to_another_list() {
    let player = attach("sim:drag").await;
    let (from, to) = (center(&player, "card-paint").await, center(&player, "done").await);
    let over = Duration::from_millis(200);
    let drag = Action::Drag { from: Place::Point(from.0, from.1), to: Place::Point(to.0, to.1), over };
    player.act(drag).await.unwrap();
    assert_eq!(player.text("status").await, "1 moved to done");
    assert!(player.props("card-paint").await.unwrap().bounds().unwrap().x >= 440);
}

#[tokio::test(start_paused = true)]
async fn shortcuts_reach_the_scene() {
    let player = attach("sim:shortcut").await;
    player.type_into("note", "milk").await.unwrap();
    assert_eq!(player.text("status").await, "Not saved");
    player.press("ctrl+s").await.unwrap();
    player.play(100).await;
    assert_eq!(player.text("status").await, "Saved");
}

#[tokio::test(start_paused = true)]
async fn an_optimistic_change_is_rolled_back() {
    let player = attach("sim:rollback").await;
    player.tap("like").await.unwrap();
    assert_eq!(player.text("likes").await, "13 likes");
    assert!(player.is("like", State::Pressed).await);
    player.play(350).await;
    assert_eq!(player.text("likes").await, "12 likes");
    assert!(!player.is("like", State::Pressed).await && player.is("problem", State::Visible).await);
}

#[tokio::test(start_paused = true)]
async fn fields_are_validated_after_the_last_input() {
    let player = attach("sim:validation").await;
    player.type_into("age", "17").await.unwrap();
    player.play(250).await;
    assert!(player.is("name", State::Invalid).await && player.is("age", State::Invalid).await);
    player.type_into("age", "18").await.unwrap();
    player.type_into("name", "Ada").await.unwrap();
    player.play(250).await;
    player.tap("register").await.unwrap();
    player.play(200).await;
    assert_eq!(player.text("status").await, "Registered Ada");
}

#[tokio::test(start_paused = true)]
async fn a_mover_moves_and_rests() {
    let mut player = attach("sim:mover").await;
    let start = center(&player, "catch").await;
    player.play(700).await;
    let rest = center(&player, "catch").await;
    assert!(rest.0 > start.0 + 400);
    assert!(player.told().await.len() > 25);
    player.play(500).await;
    assert_eq!(center(&player, "catch").await, rest);
    assert!(player.told().await.is_empty());
    player.tap("catch").await.unwrap();
    assert_eq!(player.text("status").await, "1 caught");
}

#[tokio::test(start_paused = true)]
async fn equal_buttons_do_different_things() {
    let player = attach("sim:two_buttons").await;
    let root = player.now().await;
    let buttons: Vec<NativeKey> =
        all(&root).into_iter().filter(|n| n.props.label() == Some("Apply")).map(|n| n.key).collect();
    assert_eq!(buttons.len(), 2);
    let on = Place::Element(buttons[1]);
    player.act(Action::Tap { on, button: Button::Left, count: 1, hold: None }).await.unwrap();
    assert_eq!(player.text("status").await, "Sound applied");
}

#[tokio::test(start_paused = true)]
async fn a_picture_is_a_png_of_the_screen_or_of_one_element() {
    let player = attach("sim:login").await;
    let size = |png: &[u8]| {
        let reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        (reader.info().width, reader.info().height)
    };
    let whole = player.backend.screenshot(None, soon()).await.unwrap();
    assert_eq!(size(&whole), (800, 600));
    let button = player.key("signin").await;
    let part = player.backend.screenshot(Some(button), soon()).await.unwrap();
    assert_eq!(size(&part).1, 28);
    let gone = player.backend.screenshot(Some(NativeKey(987_654)), soon()).await.unwrap_err();
    assert_eq!(gone.code, Code::StaleReference);
}
