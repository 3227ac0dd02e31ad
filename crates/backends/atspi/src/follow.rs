//! What an answer makes doubtful besides what it says: toolkits leave out that one change brought another.

use crate::node::Facts;
use crate::read::Facet;
use crate::role::NativeRole;
use crate::shadow::{Shadow, Stage};
use crate::state::NativeStates;
use stillpoint_core::tree::{NativeKey, Rect, Str};

/// In what was scrolled or resized, at most this many objects are asked whether they show.
const SCROLLED_LIMIT: usize = 2_000;

/// What was known of an object before an answer came.
#[derive(Debug)]
pub(crate) struct Before {
    pub(crate) showing: bool,
    role: NativeRole,
    name: Option<Str>,
    extents: Option<Rect>,
}

impl Before {
    pub(crate) fn of(facts: &Facts) -> Self {
        Before {
            showing: facts.is_showing(),
            role: facts.role,
            name: facts.name.clone(),
            extents: facts.extents,
        }
    }
}

impl Shadow {
    /// An object with another role is another object that was given the same path: its family is read again, and there
    /// it gets a key of its own.
    pub(crate) fn role_learned(&mut self, key: NativeKey, before: &Before) {
        let Some(entry) = self.nodes.get(&key).filter(|e| e.stage == Stage::Complete) else { return };
        let Some(parent) = entry.facts.parent else { return };
        if self.dialect.paths_reused && entry.facts.role != before.role {
            self.dismiss(key);
            self.ask_children(parent);
        }
    }

    /// The name of a group is that of everything in it that has none.
    pub(crate) fn name_learned(&mut self, key: NativeKey, before: &Before) {
        let Some(entry) = self.nodes.get(&key).filter(|e| e.stage == Stage::Complete) else { return };
        if !self.dialect.names_from_groups || entry.facts.name == before.name {
            return;
        }
        for child in entry.facts.children.clone() {
            self.ask(child, Facet::Name);
        }
    }

    /// What moved may have been scrolled out of sight or into it, and so may all that lies in it.
    pub(crate) fn place_learned(&mut self, key: NativeKey, before: &Before) {
        let Some(entry) = self.nodes.get(&key).filter(|e| e.stage == Stage::Complete) else { return };
        if !self.dialect.showing_by_place || entry.facts.extents == before.extents {
            return;
        }
        if !entry.facts.role.is_scrolled() {
            self.ask(key, Facet::States);
            return;
        }
        for key in self.subtree(key).into_iter().take(SCROLLED_LIMIT) {
            self.ask(key, Facet::States);
        }
    }

    /// Asks where something is that may have moved; of what was out of sight, whether it still is.
    pub(crate) fn ask_place(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get(&key) else { return };
        if entry.facts.has_place() {
            self.ask(key, Facet::Extents);
        } else if self.dialect.showing_by_place && entry.facts.states.has(NativeStates::VISIBLE) {
            self.ask(key, Facet::States);
        }
    }
}
