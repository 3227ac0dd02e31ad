//! Is it at rest right now?

use super::{Answer, Call, Verb, to_json};
use crate::backend::BusyResource;
use crate::session::Session;
use crate::sync::SyncMode;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stillpoint_core::Result;
use stillpoint_core::revise::Revision;
use stillpoint_core::settle::UiState;

/// It takes nothing.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IsIdleParams {}

/// What the UI is doing, from what is known without asking the app.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IdleAnswer {
    /// Whether it is at rest, as far as is known.
    pub idle: bool,
    /// What it is doing.
    pub ui_state: UiState,
    /// How that is known.
    pub sync_mode: SyncMode,
    /// Why it is not known better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_reason: Option<String>,
    /// What the app says is under way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub busy_resources: Vec<BusyResource>,
    /// The revision now.
    pub snapshot_revision: Revision,
}

impl Answer for IdleAnswer {
    fn json(&self) -> Result<Value> {
        to_json(self)
    }

    fn text(&self) -> String {
        let doing = match self.ui_state {
            UiState::Idle => "at rest",
            UiState::Animating => "at rest, though something moves",
            UiState::Updating => "changing",
            UiState::Busy => "busy",
        };
        format!("{doing} at rev {}\n", self.snapshot_revision)
    }
}

/// The verb.
pub struct IsIdle;

#[async_trait]
impl Verb for IsIdle {
    const NAME: &'static str = "is_idle";
    const ABOUT: &'static str = "Says at once whether the UI is at rest, from what is known already. It is a glance, \
        not a proof: use wait_for_idle before relying on it.";
    const READ_ONLY: bool = true;
    type Params = IsIdleParams;
    type Answer = IdleAnswer;

    async fn run(session: &Session, _: IsIdleParams, _: &Call) -> Result<IdleAnswer> {
        session.alive()?;
        session.catch_up(super::limits::reading()).await?;
        let ui_state = session.ui_state();
        let (sync_mode, sync_reason) = session.sync_mode();
        Ok(IdleAnswer {
            // Geometry alone never blocks (SPEC §3).
            idle: matches!(ui_state, UiState::Idle | UiState::Animating),
            ui_state,
            sync_mode,
            sync_reason,
            busy_resources: session.busy_resources(),
            snapshot_revision: session.revision(),
        })
    }
}
