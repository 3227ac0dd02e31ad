//! When an app is asked where its elements are, beyond what it tells: what was put off, what may be on its way, and
//! everything around a change in toolkits that tell no places.

use crate::session::{Command, Session};
use std::collections::HashSet;
use std::time::Duration;
use stillpoint_core::tree::NativeKey;
use tokio::time::Instant;

/// Geometry that nobody tells is looked at this often at most.
const SWEEP_INTERVAL: Duration = Duration::from_millis(120);
/// Of one window, at most this many places are asked for in one sweep.
const SWEEP_LIMIT: usize = 2_000;

impl Session {
    /// Something in `key` moved and nobody says where to: look soon, but not too often.
    pub(crate) fn sweep_soon(&mut self, key: NativeKey) {
        self.sweeps.insert(key);
        let earliest = self.last_sweep + SWEEP_INTERVAL;
        self.sweep_at.get_or_insert(earliest.max(self.shadow.now));
    }

    pub(crate) fn look_again_at_what_moved(&mut self) {
        for (key, delay) in self.shadow.moved.drain() {
            self.later.insert(key, self.shadow.now + delay);
        }
    }

    /// Whoever moved may have made others move that say nothing: they are looked at until nobody has.
    pub(crate) fn look_around_what_moved(&mut self) {
        for family in std::mem::take(&mut self.shadow.jostled) {
            self.sweep_soon(family);
        }
    }

    /// Asks for the places that were put off until then.
    pub(crate) fn place_due(&mut self, is_due: impl Fn(Instant) -> bool) {
        let due: Vec<NativeKey> =
            self.later.iter().filter(|(_, at)| is_due(**at)).map(|(key, _)| *key).collect();
        for key in due {
            self.later.remove(&key);
            self.shadow.ask(key, crate::read::Facet::Extents);
        }
    }

    /// Asks for the places of everything on the screen in what may have moved.
    pub(crate) fn sweep_now(&mut self) {
        self.sweep_at = None;
        self.last_sweep = self.shadow.now;
        // From the outside in: what lies in one that was looked at whole needs no look of its own.
        let mut tops: Vec<NativeKey> = self.sweeps.drain().collect();
        tops.sort_by_cached_key(|top| self.shadow.ancestors(*top).count());
        let mut looked_at = HashSet::new();
        for top in tops {
            if looked_at.contains(&top) {
                continue;
            }
            let within = self.shadow.subtree(top);
            if within.len() <= SWEEP_LIMIT {
                looked_at.extend(within.iter().copied());
            }
            for key in within.into_iter().take(SWEEP_LIMIT) {
                self.shadow.ask_place(key);
            }
        }
        self.look_at_windows();
    }

    /// Has the places of the app's windows looked up where the toolkit does not tell them.
    pub(crate) fn look_at_windows(&self) {
        let (Some(display), true) = (self.display.clone(), self.shadow.dialect.window_relative) else {
            return;
        };
        let (pid, requester) = (self.pid, self.requester.clone());
        tokio::task::spawn_blocking(move || match crate::windows::windows_of(&display, pid) {
            Ok(found) => {
                if let Some(requester) = requester.upgrade() {
                    // A full queue means that a newer look is on its way.
                    let _ = requester.try_send(Command::Placed(found));
                }
            }
            Err(error) => tracing::debug!(%error, "the windows' places on the screen cannot be read"),
        });
    }
}
