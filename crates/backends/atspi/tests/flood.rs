//! An app that never comes to rest geometrically: its mirror stays true, and geometry is told as geometry.

mod stage;

use serde_json::json;
use stage::verbs::ask;
use stage::{Stage, differences, outline, walker};
use stillpoint_core::tree::Role;
use stillpoint_engine::backend::{Action, Backend as _};

#[tokio::test]
async fn a_page_switch_of_an_app_that_floods_bounds_is_mirrored_in_full() {
    let stage = Stage::new();
    let app = stage.program("gtk3-widget-factory").await;
    let mut watched = stage.attach(&app).await;
    watched.catch_up().await;
    let before = outline(watched.tree());
    let page = watched.key(Role::Radio, "Page 2");
    let switched = watched.backend.perform(&Action::Select { on: page }, stage::patience()).await;
    switched.expect("the page can be chosen");
    watched
        .until("the second page", |tree| {
            tree.by_label("Page 2")
                .iter()
                .any(|id| tree.get(*id).is_some_and(|n| n.states().is(stillpoint_core::tree::State::Checked)))
        })
        .await;
    watched.catch_up().await;
    assert_ne!(before, outline(watched.tree()), "nothing changed");

    let told = outline(watched.tree());
    let fresh = watched.read_afresh().await;
    let truth = without_values(&outline(fresh.tree()));
    let told = without_values(&told);
    assert!(
        told == truth,
        "the mirror differs from a fresh reading:\n{}",
        differences(&told, &truth).join("\n")
    );
    assert_eq!(watched.resyncs, 0);
    let seen = walker::walk(&stage.desktop, app.pid());
    watched.catch_up().await;
    let told = walker::as_pyatspi_would(watched.tree());
    assert!(seen == told, "pyatspi sees something else:\n{}", differences(&told, &seen).join("\n"));
}

/// A pulsing bar has another value at every look.
fn without_values(outline: &[String]) -> Vec<String> {
    let cut = |line: &String| match line.split_once(" value=") {
        Some((head, tail)) if line.contains("progress bar") => {
            format!("{head} {}", tail.split_once(" id=").map_or("", |(_, rest)| rest))
        }
        _ => line.clone(),
    };
    outline.iter().map(cut).collect()
}

/// SPEC §6 on the stock example of an app that never comes to rest geometrically.
#[tokio::test]
async fn a_wait_settles_although_the_bounds_never_rest_and_tells_what_came_and_went() {
    let stage = Stage::new();
    let app = stage.program("gtk3-widget-factory").await;
    let session = stage.open(&app).await;
    ask(&session, "wait_for_idle", json!({ "timeout_ms": 60_000 })).await;
    let base = session.revision();
    let switch = json!({ "selector": "radio \"Page 2\"", "settle": "none" });
    let switched = ask(&session, "select", switch).await;
    assert_eq!(switched["success"], true, "{switched}");

    let since = json!({ "since_revision": base, "timeout_ms": 60_000 });
    let waited = ask(&session, "wait_for_ui_change", since).await;
    assert_eq!(waited["status"], "success", "{waited}");
    assert_eq!(waited["reason"], "converged");
    assert_eq!(waited["stability_state"], "stable");
    assert_eq!(waited["change_detected"], true);
    assert_eq!(waited["base_revision"], json!(base));

    let delta = session.delta_since(base).expect("the base is kept");
    let appeared: Vec<&str> = delta.added().filter_map(|(_, node)| node.label()).collect();
    let vanished: Vec<&str> = delta.removed().filter_map(|(_, node)| node.label()).collect();
    assert!(appeared.contains(&"Expander"), "{appeared:?}");
    assert!(vanished.contains(&"link button"), "{vanished:?}");
    let words = waited["change_summary"]["first"].to_string();
    assert!(words.contains("appeared") && words.contains("vanished"), "{words}");
}
