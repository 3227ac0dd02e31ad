//! Verb → scene reaction: what a control does by itself when it is used, then what the scene makes of it.

mod keys;
mod values;

use crate::node::can_be_selected;
use crate::scene::Verb;
use crate::scene::player::Player;
use crate::scene::stage::Item;
use stillpoint_core::tree::{NativeKey, Role, State, StateValue};
use stillpoint_core::{Code, Error};
use stillpoint_engine::backend::{Action, Button, Means, Performed, Place, Refusal};
use tokio::time::Instant;

type Outcome<T = ()> = Result<T, Refusal>;

/// Does one thing to the app, or refuses before anything has happened.
pub(crate) fn perform(player: &mut Player, action: &Action, now: Instant) -> Outcome<Performed> {
    let mut hand = Hand { player, now };
    let name = match action {
        Action::Tap { on, button, count, hold } => {
            let key = hand.target(*on)?;
            hand.tap(key, *button, *count, hold.is_some())?;
            return Ok(means(*on, "click"));
        }
        Action::Hover { on } => {
            let key = hand.target(*on)?;
            hand.happened(Verb::Hover, key, 0);
            return Ok(means(*on, "hover"));
        }
        Action::Scroll { on, dx: _, dy } => {
            let key = hand.find_target(*on)?;
            hand.scroll(key, *dy);
            return Ok(means(*on, "scroll"));
        }
        Action::Drag { from, to, over: _ } => {
            let (source, target) = (hand.target(*from)?, hand.find_target(*to)?);
            hand.drag(source, target);
            return Ok(Performed { means: Means::Synthesised("pointer".to_owned()) });
        }
        Action::Focus { on } => {
            hand.usable(*on)?;
            hand.focus(*on)?;
            "focus"
        }
        Action::TypeText { on, text, replace } => {
            hand.type_text(*on, text, *replace)?;
            "insert text"
        }
        Action::PressKey { on, key } => {
            hand.press(*on, key)?;
            return Ok(Performed { means: Means::Synthesised("keyboard".to_owned()) });
        }
        Action::SetValue { on, to } => {
            hand.usable(*on)?;
            hand.set_value(*on, to)?;
            "set value"
        }
        Action::Toggle { on } => {
            hand.usable(*on)?;
            hand.toggle(*on)?;
            "toggle"
        }
        Action::Select { on } => {
            hand.usable(*on)?;
            hand.select(*on)?;
            "select"
        }
        Action::Expand { on, open } => {
            hand.usable(*on)?;
            hand.expand(*on, *open)?;
            "expand"
        }
        Action::ScrollTo { on } => {
            hand.known(*on)?;
            hand.scroll_to(*on);
            "scroll to"
        }
    };
    Ok(Performed { means: Means::Native(name.to_owned()) })
}

fn means(on: Place, native: &str) -> Performed {
    let means = match on {
        Place::Element(_) => Means::Native(native.to_owned()),
        Place::Point(..) => Means::Synthesised("pointer".to_owned()),
    };
    Performed { means }
}

fn rejected(message: impl Into<String>, hint: impl Into<String>) -> Refusal {
    Refusal::before_dispatch(Error::new(Code::ActionRejected, message, hint))
}

/// The user's hand on the app.
struct Hand<'a> {
    player: &'a mut Player,
    now: Instant,
}

impl Hand<'_> {
    fn happened(&mut self, verb: Verb, key: NativeKey, amount: i32) {
        self.player.happened(verb, key, amount, self.now);
    }

    /// How an element is called in a message.
    fn name(&self, key: NativeKey) -> String {
        let label = self.player.stage.label(key);
        let role = self.player.stage.role(key);
        if label.is_empty() { format!("the {role}") } else { format!("the {role} {label:?}") }
    }

    fn known(&self, key: NativeKey) -> Outcome {
        if self.player.stage.get(key).is_some() {
            return Ok(());
        }
        Err(Refusal::before_dispatch(Error::new(
            Code::StaleReference,
            "the element is gone from the app",
            "take a new snapshot and find the element again",
        )))
    }

    /// Whether a user could use the element: it is there, enabled, and no modal dialog is in front of it.
    fn usable(&self, key: NativeKey) -> Outcome {
        self.known(key)?;
        let stage = &self.player.stage;
        let disabled = stage.lineage(key).find(|k| stage.state(*k, State::Enabled) == Some(StateValue::Off));
        if disabled.is_some() {
            let name = self.name(key);
            return Err(rejected(
                format!("{name} is disabled"),
                "wait until it is enabled, or fill in what it needs",
            ));
        }
        if let Some(modal) = stage.modal_on_top()
            && !stage.lineage(key).any(|k| k == modal)
        {
            let (name, cover) = (self.name(key), self.name(modal));
            return Err(rejected(
                format!("{name} is behind {cover}"),
                format!("answer or close {cover} first"),
            ));
        }
        Ok(())
    }

    /// The element at a place, used or not.
    fn find_target(&self, place: Place) -> Outcome<NativeKey> {
        match place {
            Place::Element(key) => self.known(key).map(|()| key),
            Place::Point(x, y) => self.player.stage.hit(x, y).ok_or_else(|| {
                rejected(
                    format!("there is nothing at {x},{y}"),
                    "the screen of the simulator has 800 × 600 pixels",
                )
            }),
        }
    }

    /// The element at a place, which must be usable. A point means whatever control lies there.
    fn target(&self, place: Place) -> Outcome<NativeKey> {
        let key = self.find_target(place)?;
        let stage = &self.player.stage;
        let key = match place {
            Place::Element(_) => key,
            Place::Point(..) => stage.lineage(key).find(|k| stage.role(*k).is_interactive()).unwrap_or(key),
        };
        self.usable(key)?;
        Ok(key)
    }

    fn tap(&mut self, key: NativeKey, button: Button, count: u8, hold: bool) -> Outcome {
        if !self.player.stage.is(key, State::Visible) {
            let name = self.name(key);
            return Err(rejected(format!("{name} is hidden"), "wait until it is visible"));
        }
        if self.player.stage.is(key, State::Focusable) {
            self.player.stage.focus(Some(key));
        }
        if button == Button::Right {
            self.happened(Verb::RightClick, key, 0);
            return Ok(());
        }
        if hold {
            self.happened(Verb::Hold, key, 0);
            return Ok(());
        }
        for _ in 0..count.clamp(1, 3) {
            if self.player.stage.get(key).is_some() {
                self.used(key);
                self.happened(Verb::Tap, key, 0);
            }
        }
        if count > 1 {
            self.happened(Verb::DoubleTap, key, 0);
        }
        Ok(())
    }

    /// What a control does by itself when it is tapped.
    fn used(&mut self, key: NativeKey) {
        let stage = &self.player.stage;
        let role = stage.role(key);
        // None of these can be refused here: each is asked for only where the element has it.
        let _ = match role {
            Role::Radio => self.select(key),
            _ if stage.state(key, State::Checked).is_some() || stage.state(key, State::Pressed).is_some() => {
                self.toggle(key)
            }
            _ if can_be_selected(role) && stage.state(key, State::Selected).is_some() => self.select(key),
            _ if stage.state(key, State::Expanded).is_some() => {
                let open = !stage.is(key, State::Expanded);
                self.expand(key, open)
            }
            _ => Ok(()),
        };
    }

    fn focus(&mut self, key: NativeKey) -> Outcome {
        if !self.player.stage.is(key, State::Focusable) {
            let name = self.name(key);
            return Err(rejected(
                format!("{name} cannot have the focus"),
                "focus a control, such as a text box",
            ));
        }
        if self.player.stage.focused != Some(key) {
            self.player.stage.focus(Some(key));
            self.happened(Verb::Focus, key, 0);
        }
        Ok(())
    }

    fn toggle(&mut self, key: NativeKey) -> Outcome {
        let stage = &mut self.player.stage;
        let state = [State::Checked, State::Pressed].into_iter().find(|s| stage.state(key, *s).is_some());
        let Some(state) = state else {
            let name = self.name(key);
            return Err(rejected(format!("{name} cannot be checked or pressed"), "tap it instead"));
        };
        let on = !stage.is(key, state);
        stage.set_state(key, state, Some(on.into()));
        self.happened(Verb::Toggle, key, 0);
        self.happened(Verb::Change, key, 0);
        Ok(())
    }

    fn expand(&mut self, key: NativeKey, open: bool) -> Outcome {
        if self.player.stage.state(key, State::Expanded).is_none() {
            let name = self.name(key);
            return Err(rejected(format!("{name} has nothing to open"), "tap it instead"));
        }
        if self.player.stage.set_state(key, State::Expanded, Some(open.into())) {
            self.happened(Verb::Expand, key, 0);
        }
        Ok(())
    }

    /// What is scrolled when the wheel is turned over an element.
    fn scrollable(&self, key: NativeKey) -> Option<NativeKey> {
        let stage = &self.player.stage;
        let scrolls = |k: &NativeKey| stage.get(*k).is_some_and(Item::scrolls);
        stage.lineage(key).find(scrolls).or_else(|| stage.walk(key).map(|(k, _)| k).find(scrolls))
    }

    fn scroll(&mut self, key: NativeKey, dy: i32) {
        if let Some(area) = self.scrollable(key) {
            self.player.stage.scroll_inside(area, dy);
            self.happened(Verb::Scroll, area, dy);
        } else {
            self.happened(Verb::Scroll, key, dy);
        }
    }

    /// Brings an element into view.
    fn scroll_to(&mut self, key: NativeKey) {
        let Some(area) = self.scrollable(key).filter(|area| *area != key) else { return };
        let stage = &self.player.stage;
        let bounds = |k| stage.get(k).and_then(|item| item.props.bounds()).unwrap_or_default();
        let (view, wanted) = (bounds(area), bounds(key));
        let below = (wanted.y + wanted.height) - (view.y + view.height);
        let above = wanted.y - view.y;
        let dy = if above < 0 { above } else { below.max(0) };
        self.scroll(area, dy);
    }

    fn drag(&mut self, source: NativeKey, target: NativeKey) {
        if !self.player.dropped(source, target, self.now) {
            // Dragging over something that takes nothing is what a user may do; nothing comes of it.
            tracing::trace!("a drag that the scene does not know");
        }
    }
}
