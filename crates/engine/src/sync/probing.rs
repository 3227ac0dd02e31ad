//! Asking an app whose toolkit leaves out events, while somebody waits. GTK 4.8 adds a label without a word: a wait that
//! only listened would find it at its deadline. Quick at first, then ever slower while nothing comes of it, never
//! more than a fifth of the app's time, and not while the app sleeps.

use crate::backend::Deadline;
use crate::session::{Inner, Session};
use std::sync::{Arc, Weak};
use std::time::Duration;
use stillpoint_core::settle::Dormancy;
use tokio::sync::watch;
use tokio::time::Instant;

/// The pause before the first question, and the longest one.
const FIRST: Duration = Duration::from_millis(60);
const LONGEST: Duration = Duration::from_millis(500);
/// A pause is at least so many times as long as the last question took.
const SHARE: u32 = 4;
/// An app that has run is asked so often before it is left asleep.
const QUESTIONS: u32 = 2;
/// How long one question may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Starts the task; it ends with the session.
pub(super) fn spawn(inner: &Arc<Inner>, waiting: watch::Receiver<usize>) {
    tokio::spawn(probe(Arc::downgrade(inner), waiting));
}

async fn probe(session: Weak<Inner>, mut waiting: watch::Receiver<usize>) {
    loop {
        if waiting.wait_for(|n| *n > 0).await.is_err() {
            return;
        }
        let (mut pause, mut took) = (FIRST, Duration::ZERO);
        let mut dormancy = Dormancy::default();
        loop {
            tokio::select! {
                () = tokio::time::sleep(pause.max(took * SHARE)) => {}
                over = waiting.wait_for(|n| *n == 0) => match over {
                    Ok(_) => break,
                    Err(_) => return,
                },
            }
            let Some(session) = session.upgrade().map(Session::from).filter(|s| s.end().is_none()) else {
                return;
            };
            if dormancy.is_dormant(session.processor_time(), session.now(), QUESTIONS) {
                pause = (pause * 2).min(LONGEST);
                continue;
            }
            let (before, began) = (session.revision(), Instant::now());
            if let Err(error) = session.probe(Deadline::after(PATIENCE)).await {
                // The wait itself finds out and says so.
                tracing::debug!(%error, "an app was asked during a wait and did not answer");
            }
            took = began.elapsed();
            dormancy.asked(session.now());
            pause = if session.revision() == before { (pause * 2).min(LONGEST) } else { FIRST };
        }
    }
}
