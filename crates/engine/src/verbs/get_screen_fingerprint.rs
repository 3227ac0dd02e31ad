//! Which screen is this?

use super::{Answer, Call, Verb, to_json};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stillpoint_core::Result;
use stillpoint_core::judge::{ScreenFingerprint, fingerprint};
use stillpoint_core::revise::Revision;
use stillpoint_core::tree::Screen;

/// It takes nothing.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FingerprintParams {}

/// The screen's fingerprint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FingerprintAnswer {
    /// The same for the same screen, across restarts.
    pub fingerprint: ScreenFingerprint,
    /// Which screen it is, in words.
    pub screen: Screen,
    /// The revision at which it was taken.
    pub snapshot_revision: Revision,
}

impl Answer for FingerprintAnswer {
    fn json(&self) -> Result<Value> {
        to_json(self)
    }

    fn text(&self) -> String {
        format!("{} {}\n", self.fingerprint, self.screen.title.as_deref().unwrap_or_default())
    }
}

/// The verb.
pub struct GetScreenFingerprint;

#[async_trait]
impl Verb for GetScreenFingerprint {
    const NAME: &'static str = "get_screen_fingerprint";
    const ABOUT: &'static str = "Gives a short code for the screen that is shown, the same whenever the same screen is \
        shown. Take it before an action, and give it to wait_for_screen_change or expect_screen after it.";
    const READ_ONLY: bool = true;
    type Params = FingerprintParams;
    type Answer = FingerprintAnswer;

    async fn run(session: &Session, _: FingerprintParams, _: &Call) -> Result<FingerprintAnswer> {
        session.alive()?;
        session.catch_up(super::limits::reading()).await?;
        Ok(session.read_mirror(|mirror| FingerprintAnswer {
            fingerprint: fingerprint(mirror.tree()),
            screen: mirror.tree().screen().clone(),
            snapshot_revision: mirror.revision(),
        }))
    }
}
