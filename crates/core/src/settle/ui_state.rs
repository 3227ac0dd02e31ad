//! What the UI is doing right now (SPEC §5).

use crate::Moment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the UI is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UiState {
    /// Nothing changes.
    Idle,
    /// Things move, nothing else.
    Animating,
    /// Content changes.
    Updating,
    /// Both, or the app says so.
    Busy,
}

/// The state at `now`, from when content and layout last changed and what the app says of itself.
pub fn ui_state(
    last_qualifying: Option<Moment>,
    last_layout: Option<Moment>,
    app_is_busy: bool,
    window: Duration,
    now: Moment,
) -> UiState {
    let recent = |at: Option<Moment>| at.is_some_and(|at| now.since(at) < window);
    match (app_is_busy, recent(last_qualifying), recent(last_layout)) {
        (true, ..) | (_, true, true) => UiState::Busy,
        (_, true, false) => UiState::Updating,
        (_, false, true) => UiState::Animating,
        (_, false, false) => UiState::Idle,
    }
}
