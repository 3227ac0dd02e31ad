//! What is done at points of the screen rather than to elements: `tap_at`, swipe, scroll.

use super::target_params::found;
use super::{Call, Verb};
use crate::act::{ActOptions, Envelope, Intent, act};
use crate::backend::{Action, Button, Place};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use stillpoint_core::Result;
use stillpoint_core::judge::Verb as Act;
use stillpoint_core::select::SelectorInput;

/// A point of the screen.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct TapAtParams {
    /// Pixels from the left edge of the screen.
    pub x: i32,
    /// Pixels from the top edge of the screen.
    pub y: i32,
    /// How to go about it.
    #[serde(flatten)]
    pub options: ActOptions,
}

/// Taps a point.
pub struct TapAt;

#[async_trait]
impl Verb for TapAt {
    const NAME: &'static str = "tap_at";
    const ABOUT: &'static str = "Taps a point of the screen. Only for what has no element, such as a canvas: nothing can \
        be checked beforehand. For everything else use tap.";
    const READ_ONLY: bool = false;
    type Params = TapAtParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: TapAtParams, call: &Call) -> Result<Envelope> {
        let on = Place::Point(params.x, params.y);
        let intent = Intent {
            verb: Act::TapAt,
            selector: None,
            second: None,
            action: Box::new(move |_, _| Ok(Action::Tap { on, button: Button::Left, count: 1, hold: None })),
            read_back: None,
        };
        act(session, intent, &params.options, call).await
    }
}

/// A way over the screen.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SwipeParams {
    /// Where it begins, pixels from the left.
    pub from_x: i32,
    /// Where it begins, pixels from the top.
    pub from_y: i32,
    /// Where it ends, pixels from the left.
    pub to_x: i32,
    /// Where it ends, pixels from the top.
    pub to_y: i32,
    /// How long it takes, in milliseconds.
    #[serde(default = "quick")]
    pub duration_ms: u64,
    /// How to go about it.
    #[serde(flatten)]
    pub options: ActOptions,
}

fn quick() -> u64 {
    200
}

/// Moves a finger or the pressed pointer.
pub struct Swipe;

#[async_trait]
impl Verb for Swipe {
    const NAME: &'static str = "swipe";
    const ABOUT: &'static str = "Moves a finger, or the pressed pointer, from one point to another. To bring an element \
        into view use scroll_to.";
    const READ_ONLY: bool = false;
    type Params = SwipeParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: SwipeParams, call: &Call) -> Result<Envelope> {
        let from = Place::Point(params.from_x, params.from_y);
        let to = Place::Point(params.to_x, params.to_y);
        let over = Duration::from_millis(params.duration_ms.min(10_000));
        let intent = Intent {
            verb: Act::Swipe,
            selector: None,
            second: None,
            action: Box::new(move |_, _| Ok(Action::Drag { from, to, over })),
            read_back: None,
        };
        act(session, intent, &params.options, call).await
    }
}

/// How far to scroll, and over what.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ScrollParams {
    /// The element over which the wheel is turned.
    pub selector: SelectorInput,
    /// Pixels to the right.
    #[serde(default)]
    pub dx: i32,
    /// Pixels down.
    #[serde(default)]
    pub dy: i32,
    /// How to go about it.
    #[serde(flatten)]
    pub options: ActOptions,
}

/// Turns the wheel.
pub struct Scroll;

#[async_trait]
impl Verb for Scroll {
    const NAME: &'static str = "scroll";
    const ABOUT: &'static str = "Turns the wheel over an element by some pixels. To bring a certain element into view use \
        scroll_to.";
    const READ_ONLY: bool = false;
    type Params = ScrollParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: ScrollParams, call: &Call) -> Result<Envelope> {
        let (dx, dy) = (params.dx, params.dy);
        let intent = Intent {
            verb: Act::Scroll,
            selector: Some(params.selector.selector()?),
            second: None,
            action: Box::new(move |on, _| Ok(Action::Scroll { on: Place::Element(found(on)?), dx, dy })),
            read_back: None,
        };
        act(session, intent, &params.options, call).await
    }
}
