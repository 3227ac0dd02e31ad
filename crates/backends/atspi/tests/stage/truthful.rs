//! Whether a mirror is true: other ways to read the same app have to agree with it.

use super::{Stage, Watched, differences, outline, patience, places, walker};
use stillpoint_core::tree::Tree;
use stillpoint_engine::Session;
use stillpoint_engine::backend::Backend as _;

/// The mirror, as events alone made it, equals a new attachment, a fresh full reading and what pyatspi sees.
pub async fn assert_true(stage: &Stage, watched: &mut Watched, pid: u32, when: &str) {
    // Taken before anything reads the app again, which would repair what it compares with.
    let mirror = still(watched.tree());
    let placed = agrees_with_a_new_attachment(stage, pid, when, &mirror).await;
    // Places may follow a moment later, but without being asked for.
    watched.until(&format!("the places of a new attachment, {when}"), |tree| places(tree) == placed).await;
    let fresh = watched.read_afresh().await;
    assert_same("a fresh reading", when, &mirror, &still(fresh.tree()));
    agrees_with_pyatspi(stage, pid, when, watched.tree());
}

/// The same for the mirror of a session.
pub async fn assert_session_true(stage: &Stage, session: &Session, pid: u32, when: &str) {
    let mirror = session.read(still);
    let placed = agrees_with_a_new_attachment(stage, pid, when, &mirror).await;
    let mut changes = session.changes();
    let follow = async {
        while session.read(|tree| places(tree) != placed) {
            changes.changed().await.expect("the session lives");
        }
    };
    if tokio::time::timeout(super::PATIENCE, follow).await.is_err() {
        assert_same("the places of a new attachment", when, &session.read(places), &placed);
    }
    session.read(|tree| agrees_with_pyatspi(stage, pid, when, tree));
}

async fn agrees_with_a_new_attachment(stage: &Stage, pid: u32, when: &str, mirror: &[String]) -> Vec<String> {
    let other = stage.try_attach(&format!("app:pid={pid}"), patience()).await;
    let other = other.expect("it can be attached to once more");
    assert_same("a new attachment", when, mirror, &still(other.tree()));
    other.backend.close().await;
    places(other.tree())
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
