//! Press a key or a chord.

use super::{Call, Verb};
use crate::act::{ActOptions, Envelope, Intent, act};
use crate::backend::{Action, Key};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use stillpoint_core::Result;
use stillpoint_core::judge::Verb as Act;
use stillpoint_core::select::SelectorInput;

/// Which key, and where.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PressKeyParams {
    /// The key: Enter, Escape, `ArrowDown`, F5, a, ctrl+s, ctrl+shift+Tab.
    pub key: String,
    /// The element that gets it; left out, it goes to whoever has the focus.
    #[serde(default)]
    pub selector: Option<SelectorInput>,
    /// How to go about it.
    #[serde(flatten)]
    pub options: ActOptions,
}

/// The verb.
pub struct PressKey;

#[async_trait]
impl Verb for PressKey {
    const NAME: &'static str = "press_key";
    const ABOUT: &'static str =
        "Presses a key or a chord, such as Enter or ctrl+s. To type text use type_text.";
    const READ_ONLY: bool = false;
    type Params = PressKeyParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: PressKeyParams, call: &Call) -> Result<Envelope> {
        let key: Key = params.key.parse()?;
        let intent = Intent {
            verb: Act::PressKey,
            selector: params.selector.as_ref().map(SelectorInput::selector).transpose()?,
            second: None,
            action: Box::new(move |on, _| Ok(Action::PressKey { on, key: key.clone() })),
            read_back: None,
        };
        act(session, intent, &params.options, call).await
    }
}
