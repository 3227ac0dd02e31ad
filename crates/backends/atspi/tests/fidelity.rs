//! After thousands of changes, what events alone made of the mirror equals a fresh reading, a new attachment, and what
//! an independent walker sees.
//!
//! `STILLPOINT_SOAK=N` goes through N seeds instead of one.

mod stage;

use stage::truthful::assert_true;
use stage::{Stage, Watched};
use std::sync::Arc;
use stillpoint_lab::{App, Fixture};

fn seeds() -> std::ops::Range<u32> {
    let soak = std::env::var("STILLPOINT_SOAK").ok().and_then(|n| n.parse().ok());
    7..7 + soak.unwrap_or(1)
}

async fn after_random_mutations(fixture: Fixture) {
    for seed in seeds() {
        let stage = Stage::new();
        let app = stage.fixture(fixture);
        let mut watched = stage.attach(&app).await;
        mutate(&mut watched, &app, seed).await;
        assert_true(&stage, &mut watched, app.pid(), &format!("seed {seed}")).await;
        assert_eq!(watched.resyncs, 0);
        assert_eq!(watched.ignored, 0, "a change referred to something unknown");
    }
}

async fn mutate(watched: &mut Watched, app: &Arc<App>, seed: u32) {
    watched.control(app, "show playground").await;
    watched.control(app, &format!("mutate 2000 {seed}")).await;
    watched.catch_up().await;
}

#[tokio::test]
async fn the_mirror_of_gtk3_is_true_after_two_thousand_mutations() {
    after_random_mutations(Fixture::Gtk3).await;
}

#[tokio::test]
async fn the_mirror_of_gtk4_is_true_after_two_thousand_mutations() {
    after_random_mutations(Fixture::Gtk4).await;
}

#[tokio::test]
async fn the_mirror_of_qt_is_true_after_two_thousand_mutations() {
    after_random_mutations(Fixture::Qt).await;
}

#[tokio::test]
async fn the_mirror_of_qt6_is_true_after_two_thousand_mutations() {
    after_random_mutations(Fixture::Qt6).await;
}
