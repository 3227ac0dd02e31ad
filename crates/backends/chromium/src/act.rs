//! Acting: through the browser's own input pipeline, or its DOM where that is the platform's way.
//!
//! Before anything is dispatched, the page's main thread must answer within the deadline: input to a page that hangs
//! would lie in its queue and be carried out later.

mod drag;
mod slider;
mod values;
mod wheel;

use values::Described;
use wheel::Wheel;

use crate::barrier::main_thread_answers;
use crate::frames::{DialogKind, DialogPart, Located, Shared};
use crate::keys;
use crate::pointer::{Aim, Spot, scroll_into_view};
use crate::scripts::TAKE_KEYS;
use crate::socket::{Pending, Session, is_dialog};
use serde_json::{Value, json};
use std::time::Duration;
use stillpoint_core::tree::NativeKey;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::{Action, Button, Deadline, Key, Means, Performed, Place, Refusal, SetTo};

type Outcome = std::result::Result<Performed, Refusal>;

// Wrapped, so that each way to act ends with the name of its means.
#[allow(clippy::unnecessary_wraps)]
fn native(name: &str) -> Outcome {
    Ok(Performed { means: Means::Native(name.to_owned()) })
}

#[allow(clippy::unnecessary_wraps)]
fn by_pointer() -> Outcome {
    Ok(Performed { means: Means::Synthesised("browser pointer input".to_owned()) })
}

#[allow(clippy::unnecessary_wraps)]
fn by_keyboard() -> Outcome {
    Ok(Performed { means: Means::Synthesised("browser keyboard input".to_owned()) })
}

/// Does one thing to the page.
pub(crate) async fn perform(
    browser: &Session,
    shared: &Shared,
    action: &Action,
    deadline: Deadline,
) -> Outcome {
    if let Some(outcome) = on_dialog(shared, action, deadline).await {
        return outcome;
    }
    if browser.dialog_is_open() {
        return Err(Refusal::before_dispatch(crate::socket::dialog_open()));
    }
    let hand = Hand { shared, deadline };
    match action {
        Action::Tap { on, button, count, hold } => hand.tap(*on, *button, *count, *hold).await,
        Action::Toggle { on } | Action::Select { on } => {
            hand.tap(Place::Element(*on), Button::Left, 1, None).await
        }
        Action::Expand { on, open } => hand.expand(*on, *open).await,
        Action::Hover { on } => hand.hover(*on).await,
        Action::Focus { on } => {
            hand.focus(*on).await?;
            native("DOM.focus")
        }
        Action::TypeText { on, text, replace } => hand.type_text(*on, text, *replace).await,
        Action::PressKey { on, key } => hand.press(*on, key).await,
        Action::SetValue { on, to } => hand.set_value(*on, to).await,
        Action::Scroll { on, dx, dy } => hand.scroll(*on, *dx, *dy).await,
        Action::ScrollTo { on } => {
            let at = hand.ready(*on).await?;
            scroll_into_view(&at, deadline).await?;
            native("DOM.scrollIntoViewIfNeeded")
        }
        Action::Drag { from, to, over } => hand.drag(*from, *to, *over).await,
    }
}

/// Answers a JavaScript dialog, if that is what the action is about.
async fn on_dialog(shared: &Shared, action: &Action, deadline: Deadline) -> Option<Outcome> {
    let key = match action {
        Action::Tap { on: Place::Element(key), .. } | Action::Focus { on: key } => *key,
        Action::TypeText { on: Some(key), .. } | Action::SetValue { on: key, .. } => *key,
        _ => return None,
    };
    let DialogPart { session, window, kind } = shared.lock().dialogs.get(&key).cloned()?;
    if kind == DialogKind::Answer {
        let mut registry = shared.lock();
        let answer = registry.prompt.entry(window).or_default();
        match action {
            Action::TypeText { text, replace, .. } => {
                if *replace {
                    answer.clear();
                }
                answer.push_str(text);
            }
            Action::SetValue { to: SetTo::Text(text), .. } => answer.clone_from(text),
            Action::SetValue { to: SetTo::Number(number), .. } => *answer = number.to_string(),
            _ => {}
        }
        return Some(native("prompt answer"));
    }
    let text = shared.lock().prompt.get(&window).cloned().unwrap_or_default();
    if deadline.has_passed() {
        return Some(Err(too_late()));
    }
    let params = json!({ "accept": kind == DialogKind::Accept, "promptText": text });
    let sent = session.start("Page.handleJavaScriptDialog", params);
    Some(match sent {
        Ok(pending) => match pending.through_dialogs().read::<Value>(deadline).await {
            Ok(_) => native("Page.handleJavaScriptDialog"),
            Err(error) => Err(Refusal::after_dispatch(error)),
        },
        Err(error) => Err(error.into()),
    })
}

fn too_late() -> Refusal {
    Refusal::before_dispatch(Error::new(
        Code::Timeout,
        "the deadline passed before the action could be handed over",
        "give a longer timeout",
    ))
}

/// One action under way.
struct Hand<'a> {
    shared: &'a Shared,
    deadline: Deadline,
}

impl Hand<'_> {
    /// Finds the element, and makes sure that its page listens.
    async fn ready(&self, key: NativeKey) -> Result<Located> {
        let at = self.located(key)?;
        main_thread_answers(&at.reach.session, self.deadline).await?;
        Ok(at)
    }

    fn located(&self, key: NativeKey) -> Result<Located> {
        let at = self.shared.locate(key)?;
        if at.node <= 0 {
            return Err(Error::new(
                Code::NotActionable,
                "the element is generated by a style and has no place in the document",
                "act on the element around it",
            ));
        }
        Ok(at)
    }

    /// Sends input, all of it at once, and waits until the page has taken it. Nothing is sent too late.
    async fn dispatch(
        &self,
        window: &Session,
        events: Vec<(&'static str, Value)>,
    ) -> std::result::Result<(), Refusal> {
        if self.deadline.has_passed() {
            return Err(too_late());
        }
        let mut sent: Vec<Pending> = Vec::with_capacity(events.len());
        for (method, params) in events {
            match window.start(method, params) {
                Ok(pending) => sent.push(pending),
                Err(error) if sent.is_empty() => return Err(Refusal::before_dispatch(error)),
                Err(error) => return Err(Refusal::after_dispatch(error)),
            }
        }
        for pending in sent {
            match pending.read::<Value>(self.deadline).await {
                Ok(_) => {}
                // The page answered with a dialog: it has taken the input.
                Err(error) if is_dialog(&error) => return Ok(()),
                Err(error) => return Err(Refusal::after_dispatch(error)),
            }
        }
        Ok(())
    }

    /// Makes sure that the page listens, then finds the point at which to press.
    async fn spot(&self, place: Place) -> Result<Spot> {
        match place {
            Place::Element(key) => {
                let at = self.ready(key).await?;
                self.window_answers(&at).await?;
                Aim::start(&at)?.spot(at, self.deadline).await
            }
            Place::Point(x, y) => {
                let window = self.shared.front()?;
                main_thread_answers(&window, self.deadline).await?;
                Ok(Spot { window, x: f64::from(x), y: f64::from(y) })
            }
        }
    }

    /// The window takes the input of a frame that has a process of its own.
    async fn window_answers(&self, at: &Located) -> Result<()> {
        if at.reach.window.id() == at.reach.session.id() {
            return Ok(());
        }
        main_thread_answers(&at.reach.window, self.deadline).await
    }

    async fn tap(&self, on: Place, button: Button, count: u8, hold: Option<Duration>) -> Outcome {
        let spot = match on {
            Place::Element(key) => {
                let at = self.located(key)?;
                // What it is and where it is are asked for at once: each trip to the page is felt.
                let describing = Described::start(&at)?;
                let aiming = Aim::start(&at)?;
                if describing.read::<Described>(self.deadline).await?.is_option() {
                    return self.choose(key).await;
                }
                self.window_answers(&at).await?;
                aiming.spot(at, self.deadline).await?
            }
            Place::Point(..) => self.spot(on).await?,
        };
        let name = match button {
            Button::Left => "left",
            Button::Middle => "middle",
            Button::Right => "right",
        };
        let press = |kind: &str, nth: u8| {
            let buttons = u8::from(kind == "mousePressed");
            (
                "Input.dispatchMouseEvent",
                json!({ "type": kind, "x": spot.x, "y": spot.y, "button": name, "buttons": buttons, "clickCount": nth }),
            )
        };
        let mut events =
            vec![("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": spot.x, "y": spot.y }))];
        if let Some(hold) = hold {
            events.push(press("mousePressed", 1));
            self.dispatch(&spot.window, events).await?;
            tokio::time::sleep(hold).await;
            self.release(&spot, press("mouseReleased", 1)).await?;
            return by_pointer();
        }
        for nth in 1..=count.max(1) {
            events.push(press("mousePressed", nth));
            events.push(press("mouseReleased", nth));
        }
        self.dispatch(&spot.window, events).await?;
        by_pointer()
    }

    /// A button that is down is released even if time is up: the page must not keep it.
    async fn release(&self, spot: &Spot, event: (&'static str, Value)) -> std::result::Result<(), Refusal> {
        let grace = self.deadline.max(Deadline::after(Duration::from_millis(200)));
        let pending = spot.window.start(event.0, event.1).map_err(Refusal::after_dispatch)?;
        match pending.read::<Value>(grace).await {
            Ok(_) => Ok(()),
            Err(error) if is_dialog(&error) => Ok(()),
            Err(error) => Err(Refusal::after_dispatch(error)),
        }
    }

    async fn hover(&self, on: Place) -> Outcome {
        let spot = self.spot(on).await?;
        let event = json!({ "type": "mouseMoved", "x": spot.x, "y": spot.y });
        self.dispatch(&spot.window, vec![("Input.dispatchMouseEvent", event)]).await?;
        by_pointer()
    }

    async fn scroll(&self, on: Place, dx: i32, dy: i32) -> Outcome {
        let spot = self.spot(on).await?;
        let event = json!({ "type": "mouseWheel", "x": spot.x, "y": spot.y, "deltaX": dx, "deltaY": dy });
        let wheel = Wheel::watch(self.shared);
        self.dispatch(&spot.window, vec![("Input.dispatchMouseEvent", event)]).await?;
        wheel.turned(self.deadline).await;
        self.shared.lock().news = true;
        by_pointer()
    }

    async fn focus(&self, key: NativeKey) -> std::result::Result<Located, Refusal> {
        let at = self.ready(key).await?;
        if self.deadline.has_passed() {
            return Err(too_late());
        }
        let params = json!({ "backendNodeId": at.node });
        match at.reach.session.call::<Value>("DOM.focus", params, self.deadline).await {
            Ok(_) => Ok(at),
            Err(error) if error.code == Code::Protocol => Err(Refusal::before_dispatch(Error::new(
                Code::NotActionable,
                format!("the element does not take the focus: {}", error.message),
                "act on an element that is focusable",
            ))),
            Err(error) => Err(error.into()),
        }
    }

    /// The session that takes the keyboard, with the element focused if there is one, and with all that it holds selected if that is to be
    /// replaced. Keys go to nobody else: where the page passes the focus on, there is no keyboard.
    async fn keyboard(&self, on: Option<NativeKey>, replace: bool) -> std::result::Result<Session, Refusal> {
        if let Some(key) = on {
            let at = self.focus(key).await?;
            if let Some(other) = self.run(key, TAKE_KEYS, &[replace.into()]).await?.as_str() {
                return Err(Refusal::before_dispatch(Error::new(
                    Code::ActionRejected,
                    format!(
                        "the element did not keep the keyboard's focus: {other:?} has it, and nothing was typed"
                    ),
                    "the page passes it on: act on that element, or on what the page wants first",
                )));
            }
            return Ok(at.reach.window);
        }
        let window = self.shared.front()?;
        main_thread_answers(&window, self.deadline).await?;
        Ok(window)
    }

    async fn type_text(&self, on: Option<NativeKey>, text: &str, replace: bool) -> Outcome {
        let window = self.keyboard(on, replace).await?;
        if replace {
            if on.is_none() {
                let all = Key { name: "a".into(), ctrl: true, shift: false, alt: false, meta: false };
                self.dispatch(&window, strokes(&all)?).await?;
            }
            if text.is_empty() {
                let delete =
                    Key { name: "Delete".into(), ctrl: false, shift: false, alt: false, meta: false };
                self.dispatch(&window, strokes(&delete)?).await?;
            }
        }
        if !text.is_empty() {
            self.dispatch(&window, vec![("Input.insertText", json!({ "text": text }))]).await?;
        }
        by_keyboard()
    }

    async fn press(&self, on: Option<NativeKey>, key: &Key) -> Outcome {
        let events = strokes(key)?;
        let window = self.keyboard(on, false).await?;
        self.dispatch(&window, events).await?;
        by_keyboard()
    }
}

fn strokes(key: &Key) -> Result<Vec<(&'static str, Value)>> {
    Ok(keys::stroke(key)?.into_iter().map(|event| ("Input.dispatchKeyEvent", event)).collect())
}
