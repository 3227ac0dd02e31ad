//! What happened in a session, so that a failure can be understood afterwards (STYLE: a timeout's message is a story).
//!
//! The last entries are always kept in memory; [`Session::record_to`](crate::Session::record_to) writes all of them to
//! a file as well, one JSON object on a line, with a picture beside it for each failure. [`read`] gives a file back,
//! [`story`] tells entries to a person. What is protected is in none of them: entries are made from deltas, answers
//! and envelopes, which never hold it.

mod entry;
mod file;
mod picture;
mod recorder;
mod story;
mod waiting;

pub use entry::{ActionRecord, Entry, ExpectationRecord, Observation, WaitRecord, What};
pub use file::read;
pub(crate) use recorder::Recorder;
pub use story::story;
pub(crate) use waiting::{Seen, wait_story};
