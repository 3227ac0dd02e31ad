//! Wait until a condition on an element holds.

use super::limits;
use super::until::Until;
use super::wait_answer::{Asked, WaitAnswer};
use super::{Call, Verb};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use stillpoint_core::judge::{Condition, Verdict};
use stillpoint_core::select::{Selector, SelectorInput, Visibility, resolve, resolve_one};
use stillpoint_core::settle::Reason;
use stillpoint_core::{Code, Error, Result};

/// What to wait for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitForUiParams {
    /// The element.
    pub selector: SelectorInput,
    /// What must be true of it: exists, gone, visible, hidden, enabled, clickable, focused, checked, value=TEXT.
    #[serde(default)]
    pub condition: Condition,
    /// How long to wait at most, in milliseconds.
    #[serde(default = "limits::default_timeout")]
    pub timeout_ms: u64,
    /// Wait until the UI is at rest as well.
    #[serde(default)]
    pub stable: bool,
    /// How long it must be quiet to be at rest, in milliseconds; with `stable`.
    #[serde(default = "limits::default_window")]
    pub stability_window_ms: u64,
}

/// The verb.
pub struct WaitForUi;

#[async_trait]
impl Verb for WaitForUi {
    const NAME: &'static str = "wait_for_ui";
    const ABOUT: &'static str = "Waits until an element exists, is gone, visible, enabled, clickable, checked or has a \
        value. It is looked at on every change, never on a timer. To wait for any change at all use \
        wait_for_ui_change.";
    const READ_ONLY: bool = true;
    type Params = WaitForUiParams;
    type Answer = WaitAnswer;

    async fn run(session: &Session, params: Self::Params, call: &Call) -> Result<WaitAnswer> {
        let selector = params.selector.selector()?;
        let condition = params.condition;
        let window =
            limits::window(if params.stable { params.stability_window_ms } else { 0 }, params.timeout_ms)?;
        let until = Until::new(session, limits::deadline(params.timeout_ms)?, &call.cancel);
        let look = |session: &Session| look(session, &selector, &condition).map(|seen| seen.holds);
        let watched = until.holds(params.stable.then_some(window), look).await?;
        let what = format!("{selector} to be {condition}");
        let target = Some(selector.to_string());
        let mut answer = WaitAnswer::of(session, &Asked { what: &what, scope: "screen", target }, &watched);
        if answer.reason == Reason::Converged {
            answer.story = format!("waited {} ms until {selector} was {condition}", answer.elapsed_ms);
        } else if let Some(error) = answer.error.as_mut().filter(|e| e.code == Code::Timeout) {
            explain(session, &selector, &condition, error)?;
            answer.story.clone_from(&error.message);
        }
        Ok(answer.noted(session, &what, &watched))
    }
}

fn look(session: &Session, selector: &Selector, condition: &Condition) -> Result<Verdict> {
    session.read(|tree| condition.evaluate(tree, &resolve(tree, selector, Visibility::Any)))
}

/// Adds to a timeout what was seen instead, and what is near.
fn explain(session: &Session, selector: &Selector, condition: &Condition, error: &mut Error) -> Result<()> {
    let observed = look(session, selector, condition)?.observed;
    error.message = format!("{}; seen at the end: {observed}", error.message);
    if let Err(miss) = session.read(|tree| resolve_one(tree, selector, Visibility::Any)) {
        error.hint = miss.hint;
        error.details = miss.details;
    }
    Ok(())
}
