//! What a reader sees of an app in another process.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use common::{App, until};
use stillpoint_idle::{IdleClient, IdleState, MAX_RESOURCES, WaitOutcome};

/// Longer than any test may take: a wait that ends did not end by this.
const LONG: Duration = Duration::from_secs(600);

#[test]
fn an_app_is_busy_while_a_guard_is_held_and_idle_after() {
    let mut app = App::start();
    app.ask("status");
    let client = app.client();
    assert!(client.is_idle());
    app.ask("begin network");
    assert_eq!(client.state(), IdleState::Busy);
    app.ask("end network");
    assert_eq!(client.state(), IdleState::Idle);
}

#[test]
fn nested_guards_count_and_the_last_one_ends_the_work() {
    let mut app = App::start();
    app.ask("begin network 3");
    let client = app.client();
    let found = client.busy_resources();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].name.as_str(), found[0].count, found[0].stuck), ("network", 3, false));
    app.ask("end network 2");
    assert!(!client.is_idle());
    app.ask("end network");
    assert!(client.is_idle());
    assert!(client.busy_resources().is_empty());
}

#[test]
fn a_wait_ends_when_the_last_guard_does() {
    let mut app = App::start();
    app.ask("begin network");
    app.ask("begin disk");
    let client = app.client();
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| client.wait_for_idle(LONG));
        app.ask("end network");
        app.ask("end disk");
        assert_eq!(waiter.join().unwrap(), WaitOutcome::Idle);
    });
}

#[test]
fn a_wait_whose_time_is_up_says_what_was_in_flight() {
    let mut app = App::start();
    app.ask("begin network 2");
    let outcome = app.client().wait_for_idle(Duration::from_millis(1));
    let WaitOutcome::Busy(found) = outcome else { panic!("{outcome:?}") };
    assert_eq!((found[0].name.as_str(), found[0].count), ("network", 2));
}

#[test]
fn a_killed_app_is_lost_and_not_idle() {
    let mut app = App::start();
    app.ask("status");
    let client = app.client();
    assert!(client.is_idle());
    app.kill();
    assert_eq!(client.wait_for_idle(LONG), WaitOutcome::Lost);
    assert_eq!(client.state(), IdleState::Lost);
    assert!(!client.is_idle());
    assert!(IdleClient::connect_in(app.dir.path(), app.pid()).is_err());
}

#[test]
fn a_killed_app_that_was_busy_ends_a_wait_that_sleeps() {
    let mut app = App::start();
    app.ask("begin network");
    let client = app.client();
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| client.wait_for_idle(LONG));
        app.kill();
        assert_eq!(waiter.join().unwrap(), WaitOutcome::Lost);
    });
    assert!(client.busy_resources().is_empty());
}

#[test]
fn the_state_of_a_killed_app_changes_without_anybody_waiting() {
    let mut app = App::start();
    app.ask("begin network");
    let client = app.client();
    app.kill();
    until(&client, IdleState::Lost);
}

#[test]
fn an_app_that_stops_reporting_is_lost() {
    let mut app = App::start();
    let page = app.page();
    let client = app.client();
    assert_eq!(app.ask("stop"), "no reporting was stopped by the app");
    until(&client, IdleState::Lost);
    assert!(!page.exists());
    assert_eq!(app.ask("begin network"), "no reporting was stopped by the app");
}

#[test]
fn a_stuck_guard_is_reported_and_blocks_no_longer() {
    let mut app = App::start();
    app.ask("begin network");
    let patient = app.client();
    let client = app.client().with_max_busy(Duration::from_millis(30));
    assert_eq!(client.wait_for_idle(LONG), WaitOutcome::Idle);
    assert!(client.is_idle());
    let found = client.busy_resources();
    assert!(found[0].stuck && found[0].age >= Duration::from_millis(30), "{found:?}");
    assert!(!patient.is_idle(), "each client has its own patience");
    assert!(!patient.busy_resources()[0].stuck);
}

#[test]
fn other_work_blocks_beside_a_stuck_guard_and_its_end_wakes_the_reader() {
    let mut app = App::start();
    app.ask("begin leaked");
    // Long enough that the second guard does not become stuck during this test.
    let client = app.client().with_max_busy(Duration::from_secs(2));
    assert_eq!(client.wait_for_idle(LONG), WaitOutcome::Idle);
    for name in ["network", "leaked"] {
        app.ask(&format!("begin {name}"));
        assert_eq!(client.state(), IdleState::Busy, "{name}");
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| client.wait_for_idle(LONG));
            app.ask(&format!("end {name}"));
            assert_eq!(waiter.join().unwrap(), WaitOutcome::Idle, "{name}");
        });
    }
}

#[test]
fn the_65th_resource_counts_as_other_and_nothing_is_lost() {
    let mut app = App::start();
    app.ask(&format!("many {}", MAX_RESOURCES + 3));
    let client = app.client();
    let found = client.busy_resources();
    assert_eq!(found.len(), MAX_RESOURCES + 1);
    assert_eq!(found.iter().map(|one| one.count).sum::<u32>(), MAX_RESOURCES as u32 + 3);
    let other = found.iter().find(|one| one.name == "(other)").unwrap();
    assert_eq!(other.count, 3);
    let names: HashSet<_> = found.iter().map(|one| one.name.as_str()).collect();
    assert!((0..MAX_RESOURCES).all(|index| names.contains(format!("r{index}").as_str())));
    for index in 0..MAX_RESOURCES + 2 {
        app.ask(&format!("end r{index}"));
        assert!(!client.is_idle(), "r{} is held", MAX_RESOURCES + 2);
    }
    app.ask(&format!("end r{}", MAX_RESOURCES + 2));
    assert!(client.is_idle());
}

#[test]
fn a_long_name_is_cut_and_an_empty_one_has_a_stand_in() {
    let mut app = App::start();
    app.ask(&format!("begin {}é", "x".repeat(39)));
    app.ask("begin");
    let names: HashSet<_> = app.client().busy_resources().into_iter().map(|one| one.name).collect();
    assert_eq!(names, HashSet::from(["x".repeat(39), "(unnamed)".to_owned()]));
}

#[test]
fn attaching_twice_maps_once() {
    let mut app = App::start();
    app.ask("status");
    let clients: Vec<_> = (0..10).map(|_| app.client()).collect();
    assert_eq!(IdleClient::mapped_apps(), 1);
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let page = clients[0].path().display().to_string();
    assert_eq!(maps.lines().filter(|line| line.ends_with(&page)).count(), 1);
    drop(clients);
    assert!(app.client().is_idle());
    assert_eq!(IdleClient::mapped_apps(), 1);
}

#[test]
fn a_hundred_readers_of_one_app_are_all_woken() {
    let mut app = App::start();
    app.ask("begin network");
    let clients: Vec<_> = (0..100).map(|_| app.client()).collect();
    std::thread::scope(|scope| {
        let waiters: Vec<_> =
            clients.iter().map(|client| scope.spawn(|| client.wait_for_idle(LONG))).collect();
        app.ask("end network");
        for waiter in waiters {
            assert_eq!(waiter.join().unwrap(), WaitOutcome::Idle);
        }
    });
}

#[test]
fn work_that_is_handed_over_between_threads_is_never_seen_as_idle() {
    let mut app = App::start();
    app.ask("status");
    let client = app.client();
    assert_eq!(app.ask("handover"), "handing");
    for _ in 0..1_000_000 {
        assert!(!client.is_idle());
    }
    assert!(!client.busy_resources().is_empty());
    assert!(!client.wait_for_idle(Duration::ZERO).is_idle());
    app.ask("enough");
    assert!(client.is_idle());
}

#[test]
fn no_wake_up_is_lost_in_many_short_spells() {
    let mut app = App::start();
    app.ask("begin work");
    let client = Arc::new(app.client());
    for round in 0..2_000 {
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| client.wait_for_idle(LONG));
            app.tell(if round % 2 == 0 { "end work" } else { "end work 1" });
            assert_eq!(waiter.join().unwrap(), WaitOutcome::Idle);
        });
        app.line();
        app.ask("begin work");
    }
}

#[test]
fn a_storm_of_signals_loses_and_adds_nothing() {
    let mut app = App::start();
    app.ask("storm 20000");
    let client = app.client();
    assert!(client.is_idle(), "{:?}", client.busy_resources());
}

#[test]
fn threads_that_name_count_and_read_at_once_lose_nothing() {
    let mut app = App::start();
    app.ask("hammer 20000");
    let client = app.client();
    assert!(client.is_idle(), "{:?}", client.busy_resources());
    assert_eq!(client.begun(), 3 * 20_000);
}

#[test]
fn an_app_that_no_pid_here_names_is_found_by_its_page() {
    let dir = common::runtime_dir();
    let mut first = App::start_in(Arc::clone(&dir));
    let page = first.page();
    let by_path = IdleClient::connect_to(&page).unwrap();
    assert!(by_path.is_idle());
    drop(by_path);
    assert!(IdleClient::connect_to(&page).unwrap().is_idle());
}

#[test]
fn busy_resources_travel_as_json() {
    let mut app = App::start();
    app.ask("begin network");
    let found = app.client().busy_resources();
    let text = serde_json::to_string(&found).unwrap();
    let back: Vec<stillpoint_idle::BusyResource> = serde_json::from_str(&text).unwrap();
    assert_eq!(back, found);
}

#[tokio::test]
async fn an_async_wait_ends_and_a_dropped_one_leaves_nothing_behind() {
    let mut app = App::start();
    app.ask("begin network");
    let client = Arc::new(app.client());
    let dropped = client.wait_for_idle_async(LONG);
    assert!(tokio::time::timeout(Duration::from_millis(5), dropped).await.is_err());
    assert!(matches!(client.wait_for_idle_async(Duration::from_millis(1)).await, WaitOutcome::Busy(_)));
    let waiting = tokio::spawn({
        let client = Arc::clone(&client);
        async move { client.wait_for_idle_async(LONG).await }
    });
    tokio::task::yield_now().await;
    app.ask("end network");
    assert_eq!(waiting.await.unwrap(), WaitOutcome::Idle);
    assert_eq!(client.wait_for_idle_async(LONG).await, WaitOutcome::Idle);
    app.kill();
    assert_eq!(client.wait_for_idle_async(LONG).await, WaitOutcome::Lost);
    // The runtime's end waits for its blocking threads: the wait that was dropped must have ended.
}
