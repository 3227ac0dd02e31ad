//! Wait until something changed and the UI came to rest.

use super::limits;
use super::wait_answer::{Asked, WaitAnswer};
use super::{Call, Verb};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stillpoint_core::revise::Revision;
use stillpoint_core::select::{SelectorInput, Visibility, resolve, resolve_one};
use stillpoint_core::settle::{ExpectedChange, Rules, Scope};
use stillpoint_core::tree::ElementId;
use stillpoint_core::{Error, Result};

/// Where changes count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScopeName {
    /// Anywhere.
    #[default]
    Screen,
    /// In `target` and what lies in it.
    Subtree,
    /// In what can be seen without scrolling.
    Viewport,
}

/// What to wait for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WaitForUiChangeParams {
    /// The kind of change; any kind if left out.
    pub expected_change: Option<ExpectedChange>,
    /// Changes after this revision count, also those that came before the call.
    pub since_revision: Option<Revision>,
    /// How long to wait at most, in milliseconds.
    pub timeout_ms: u64,
    /// How long it must be quiet to be at rest, in milliseconds.
    pub stability_window_ms: u64,
    /// Where changes count.
    pub scope: ScopeName,
    /// The element to watch, with scope subtree.
    pub target: Option<SelectorInput>,
    /// Elements whose changes do not count.
    pub ignore: Vec<SelectorInput>,
    /// Pass over elements that change all the time, such as clocks.
    pub mask_volatile: bool,
}

impl Default for WaitForUiChangeParams {
    fn default() -> Self {
        WaitForUiChangeParams {
            expected_change: None,
            since_revision: None,
            timeout_ms: 10_000,
            stability_window_ms: 300,
            scope: ScopeName::Screen,
            target: None,
            ignore: Vec::new(),
            mask_volatile: true,
        }
    }
}

/// The verb.
pub struct WaitForUiChange;

#[async_trait]
impl Verb for WaitForUiChange {
    const NAME: &'static str = "wait_for_ui_change";
    const ABOUT: &'static str = "Waits until something changed and the UI came to rest. Use it when something will \
        happen by itself; after an action it is not needed, for actions settle by themselves. Give since_revision to \
        count changes that came before the call.";
    const READ_ONLY: bool = true;
    type Params = WaitForUiChangeParams;
    type Answer = WaitAnswer;

    async fn run(session: &Session, params: Self::Params, call: &Call) -> Result<WaitAnswer> {
        let window = limits::window(params.stability_window_ms, params.timeout_ms)?;
        let deadline = limits::deadline(params.timeout_ms)?;
        if params.since_revision.is_none() {
            session.catch_up(deadline).await?;
        }
        let top = watched_element(session, &params)?;
        let scope = match (params.scope, top) {
            (ScopeName::Screen, _) => Scope::Screen,
            (ScopeName::Viewport, _) => Scope::Viewport,
            (ScopeName::Subtree, Some(top)) => Scope::Subtree(top),
            (ScopeName::Subtree, None) => {
                return Err(Error::invalid(
                    "scope subtree needs a target",
                    "give the element to watch as target",
                ));
            }
        };
        let rules = Rules {
            window,
            needs_change: true,
            expected: params.expected_change,
            scope,
            ignore: ignored(session, &params.ignore)?,
            mask_volatile: params.mask_volatile,
        };
        let watched = session.watch(rules, params.since_revision, deadline)?.settled(&call.cancel).await;
        let (what, scope) = in_words(&params);
        let asked = Asked { what: &what, scope, target: top.map(|t| t.to_string()) };
        Ok(WaitAnswer::of(session, &asked, &watched).noted(session, &what, &watched))
    }
}

fn watched_element(session: &Session, params: &WaitForUiChangeParams) -> Result<Option<ElementId>> {
    let Some(target) = &params.target else { return Ok(None) };
    let selector = target.selector()?;
    session.read(|tree| resolve_one(tree, &selector, Visibility::Any)).map(|r| Some(r.id))
}

/// Every element that one of the selectors matches now.
pub(super) fn ignored(session: &Session, selectors: &[SelectorInput]) -> Result<Vec<ElementId>> {
    let mut found = Vec::new();
    for input in selectors {
        let selector = input.selector()?;
        found.extend(session.read(|tree| resolve(tree, &selector, Visibility::Any).matches));
    }
    Ok(found)
}

fn in_words(params: &WaitForUiChangeParams) -> (String, &'static str) {
    let kind = match params.expected_change {
        None => "a change",
        Some(ExpectedChange::HierarchyDiff) => "a change of the hierarchy",
        Some(ExpectedChange::TextChange) => "a change of text",
        Some(ExpectedChange::StateChange) => "a change of state",
    };
    match params.scope {
        ScopeName::Screen => (format!("{kind} anywhere, then rest"), "screen"),
        ScopeName::Subtree => (format!("{kind} in one element, then rest"), "subtree"),
        ScopeName::Viewport => (format!("{kind} in view, then rest"), "viewport"),
    }
}
