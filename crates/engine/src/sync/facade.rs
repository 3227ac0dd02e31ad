//! The short way to ask whether an app is at rest.

use super::mode::SyncMode;
use crate::session::Session;
use crate::verbs::{Call, Verb, WaitAnswer, WaitForIdle, WaitForIdleParams};
use std::time::Duration;
use stillpoint_core::Result;
use stillpoint_core::settle::UiState;

/// Says when one session's app is at rest.
#[derive(Clone)]
pub struct SyncEngine {
    session: Session,
}

impl SyncEngine {
    /// For this session, in the mode that was asked for when it was opened.
    pub fn new(session: Session) -> Self {
        // Looks once whether the app reports, so that the first answer knows it.
        session.listen();
        SyncEngine { session }
    }

    /// The same in another mode.
    pub fn with_mode(self, mode: SyncMode) -> Self {
        self.session.set_sync_mode(mode);
        self
    }

    /// The mode in use.
    pub fn mode(&self) -> SyncMode {
        self.session.sync_mode().0
    }

    /// Why no better mode is in use.
    pub fn reason(&self) -> Option<String> {
        self.session.sync_mode().1
    }

    /// Whether the app gives its own word.
    pub fn has_sdk(&self) -> bool {
        self.session.idle_source().is_some()
    }

    /// Waits until the app is at rest.
    pub async fn wait_for_idle(&self, timeout: Duration) -> Result<WaitAnswer> {
        let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        let usual = WaitForIdleParams::default();
        let stability_window_ms = usual.stability_window_ms.min(timeout_ms);
        let params = WaitForIdleParams { timeout_ms, stability_window_ms, ..usual };
        WaitForIdle::run(&self.session, params, &Call::default()).await
    }

    /// Whether it is at rest, as far as is known without asking.
    pub fn is_idle(&self) -> bool {
        // Geometry alone never blocks (SPEC §3).
        matches!(self.ui_state(), UiState::Idle | UiState::Animating)
    }

    /// What it is doing.
    pub fn ui_state(&self) -> UiState {
        self.session.ui_state()
    }
}
