//! Whether a mirror is true: three other ways to read the same app have to agree with it.

use super::{Stage, Watched, differences, outline, places, walker};
use stillpoint_engine::backend::Backend as _;

/// The mirror, as events alone made it, equals a fresh full reading, a new attachment and what pyatspi sees.
pub async fn assert_true(stage: &Stage, watched: &mut Watched, pid: u32, when: &str) {
    // Taken before anything reads the app again, which would repair what it compares with.
    let mirror = outline(watched.tree());
    let other =
        stage.try_attach(&format!("app:pid={pid}"), super::patience()).await.expect("it can be attached to");
    assert_same("a new attachment", when, &mirror, &outline(other.tree()));
    // Places may follow a moment later, but without being asked for.
    let settled = places(other.tree());
    watched.until(&format!("the places of a new attachment, {when}"), |tree| places(tree) == settled).await;
    other.backend.close().await;

    let fresh = watched.read_afresh().await;
    assert_same("a fresh reading", when, &mirror, &outline(fresh.tree()));

    let seen = walker::walk(&stage.desktop, pid);
    assert_same("pyatspi", when, &walker::as_pyatspi_would(watched.tree()), &seen);
}

fn assert_same(other: &str, when: &str, mirror: &[String], truth: &[String]) {
    if mirror != truth && std::env::var_os("STILLPOINT_DUMP").is_some() {
        std::fs::write("/tmp/mirror.txt", mirror.join("\n")).unwrap();
        std::fs::write("/tmp/truth.txt", truth.join("\n")).unwrap();
    }
    assert!(
        mirror == truth,
        "the mirror ({} elements) differs from {other} ({}), {when}:\n{}",
        mirror.len(),
        truth.len(),
        differences(mirror, truth).join("\n")
    );
}
