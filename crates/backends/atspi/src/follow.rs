//! What an answer makes doubtful besides what it says: toolkits leave out that one change brought another.

use crate::node::{Facts, Interfaces};
use crate::read::Facet;
use crate::role::NativeRole;
use crate::shadow::{Shadow, Stage};
use crate::state::NativeStates;
use stillpoint_core::tree::{NativeKey, Rect, Str};

/// In what was scrolled or resized, at most this many objects are asked whether they show.
const SCROLLED_LIMIT: usize = 2_000;

/// How often something is found elsewhere before it counts as something that never rests, as a spinner that turns.
const MOST_MOVES: u8 = 20;
/// How often it has to be found in the same place, at looks that are further and further apart: an app that slides a
/// popover in may be slow to begin, and slow to draw.
const STILL_LOOKS: u8 = 4;

/// Whether something stands still, as far as looking tells.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motion {
    moves: u8,
    still: u8,
}

impl Motion {
    /// Takes what a look found. `Some` if another look is wanted, with the number of looks that found it still.
    fn seen(&mut self, moved: bool) -> Option<u8> {
        if moved {
            self.still = 0;
            self.moves = self.moves.saturating_add(1);
        } else {
            self.still = (self.still + 1).min(STILL_LOOKS);
        }
        if self.still == STILL_LOOKS {
            self.moves = 0;
        }
        (1..MOST_MOVES).contains(&self.moves).then_some(self.still)
    }

    /// Whether it has moved for so long that it never rests.
    pub(crate) fn is_endless(self) -> bool {
        self.moves >= MOST_MOVES
    }
}

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
    /// The object may be another one by now, under the same path.
    pub(crate) fn read_what_it_is_now(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get_mut(&key) else { return };
        if entry.stage == Stage::Complete {
            self.read_one_again(key);
            return;
        }
        // Part of what is known may be of the other one: its first reading starts over.
        entry.stage = Stage::Named;
        self.ask_all(key, self.dialect.first_questions());
    }

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

    /// What moved may still be on its way: it is looked at again until it stands still, or has moved for so long that
    /// it never will. It may also have been scrolled out of sight or into it, and so may all that lies in it.
    pub(crate) fn place_learned(&mut self, key: NativeKey, before: &Before) {
        let Some(entry) = self.nodes.get_mut(&key) else { return };
        if let Some(looks) = entry.motion.seen(entry.facts.extents != before.extents) {
            self.moved.insert(key, crate::events::PLACE_INTERVAL * (1 << looks));
        }
        let Some(entry) = self.nodes.get(&key).filter(|e| e.facts.extents != before.extents) else { return };
        let key = if entry.stage == Stage::Complete { key } else { return };
        let Some(entry) = self.nodes.get(&key).filter(|e| e.stage == Stage::Complete) else { return };
        let has_area = |extents: Option<Rect>| extents.is_some_and(Rect::has_area);
        if entry.facts.showing_untold && has_area(entry.facts.extents) && !has_area(before.extents) {
            // It came into sight. GTK 4 does not tell what changes on a page that was never shown.
            self.read_one_again(key);
            return;
        }
        if entry.facts.role.is_divider() && entry.facts.interfaces.has(Interfaces::VALUE) {
            self.ask_all(key, self.dialect.value_questions());
        }
        if self.nodes.get(&key).is_some_and(|e| e.facts.omitted > 0) {
            self.follow_the_window(key);
        }
        let Some(entry) = self.nodes.get(&key).filter(|_| self.dialect.showing_by_place) else { return };
        if !entry.facts.role.is_scrolled() {
            self.ask(key, Facet::States);
            return;
        }
        for key in self.subtree(key).into_iter().take(SCROLLED_LIMIT) {
            self.ask(key, Facet::States);
        }
    }

    /// A container that is mirrored by what is on the screen has moved or got another size: others may be in it now,
    /// those that stay have moved with it, and `LibreOffice` does not tell that everything around has.
    fn follow_the_window(&mut self, key: NativeKey) {
        self.ask_children(key);
        let all = self.subtree(self.root).into_iter().take(SCROLLED_LIMIT);
        for key in all.chain(self.subtree(key)).collect::<Vec<NativeKey>>() {
            self.ask_place(key);
        }
    }

    /// The items of a Qt menu come and go with it, and say nothing.
    pub(crate) fn follow_into_children(&mut self, key: NativeKey, was_showing: bool) {
        let Some(entry) = self.nodes.get(&key).filter(|_| self.dialect.terse_states) else { return };
        let is_showing = entry.facts.is_showing();
        if entry.stage != Stage::Complete || is_showing == was_showing {
            return;
        }
        for child in entry.facts.children.clone() {
            if self.nodes.get(&child).is_some_and(|c| c.facts.is_showing() == was_showing) {
                self.ask(child, Facet::States);
            }
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
