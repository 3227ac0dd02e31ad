//! How a session knows that its app is at rest (SPEC §5): by the app's own word, by events, or by sampling.
//!
//! [`SyncEngine`] is the short way to ask; [`SyncMode`] says which of the three is wanted. The settings `sync` (`auto`,
//! `sdk`, `events`, `heuristic`) and `samples` (how many equal samples mean rest) choose when a target is opened.

mod facade;
mod mode;
mod probing;
mod sampling;
mod word;

pub use facade::SyncEngine;
pub(crate) use mode::Choice;
pub use mode::SyncMode;
pub(crate) use sampling::Sampling;
pub(crate) use word::{IdleSource, Word};
