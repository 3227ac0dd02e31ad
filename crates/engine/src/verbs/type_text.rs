//! Put text in.

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

/// What to type, and where.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct TypeTextParams {
    /// The field; left out, it goes to whoever has the focus.
    #[serde(default)]
    pub selector: Option<SelectorInput>,
    /// What to type.
    pub text: String,
    /// Replace what is there (true) or add to it (false).
    #[serde(default = "yes")]
    pub replace: bool,
    /// How to go about it.
    #[serde(flatten)]
    pub options: ActOptions,
}

fn yes() -> bool {
    true
}

/// The verb.
pub struct TypeText;

#[async_trait]
impl Verb for TypeText {
    const NAME: &'static str = "type_text";
    const ABOUT: &'static str = "Types text into a field, in place of what is there unless replace is false, and reads \
        it back. For sliders, check boxes and combo boxes use set_value; for Enter and shortcuts press_key.";
    const READ_ONLY: bool = false;
    type Params = TypeTextParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: TypeTextParams, call: &Call) -> Result<Envelope> {
        let TypeTextParams { selector, text, replace, options } = params;
        let wanted = text.clone();
        let intent = Intent {
            verb: Act::TypeText,
            selector: selector.as_ref().map(SelectorInput::selector).transpose()?,
            second: None,
            action: Box::new(move |on, _| Ok(Action::TypeText { on, text: text.clone(), replace })),
            read_back: Some(ReadBack {
                expected: "the field shows what was typed".to_owned(),
                look: Box::new(move |tree, id| {
                    let node = tree.get(id).filter(|n| !n.is_protected())?;
                    let shown = node.value().or(node.text()).unwrap_or_default();
                    Some(if replace { shown == wanted } else { shown.contains(&wanted) })
                }),
            }),
        };
        act(session, intent, &options, call).await
    }
}
