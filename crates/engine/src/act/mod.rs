//! The pipeline that every action goes through (SPEC §8):
//! resolve → precondition → permission → actionability → subscribe → dispatch → settle → verify.
//!
//! Fail closed: what is ambiguous, stale or late is not dispatched. What was dispatched is never sent again by itself,
//! unless the verb is idempotent. Every way out is an [`Envelope`].

mod actionable;
mod closing;
mod envelope;
mod evidence;
mod expectation;
mod finding;
mod healing;
mod loading;
mod options;
mod permission;
mod pipeline;
mod precondition;
mod reaching;
mod verification;

pub use envelope::{Envelope, Head, HealReport, Lifecycle, TargetReport, Timing, VerificationReport};
pub use expectation::{ExpectInput, Expectation, Proof};
pub use options::{ActOptions, SettleName};
pub use pipeline::{Intent, Look, MakeAction, ReadBack, act};
