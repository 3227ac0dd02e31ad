//! What the benches share: a loop that measures, a report that others can read, trees that look like real apps.
//!
//! Figures are taken with a monotonic clock around single operations wherever an operation is long enough for that,
//! so that a median and a 99th percentile mean what they say.

pub mod heap;
pub mod machine;
pub mod measure;
#[cfg(feature = "apps")]
pub mod race;
pub mod report;
pub mod shape;
