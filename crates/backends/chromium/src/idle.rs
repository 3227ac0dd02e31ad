//! The page's own word about its idleness: requests, finite animations, images and fonts on their way, short
//! timers, a document that loads, changes that have not been read yet.

use crate::network::Traffic;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;
use stillpoint_engine::backend::{BusyResource, IdleReport};
use tokio::sync::watch;
use tokio::time::Instant;

/// Work older than this no longer blocks (SPEC §5, `max_busy_ms`).
pub(crate) const STUCK: Duration = Duration::from_secs(10);

/// What one document says about itself.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
pub(crate) struct InPage {
    #[serde(default)]
    animation: u32,
    #[serde(default)]
    endless: u32,
    #[serde(default)]
    images: u32,
    #[serde(default)]
    fonts: u32,
    #[serde(default)]
    timers: u32,
    #[serde(default)]
    repeating: u32,
    #[serde(default)]
    loading: u32,
    #[serde(default)]
    own: u32,
}

/// Collects what is under way and publishes it.
pub(crate) struct Board {
    report: watch::Sender<IdleReport>,
    /// Since when each resource has been busy without a break.
    since: BTreeMap<&'static str, Instant>,
}

impl Board {
    pub(crate) fn new() -> Self {
        let busy = IdleReport { idle: false, busy: Vec::new() };
        Board { report: watch::Sender::new(busy), since: BTreeMap::new() }
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<IdleReport> {
        self.report.subscribe()
    }

    /// Publishes what is under way now. `unread` is the number of changes that were seen and not yet read.
    pub(crate) fn publish(&mut self, pages: impl Iterator<Item = InPage>, traffic: &Traffic, unread: usize) {
        let mut sum = InPage::default();
        for page in pages {
            sum.animation += page.animation;
            sum.endless += page.endless;
            sum.images += page.images;
            sum.fonts += page.fonts;
            sum.timers += page.timers;
            sum.repeating += page.repeating;
            sum.loading += page.loading;
            sum.own += page.own;
        }
        let blocking = [
            ("animation", sum.animation),
            ("images", sum.images),
            ("fonts", sum.fonts),
            ("timers", sum.timers),
            ("loading", sum.loading),
            ("app", sum.own),
            ("dom", unread as u32),
        ];
        let now = Instant::now();
        let mut busy = Vec::new();
        for (name, count) in blocking {
            if count == 0 {
                self.since.remove(name);
                continue;
            }
            let age = now - *self.since.entry(name).or_insert(now);
            busy.push(resource(name, count, age, age > STUCK));
        }
        // These never end by themselves: they are named, and do not block.
        for (name, count) in [("endless animation", sum.endless), ("repeating timer", sum.repeating)] {
            if count > 0 {
                busy.push(resource(name, count, Duration::ZERO, true));
            }
        }
        busy.extend(traffic.busy(now));
        let idle = busy.iter().all(|resource| resource.stuck);
        let report = IdleReport { idle, busy };
        self.report.send_if_modified(|old| {
            let same = old.idle == report.idle
                && old.busy.len() == report.busy.len()
                && old
                    .busy
                    .iter()
                    .zip(&report.busy)
                    .all(|(a, b)| (&a.name, a.count, a.stuck) == (&b.name, b.count, b.stuck));
            if !same {
                *old = report;
            }
            !same
        });
    }
}

pub(crate) fn resource(name: &str, count: u32, age: Duration, stuck: bool) -> BusyResource {
    BusyResource { name: name.to_owned(), count, age_ms: age.as_millis() as u64, stuck }
}
