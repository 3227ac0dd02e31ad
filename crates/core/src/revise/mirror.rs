//! The live copy of an app's tree with its revisions.

use super::class::{Class, Mutation, classify};
use super::delta::Delta;
use super::history::{History, MAX_REVISIONS};
use super::volatile::Volatiles;
use super::{LayoutRevision, Revision};
use crate::tree::{Change, ElementId, Limits, Tree, TreeView};
use crate::{Code, Error, Moment, Result};
use serde_json::json;

/// What one batch did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    /// The revision after it.
    pub revision: Revision,
    /// The layout revision after it.
    pub layout_revision: LayoutRevision,
    /// Whether it made a new revision.
    pub qualifies: bool,
    /// What it changed.
    pub mutations: Vec<Mutation>,
    /// Changes that referred to nothing known.
    pub ignored: usize,
}

/// An immutable view of the mirror at one revision. Taking one costs a few reference counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// What the tree looked like.
    pub tree: TreeView,
    /// Its revision.
    pub revision: Revision,
    /// Its layout revision.
    pub layout_revision: LayoutRevision,
    /// When it was taken.
    pub captured_at: Moment,
}

/// The tree, its revisions, its history.
#[derive(Clone, Debug)]
pub struct Mirror {
    tree: Tree,
    revision: Revision,
    layout_revision: LayoutRevision,
    history: History,
    volatiles: Volatiles,
    last_qualifying: Option<Moment>,
    last_layout: Option<Moment>,
}

impl Mirror {
    /// A mirror of nothing yet, at revision 0.
    pub fn new(limits: Limits) -> Self {
        let mut history = History::default();
        history.push(Revision(0), Moment::START, crate::tree::net::Net::default(), &[]);
        Mirror {
            tree: Tree::new(limits),
            revision: Revision(0),
            layout_revision: LayoutRevision(0),
            history,
            volatiles: Volatiles::default(),
            last_qualifying: None,
            last_layout: None,
        }
    }

    /// Applies changes that arrived together: at most one new revision (SPEC §3).
    pub fn apply(&mut self, changes: Vec<Change>, at: Moment) -> Applied {
        let (net, ignored) = self.tree.apply(changes);
        let mut mutations = if net.is_empty() { Vec::new() } else { classify(&net, &self.tree, at) };
        let qualifies = mutations.iter().any(|m| m.class.qualifies());
        let geometry = mutations.iter().any(|m| m.class == Class::Geometry);
        if qualifies {
            self.volatiles.mark(&mut mutations, &net, &self.tree, at);
            self.revision = self.revision.next();
            self.history.push(self.revision, at, net, &mutations);
            if mutations.iter().any(|m| m.class.qualifies() && !m.volatile) {
                self.last_qualifying = Some(at);
            }
        } else if !net.is_empty() {
            self.history.minor(net);
        }
        if geometry {
            self.last_layout = Some(at);
            if !qualifies {
                self.layout_revision.0 += 1;
            }
        }
        Applied {
            revision: self.revision,
            layout_revision: self.layout_revision,
            qualifies,
            mutations,
            ignored,
        }
    }

    /// The tree as it is now.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The revision now.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The layout revision now.
    pub fn layout_revision(&self) -> LayoutRevision {
        self.layout_revision
    }

    /// When something last changed that counts, tickers aside.
    pub fn last_qualifying(&self) -> Option<Moment> {
        self.last_qualifying
    }

    /// When something last moved.
    pub fn last_layout(&self) -> Option<Moment> {
        self.last_layout
    }

    /// When a kept revision was made.
    pub fn made_at(&self, revision: Revision) -> Option<Moment> {
        self.history.made_at(revision)
    }

    /// Whether `element` changes all the time by itself.
    pub fn is_volatile(&self, element: ElementId, now: Moment) -> bool {
        self.volatiles.is_volatile(element, now)
    }

    /// What it looks like now.
    pub fn snapshot(&self, now: Moment) -> Snapshot {
        Snapshot {
            tree: self.tree.view(),
            revision: self.revision,
            layout_revision: self.layout_revision,
            captured_at: now,
        }
    }

    /// The change since `base`.
    pub fn delta_since(&self, base: Revision) -> Result<Delta> {
        self.delta_between(base, self.revision)
    }

    /// The change from one kept revision to another.
    pub fn delta_between(&self, base: Revision, target: Revision) -> Result<Delta> {
        if base > target && base <= self.revision {
            return Err(Error::invalid(
                format!("the base revision {base} is later than the target revision {target}"),
                "a delta leads from an earlier revision to a later one",
            ));
        }
        let net = self.history.between(base, target).ok_or_else(|| self.not_kept(base, target))?;
        Ok(Delta::new(base, target, net))
    }

    /// The qualifying mutations after `base`, so that a wait can count what came before it was asked for.
    pub fn mutations_since(&self, base: Revision) -> Result<Vec<Mutation>> {
        self.history.mutations_since(base).ok_or_else(|| self.not_kept(base, self.revision))
    }

    fn not_kept(&self, base: Revision, target: Revision) -> Error {
        let oldest = self.history.oldest().unwrap_or_default();
        let (wanted, why) = if target > self.revision || base > self.revision {
            (base.max(target), format!("has not been reached; the latest is {}", self.revision))
        } else {
            (
                base,
                format!("is no longer kept; the oldest kept is {oldest} (the last {MAX_REVISIONS} or 4 MiB)"),
            )
        };
        Error::new(
            Code::BaseRevisionUnavailable,
            format!("revision {wanted} {why}"),
            "take a full snapshot and go on from its revision",
        )
        .with_details(json!({ "oldest": oldest, "latest": self.revision }))
    }
}
