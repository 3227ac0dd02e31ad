//! Numbers every meaningful change, remembers the last few hundred, and tells the difference between any two.
//!
//! [`Mirror`] is the whole of it: changes and their time go in, revisions, snapshots and deltas come out.

mod class;
mod delta;
mod history;
mod mirror;
mod volatile;

pub use class::{Class, Mutation};
pub use delta::{Delta, FieldChange, Transient};
pub use history::{MAX_BYTES, MAX_REVISIONS};
pub use mirror::{Applied, Mirror, Snapshot};

use serde::{Deserialize, Serialize};
use std::fmt;

/// The number of a state of the tree; +1 for each batch of qualifying mutations, never back.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct Revision(pub u64);

/// The number of a state of the layout; +1 for each batch of geometry-only changes.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct LayoutRevision(pub u64);

impl Revision {
    /// The revision after this one.
    pub fn next(self) -> Self {
        Revision(self.0 + 1)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
