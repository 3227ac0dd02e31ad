//! What can be done to an app, as the engine asks a backend to do it. The target has been resolved and judged.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use stillpoint_core::Error;
pub use stillpoint_core::judge::Delivery;
use stillpoint_core::tree::NativeKey;

/// A mouse button.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    /// The main one.
    #[default]
    Left,
    /// The wheel.
    Middle,
    /// The one for context menus.
    Right,
}

/// A key with the modifiers that are held, as in `ctrl+shift+Tab`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// The key by its name (`Enter`, `Tab`, `ArrowDown`, `F5`) or its character.
    pub name: String,
    /// Control is held.
    pub ctrl: bool,
    /// Shift is held.
    pub shift: bool,
    /// Alt is held.
    pub alt: bool,
    /// The logo or command key is held.
    pub meta: bool,
}

impl std::str::FromStr for Key {
    type Err = Error;

    /// Reads `Enter`, `ctrl+s`, `ctrl+shift+Tab`; a plus sign alone is the plus key.
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut key = Key { name: String::new(), ctrl: false, shift: false, alt: false, meta: false };
        let (held, name) = match text.strip_suffix('+') {
            Some("") => ("", "+"),
            Some(held) if held.ends_with('+') => (held.trim_end_matches('+'), "+"),
            _ => text.rsplit_once('+').unwrap_or(("", text)),
        };
        for modifier in held.split('+').filter(|m| !m.is_empty()) {
            let flag = match modifier.to_ascii_lowercase().as_str() {
                "ctrl" | "control" => &mut key.ctrl,
                "shift" => &mut key.shift,
                "alt" | "option" => &mut key.alt,
                "meta" | "cmd" | "command" | "super" | "win" => &mut key.meta,
                _ => {
                    return Err(Error::invalid(
                        format!("{modifier:?} in the key {text:?} is no modifier"),
                        "modifiers are ctrl, shift, alt and meta, as in ctrl+shift+Tab",
                    ));
                }
            };
            *flag = true;
        }
        if name.trim().is_empty() {
            return Err(Error::invalid(
                format!("{text:?} names no key"),
                "keys look like Enter, Escape, ArrowDown, F5, a or ctrl+s",
            ));
        }
        name.clone_into(&mut key.name);
        Ok(key)
    }
}

/// What a control is set to.
#[derive(Clone, Debug, PartialEq)]
pub enum SetTo {
    /// A position between the control's limits.
    Number(f64),
    /// Text, an option's label, a date.
    Text(String),
}

/// Where a pointer action happens: on an element, or at a point of the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// In the middle of an element.
    Element(NativeKey),
    /// At these pixels of the screen.
    Point(i32, i32),
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Press and release: `count` is 1 or 2, `hold` makes it a long press.
    Tap {
        /// Where.
        on: Place,
        /// Which button.
        button: Button,
        /// How often.
        count: u8,
        /// How long the button stays down.
        hold: Option<Duration>,
    },
    /// Bring the pointer over it.
    Hover {
        /// Where.
        on: Place,
    },
    /// Give it the keyboard focus.
    Focus {
        /// Which element.
        on: NativeKey,
    },
    /// Put text in, at the caret, or instead of what is there.
    TypeText {
        /// Into which element; `None` is whichever has the focus.
        on: Option<NativeKey>,
        /// What to type.
        text: String,
        /// Replace what is there.
        replace: bool,
    },
    /// Press and release a key.
    PressKey {
        /// On which element; `None` is whichever has the focus.
        on: Option<NativeKey>,
        /// Which key.
        key: Key,
    },
    /// Set a control's value.
    SetValue {
        /// Which control.
        on: NativeKey,
        /// To what.
        to: SetTo,
    },
    /// Check or uncheck, press or release.
    Toggle {
        /// Which control.
        on: NativeKey,
    },
    /// Select an option, a row, a tab.
    Select {
        /// Which one.
        on: NativeKey,
    },
    /// Open or close something that has an inside.
    Expand {
        /// Which one.
        on: NativeKey,
        /// Open it, or close it.
        open: bool,
    },
    /// Turn the wheel.
    Scroll {
        /// Over what.
        on: Place,
        /// Pixels to the right.
        dx: i32,
        /// Pixels down.
        dy: i32,
    },
    /// Bring an element into view.
    ScrollTo {
        /// Which one.
        on: NativeKey,
    },
    /// Press at one place, move, release at another.
    Drag {
        /// From where.
        from: Place,
        /// To where.
        to: Place,
        /// How long the way takes.
        over: Duration,
    },
}

/// How an action was brought about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", content = "with")]
pub enum Means {
    /// Through the platform's own action, by its name.
    Native(String),
    /// By synthesised pointer or keyboard input.
    Synthesised(String),
}

/// An action was handed over.
#[derive(Clone, Debug, PartialEq)]
pub struct Performed {
    /// How.
    pub means: Means,
}

/// An action was not done, or not known to be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Why.
    pub error: Error,
    /// Whether it may have reached the app all the same.
    pub delivery: Delivery,
}

impl Refusal {
    /// It certainly did not reach the app.
    pub fn before_dispatch(error: Error) -> Self {
        Refusal { error, delivery: Delivery::NotDelivered }
    }

    /// It was on its way when something broke: never to be tried again by itself.
    pub fn after_dispatch(error: Error) -> Self {
        Refusal { error: error.retryable(false), delivery: Delivery::Unknown }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::before_dispatch(error)
    }
}
