//! Press on one element, move, release on another.

use super::target_params::found;
use super::{Call, Verb};
use crate::act::{ActOptions, Envelope, Intent, act};
use crate::backend::{Action, Place};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use stillpoint_core::Result;
use stillpoint_core::judge::Verb as Act;
use stillpoint_core::select::SelectorInput;

/// From where to where.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct DragParams {
    /// What to take.
    pub selector: SelectorInput,
    /// Where to drop it.
    pub to: SelectorInput,
    /// How long the way takes, in milliseconds.
    #[serde(default = "quick")]
    pub duration_ms: u64,
    /// How to go about it.
    #[serde(flatten)]
    pub options: ActOptions,
}

fn quick() -> u64 {
    200
}

/// The verb.
pub struct Drag;

#[async_trait]
impl Verb for Drag {
    const NAME: &'static str = "drag";
    const ABOUT: &'static str = "Drags one element onto another. To move a slider use set_value; to scroll use scroll_to \
        or scroll.";
    const READ_ONLY: bool = false;
    type Params = DragParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: DragParams, call: &Call) -> Result<Envelope> {
        let over = Duration::from_millis(params.duration_ms.min(10_000));
        let intent = Intent {
            verb: Act::Drag,
            selector: Some(params.selector.selector()?),
            second: Some(params.to.selector()?),
            action: Box::new(move |from, to| {
                let (from, to) = (Place::Element(found(from)?), Place::Element(found(to)?));
                Ok(Action::Drag { from, to, over })
            }),
            read_back: None,
        };
        act(session, intent, &params.options, call).await
    }
}
