//! Clocks and tickers: elements that change all the time by themselves (SPEC §3, volatile nodes).

use super::{Class, Mutation};
use crate::Moment;
use crate::tree::{ElementId, State, TreeView, hash};
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::time::Duration;

/// So many changes make an element volatile …
const CHANGES: usize = 5;
/// … within this time, and so long it must rest to be taken seriously again.
const SPAN: Duration = Duration::from_secs(10);
/// How many elements are watched at once; beyond that the longest-quiet ones are forgotten.
const MAX_WATCHED: usize = 1024;

#[derive(Clone, Debug, Default)]
struct Watched {
    /// The last changes that came alone, oldest first.
    alone: VecDeque<Moment>,
    last: Moment,
    volatile: bool,
}

/// Ids are our own numbers, given out in order: nobody can choose them to collide.
#[derive(Clone, Copy, Debug, Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write_u32(&mut self, id: u32) {
        self.0 = hash::mix(self.0, u64::from(id));
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |h, b| hash::mix(h, u64::from(*b)));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Volatiles {
    watched: HashMap<ElementId, Watched, BuildHasherDefault<IdHasher>>,
    /// When to look again for who can be forgotten.
    next_tidying: Moment,
}

impl Volatiles {
    /// Marks the mutations of elements that are volatile already, then learns from the batch.
    pub(super) fn mark(&mut self, mutations: &mut [Mutation], after: &TreeView, at: Moment) {
        for m in mutations.iter_mut().filter(|m| m.class.qualifies()) {
            if let Some(w) = self.watched.get_mut(&m.element) {
                if at.since(w.last) >= SPAN {
                    *w = Watched::default();
                }
                m.volatile = w.volatile && matches!(m.class, Class::Text | Class::State);
            }
        }
        let mut fresh = mutations.iter().filter(|m| m.class.qualifies() && !m.volatile);
        let alone = fresh.next().is_none_or(|first| fresh.all(|m| m.element == first.element));
        for m in mutations.iter().filter(|m| matches!(m.class, Class::Text | Class::State)) {
            if m.volatile {
                if let Some(w) = self.watched.get_mut(&m.element) {
                    w.last = at;
                }
            } else if alone && !is_being_edited(after, m.element) {
                self.count(m.element, at);
            }
        }
    }

    fn count(&mut self, element: ElementId, at: Moment) {
        if self.watched.len() >= MAX_WATCHED && !self.watched.contains_key(&element) {
            // Looking through all of them for each that is new would cost more than everything else about a change.
            if at >= self.next_tidying {
                self.watched.retain(|_, w| at.since(w.last) < SPAN);
                self.next_tidying = at + SPAN / 10;
            }
            if self.watched.len() >= MAX_WATCHED {
                return;
            }
        }
        let w = self.watched.entry(element).or_default();
        // Several changes of one batch are one change.
        if w.alone.back() != Some(&at) {
            w.alone.push_back(at);
        }
        w.last = at;
        while w.alone.front().is_some_and(|first| at.since(*first) > SPAN) {
            w.alone.pop_front();
        }
        w.volatile |= w.alone.len() >= CHANGES;
    }

    /// Whether `element` is volatile at `now`.
    pub(super) fn is_volatile(&self, element: ElementId, now: Moment) -> bool {
        self.watched.get(&element).is_some_and(|w| w.volatile && now.since(w.last) < SPAN)
    }
}

/// What a person types changes often and alone, yet it is no ticker.
fn is_being_edited(tree: &TreeView, element: ElementId) -> bool {
    tree.get(element).is_some_and(|n| n.states().is(State::Editable) && n.states().is(State::Focused))
}
