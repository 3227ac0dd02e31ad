//! What a client hears while a call is under way: each revision, at most four times a second.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::Future;
use std::time::Duration;
use stillpoint_core::render::summarise;
use stillpoint_core::revise::Revision;
use stillpoint_engine::Session;
use tokio::time::Instant;

/// The shortest time between two messages.
const APART: Duration = Duration::from_millis(250);
/// At most so many characters of what changed.
const LONGEST: usize = 160;

/// Does the work; meanwhile whoever gave a token hears of each revision.
pub(crate) async fn during<T>(
    session: &Session,
    hearer: Option<(Peer<RoleServer>, ProgressToken)>,
    work: impl Future<Output = T>,
) -> T {
    let Some((peer, token)) = hearer else { return work.await };
    tokio::select! {
        biased;
        done = work => done,
        never = tell(session, &peer, &token) => match never {},
    }
}

async fn tell(session: &Session, peer: &Peer<RoleServer>, token: &ProgressToken) -> Infallible {
    let mut ticks = session.changes();
    let mut known = session.revision();
    let mut told = 0_u32;
    let mut next = Instant::now();
    loop {
        if ticks.changed().await.is_err() {
            // The session is gone; the call itself says so.
            return std::future::pending().await;
        }
        tokio::time::sleep_until(next).await;
        ticks.borrow_and_update();
        let now = session.revision();
        if now == known {
            continue;
        }
        told += 1;
        let message = message(session, known, now);
        let progress = ProgressNotificationParam::new(token.clone(), f64::from(told)).with_message(message);
        if let Err(error) = peer.notify_progress(progress).await {
            tracing::debug!(%error, "nobody hears the progress");
        }
        known = now;
        next = Instant::now() + APART;
    }
}

/// The latest revision and what changed.
fn message(session: &Session, known: Revision, now: Revision) -> String {
    let first = session.read_mirror(|mirror| {
        // A baseline that fell out of the history leaves nothing to say but the revision.
        let delta = mirror.delta_since(known).ok()?;
        Some(summarise(&delta, mirror.tree(), &BTreeMap::new()).first)
    });
    let words = first.unwrap_or_default().join(" · ");
    let cut: String = words.chars().take(LONGEST).collect();
    format!("rev {now} {cut}").trim_end().to_owned()
}
