//! The last revisions, so that a delta or a wait can start from an earlier one.

use super::{Mutation, Revision};
use crate::Moment;
use crate::tree::net::Net;
use std::collections::VecDeque;

/// At most this many revisions are kept.
pub const MAX_REVISIONS: usize = 256;
/// At most this many bytes of deltas are kept, whichever ends first. The latest revision always is.
pub const MAX_BYTES: usize = 4 << 20;

/// What made a revision, and what changed since without making another.
#[derive(Clone)]
struct Record {
    revision: Revision,
    at: Moment,
    made: Net,
    minor: Net,
    /// The mutations that made it, those that qualify.
    mutations: Box<[Mutation]>,
    weight: usize,
}

#[derive(Clone, Default)]
pub(super) struct History {
    records: VecDeque<Record>,
    weight: usize,
}

/// The past may hold what is protected by now, so only its extent is shown.
impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("History")
            .field("revisions", &self.records.len())
            .field("bytes", &self.weight)
            .finish()
    }
}

impl History {
    pub(super) fn push(&mut self, revision: Revision, at: Moment, made: Net, mutations: &[Mutation]) {
        if let Some(last) = self.records.back_mut() {
            // The record is closed: only now is its final weight known.
            let minor = last.minor.weight();
            self.weight += minor;
            last.weight += minor;
        }
        let mutations: Box<[Mutation]> = mutations.iter().filter(|m| m.class.qualifies()).copied().collect();
        let weight = made.weight() + size_of_val(&*mutations);
        self.weight += weight;
        self.records.push_back(Record { revision, at, made, minor: Net::default(), mutations, weight });
        while self.records.len() > MAX_REVISIONS || (self.weight > MAX_BYTES && self.records.len() > 1) {
            if let Some(old) = self.records.pop_front() {
                self.weight -= old.weight;
            }
        }
        self.close_past();
    }

    /// What made the oldest revision leads from one that is not kept: nobody can ask for it any more.
    fn close_past(&mut self) {
        let Some(oldest) = self.records.front_mut().filter(|r| !r.made.is_empty()) else { return };
        let freed = oldest.made.weight() + size_of_val(&*oldest.mutations);
        oldest.made = Net::default();
        oldest.mutations = Box::default();
        oldest.weight -= freed;
        self.weight -= freed;
    }

    /// Adds to the latest revision what changed without making a new one.
    pub(super) fn minor(&mut self, net: Net) {
        if let Some(last) = self.records.back_mut() {
            last.minor.join(net);
        }
    }

    /// The oldest revision from which a delta can be made.
    pub(super) fn oldest(&self) -> Option<Revision> {
        self.records.front().map(|r| r.revision)
    }

    /// When a kept revision was made.
    pub(super) fn made_at(&self, revision: Revision) -> Option<Moment> {
        self.records.get(self.find(revision)?).map(|r| r.at)
    }

    fn find(&self, revision: Revision) -> Option<usize> {
        let oldest = self.oldest()?;
        let place = usize::try_from(revision.0.checked_sub(oldest.0)?).ok()?;
        (place < self.records.len()).then_some(place)
    }

    /// The qualifying mutations after `base`; `None` if it is not kept.
    pub(super) fn mutations_since(&self, base: Revision) -> Option<Vec<Mutation>> {
        let from = self.find(base)?;
        Some(self.records.iter().skip(from + 1).flat_map(|r| r.mutations.iter().copied()).collect())
    }

    /// What changed from `base` to `target`; `None` if either is not kept.
    ///
    /// A reader of `base` may have looked at any time before the next revision, so what changed without making a
    /// revision while `base` was current is told with its outcome even where it ended as it began.
    pub(super) fn between(&self, base: Revision, target: Revision) -> Option<Net> {
        let (from, to) = (self.find(base)?, self.find(target)?);
        let loose = &self.records.get(from)?.minor;
        let mut net = loose.clone();
        for record in self.records.iter().take(to + 1).skip(from + 1) {
            net.join(record.made.clone());
            net.join(record.minor.clone());
        }
        net.drop_noops(Some(loose));
        Some(net)
    }
}
