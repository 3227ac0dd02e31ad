//! What comes between the end of a wait and the look at what was expected. A file of its own: it listens to the whole process.
#![allow(clippy::unwrap_used)] // a test may panic
mod support;

use serde_json::json;
use std::sync::{Arc, OnceLock};
use stillpoint_engine::Session;
use support::{ask, scripted};
use tracing::{Event, Level, Metadata, Subscriber, span};

/// Holds whoever says that a wait is decided until the app has changed once more.
struct Holding(Arc<OnceLock<Session>>);

impl Subscriber for Holding {
    fn enabled(&self, about: &Metadata<'_>) -> bool {
        about.target() == "stillpoint_engine::session::watch" && *about.level() == Level::DEBUG
    }

    fn event(&self, _: &Event<'_>) {
        let Some(session) = self.0.get() else { return };
        let says = |text: &str| session.read(|tree| tree.walk().any(|(_, n)| n.text() == Some(text)));
        while !says("done") {
            std::thread::yield_now();
        }
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// Found while looking for what the flake lab had seen: the answer told the first of two changes and called it the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_change_right_after_the_rest_is_not_taken_for_part_of_it() {
    let held = Arc::new(OnceLock::new());
    tracing::subscriber::set_global_default(Holding(held.clone())).unwrap();
    let scene = "application \"A\"\n  button \"Go\" #go\n  text \"s\" #s text=\"idle\"\n  text \"t\" #t text=\"idle\"\n\non tap #go:\n  after 600ms set #s text \"done\"\n  after 50ms set #t text \"done too\"\n";
    let session = scripted(scene).await;
    held.set(session.clone()).ok();
    let done = ask(&session, "tap", json!({ "selector": "#go", "expect": "#s[text=\"done\"]" })).await;
    assert_eq!(done["settled"], true, "{done}");
    assert!(done["delta"]["changed"].to_string().contains("done too"), "{done}");
}
