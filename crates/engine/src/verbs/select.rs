//! Choose an option, a row or a tab.

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
pub struct Select;

#[async_trait]
impl Verb for Select {
    const NAME: &'static str = "select";
    const ABOUT: &'static str = "Selects an option, a row, a tab or a list item. To choose from a closed combo box use set_value with the option's text.";
    const READ_ONLY: bool = false;
    type Params = TargetParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: TargetParams, call: &Call) -> Result<Envelope> {
        let intent = Intent {
            verb: Act::Select,
            selector: Some(params.selector.selector()?),
            second: None,
            action: Box::new(|on, _| Ok(Action::Select { on: found(on)? })),
            read_back: Some(ReadBack {
                expected: "it is selected".to_owned(),
                look: Box::new(|tree, id| {
                    tree.get(id)?.states().get(State::Selected).map(|v| v == StateValue::On)
                }),
            }),
        };
        act(session, intent, &params.options, call).await
    }
}
