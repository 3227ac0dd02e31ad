//! Open or close something that has an inside.

use super::target_params::found;
use super::{Call, Verb};
use crate::act::{ActOptions, Envelope, Intent, ReadBack, act};
use crate::backend::Action;
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use stillpoint_core::Result;
use stillpoint_core::judge::Verb as Act;
use stillpoint_core::select::SelectorInput;
use stillpoint_core::tree::State;

/// What to open or close.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ExpandParams {
    /// The element.
    pub selector: SelectorInput,
    /// Open it (true) or close it (false).
    #[serde(default = "yes")]
    pub open: bool,
    /// How to go about it.
    #[serde(flatten)]
    pub options: ActOptions,
}

fn yes() -> bool {
    true
}

/// The verb.
pub struct Expand;

#[async_trait]
impl Verb for Expand {
    const NAME: &'static str = "expand";
    const ABOUT: &'static str = "Opens or closes a tree item, a menu, a combo box or a disclosure, and checks that it \
        is open or closed.";
    const READ_ONLY: bool = false;
    type Params = ExpandParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: ExpandParams, call: &Call) -> Result<Envelope> {
        let open = params.open;
        let intent = Intent {
            verb: Act::Expand,
            selector: Some(params.selector.selector()?),
            second: None,
            action: Box::new(move |on, _| Ok(Action::Expand { on: found(on)?, open })),
            read_back: Some(ReadBack {
                expected: if open { "it is open" } else { "it is closed" }.to_owned(),
                look: Box::new(move |tree, id| {
                    let seen = tree.get(id)?.states().get(State::Expanded)?;
                    Some(seen == open.into())
                }),
            }),
        };
        act(session, intent, &params.options, call).await
    }
}
