//! Wait until another screen is shown.

use super::limits;
use super::until::Until;
use super::wait_answer::{Asked, WaitAnswer};
use super::{Call, Verb};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use stillpoint_core::judge::{ScreenFingerprint, fingerprint};
use stillpoint_core::{Error, Result};

/// Which screen to leave.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitForScreenChangeParams {
    /// The fingerprint of the screen that is to be left, from `get_screen_fingerprint`.
    pub previous_fingerprint: String,
    /// How long to wait at most, in milliseconds.
    #[serde(default = "limits::default_timeout")]
    pub timeout_ms: u64,
    /// How long it must be quiet to be at rest, in milliseconds.
    #[serde(default = "limits::default_window")]
    pub stability_window_ms: u64,
}

/// The verb.
pub struct WaitForScreenChange;

#[async_trait]
impl Verb for WaitForScreenChange {
    const NAME: &'static str = "wait_for_screen_change";
    const ABOUT: &'static str = "Waits until the screen is another one than previous_fingerprint, and at rest. Use it \
        for navigation; for a change within a screen use wait_for_ui_change.";
    const READ_ONLY: bool = true;
    type Params = WaitForScreenChangeParams;
    type Answer = WaitAnswer;

    async fn run(session: &Session, params: Self::Params, call: &Call) -> Result<WaitAnswer> {
        let window = limits::window(params.stability_window_ms, params.timeout_ms)?;
        let deadline = limits::deadline(params.timeout_ms)?;
        let before = ScreenFingerprint::from(params.previous_fingerprint.as_str());
        if before.as_str().len() != 16 || !before.as_str().bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(Error::invalid(
                format!("{:?} is not a fingerprint", params.previous_fingerprint),
                "a fingerprint is sixteen hexadecimal digits, as get_screen_fingerprint gives it",
            ));
        }
        let until = Until::new(session, deadline, &call.cancel);
        let look = |session: &Session| Ok(session.read(|tree| fingerprint(tree)) != before);
        let mut watched = until.holds(Some(window), look).await?;
        watched.change_detected = look(session)?;
        let what = "another screen, then rest";
        let asked = Asked { what, scope: "screen", target: None };
        Ok(WaitAnswer::of(session, &asked, &watched).noted(session, what, &watched))
    }
}
