//! More changes than there is room for: batches are left out, everything is read again, and the mirror is true.

mod stage;

use stage::truthful::assert_true;
use stage::{Stage, Watched, patience};
use stillpoint_core::Moment;
use stillpoint_engine::backend::{Backend as _, Scope};
use stillpoint_lab::Fixture;

/// Room for so few batches that a moment in which nobody takes them is too long.
const ROOM: usize = 2;

/// Reads everything again, as a session does when it is told that batches were lost, until nothing is lost any more.
async fn heal(watched: &mut Watched) {
    let mut lost = 0;
    while watched.resyncs != lost {
        lost = watched.resyncs;
        let reading = watched.backend.refresh(Scope::Everything, patience()).await;
        watched.drain();
        watched.mirror.apply(reading.expect("the app answers"), Moment::START);
        watched.catch_up().await;
    }
}

async fn overflows_and_is_true_again(fixture: Fixture) {
    let stage = Stage::new();
    let app = stage.fixture(fixture);
    let told = tokio::task::spawn_blocking({
        let app = app.clone();
        move || app.control("show playground")
    });
    told.await.expect("no panic").expect("the fixture does as told");
    let target = format!("app:pid={}", app.pid());
    let mut watched = stage.attach_with_room(&target, ROOM, patience()).await.expect("it can be attached to");
    // Nobody takes anything out meanwhile.
    let flood = app.clone();
    let flooded = tokio::task::spawn_blocking(move || flood.control("mutate 500 7 1"));
    flooded.await.expect("no panic").expect("the fixture does as told");
    watched.backend.barrier(patience()).await.expect("the app answers");
    watched.drain();
    assert!(watched.resyncs > 0, "nothing overflowed");
    heal(&mut watched).await;
    assert_true(&stage, &mut watched, app.pid(), "after an overflow").await;
    // What follows is told by events again.
    watched.control(&app, "mutate 20 8").await;
    watched.catch_up().await;
    heal(&mut watched).await;
    assert_true(&stage, &mut watched, app.pid(), "after some more changes").await;
}

#[tokio::test]
async fn the_mirror_of_gtk3_is_true_after_an_overflow() {
    overflows_and_is_true_again(Fixture::Gtk3).await;
}

#[tokio::test]
async fn the_mirror_of_qt6_is_true_after_an_overflow() {
    overflows_and_is_true_again(Fixture::Qt6).await;
}
