//! May it be acted on, and did it work (SPEC §8, §9)? Everything here is a function of what was seen; nothing waits.
//!
//! | question | answer |
//! |---|---|
//! | can this verb be done to this element now? | [`actionability::check`] |
//! | does this element have that state or value? | [`evaluate`] with a [`Property`] |
//! | has what a wait waits for come true? | [`Condition`] |
//! | what came of an action? | [`classify_action_outcome`] |
//! | which screen is this? | [`fingerprint`](fn@fingerprint) |

pub mod actionability;
mod blank;
mod condition;
mod expectation;
mod fingerprint;
mod outcome;
mod verb;

pub use actionability::{Actionability, Evidence, Failure, HitTest, Identity, Predicate, Stillness, called};
pub use blank::blank;
pub use condition::Condition;
pub use expectation::{Property, Verdict, evaluate, unmet};
pub use fingerprint::{ScreenFingerprint, fingerprint};
pub use outcome::{
    Delivery, NetworkResult, Outcome, OutcomeEvidence, OutcomeVerdict, Verification, classify_action_outcome,
    complaints,
};
pub use verb::Verb;
