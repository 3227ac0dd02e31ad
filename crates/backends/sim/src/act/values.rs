//! Typing, setting, selecting: what puts a value in.

use super::{Hand, Outcome, rejected};
use crate::node::can_be_selected;
use crate::scene::Verb;
use crate::scene::expr::number_text;
use stillpoint_core::tree::{NativeKey, Role, State, StateValue, ValueRange};
use stillpoint_engine::backend::SetTo;

impl Hand<'_> {
    /// The element that gets the keyboard: the named one, which takes the focus, or the one that has it.
    pub(super) fn keyboard_target(&mut self, on: Option<NativeKey>) -> Outcome<NativeKey> {
        match on.or(self.player.stage.focused) {
            Some(key) => {
                self.usable(key)?;
                Ok(key)
            }
            None => Err(rejected("no element has the focus", "focus a text box first, or name the element")),
        }
    }

    pub(super) fn type_text(&mut self, on: Option<NativeKey>, text: &str, replace: bool) -> Outcome {
        let key = self.keyboard_target(on)?;
        if !self.player.stage.is(key, State::Editable) {
            let name = self.name(key);
            return Err(rejected(format!("{name} takes no text"), "type into a text box, or use set_value"));
        }
        if self.player.stage.is(key, State::Focusable) {
            self.focus(key)?;
        }
        let replace = std::mem::take(&mut self.player.stage.all_marked) || replace;
        let mut content = if replace { String::new() } else { self.player.stage.content(key) };
        content.push_str(text);
        self.put(key, &content, Verb::Type);
        Ok(())
    }

    /// Gives an element a value and tells the scene.
    pub(super) fn put(&mut self, key: NativeKey, content: &str, verb: Verb) {
        let changed = self.player.stage.set_value(key, content);
        self.happened(verb, key, 0);
        if changed {
            self.happened(Verb::Change, key, 0);
        }
    }

    pub(super) fn set_value(&mut self, key: NativeKey, to: &SetTo) -> Outcome {
        let item = self.player.stage.get(key);
        let range = item.and_then(|item| item.props.value_range());
        let role = self.player.stage.role(key);
        if let Some(range) = range.filter(|_| role.is_input()) {
            let number = match to {
                SetTo::Number(number) => Some(*number),
                SetTo::Text(text) => text.trim().parse().ok(),
            };
            let Some(number) = number.filter(|n| n.is_finite()) else {
                let name = self.name(key);
                let hint = format!("give a number from {} to {}", range.min, range.max);
                return Err(rejected(format!("{name} takes only numbers"), hint));
            };
            self.put(key, &number_text(fitted(number, range)), Verb::Set);
            return Ok(());
        }
        let text = match to {
            SetTo::Number(number) => number_text(*number),
            SetTo::Text(text) => text.clone(),
        };
        match role {
            Role::Combobox | Role::Listbox => self.choose(key, &text),
            _ if self.player.stage.is(key, State::Editable) => {
                self.put(key, &text, Verb::Set);
                Ok(())
            }
            _ if self.player.stage.state(key, State::Checked).is_some() => self.check(key, &text),
            _ => {
                let name = self.name(key);
                Err(rejected(
                    format!("{name} has no value that can be set"),
                    "set sliders, text boxes, combo boxes",
                ))
            }
        }
    }

    fn check(&mut self, key: NativeKey, text: &str) -> Outcome {
        let wanted = match text {
            "true" | "on" | "1" | "checked" => true,
            "false" | "off" | "0" | "unchecked" => false,
            _ => {
                let name = self.name(key);
                return Err(rejected(format!("{name} is checked or not"), "give true or false"));
            }
        };
        if self.player.stage.is(key, State::Checked) == wanted {
            return Ok(());
        }
        self.toggle(key)
    }

    fn choose(&mut self, key: NativeKey, label: &str) -> Outcome {
        let stage = &self.player.stage;
        let options: Vec<(NativeKey, String)> = stage
            .walk(key)
            .filter(|(_, i)| i.props.role() == Role::Option)
            .map(|(k, _)| (k, stage.label(k)))
            .collect();
        let Some((option, _)) = options.iter().find(|(_, known)| known == label) else {
            let name = self.name(key);
            let known = options.into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(", ");
            return Err(rejected(
                format!("{name} has no option {label:?}"),
                format!("its options are {known}"),
            ));
        };
        self.select(*option)
    }

    /// Selects one of several; the others of its kind are no longer selected.
    pub(super) fn select(&mut self, key: NativeKey) -> Outcome {
        let stage = &mut self.player.stage;
        let role = stage.role(key);
        let state = if role == Role::Radio { State::Checked } else { State::Selected };
        if !can_be_selected(role) || stage.state(key, state).is_none() {
            let name = self.name(key);
            return Err(rejected(format!("{name} cannot be selected"), "tap it instead"));
        }
        let siblings = stage.get(key).and_then(|item| item.parent).map(|p| stage.children(p).to_vec());
        for sibling in siblings.unwrap_or_default() {
            if sibling != key && stage.role(sibling) == role && stage.is(sibling, state) {
                stage.set_state(sibling, state, Some(StateValue::Off));
            }
        }
        let changed = stage.set_state(key, state, Some(StateValue::On));
        let owner = stage.lineage(key).find(|k| matches!(stage.role(*k), Role::Combobox | Role::Listbox));
        if let Some(owner) = owner.filter(|_| role == Role::Option) {
            let label = self.player.stage.label(key);
            self.player.stage.set_value(owner, &label);
            if self.player.stage.is(owner, State::Expanded) {
                self.player.stage.set_state(owner, State::Expanded, Some(StateValue::Off));
            }
        }
        self.happened(Verb::Select, key, 0);
        if changed {
            self.happened(Verb::Change, key, 0);
        }
        Ok(())
    }
}

/// The nearest value that the control can have.
fn fitted(number: f64, range: ValueRange) -> f64 {
    let stepped = match range.step {
        Some(step) if step > 0.0 => range.min + ((number - range.min) / step).round() * step,
        _ => number,
    };
    stepped.clamp(range.min, range.max)
}
