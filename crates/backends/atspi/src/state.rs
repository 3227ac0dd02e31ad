//! AT-SPI states and what they say in SPEC §2's words. Absent is not false: a state is only told where the role
//! or the toolkit makes it meaningful.

use crate::role::NativeRole;
use stillpoint_core::tree::{State, StateValue, States};

/// A set of AT-SPI states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NativeStates(pub(crate) u64);

macro_rules! states {
    ($($name:ident = $bit:literal $event:literal,)*) => {
        #[allow(dead_code)] // AT-SPI's whole table, so that every state event has its bit
        impl NativeStates {
            $(pub(crate) const $name: u64 = 1 << $bit;)*

            /// The bit of a state by the name that `object:state-changed` events use.
            pub(crate) fn bit_of(event: &str) -> Option<u64> {
                match event { $($event => Some(Self::$name),)* _ => None }
            }
        }
    };
}

states! {
    ACTIVE = 1 "active", ARMED = 2 "armed", BUSY = 3 "busy", CHECKED = 4 "checked", COLLAPSED = 5 "collapsed",
    DEFUNCT = 6 "defunct", EDITABLE = 7 "editable", ENABLED = 8 "enabled", EXPANDABLE = 9 "expandable",
    EXPANDED = 10 "expanded", FOCUSABLE = 11 "focusable", FOCUSED = 12 "focused", HAS_TOOLTIP = 13 "has-tooltip",
    HORIZONTAL = 14 "horizontal", ICONIFIED = 15 "iconified", MODAL = 16 "modal", MULTI_LINE = 17 "multi-line",
    MULTISELECTABLE = 18 "multiselectable", OPAQUE = 19 "opaque", PRESSED = 20 "pressed",
    RESIZABLE = 21 "resizable", SELECTABLE = 22 "selectable", SELECTED = 23 "selected",
    SENSITIVE = 24 "sensitive", SHOWING = 25 "showing", SINGLE_LINE = 26 "single-line", STALE = 27 "stale",
    TRANSIENT = 28 "transient", VERTICAL = 29 "vertical", VISIBLE = 30 "visible",
    MANAGES_DESCENDANTS = 31 "manages-descendants", INDETERMINATE = 32 "indeterminate", REQUIRED = 33 "required",
    TRUNCATED = 34 "truncated", ANIMATED = 35 "animated", INVALID_ENTRY = 36 "invalid-entry",
    SUPPORTS_AUTOCOMPLETION = 37 "supports-autocompletion", SELECTABLE_TEXT = 38 "selectable-text",
    IS_DEFAULT = 39 "is-default", VISITED = 40 "visited", CHECKABLE = 41 "checkable",
    HAS_POPUP = 42 "has-popup", READ_ONLY = 43 "read-only",
}

impl NativeStates {
    /// From the two halves that `GetState` and the cache give.
    pub(crate) fn from_halves(halves: &[u32]) -> Self {
        let low = halves.first().copied().unwrap_or_default();
        let high = halves.get(1).copied().unwrap_or_default();
        NativeStates(u64::from(low) | u64::from(high) << 32)
    }

    pub(crate) fn has(self, any_of: u64) -> bool {
        self.0 & any_of != 0
    }

    pub(crate) fn set(&mut self, bit: u64, on: bool) {
        if on {
            self.0 |= bit;
        } else {
            self.0 &= !bit;
        }
    }

    /// What they say about an element of this role.
    pub(crate) fn told(self, role: NativeRole) -> States {
        let mut told = States::UNKNOWN;
        if role.0 == 75 {
            // An application is not on the screen; its windows are.
            return told;
        }
        let mut tell = |state, value: bool| told.set(state, Some(value.into()));
        tell(State::Enabled, self.has(Self::ENABLED | Self::SENSITIVE));
        if self.has(Self::VISIBLE) || !role.is_item() {
            // Qt says "invisible" of what is only scrolled out of a list.
            tell(State::Visible, self.has(Self::VISIBLE));
        }
        tell(State::OnScreen, self.has(Self::SHOWING));
        tell(State::Focusable, self.has(Self::FOCUSABLE));
        if self.has(Self::FOCUSABLE | Self::FOCUSED) {
            tell(State::Focused, self.has(Self::FOCUSED));
        }
        if self.has(Self::SELECTABLE | Self::SELECTED) {
            tell(State::Selected, self.has(Self::SELECTED));
        }
        if self.has(Self::EXPANDABLE | Self::EXPANDED | Self::COLLAPSED) {
            tell(State::Expanded, self.has(Self::EXPANDED));
        }
        if role.is_toggle_button() {
            // GTK 3 says "checked" of a toggle button that is down, others say "pressed".
            tell(State::Pressed, self.has(Self::PRESSED | Self::CHECKED));
        }
        if self.has(Self::EDITABLE) || role.is_text_field() {
            tell(State::Editable, self.has(Self::EDITABLE) && !self.has(Self::READ_ONLY));
        }
        if role.is_toplevel() {
            tell(State::Modal, self.has(Self::MODAL));
        }
        for (bit, state) in [
            (Self::BUSY, State::Busy),
            (Self::REQUIRED, State::Required),
            (Self::INVALID_ENTRY, State::Invalid),
        ] {
            if self.has(bit) {
                tell(state, true);
            }
        }
        if role == NativeRole::PASSWORD {
            tell(State::Protected, true);
        }
        if !role.is_toggle_button() && (self.has(Self::CHECKABLE | Self::CHECKED) || role.is_checkable()) {
            told.set(State::Checked, Some(self.checked()));
        }
        told
    }

    fn checked(self) -> StateValue {
        if self.has(Self::INDETERMINATE) { StateValue::Mixed } else { self.has(Self::CHECKED).into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(role: u32, bits: u64) -> States {
        NativeStates(bits).told(NativeRole(role))
    }

    #[test]
    fn what_a_role_cannot_be_is_absent_not_false() {
        let label = told(29, NativeStates::VISIBLE);
        assert_eq!(label.get(State::Checked), None);
        assert_eq!(label.get(State::Selected), None);
        assert_eq!(label.get(State::Expanded), None);
        assert_eq!(label.get(State::Editable), None);
        assert!(label.is_not(State::Enabled));
    }

    #[test]
    fn a_check_box_is_checked_unchecked_or_mixed() {
        assert!(told(7, 0).is_not(State::Checked));
        assert!(told(7, NativeStates::CHECKED).is(State::Checked));
        let mixed = told(7, NativeStates::CHECKED | NativeStates::INDETERMINATE);
        assert_eq!(mixed.get(State::Checked), Some(StateValue::Mixed));
    }

    #[test]
    fn a_toggle_button_is_pressed_not_checked() {
        let down = told(62, NativeStates::CHECKED | NativeStates::CHECKABLE);
        assert!(down.is(State::Pressed));
        assert_eq!(down.get(State::Checked), None);
    }

    #[test]
    fn a_password_field_is_protected_whatever_its_states() {
        assert!(told(40, 0).is(State::Protected));
    }
}
