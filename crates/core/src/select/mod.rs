//! Which element is meant (SPEC §7): one selector language, a ladder of ways to resolve it, and the way back from an
//! element to the selector that finds it again.
//!
//! | question | answer |
//! |---|---|
//! | what does the text mean? | [`Selector::parse`], or [`SelectorInput`] for text and JSON alike |
//! | which elements match, and how sure is that? | [`resolve`] |
//! | which one element may be acted on? | [`resolve_one`], which fails closed |
//! | how is this element found again? | [`Generator`] |
//! | where did a recorded element go? | [`Fingerprint`] and [`heal`] |

mod census;
mod collapse;
mod fault;
mod generate;
mod grammar;
mod heal;
mod infer;
mod json;
mod matching;
mod near;
mod order;
mod remember;
mod resolve;
mod selector;
mod similar;
mod single;

pub(crate) use generate::is_too_long;
pub use generate::{Generated, Generator};
pub use heal::{Healed, heal};
pub use json::{Contains, SelectorInput, SelectorObject};
pub use near::{Near, nearest};
pub use remember::{Fingerprint, Landmark};
pub use resolve::{Confidence, Reason, Resolution, Step, Visibility, is_hidden, resolve};
pub use selector::{Attribute, Filter, NotAPattern, Part, Pattern, Selector, Words};
pub use single::{Candidate, Resolved, candidate, resolve_one};
