//! What may be done to which target (SPEC §14), from a file that a person wrote.
//!
//! ```toml
//! read_only = false                 # nothing may act
//! dry_run = false                   # actions are judged, never dispatched
//!
//! [targets]                         # globs on the URI; `deny` wins; without `allow` everything else is allowed
//! allow = ["sim:*", "app:gedit", "web:https://staging.example.com/*"]
//! deny = ["web:*://bank.*"]
//!
//! [destructive]                     # what needs `confirm: true`, or a person's yes
//! gate = true
//! also = ["archive", "sign out"]    # beside the usual words; `words` replaces them
//! elements = ["#wipe", "button \"Reset all\""]
//!
//! [rate_limit]                      # for each target
//! actions = 30
//! per_seconds = 60
//!
//! [audit]
//! file = "audit.jsonl"              # relative to this file
//! ```
//!
//! The pipeline asks [`Guard`] before anything is sent to the app, and again before the action itself is, for a label
//! may have changed meanwhile. It asks for every way to act: what counts is which element the action would reach.

mod audit;
mod file;
mod forwarded;
mod gate;
mod guard;
mod rate;
mod reach;
mod targets;
mod words;

pub(crate) use audit::{Audited, given};
pub use file::Policy;
pub(crate) use guard::Guard;
