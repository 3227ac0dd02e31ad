//! Bring an element into view.

use super::target_params::{TargetParams, found};
use super::{Call, Verb};
use crate::act::{Envelope, Intent, act};
use crate::backend::Action;
use crate::session::Session;
use async_trait::async_trait;
use stillpoint_core::Result;
use stillpoint_core::judge::Verb as Act;

/// The verb.
pub struct ScrollTo;

#[async_trait]
impl Verb for ScrollTo {
    const NAME: &'static str = "scroll_to";
    const ABOUT: &'static str =
        "Scrolls until an element is on screen. Not needed before a tap, which does it by itself.";
    const READ_ONLY: bool = false;
    type Params = TargetParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: TargetParams, call: &Call) -> Result<Envelope> {
        let intent = Intent {
            verb: Act::ScrollTo,
            selector: Some(params.selector.selector()?),
            second: None,
            action: Box::new(|on, _| Ok(Action::ScrollTo { on: found(on)? })),
            read_back: None,
        };
        act(session, intent, &params.options, call).await
    }
}
