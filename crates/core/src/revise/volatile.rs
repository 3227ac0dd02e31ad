//! Clocks and tickers: elements that change all the time by themselves (SPEC §3, volatile nodes).

use super::{Class, Mutation};
use crate::Moment;
use crate::tree::net::{Field, Net, NodeChange};
use crate::tree::{ElementId, Node, Role, State, TreeView, hash};
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

type ById<T> = HashMap<ElementId, T, BuildHasherDefault<IdHasher>>;

/// Texts that went and those that came into their places, each with the one that is there now.
type Heirs = ById<ElementId>;

#[derive(Clone, Debug, Default)]
pub(super) struct Volatiles {
    watched: ById<Watched>,
    /// When to look again for who can be forgotten.
    next_tidying: Moment,
}

impl Volatiles {
    /// Marks the mutations of elements that are volatile already, then learns from the batch. `after` is the tree that it led to.
    pub(super) fn mark(&mut self, mutations: &mut [Mutation], net: &Net, after: &TreeView, at: Moment) {
        let heirs = heirs(mutations, net);
        for (gone, heir) in &heirs {
            if let Some(w) = self.watched.remove(gone) {
                self.watched.insert(*heir, w);
            }
        }
        for m in mutations.iter_mut().filter(|m| m.class.qualifies()) {
            let Some(subject) = subject(m, &heirs) else { continue };
            if let Some(w) = self.watched.get_mut(&subject) {
                if at.since(w.last) >= SPAN {
                    *w = Watched::default();
                }
                m.volatile = w.volatile;
            }
        }
        let about = |m: &Mutation| subject(m, &heirs).unwrap_or(m.element);
        let mut fresh = mutations.iter().filter(|m| m.class.qualifies() && !m.volatile).map(about);
        let alone = fresh.next().is_none_or(|first| fresh.all(|other| other == first));
        for m in mutations.iter() {
            let Some(subject) = subject(m, &heirs) else { continue };
            if m.volatile {
                if let Some(w) = self.watched.get_mut(&subject) {
                    w.last = at;
                }
            } else if alone && !is_being_edited(after, subject) {
                self.count(subject, after, at);
            }
        }
    }

    fn count(&mut self, element: ElementId, tree: &TreeView, at: Moment) {
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
        if w.alone.len() >= CHANGES {
            // The texts inside an editor that somebody types into are none either. Looked at only now: it takes as long as counting does.
            if tree.ancestors(element).any(|around| is_being_edited(tree, around)) {
                w.alone.clear();
            } else {
                w.volatile = true;
            }
        }
    }

    /// Whether `element` is volatile at `now`.
    pub(super) fn is_volatile(&self, element: ElementId, now: Moment) -> bool {
        self.watched.get(&element).is_some_and(|w| w.volatile && now.since(w.last) < SPAN)
    }
}

/// Which element's text or state the mutation changed; a text that was put in the place of another changed its words.
fn subject(m: &Mutation, heirs: &Heirs) -> Option<ElementId> {
    match m.class {
        Class::Text | Class::State => Some(m.element),
        Class::Structure => heirs.get(&m.element).copied(),
        _ => None,
    }
}

/// A page that sets what an element says puts another text into the place of the one that is there. Their ids differ (SPEC §2), but a
/// clock that ticks like this is a clock.
fn heirs(mutations: &[Mutation], net: &Net) -> Heirs {
    let mut found = Heirs::default();
    if !mutations.iter().any(|m| m.class == Class::Structure) {
        return found;
    }
    let is_words =
        |node: &Node| node.role() == Role::Text && node.stable_id().is_none() && node.children().is_empty();
    let went = |id| matches!(net.nodes.get(id), Some(NodeChange::Removed(node)) if is_words(node));
    let came = |id| matches!(net.nodes.get(id), Some(NodeChange::Added(node)) if is_words(node));
    for (parent, change) in &net.nodes {
        let NodeChange::Changed(fields) = change else { continue };
        let children = fields.iter().find_map(|f| match f {
            Field::Children { old, new } => Some((old.as_slice(), new.as_slice())),
            _ => None,
        });
        let Some((old, new)) = children.filter(|(old, new)| old.len() == new.len()) else { continue };
        let mut replaced = old.iter().zip(new).filter(|(gone, heir)| went(gone) && came(heir)).peekable();
        let Some((_, first)) = replaced.peek().copied() else { continue };
        let before = found.len();
        found.extend(replaced.flat_map(|(gone, heir)| [(*gone, *heir), (*heir, *heir)]));
        if found.len() == before + 2 {
            // Several ticks in one batch: those in between came and went.
            let between = net.passed.iter().filter(|p| p.node.parent() == Some(*parent) && is_words(&p.node));
            found.extend(between.map(|p| (p.id, *first)));
        }
    }
    found
}

/// What a person types changes often and alone, yet it is no ticker.
fn is_being_edited(tree: &TreeView, element: ElementId) -> bool {
    tree.get(element).is_some_and(|n| n.states().is(State::Editable) && n.states().is(State::Focused))
}
