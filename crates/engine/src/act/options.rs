//! What every action takes besides its target.

use super::expectation::ExpectInput;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use stillpoint_core::revise::Revision;
use stillpoint_core::select::Fingerprint;
use stillpoint_core::{Error, Result};

/// Whether an action waits for rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettleName {
    /// Until the UI is at rest.
    #[default]
    Auto,
    /// Not at all.
    None,
}

/// What every action takes besides its target.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ActOptions {
    /// How long the target may take to become ready, in milliseconds. After that nothing is dispatched.
    pub timeout_ms: u64,
    /// Wait until the UI is at rest afterwards (auto), or not (none).
    pub settle: SettleName,
    /// How long it must be quiet to be at rest, in milliseconds.
    pub settle_window_ms: u64,
    /// How long settling may take at most, in milliseconds.
    pub settle_timeout_ms: u64,
    /// Refuse if the target changed since this revision.
    pub expected_revision: Option<Revision>,
    /// What must be true afterwards: a selector that must be visible, or an object.
    pub expect: Option<ExpectInput>,
    /// Only find out whether it could be done; nothing is dispatched.
    pub dry_run: bool,
    /// Where the selector finds nothing, take the element that `fingerprint` surely is.
    pub heal: bool,
    /// What was recorded of the target, from `find_element` with fingerprint: true.
    pub fingerprint: Option<Fingerprint>,
    /// Do it although the policy holds it for destructive.
    pub confirm: bool,
}

impl Default for ActOptions {
    fn default() -> Self {
        ActOptions {
            timeout_ms: 5_000,
            settle: SettleName::Auto,
            settle_window_ms: 150,
            settle_timeout_ms: 5_000,
            expected_revision: None,
            expect: None,
            dry_run: false,
            heal: false,
            fingerprint: None,
            confirm: false,
        }
    }
}

/// The longest time that makes sense for one action.
const LONGEST: u64 = 600_000;

impl ActOptions {
    /// Refuses what makes no sense.
    pub(super) fn check(&self) -> Result<()> {
        let bounded = [
            ("timeout_ms", self.timeout_ms),
            ("settle_timeout_ms", self.settle_timeout_ms),
            ("settle_window_ms", self.settle_window_ms),
        ];
        if let Some((name, value)) = bounded.into_iter().find(|(_, v)| *v > LONGEST) {
            return Err(Error::invalid(
                format!("{name} {value} is more than ten minutes"),
                format!("give at most {LONGEST}, and wait with wait_for_ui if need be"),
            ));
        }
        if self.heal && self.fingerprint.is_none() {
            return Err(Error::invalid(
                "heal needs the fingerprint that was recorded of the target",
                "give it as fingerprint; find_element with fingerprint: true records it",
            ));
        }
        if self.settle_window_ms > self.settle_timeout_ms {
            return Err(Error::invalid(
                format!(
                    "a window of {} ms cannot pass within a settle_timeout_ms of {} ms",
                    self.settle_window_ms, self.settle_timeout_ms
                ),
                "150 is right for most apps",
            ));
        }
        Ok(())
    }

    pub(super) fn window(&self) -> Duration {
        Duration::from_millis(self.settle_window_ms)
    }
}
