//! Wait until the UI is at rest, whether or not anything changes first.

use super::limits;
use super::wait_answer::{Asked, WaitAnswer};
use super::{Call, Verb};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use stillpoint_core::Result;
use stillpoint_core::select::SelectorInput;
use stillpoint_core::settle::{Rules, Scope};

/// How long to wait.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WaitForIdleParams {
    /// How long to wait at most, in milliseconds.
    pub timeout_ms: u64,
    /// How long it must be quiet to be at rest, in milliseconds; not needed where the app says itself that it is idle.
    pub stability_window_ms: u64,
    /// Elements whose changes do not count.
    pub ignore: Vec<SelectorInput>,
    /// Pass over elements that change all the time, such as clocks.
    pub mask_volatile: bool,
}

impl Default for WaitForIdleParams {
    fn default() -> Self {
        WaitForIdleParams {
            timeout_ms: 10_000,
            stability_window_ms: 300,
            ignore: Vec::new(),
            mask_volatile: true,
        }
    }
}

/// The verb.
pub struct WaitForIdle;

#[async_trait]
impl Verb for WaitForIdle {
    const NAME: &'static str = "wait_for_idle";
    const ABOUT: &'static str = "Waits until the UI is at rest: by the app's own word where it gives one, else by a \
        quiet window. Use it before a first look at an app that is starting. To wait for something in particular use \
        wait_for_ui; to wait for any change use wait_for_ui_change.";
    const READ_ONLY: bool = true;
    type Params = WaitForIdleParams;
    type Answer = WaitAnswer;

    async fn run(session: &Session, params: Self::Params, call: &Call) -> Result<WaitAnswer> {
        let rules = Rules {
            window: limits::window(params.stability_window_ms, params.timeout_ms)?,
            needs_change: false,
            expected: None,
            scope: Scope::Screen,
            ignore: super::wait_for_ui_change::ignored(session, &params.ignore)?,
            mask_volatile: params.mask_volatile,
        };
        let deadline = limits::deadline(params.timeout_ms)?;
        let watched = session.watch(rules, None, deadline)?.by_word().settled(&call.cancel).await;
        let asked = Asked { what: "rest", scope: "screen", target: None };
        Ok(WaitAnswer::of(session, &asked, &watched).noted(session, asked.what, &watched))
    }
}
