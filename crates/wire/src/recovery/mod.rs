//! What to do when a connection or an agent is lost, and how to look for an element that is not there yet.
//!
//! The decisions are pure ([`retry`], [`poll`]); [`ResilientClient`] and [`poll_until`] only carry them out.

pub mod poll;
mod resilient;
pub mod retry;

pub use poll::{Poll, Sighting, Step, poll_until};
pub use resilient::ResilientClient;
pub use retry::{Safety, Verdict};
