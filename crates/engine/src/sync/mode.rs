//! The ways to know that an app is at rest, and which of them a session uses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How rest is known (SPEC §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SyncMode {
    /// By the app's own idle signal.
    Sdk,
    /// By the events of a live mirror.
    Events,
    /// By sampling.
    Heuristic,
    /// By the best that the target offers. Only asked for; an answer names the one in use.
    #[default]
    Auto,
}
