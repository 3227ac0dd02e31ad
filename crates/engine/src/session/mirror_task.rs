//! The task that keeps a mirror current: receives, applies, tells the waits, wakes whoever waits.

use super::{Inner, Session};
use crate::backend::{Deadline, End, Event, Inbox, Next, Scope};
use crate::trace::What;
use std::sync::{Arc, Weak};
use std::time::Duration;
use stillpoint_core::tree::Change;
use stillpoint_core::{Code, Error, Moment};
use tokio::time::Instant;

/// How long reading everything again may take.
const RESYNC: Duration = Duration::from_secs(5);

/// Starts it. It ends with the stream, and when nobody holds the session any more.
pub(super) fn spawn(inner: &Arc<Inner>, inbox: Inbox) {
    let closed = inner.closed.clone();
    let weak = Arc::downgrade(inner);
    tokio::spawn(async move {
        tokio::select! {
            () = run(&weak, inbox) => {}
            () = closed.cancelled() => {}
        }
        if let Some(inner) = weak.upgrade() {
            inner.state().ended.get_or_insert(End::Closed);
            inner.wake();
        }
    });
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.closed.cancel();
    }
}

async fn run(session: &Weak<Inner>, mut inbox: Inbox) {
    loop {
        let next = inbox.next().await;
        let Some(inner) = session.upgrade() else { return };
        match next {
            // Where samples are to decide, events are passed over: the two must not be mixed.
            Next::Event(Event::Batch { at, changes }) => {
                if Session::from(inner.clone()).hears_events() {
                    apply(&inner, at, changes);
                }
            }
            // Whoever asked may have given up; then nobody needs the answer.
            Next::Event(Event::Marker(reached)) => drop(reached.send(())),
            Next::Resync(dropped) => {
                tracing::debug!(target = %inner.target, dropped, "changes were lost; reading everything again");
                inner.telemetry.resyncs.add(1);
                let read = resync(&inner).await;
                if read.is_ok() {
                    inbox.read_everything();
                }
                if let Err(error) = read {
                    tracing::warn!(target = %inner.target, %error, "reading everything again failed");
                    if error.code == Code::TargetLost {
                        finish(&inner, End::Lost(error));
                        return;
                    }
                    // Still wrong, so still to be done; the failed try took its time already.
                    inner.sink.resync();
                    tokio::task::yield_now().await;
                }
            }
            Next::End(end) => {
                finish(&inner, end);
                return;
            }
        }
    }
}

fn apply(inner: &Inner, at: Instant, changes: Vec<Change>) {
    let at = super::moment(inner.epoch, at);
    let mut guard = inner.state();
    let state = &mut *guard;
    let before = state.mirror.revision();
    let applied = state.mirror.apply(changes, at);
    inner.telemetry.applied(&applied);
    if applied.mutations.is_empty() {
        return;
    }
    state.watches.mutated(state.mirror.tree(), &applied);
    inner.wake();
    if applied.qualifies {
        let mutations = applied.mutations.len();
        // Words for a flood help nobody; its size says enough.
        let delta = if mutations <= IN_WORDS { state.mirror.delta_since(before).ok() } else { None };
        let after = state.mirror.snapshot(at);
        drop(guard);
        inner.recorder.revised(at, delta.as_ref(), &after, mutations);
    }
}

/// A batch of up to so many mutations is told in words.
const IN_WORDS: usize = 200;

impl Session {
    /// Applies what a look that began at `began` showed, and tells the waits of it. Gives the digests of the tree.
    pub(crate) fn looked(&self, began: Moment, changes: Vec<Change>) -> (u64, u64) {
        apply(&self.inner, Instant::now(), changes);
        let digests = {
            let mut state = self.state();
            state.watches.sampled(began);
            (state.mirror.tree().semantic_hash(), state.mirror.tree().layout_hash())
        };
        self.inner.wake();
        digests
    }

    /// The app is gone.
    pub(crate) fn lose(&self, end: End) {
        finish(&self.inner, end);
    }
}

async fn resync(inner: &Inner) -> Result<(), Error> {
    let deadline = Deadline::after(RESYNC);
    let read = inner.backend.refresh(Scope::Everything, deadline);
    let changes = deadline.bound("reading everything again", read).await?;
    apply(inner, Instant::now(), changes);
    Ok(())
}

fn finish(inner: &Inner, end: End) {
    if let End::Lost(error) = &end {
        tracing::info!(target = %inner.target, %error, "the target is lost");
    }
    let why = match &end {
        End::Lost(error) => format!("the target was lost: {}", error.message),
        End::Closed => "the app was closed".to_owned(),
    };
    inner.recorder.note(super::moment(inner.epoch, Instant::now()), What::Ended { why });
    inner.state().ended.get_or_insert(end);
    inner.wake();
}
