//! The barrier: through every page's main thread and its next frame, then through our own queue.
//!
//! The observer's answer and the barrier's answer come over the same socket, and both go through the same queue:
//! what the page did before the barrier has been read and sent when the barrier returns.

use crate::frames::Shared;
use crate::socket::{Note, Pending, Session, is_dialog};
use serde_json::{Value, json};
use std::time::Duration;
use stillpoint_core::{Code, Result};
use stillpoint_engine::backend::Deadline;
use tokio::sync::oneshot;

/// A page that nobody looks at makes no frames: after this time it is asked without one.
const FRAME: Duration = Duration::from_millis(120);

/// How often a barrier looks again at most.
const ROUNDS: usize = 8;

/// What a round asks the observers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// To look at everything, and to tell it.
    Fresh,
    /// Whether they have told what they found then. What came since is not waited for: a clock is never through, and on a page
    /// that is slower than its clock each round would find another tick.
    Owed,
}

/// When it returns, every change that a page had made before is in the sink.
pub(crate) async fn barrier(browser: &Session, shared: &Shared, deadline: Deadline) -> Result<()> {
    // What is found can ask for another look: a frame that was just entered, a shadow root just opened.
    let mut look = Look::Fresh;
    for _ in 0..ROUNDS {
        let began = tokio::time::Instant::now();
        let mut left = 0;
        if !browser.dialog_is_open() {
            left = through_pages(shared, look, deadline).await?;
        }
        let pages = began.elapsed();
        let (done, dealt_with) = oneshot::channel();
        browser.enqueue(Note::Flush(done)).await?;
        let again = deadline
            .bound("reading what has changed", async { dealt_with.await.map_err(|_| crate::socket::lost()) })
            .await?;
        tracing::trace!(?pages, whole = ?began.elapsed(), left, again, "a round of the barrier");
        look = match (again, left) {
            (true, _) => Look::Fresh,
            (false, 0) => break,
            (false, _) => Look::Owed,
        };
    }
    Ok(())
}

/// Gives how much of what they found the observers have not told yet.
async fn through_pages(shared: &Shared, look: Look, deadline: Deadline) -> Result<u64> {
    let (observers, news) = {
        let mut registry = shared.lock();
        let news = look == Look::Fresh && std::mem::take(&mut registry.news);
        (registry.observers.clone(), news)
    };
    let ask = |session: &Session, context: i64, frame: bool| -> Result<Pending> {
        let expression = match look {
            Look::Fresh => format!("stillpoint.settle({frame},{news})"),
            Look::Owed => "stillpoint.owed()".to_owned(),
        };
        let params =
            json!({ "expression": expression, "contextId": context, "awaitPromise": true, "silent": true });
        session.start("Runtime.evaluate", params)
    };
    let mut asked = Vec::with_capacity(observers.len());
    for (session, context) in observers {
        match ask(&session, context, true) {
            Ok(pending) => asked.push((session, context, pending)),
            // A page that is gone has nothing more to tell; a browser that is gone is noticed below.
            Err(error) if error.code == Code::TargetLost => {}
            Err(error) => return Err(error),
        }
    }
    let frame = deadline.or_after(FRAME);
    let mut left = 0;
    for (session, context, pending) in asked {
        let mut answer = pending.read::<Value>(frame).await;
        if matches!(&answer, Err(error) if error.code == Code::TargetUnresponsive && !is_dialog(error)) {
            answer = match ask(&session, context, false) {
                Ok(pending) => pending.read(deadline).await,
                Err(error) => Err(error),
            };
        }
        match answer {
            Ok(answer) => left += answer["result"]["value"].as_u64().unwrap_or(0),
            // An open dialog holds the page; what it did before has been told.
            Err(error) if is_dialog(&error) => return Ok(0),
            // The document went away in the meantime; its successor announces itself.
            Err(error) if matches!(error.code, Code::Protocol | Code::TargetLost) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(left)
}

/// A round trip through the main thread of one target: it must answer before anything is dispatched to it.
pub(crate) async fn main_thread_answers(session: &Session, deadline: Deadline) -> Result<()> {
    session
        .call::<Value>("Runtime.evaluate", json!({ "expression": "0", "silent": true }), deadline)
        .await
        .map(drop)
}
