//! Give an element the keyboard.

use super::target_params::{TargetParams, found};
use super::{Call, Verb};
use crate::act::{Envelope, Intent, ReadBack, act};
use crate::backend::Action;
use crate::session::Session;
use async_trait::async_trait;
use stillpoint_core::Result;
use stillpoint_core::judge::Verb as Act;
use stillpoint_core::tree::{State, StateValue};

/// The verb.
pub struct Focus;

#[async_trait]
impl Verb for Focus {
    const NAME: &'static str = "focus";
    const ABOUT: &'static str =
        "Gives an element the keyboard focus. Not needed before type_text, which does it by itself.";
    const READ_ONLY: bool = false;
    type Params = TargetParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: TargetParams, call: &Call) -> Result<Envelope> {
        let intent = Intent {
            verb: Act::Focus,
            selector: Some(params.selector.selector()?),
            second: None,
            action: Box::new(|on, _| Ok(Action::Focus { on: found(on)? })),
            read_back: Some(ReadBack {
                expected: "it has the focus".to_owned(),
                look: Box::new(|tree, id| {
                    tree.get(id)?.states().get(State::Focused).map(|v| v == StateValue::On)
                }),
            }),
        };
        act(session, intent, &params.options, call).await
    }
}
