//! Deadlines are kept, and time can be chosen.
#![allow(clippy::unwrap_used)] // a test may fail by panic, its helpers too

mod support;

use std::time::Duration;
use stillpoint_core::Code;
use stillpoint_core::tree::{NativeKey, State};
use stillpoint_engine::backend::{Action, Button, Deadline, Delivery, End, Next, Place, Scope};
use support::{attach, soon};
use tokio::time::Instant;

fn tap(key: NativeKey, hold: Option<Duration>) -> Action {
    Action::Tap { on: Place::Element(key), button: Button::Left, count: 1, hold }
}

#[tokio::test(start_paused = true)]
async fn an_action_whose_deadline_passed_never_fires() {
    let player = attach("sim:shortcut?latency=100").await;
    let undo = player.key("undo").await;
    for deadline in [Deadline::at(Instant::now()), Deadline::after(Duration::from_millis(50))] {
        let refusal = player.backend.perform(&tap(undo, None), deadline).await.unwrap_err();
        assert_eq!(refusal.error.code, Code::TargetUnresponsive);
        assert_eq!(refusal.delivery, Delivery::NotDelivered);
        assert!(refusal.error.retryable);
    }
    player.play(1_000).await;
    assert_eq!(player.text("status").await, "Empty");
    player.backend.perform(&tap(undo, None), soon()).await.unwrap();
    assert_eq!(player.text("status").await, "Undone");
}

#[tokio::test(start_paused = true)]
async fn an_action_whose_caller_went_away_never_fires() {
    let player = attach("sim:shortcut?latency=100").await;
    let action = tap(player.key("undo").await, None);
    let call = player.backend.perform(&action, soon());
    assert!(tokio::time::timeout(Duration::from_millis(50), call).await.is_err());
    player.play(1_000).await;
    assert_eq!(player.text("status").await, "Empty");
}

#[tokio::test(start_paused = true)]
async fn a_long_press_needs_its_time_before_the_deadline() {
    let player = attach("sim:noop").await;
    let hold = Some(Duration::from_millis(500));
    let button = player.key("nothing").await;
    let early = Deadline::after(Duration::from_millis(200));
    let refusal = player.backend.perform(&tap(button, hold), early).await.unwrap_err();
    assert_eq!(refusal.delivery, Delivery::NotDelivered);
    player.backend.perform(&tap(button, hold), soon()).await.unwrap();
    assert!(player.is("nothing", State::Focused).await);
}

#[tokio::test(start_paused = true)]
async fn the_barrier_comes_after_everything_that_was_told() {
    let mut player = attach("sim:toast").await;
    player.play(500).await;
    player.backend.barrier(soon()).await.unwrap();
    assert_eq!(player.told().await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn speed_and_delay_can_be_chosen() {
    for (target, wait, then) in
        [("sim:slow?delay=400", 300, 450), ("sim:slow?speed=3", 400, 550), ("sim:slow", 1400, 1600)]
    {
        let player = attach(target).await;
        player.play(wait).await;
        assert_eq!(player.text("status").await, "Not computed", "{target}");
        player.play(then - wait).await;
        assert_eq!(player.text("status").await, "Ready", "{target}");
    }
}

#[tokio::test(start_paused = true)]
async fn jitter_is_the_same_for_the_same_seed() {
    let mut arrivals = Vec::new();
    for target in ["sim:slow?jitter=500&seed=1", "sim:slow?jitter=500&seed=1", "sim:slow?jitter=500&seed=2"] {
        let mut player = attach(target).await;
        let started = Instant::now();
        player.inbox.next().await;
        arrivals.push(started.elapsed());
    }
    assert_eq!(arrivals[0], arrivals[1]);
    assert_ne!(arrivals[0], arrivals[2]);
}

#[tokio::test(start_paused = true)]
async fn login_says_when_it_is_busy_if_asked_to() {
    assert!(attach("sim:login").await.backend.idle_signal().is_none());
    let player = attach("sim:login?sdk=1").await;
    let mut idle = player.backend.idle_signal().unwrap();
    assert!(idle.borrow_and_update().idle);
    player.type_into("username", "ada").await.unwrap();
    player.type_into("password", "engine").await.unwrap();
    player.tap("signin").await.unwrap();
    idle.changed().await.unwrap();
    assert_eq!(idle.borrow_and_update().busy[0].name, "network");
    idle.changed().await.unwrap();
    assert!(idle.borrow_and_update().idle);
    assert_eq!(player.text("welcome").await, "Welcome, ada");
}

#[tokio::test(start_paused = true)]
async fn without_events_nothing_is_told_and_everything_can_be_read() {
    let mut player = attach("sim:login?events=0").await;
    assert!(!player.backend.capabilities().events);
    player.play(500).await;
    assert!(player.told().await.is_empty());
    assert_eq!(player.text("banner").await, "Ready");
}

#[tokio::test(start_paused = true)]
async fn closing_and_dropping_end_the_app() {
    let mut player = attach("sim:clock").await;
    player.backend.close().await;
    assert_eq!(player.end().await.1, End::Closed);
    assert_eq!(player.backend.barrier(soon()).await.unwrap_err().code, Code::TargetLost);
    let support::Player { backend, mut inbox, .. } = attach("sim:clock").await;
    drop(backend);
    let end = loop {
        if let Next::End(end) = inbox.next().await {
            break end;
        }
    };
    assert_eq!(end, End::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_part_of_the_tree_can_be_read_again() {
    let player = attach("sim:login").await;
    let form = player.key("form").await;
    let part = player.backend.refresh(Scope::Subtree(form), soon()).await.unwrap();
    assert_eq!(support::tree(&part).count(), 4);
    let gone = player.backend.refresh(Scope::Subtree(NativeKey(987_654)), soon()).await.unwrap_err();
    assert_eq!(gone.code, Code::StaleReference);
}

#[tokio::test(start_paused = true)]
async fn absurd_times_do_not_stop_the_app() {
    let player = attach("sim:noop").await;
    let button = player.key("nothing").await;
    let refusal = player.backend.perform(&tap(button, Some(Duration::MAX)), soon()).await.unwrap_err();
    assert_eq!((refusal.error.code, refusal.delivery), (Code::TargetUnresponsive, Delivery::NotDelivered));
    player.backend.perform(&tap(button, None), soon()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_time_that_is_no_number_is_no_time() {
    let text =
        "button \"Go\" #go\ntext #n text=\"waiting\"\non tap #go:\n  after {nan}ms set #n text \"done\"";
    let player = support::attach_with(stillpoint_sim::Sim::scripted(text), "sim:custom").await;
    player.tap("go").await.unwrap();
    player.play(1).await;
    assert_eq!(player.text("n").await, "done");
}

#[tokio::test(start_paused = true)]
async fn an_endless_loop_without_a_pause_lets_time_pass() {
    let text = "option pause =0\ntext #n text=\"0\"\non attach:\n  every {pause}ms set #n text \"{n}\"";
    let player = support::attach_with(stillpoint_sim::Sim::scripted(text), "sim:custom").await;
    player.play(50).await;
    assert_ne!(player.text("n").await, "0");
}

#[tokio::test(start_paused = true)]
async fn a_scene_that_goes_in_circles_hangs_like_an_app_that_does() {
    let text = "button \"Again\" #again\non tap #again:\n  tap #again";
    let player = support::attach_with(stillpoint_sim::Sim::scripted(text), "sim:custom").await;
    player.tap("again").await.unwrap();
    assert_eq!(player.backend.barrier(soon()).await.unwrap_err().code, Code::TargetUnresponsive);
}
