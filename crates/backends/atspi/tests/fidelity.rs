//! After thousands of changes, what events alone made of the mirror equals a fresh reading, and what an independent
//! walker sees.

mod stage;

use stage::{Stage, differences, outline, walker};
use stillpoint_lab::Fixture;

async fn after_random_mutations(fixture: Fixture, seed: u32) {
    let stage = Stage::new();
    let app = stage.fixture(fixture);
    let mut watched = stage.attach(&app).await;
    watched.control(&app, "show playground").await;
    watched.control(&app, &format!("mutate 2000 {seed}")).await;
    watched.catch_up().await;

    let mirror = outline(watched.tree());
    let fresh = watched.read_afresh().await;
    let truth = outline(fresh.tree());
    assert!(
        mirror == truth,
        "the mirror differs from a fresh reading:\n{}",
        differences(&mirror, &truth).join("\n")
    );
    assert_eq!(watched.resyncs, 0);
    assert_eq!(watched.ignored, 0, "a change referred to something unknown");

    let seen = walker::walk(&stage.desktop, app.pid());
    let told = walker::as_pyatspi_would(watched.tree());
    assert!(seen == told, "pyatspi sees something else:\n{}", differences(&told, &seen).join("\n"));
}

#[tokio::test]
async fn the_mirror_of_gtk3_is_true_after_two_thousand_mutations() {
    after_random_mutations(Fixture::Gtk3, 7).await;
}

#[tokio::test]
async fn the_mirror_of_gtk4_is_true_after_two_thousand_mutations() {
    after_random_mutations(Fixture::Gtk4, 7).await;
}

#[tokio::test]
async fn the_mirror_of_qt_is_true_after_two_thousand_mutations() {
    after_random_mutations(Fixture::Qt, 7).await;
}
