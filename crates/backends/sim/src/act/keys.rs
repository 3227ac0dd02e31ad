//! Keys: what the scene knows comes first, then what every control does with them.

use super::{Hand, Outcome};
use crate::scene::Verb;
use stillpoint_core::tree::{NativeKey, Role, State};
use stillpoint_engine::backend::{Button, Key, SetTo};

impl Hand<'_> {
    pub(super) fn press(&mut self, on: Option<NativeKey>, key: &Key) -> Outcome {
        let focused = match on {
            Some(element) => {
                self.usable(element)?;
                if self.player.stage.is(element, State::Focusable) {
                    self.focus(element)?;
                }
                Some(element)
            }
            None => self.player.stage.focused,
        };
        if self.player.key_pressed(&chord(key), focused, self.now) {
            return Ok(());
        }
        if key.alt || key.meta {
            return Ok(());
        }
        match (key.name.as_str(), focused) {
            ("Tab", _) => self.walk_focus(key.shift),
            ("a" | "A", Some(element)) if key.ctrl => {
                self.player.stage.all_marked = self.player.stage.is(element, State::Editable);
            }
            _ if key.ctrl => {}
            (name, Some(element)) => self.key_on(element, name)?,
            _ => {}
        }
        Ok(())
    }

    /// What a control does with a key by itself.
    fn key_on(&mut self, element: NativeKey, name: &str) -> Outcome {
        let role = self.player.stage.role(element);
        let editable = self.player.stage.is(element, State::Editable);
        let ranged = self
            .player
            .stage
            .get(element)
            .and_then(|item| item.props.value_range())
            .filter(|_| role.is_input());
        match name {
            "Enter" | "Return" if !editable => self.tap(element, Button::Left, 1, false),
            " " | "Space" if !editable => self.tap(element, Button::Left, 1, false),
            "Space" => self.type_text(Some(element), " ", false),
            "Backspace" if editable => {
                let mut content = self.player.stage.content(element);
                if std::mem::take(&mut self.player.stage.all_marked) {
                    content.clear();
                }
                content.pop();
                self.put(element, &content, Verb::Type);
                Ok(())
            }
            "ArrowUp" | "ArrowRight" | "ArrowDown" | "ArrowLeft" => {
                let sign = if matches!(name, "ArrowUp" | "ArrowRight") { 1.0 } else { -1.0 };
                match ranged {
                    Some(range) => {
                        let now = self.player.stage.content(element).parse::<f64>().unwrap_or(range.min);
                        let step = range.step.unwrap_or((range.max - range.min) / 100.0);
                        self.set_value(element, &SetTo::Number(now + sign * step))
                    }
                    None => self.next_of_kind(element, role, sign > 0.0),
                }
            }
            one if editable && one.chars().count() == 1 => self.type_text(Some(element), one, false),
            _ => Ok(()),
        }
    }

    /// The arrows go from one option, tab or row to its neighbour; up means the one before.
    fn next_of_kind(&mut self, element: NativeKey, role: Role, up: bool) -> Outcome {
        if !crate::node::can_be_selected(role) {
            return Ok(());
        }
        let stage = &self.player.stage;
        let siblings =
            stage.get(element).and_then(|i| i.parent).map(|p| stage.children(p)).unwrap_or_default();
        let kin: Vec<NativeKey> = siblings.iter().copied().filter(|k| stage.role(*k) == role).collect();
        let at = kin.iter().position(|k| *k == element).unwrap_or_default();
        let next = if up { at.checked_sub(1) } else { Some(at + 1) };
        match next.and_then(|n| kin.get(n).copied()) {
            Some(neighbour) => {
                self.usable(neighbour)?;
                self.player.stage.focus(Some(neighbour));
                self.select(neighbour)
            }
            None => Ok(()),
        }
    }

    /// Tab: the next element that can have the focus, around the end to the first.
    fn walk_focus(&mut self, back: bool) {
        let stage = &self.player.stage;
        let Some(top) = stage.modal_on_top().or(stage.root()) else { return };
        let ready = |k: &NativeKey| {
            [State::Focusable, State::Visible, State::Enabled].into_iter().all(|s| stage.is(*k, s))
        };
        let stops: Vec<NativeKey> = stage.walk(top).map(|(k, _)| k).filter(ready).collect();
        let at = stage.focused.and_then(|f| stops.iter().position(|k| *k == f));
        let next = match (at, back) {
            (None, false) => 0,
            (None, true) => stops.len().saturating_sub(1),
            (Some(at), false) => (at + 1) % stops.len(),
            (Some(at), true) => (at + stops.len() - 1) % stops.len(),
        };
        if let Some(key) = stops.get(next).copied() {
            self.player.stage.focus(Some(key));
            self.happened(Verb::Focus, key, 0);
        }
    }
}

fn chord(key: &Key) -> String {
    let held = [("ctrl", key.ctrl), ("alt", key.alt), ("shift", key.shift), ("meta", key.meta)];
    let mut chord: String =
        held.into_iter().filter(|(_, on)| *on).flat_map(|(name, _)| [name, "+"]).collect();
    chord.push_str(&key.name);
    chord
}
