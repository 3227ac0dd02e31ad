//! What can be done to an element (SPEC §8).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! verbs {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// One way to act.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Verb { $($(#[$doc])* $variant,)* }

        impl Verb {
            /// All of them, in the order of the contract.
            pub const ALL: &'static [Verb] = &[$(Verb::$variant,)*];

            /// Its name in every face.
            pub const fn name(self) -> &'static str {
                match self { $(Verb::$variant => $name,)* }
            }
        }
    };
}

verbs! {
    /// Press and release once.
    Tap = "tap",
    /// Press and release twice, quickly.
    DoubleTap = "double_tap",
    /// Ask for the context menu.
    RightClick = "right_click",
    /// Press, hold, release.
    LongPress = "long_press",
    /// Put the pointer over it.
    Hover = "hover",
    /// Give it the keyboard.
    Focus = "focus",
    /// Type into it.
    TypeText = "type_text",
    /// Press a key or a chord.
    PressKey = "press_key",
    /// Give it a value and read it back.
    SetValue = "set_value",
    /// Change checked to unchecked, or back.
    Toggle = "toggle",
    /// Choose it.
    Select = "select",
    /// Open what is folded in it.
    Expand = "expand",
    /// Scroll it.
    Scroll = "scroll",
    /// Scroll until it is on screen.
    ScrollTo = "scroll_to",
    /// Press on it, move, release elsewhere.
    Drag = "drag",
    /// Move a finger over it.
    Swipe = "swipe",
    /// Tap a point of the screen.
    TapAt = "tap_at",
}

impl Verb {
    /// The verb with this name; `adjust_control` is another name of `set_value`.
    pub fn from_name(name: &str) -> Option<Verb> {
        if name == "adjust_control" {
            return Some(Verb::SetValue);
        }
        Verb::ALL.iter().copied().find(|v| v.name() == name)
    }

    /// Whether doing it twice leaves the same as doing it once, so that it may be tried again.
    pub const fn idempotent(self) -> bool {
        matches!(
            self,
            Verb::Hover | Verb::Focus | Verb::SetValue | Verb::Select | Verb::Expand | Verb::ScrollTo
        )
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
