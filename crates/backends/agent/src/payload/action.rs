//! Actions as JSON, and what became of them.

use super::Keys;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use stillpoint_core::{Error, Result};
use stillpoint_engine::backend::{Action, Button, Delivery, Key, Means, Performed, Place, Refusal, SetTo};

/// Where a pointer action happens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PlaceForm {
    Element(u64),
    Point([i32; 2]),
}

/// What a control is set to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum ValueForm {
    Number(f64),
    Text(String),
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub(crate) enum ActionForm {
    Tap { on: PlaceForm, button: Button, count: u8, hold_ms: Option<u64> },
    Hover { on: PlaceForm },
    Focus { on: u64 },
    TypeText { on: Option<u64>, text: String, replace: bool },
    PressKey { on: Option<u64>, key: Key },
    SetValue { on: u64, to: ValueForm },
    Toggle { on: u64 },
    Select { on: u64 },
    Expand { on: u64, open: bool },
    Scroll { on: PlaceForm, dx: i32, dy: i32 },
    ScrollTo { on: u64 },
    Drag { from: PlaceForm, to: PlaceForm, over_ms: u64 },
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl ActionForm {
    /// The action with the far side's names for its elements.
    pub(crate) fn of(action: &Action, keys: Keys) -> Self {
        let place = |place: &Place| match place {
            Place::Element(key) => PlaceForm::Element(keys.far(*key)),
            Place::Point(x, y) => PlaceForm::Point([*x, *y]),
        };
        let far = |key| keys.far(key);
        match action {
            Action::Tap { on, button, count, hold } => {
                ActionForm::Tap { on: place(on), button: *button, count: *count, hold_ms: hold.map(millis) }
            }
            Action::Hover { on } => ActionForm::Hover { on: place(on) },
            Action::Focus { on } => ActionForm::Focus { on: far(*on) },
            Action::TypeText { on, text, replace } => {
                ActionForm::TypeText { on: on.map(far), text: text.clone(), replace: *replace }
            }
            Action::PressKey { on, key } => ActionForm::PressKey { on: on.map(far), key: key.clone() },
            Action::SetValue { on, to } => {
                let to = match to {
                    SetTo::Number(number) => ValueForm::Number(*number),
                    SetTo::Text(text) => ValueForm::Text(text.clone()),
                };
                ActionForm::SetValue { on: far(*on), to }
            }
            Action::Toggle { on } => ActionForm::Toggle { on: far(*on) },
            Action::Select { on } => ActionForm::Select { on: far(*on) },
            Action::Expand { on, open } => ActionForm::Expand { on: far(*on), open: *open },
            Action::Scroll { on, dx, dy } => ActionForm::Scroll { on: place(on), dx: *dx, dy: *dy },
            Action::ScrollTo { on } => ActionForm::ScrollTo { on: far(*on) },
            Action::Drag { from, to, over } => {
                ActionForm::Drag { from: place(from), to: place(to), over_ms: millis(*over) }
            }
        }
    }

    /// The action as a backend takes it.
    pub(crate) fn action(self) -> Action {
        let keys = Keys::default();
        let place = |place: PlaceForm| match place {
            PlaceForm::Element(key) => Place::Element(keys.near(key)),
            PlaceForm::Point([x, y]) => Place::Point(x, y),
        };
        let near = |key| keys.near(key);
        match self {
            ActionForm::Tap { on, button, count, hold_ms } => {
                Action::Tap { on: place(on), button, count, hold: hold_ms.map(Duration::from_millis) }
            }
            ActionForm::Hover { on } => Action::Hover { on: place(on) },
            ActionForm::Focus { on } => Action::Focus { on: near(on) },
            ActionForm::TypeText { on, text, replace } => {
                Action::TypeText { on: on.map(near), text, replace }
            }
            ActionForm::PressKey { on, key } => Action::PressKey { on: on.map(near), key },
            ActionForm::SetValue { on, to } => {
                let to = match to {
                    ValueForm::Number(number) => SetTo::Number(number),
                    ValueForm::Text(text) => SetTo::Text(text),
                };
                Action::SetValue { on: near(on), to }
            }
            ActionForm::Toggle { on } => Action::Toggle { on: near(on) },
            ActionForm::Select { on } => Action::Select { on: near(on) },
            ActionForm::Expand { on, open } => Action::Expand { on: near(on), open },
            ActionForm::Scroll { on, dx, dy } => Action::Scroll { on: place(on), dx, dy },
            ActionForm::ScrollTo { on } => Action::ScrollTo { on: near(on) },
            ActionForm::Drag { from, to, over_ms } => {
                Action::Drag { from: place(from), to: place(to), over: Duration::from_millis(over_ms) }
            }
        }
    }
}

/// What became of an action.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PerformAnswer {
    Performed { means: Means },
    Refused { error: Error, delivery: Delivery },
}

impl From<Result<Performed, Refusal>> for PerformAnswer {
    fn from(outcome: Result<Performed, Refusal>) -> Self {
        match outcome {
            Ok(done) => PerformAnswer::Performed { means: done.means },
            Err(refusal) => PerformAnswer::Refused { error: refusal.error, delivery: refusal.delivery },
        }
    }
}

impl From<PerformAnswer> for Result<Performed, Refusal> {
    fn from(answer: PerformAnswer) -> Self {
        match answer {
            PerformAnswer::Performed { means } => Ok(Performed { means }),
            PerformAnswer::Refused { error, delivery } => Err(Refusal { error, delivery }),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use stillpoint_core::tree::NativeKey;

    #[test]
    fn every_action_is_read_as_it_was_told() {
        let on = NativeKey(7);
        let (element, point) = (Place::Element(on), Place::Point(-3, 9));
        let key: Key = "ctrl+shift+Tab".parse().unwrap();
        let actions = [
            Action::Tap {
                on: element,
                button: Button::Right,
                count: 2,
                hold: Some(Duration::from_millis(800)),
            },
            Action::Tap { on: point, button: Button::Left, count: 1, hold: None },
            Action::Hover { on: point },
            Action::Focus { on },
            Action::TypeText { on: Some(on), text: "ü\n".into(), replace: true },
            Action::TypeText { on: None, text: String::new(), replace: false },
            Action::PressKey { on: None, key },
            Action::SetValue { on, to: SetTo::Number(0.25) },
            Action::SetValue { on, to: SetTo::Text("3".into()) },
            Action::Toggle { on },
            Action::Select { on },
            Action::Expand { on, open: true },
            Action::Scroll { on: element, dx: -1, dy: 2 },
            Action::ScrollTo { on },
            Action::Drag { from: element, to: point, over: Duration::from_millis(250) },
        ];
        let keys = Keys::masked(0xABCD);
        for action in actions {
            let text = serde_json::to_string(&ActionForm::of(&action, Keys::default())).unwrap();
            assert_eq!(serde_json::from_str::<ActionForm>(&text).unwrap().action(), action, "{text}");
        }
        let masked = ActionForm::of(&Action::Toggle { on: keys.near(7) }, keys);
        assert_eq!(masked, ActionForm::Toggle { on: 7 });
    }
}
