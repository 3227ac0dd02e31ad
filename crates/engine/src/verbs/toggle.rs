//! Check or uncheck, press or release.

use super::target_params::{TargetParams, found};
use super::{Call, Verb};
use crate::act::{Envelope, Intent, ReadBack, act};
use crate::backend::Action;
use crate::session::Session;
use async_trait::async_trait;
use stillpoint_core::Result;
use stillpoint_core::judge::Verb as Act;
use stillpoint_core::select::{Visibility, resolve};
use stillpoint_core::tree::{ElementId, State, StateValue, TreeView};

/// The verb.
pub struct Toggle;

#[async_trait]
impl Verb for Toggle {
    const NAME: &'static str = "toggle";
    const ABOUT: &'static str = "Changes a check box, switch or toggle button to its other state, and checks that it \
        changed. To reach a certain state whatever it is now, use set_value with true or false.";
    const READ_ONLY: bool = false;
    type Params = TargetParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: TargetParams, call: &Call) -> Result<Envelope> {
        let selector = params.selector.selector()?;
        let before = session.read(|tree| {
            resolve(tree, &selector, Visibility::VisibleFirst).only().and_then(|id| state(tree, id))
        });
        let intent = Intent {
            verb: Act::Toggle,
            selector: Some(selector),
            second: None,
            action: Box::new(|on, _| Ok(Action::Toggle { on: found(on)? })),
            read_back: Some(ReadBack {
                expected: "its state is the other one".to_owned(),
                look: Box::new(move |tree, id| Some(state(tree, id)? != before?)),
            }),
        };
        act(session, intent, &params.options, call).await
    }
}

/// Whether it is on, whichever way its platform says so.
fn state(tree: &TreeView, id: ElementId) -> Option<StateValue> {
    let states = tree.get(id)?.states();
    states.get(State::Checked).or_else(|| states.get(State::Pressed))
}
