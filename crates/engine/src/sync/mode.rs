//! The ways to know that an app is at rest, and which of them a session uses.

use super::word::report;
use crate::backend::{AttachOptions, IdleReport};
use crate::session::Session;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, PoisonError};
use stillpoint_core::settle::SamplerRules;
use stillpoint_core::{Error, Result};

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

impl std::str::FromStr for SyncMode {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Ok(match name {
            "sdk" => SyncMode::Sdk,
            "events" => SyncMode::Events,
            "heuristic" => SyncMode::Heuristic,
            "auto" => SyncMode::Auto,
            _ => {
                return Err(Error::invalid(
                    format!("{name:?} is no way to know that an app is at rest"),
                    "sync is auto, sdk, events or heuristic",
                ));
            }
        })
    }
}

/// The most equal samples that make sense.
const MOST_SAMPLES: u32 = 50;

/// What was asked for.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    asked: Mutex<SyncMode>,
    rules: SamplerRules,
}

impl Choice {
    pub(crate) fn from(options: &AttachOptions) -> Result<Self> {
        let asked = match options.settings.get("sync") {
            Some(name) => name.parse()?,
            None => SyncMode::Auto,
        };
        let mut rules = SamplerRules::default();
        if let Some(samples) = options.settings.get("samples") {
            let count = samples.parse().ok().filter(|n| (1..=MOST_SAMPLES).contains(n));
            rules.equal_samples = count.ok_or_else(|| {
                Error::invalid(
                    format!("{samples:?} is not a number of samples"),
                    "samples is from 1 to 50: 3 is right for most apps, 5 for noisy ones",
                )
            })?;
        }
        Ok(Choice { asked: Mutex::new(asked), rules })
    }

    /// The schedule of the looks.
    pub(crate) fn sampler_rules(&self) -> SamplerRules {
        self.rules
    }

    fn asked(&self) -> MutexGuard<'_, SyncMode> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Chooses how rest is to be known from now on; waits that are under way go on as they began.
    pub fn set_sync_mode(&self, mode: SyncMode) {
        let was = std::mem::replace(&mut *self.choice().asked(), mode);
        if was == SyncMode::Heuristic && mode != was {
            // What events told meanwhile was passed over.
            self.ask_for_resync();
        }
    }

    /// The mode in use, and why a better one is not.
    pub fn sync_mode(&self) -> (SyncMode, Option<String>) {
        let asked = *self.choice().asked();
        let events = self.capabilities().events;
        let silent = "this kind of target tells no changes by itself";
        if matches!(asked, SyncMode::Auto | SyncMode::Sdk) && self.idle_report().is_some() {
            return (SyncMode::Sdk, None);
        }
        let no_word = || match self.word().why_not() {
            Some(why) => format!("the app gives no idle signal: {why} (docs/idle.md says how it could)"),
            None => "the app gives no idle signal (docs/idle.md says how it could)".to_owned(),
        };
        match asked {
            SyncMode::Events if events => (SyncMode::Events, Some("events were asked for".to_owned())),
            SyncMode::Heuristic => (SyncMode::Heuristic, Some("sampling was asked for".to_owned())),
            _ if events => (SyncMode::Events, Some(no_word())),
            SyncMode::Events => (SyncMode::Heuristic, Some(format!("events were asked for, but {silent}"))),
            _ => (SyncMode::Heuristic, Some(format!("{silent}, and {}", no_word()))),
        }
    }

    /// Whether the mirror follows the app's events. One that does not is brought up to date by looking.
    pub(crate) fn hears_events(&self) -> bool {
        self.capabilities().events && *self.choice().asked() != SyncMode::Heuristic
    }

    /// How many equal samples mean rest, where samples decide.
    pub(crate) fn samples_needed(&self) -> Option<u32> {
        (self.sync_mode().0 == SyncMode::Heuristic).then_some(self.choice().rules.equal_samples)
    }

    /// What the app says of its own work; `None` if it says nothing, or nobody wants to hear it.
    pub fn idle_report(&self) -> Option<IdleReport> {
        if !matches!(*self.choice().asked(), SyncMode::Auto | SyncMode::Sdk) {
            return None;
        }
        if let Some(signal) = self.backend().idle_signal() {
            return Some(signal.borrow().clone());
        }
        self.word().client().and_then(|client| report(&client))
    }
}
