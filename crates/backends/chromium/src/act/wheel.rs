//! What a turn of the wheel did. The browser says that it has taken the turn, and moves the page some frames later: counted in
//! frames of the page, not in time, for a machine under load makes frames late.

use crate::frames::Shared;
use crate::socket::Pending;
use futures_util::stream::{FuturesUnordered, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use stillpoint_engine::backend::Deadline;

/// So many frames without any scrolling: nothing moves.
const FRAMES: u32 = 8;
/// A document that makes no frames is not waited for any longer.
const LONGEST: Duration = Duration::from_secs(2);

/// Documents that will say whether they have been scrolled.
pub(super) struct Wheel(Vec<Pending>);

impl Wheel {
    /// To be called before the wheel is turned.
    pub(super) fn watch(shared: &Shared) -> Self {
        let observers = shared.lock().observers.clone();
        let asked = observers.into_iter().filter_map(|(session, context)| {
            let expression = format!("stillpoint.wheel({FRAMES})");
            let params =
                json!({ "expression": expression, "contextId": context, "awaitPromise": true, "silent": true });
            // A document that went away cannot be scrolled.
            session.start("Runtime.evaluate", params).ok()
        });
        Wheel(asked.collect())
    }

    /// Until one document has begun to scroll, or none does.
    pub(super) async fn turned(self, deadline: Deadline) {
        let deadline = deadline.or_after(LONGEST);
        let mut answers: FuturesUnordered<_> =
            self.0.into_iter().map(|pending| pending.read::<Value>(deadline)).collect();
        while let Some(answer) = answers.next().await {
            // One that cannot say, for it went away or shows a dialog, leaves it to the others.
            if answer.is_ok_and(|answer| answer["result"]["value"] == true) {
                return;
            }
        }
    }
}
