//! States (SPEC §2). Absent is not false: what the platform does not expose is not known.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One thing that an element can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
#[allow(missing_docs)] // each name is its meaning, SPEC §2
pub enum State {
    Enabled,
    Visible,
    OnScreen,
    Focusable,
    Focused,
    Selected,
    Checked,
    Expanded,
    Pressed,
    Editable,
    Busy,
    Modal,
    Required,
    Invalid,
    Protected,
}

impl State {
    /// All states, in the order in which they are told.
    pub const ALL: [State; 15] = [
        State::Enabled,
        State::Visible,
        State::OnScreen,
        State::Focusable,
        State::Focused,
        State::Selected,
        State::Checked,
        State::Expanded,
        State::Pressed,
        State::Editable,
        State::Busy,
        State::Modal,
        State::Required,
        State::Invalid,
        State::Protected,
    ];

    /// The state's name in every face.
    pub const fn name(self) -> &'static str {
        match self {
            State::Enabled => "enabled",
            State::Visible => "visible",
            State::OnScreen => "on_screen",
            State::Focusable => "focusable",
            State::Focused => "focused",
            State::Selected => "selected",
            State::Checked => "checked",
            State::Expanded => "expanded",
            State::Pressed => "pressed",
            State::Editable => "editable",
            State::Busy => "busy",
            State::Modal => "modal",
            State::Required => "required",
            State::Invalid => "invalid",
            State::Protected => "protected",
        }
    }

    /// The state with this name.
    pub fn from_name(name: &str) -> Option<State> {
        State::ALL.into_iter().find(|s| s.name() == name)
    }

    const fn bit(self) -> u16 {
        1 << self as u8
    }
}

/// The value of one known state. Only `checked` can be mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateValue {
    /// It is so.
    On,
    /// It is not so.
    Off,
    /// Partly so: a tri-state check box.
    Mixed,
}

impl From<bool> for StateValue {
    fn from(on: bool) -> Self {
        if on { StateValue::On } else { StateValue::Off }
    }
}

impl fmt::Display for StateValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StateValue::On => "true",
            StateValue::Off => "false",
            StateValue::Mixed => "mixed",
        })
    }
}

/// Which states are known of an element, and what they are.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct States {
    known: u16,
    on: u16,
}

/// Fifteen states leave one bit of `on` free; it marks a mixed `checked`.
const MIXED: u16 = 1 << 15;

impl States {
    /// Nothing known.
    pub const UNKNOWN: States = States { known: 0, on: 0 };

    /// What is known of `state`.
    pub fn get(self, state: State) -> Option<StateValue> {
        if self.known & state.bit() == 0 {
            None
        } else if state == State::Checked && self.on & MIXED != 0 {
            Some(StateValue::Mixed)
        } else {
            Some((self.on & state.bit() != 0).into())
        }
    }

    /// Whether `state` is known to be so.
    pub fn is(self, state: State) -> bool {
        self.get(state) == Some(StateValue::On)
    }

    /// Whether `state` is known not to be so.
    pub fn is_not(self, state: State) -> bool {
        self.get(state) == Some(StateValue::Off)
    }

    /// Records what is known of `state`; `None` forgets it.
    pub fn set(&mut self, state: State, value: Option<StateValue>) {
        let bit = state.bit();
        self.known &= !bit;
        self.on &= !bit;
        if state == State::Checked {
            self.on &= !MIXED;
        }
        match value {
            None => {}
            Some(StateValue::Off) => self.known |= bit,
            Some(StateValue::On) => {
                self.known |= bit;
                self.on |= bit;
            }
            Some(StateValue::Mixed) => {
                self.known |= bit;
                // Only a check box can be half checked; elsewhere "partly" reads as "yes".
                self.on |= if state == State::Checked { MIXED } else { bit };
            }
        }
    }

    /// The same states with `state` known to be `value`.
    pub fn with(mut self, state: State, value: impl Into<StateValue>) -> Self {
        self.set(state, Some(value.into()));
        self
    }

    /// What is known, in the order of [`State::ALL`].
    pub fn known(self) -> impl Iterator<Item = (State, StateValue)> {
        State::ALL.into_iter().filter_map(move |s| self.get(s).map(|v| (s, v)))
    }

    /// The states that differ between the two.
    pub fn differing(self, other: States) -> impl Iterator<Item = State> {
        State::ALL.into_iter().filter(move |s| self.get(*s) != other.get(*s))
    }

    /// The same without `states`: used by hashes that must not see them.
    pub(crate) fn without(mut self, states: &[State]) -> Self {
        for s in states {
            self.set(*s, None);
        }
        self
    }

    pub(crate) fn bits(self) -> u64 {
        u64::from(self.known) << 16 | u64::from(self.on)
    }
}

impl fmt::Debug for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.known().map(|(s, v)| (s.name(), v.to_string()))).finish()
    }
}
