//! Whether a mirror is true: other ways to read the same app have to agree with it.

use super::{Stage, Watched, differences, outline, patience, places, walker};
use stillpoint_core::tree::Tree;
use stillpoint_engine::Session;
use stillpoint_engine::backend::Backend as _;

/// The mirror, as events alone made it, equals a new attachment, a fresh full reading and what pyatspi sees.
pub async fn assert_true(stage: &Stage, watched: &mut Watched, pid: u32, when: &str) {
    // Taken before anything reads the app again, which would repair what it compares with.
    let mirror = still(watched.tree());
    let mut placed = agrees_with_a_new_attachment(stage, pid, when, &mirror).await;
    // Places may follow a moment later, in the mirror by itself and in the app too: a slow one lays out behind its word
    // that it is done. So both are looked at until they agree; the mirror is never asked to look.
    let until = patience();
    while places(watched.tree()) != placed {
        assert!(
            !until.has_passed(),
            "places differ, {when}:\n{}",
            differences(&places(watched.tree()), &placed).join("\n")
        );
        placed = Box::pin(watched.during(places_now(stage, pid))).await;
    }
    let fresh = watched.read_afresh().await;
    assert_same("a fresh reading", when, &mirror, &still(fresh.tree()));
    agrees_with_pyatspi(stage, pid, when, watched.tree());
}

/// The same for the mirror of a session.
pub async fn assert_session_true(stage: &Stage, session: &Session, pid: u32, when: &str) {
    assert_session_agrees(stage, session, pid, when).await;
    session.read(|tree| agrees_with_pyatspi(stage, pid, when, tree));
}

/// The mirror of a session equals a new attachment.
pub async fn assert_session_agrees(stage: &Stage, session: &Session, pid: u32, when: &str) {
    let mirror = session.read(still);
    let mut placed = agrees_with_a_new_attachment(stage, pid, when, &mirror).await;
    let until = patience();
    while session.read(|tree| places(tree) != placed) {
        if until.has_passed() {
            assert_same("the places of a new attachment", when, &session.read(places), &placed);
        }
        placed = places_now(stage, pid).await;
    }
}

async fn agrees_with_a_new_attachment(stage: &Stage, pid: u32, when: &str, mirror: &[String]) -> Vec<String> {
    let other = look(stage, pid).await;
    assert_same("a new attachment", when, mirror, &still(other.tree()));
    places(other.tree())
}

async fn places_now(stage: &Stage, pid: u32) -> Vec<String> {
    places(look(stage, pid).await.tree())
}

/// A new attachment, closed again.
pub async fn look(stage: &Stage, pid: u32) -> Watched {
    let other = stage.try_attach(&format!("app:pid={pid}"), patience()).await;
    let other = other.expect("it can be attached to once more");
    other.backend.close().await;
    other
}

fn agrees_with_pyatspi(stage: &Stage, pid: u32, when: &str, tree: &Tree) {
    let seen = walker::walk(&stage.desktop, pid);
    assert_same("pyatspi", when, &walker::as_pyatspi_would(tree), &seen);
}

/// What has to be equal at any two looks: everything but the value of a progress bar, which may be under way.
fn still(tree: &Tree) -> Vec<String> {
    let cut = |line: String| match line.split_once(" value=") {
        Some((head, tail)) if line.contains("progress bar") => {
            format!("{head} {}", tail.split_once(" id=").map_or("", |(_, rest)| rest))
        }
        _ => line,
    };
    outline(tree).into_iter().map(cut).collect()
}

fn assert_same(other: &str, when: &str, mirror: &[String], truth: &[String]) {
    assert!(
        mirror == truth,
        "the mirror ({} elements) differs from {other} ({}), {when}:\n{}",
        mirror.len(),
        truth.len(),
        differences(mirror, truth).join("\n")
    );
}
