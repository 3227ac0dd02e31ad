//! What a pointer does to one element: tap, double tap, right click, long press, hover.

use super::target_params::{TargetParams, found};
use super::{Call, Verb};
use crate::act::{Envelope, Intent, act};
use crate::backend::{Action, Button, Place};
use crate::session::Session;
use async_trait::async_trait;
use std::time::Duration;
use stillpoint_core::Result;
use stillpoint_core::judge::Verb as Act;

/// How long a long press lasts.
const LONG: Duration = Duration::from_millis(800);

fn press(on: stillpoint_core::tree::NativeKey, button: Button, count: u8, hold: Option<Duration>) -> Action {
    Action::Tap { on: Place::Element(on), button, count, hold }
}

/// The verb.
pub struct Tap;

#[async_trait]
impl Verb for Tap {
    const NAME: &'static str = "tap";
    const ABOUT: &'static str = "Taps or clicks an element once, waits until the UI is at rest, and tells what changed. Refuses when the selector is ambiguous, the element is disabled, covered or moving. Give expect to have the outcome verified in the same call.";
    const READ_ONLY: bool = false;
    type Params = TargetParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: TargetParams, call: &Call) -> Result<Envelope> {
        let intent = Intent {
            verb: Act::Tap,
            selector: Some(params.selector.selector()?),
            second: None,
            action: Box::new(|on, _| Ok(press(found(on)?, Button::Left, 1, None))),
            read_back: None,
        };
        act(session, intent, &params.options, call).await
    }
}

/// The verb.
pub struct DoubleTap;

#[async_trait]
impl Verb for DoubleTap {
    const NAME: &'static str = "double_tap";
    const ABOUT: &'static str = "Taps an element twice, quickly. Use it where a single tap only selects.";
    const READ_ONLY: bool = false;
    type Params = TargetParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: TargetParams, call: &Call) -> Result<Envelope> {
        let intent = Intent {
            verb: Act::DoubleTap,
            selector: Some(params.selector.selector()?),
            second: None,
            action: Box::new(|on, _| Ok(press(found(on)?, Button::Left, 2, None))),
            read_back: None,
        };
        act(session, intent, &params.options, call).await
    }
}

/// The verb.
pub struct RightClick;

#[async_trait]
impl Verb for RightClick {
    const NAME: &'static str = "right_click";
    const ABOUT: &'static str = "Opens the context menu of an element.";
    const READ_ONLY: bool = false;
    type Params = TargetParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: TargetParams, call: &Call) -> Result<Envelope> {
        let intent = Intent {
            verb: Act::RightClick,
            selector: Some(params.selector.selector()?),
            second: None,
            action: Box::new(|on, _| Ok(press(found(on)?, Button::Right, 1, None))),
            read_back: None,
        };
        act(session, intent, &params.options, call).await
    }
}

/// The verb.
pub struct LongPress;

#[async_trait]
impl Verb for LongPress {
    const NAME: &'static str = "long_press";
    const ABOUT: &'static str =
        "Presses an element and holds it for 0.8 s. Use it on touch screens where a context menu is meant.";
    const READ_ONLY: bool = false;
    type Params = TargetParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: TargetParams, call: &Call) -> Result<Envelope> {
        let intent = Intent {
            verb: Act::LongPress,
            selector: Some(params.selector.selector()?),
            second: None,
            action: Box::new(|on, _| Ok(press(found(on)?, Button::Left, 1, Some(LONG)))),
            read_back: None,
        };
        act(session, intent, &params.options, call).await
    }
}

/// The verb.
pub struct Hover;

#[async_trait]
impl Verb for Hover {
    const NAME: &'static str = "hover";
    const ABOUT: &'static str =
        "Puts the pointer over an element, as for a tooltip or a menu that opens by itself.";
    const READ_ONLY: bool = false;
    type Params = TargetParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: TargetParams, call: &Call) -> Result<Envelope> {
        let intent = Intent {
            verb: Act::Hover,
            selector: Some(params.selector.selector()?),
            second: None,
            action: Box::new(|on, _| Ok(Action::Hover { on: Place::Element(found(on)?) })),
            read_back: None,
        };
        act(session, intent, &params.options, call).await
    }
}
