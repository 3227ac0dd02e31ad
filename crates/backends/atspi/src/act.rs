//! Verbs → platform calls. Native first; synthesised input is the named fallback.
//!
//! Nothing is dispatched to an app that does not answer at that moment: a stopped app would find the call in its queue
//! when it runs again, long after the deadline.

use crate::bus::{self, ACCESSIBLE, call};
use crate::connect::AtspiBackend;
use crate::input::{Gesture, Input};
use crate::node::Interfaces;
use crate::object::Object;
use crate::role::NativeRole;
use crate::session::{Command, Found};
use crate::state::NativeStates;
use std::time::Duration;
use stillpoint_core::tree::{NativeKey, Rect};
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::{Action, Button, Deadline, Means, Performed, Place, Refusal, unsupported};
use zbus::{DynamicType, Message};

const ACTION: &str = "org.a11y.atspi.Action";
const COMPONENT: &str = "org.a11y.atspi.Component";
const SELECTION: &str = "org.a11y.atspi.Selection";
/// How soon an app tells that the focus has moved, if it tells that at all and is not busy.
const FOCUS_TOLD: Duration = Duration::from_secs(1);
/// "Wherever is nearest" for `Component.ScrollTo`.
const ANYWHERE: u32 = 6;

pub(crate) type Outcome = std::result::Result<Performed, Refusal>;

/// Action names that mean a tap, best first; and those of the other verbs.
const TAP: &[&str] =
    &["click", "press", "clicked", "jump", "activate", "do default", "open", "toggle", "showmenu"];
const TOGGLE: &[&str] = &["toggle", "toggled", "click", "press", "clicked", "check", "uncheck", "activate"];
const SELECT: &[&str] = &["select", "click", "press", "clicked", "activate", "toggle"];
const EXPAND: &[&str] = &[
    "expand or contract",
    "expand or collapse",
    "expand",
    "collapse",
    "showmenu",
    "popup",
    "press",
    "click",
    "toggle",
    "activate",
];

impl AtspiBackend {
    /// Carries one action out.
    pub(crate) async fn act(&self, action: &Action, deadline: Deadline) -> Outcome {
        if deadline.has_passed() {
            return Err(too_late().into());
        }
        self.prove_awake(deadline).await?;
        match action {
            Action::Tap { on: Place::Element(key), button: Button::Left, count: 1, hold: None } => {
                self.tap(*key, deadline).await
            }
            Action::Tap { on, button, count, hold } => {
                let at = self.point(*on, deadline).await?;
                let press =
                    Gesture::Press { at, button: *button, count: *count, hold: hold.unwrap_or_default() };
                self.synthesise(press, deadline).await
            }
            Action::Hover { on } => {
                let at = self.point(*on, deadline).await?;
                self.synthesise(Gesture::MoveTo(at), deadline).await
            }
            Action::Focus { on } => self.focus(*on, deadline).await,
            Action::TypeText { on, text, replace } => self.type_text(*on, text, *replace, deadline).await,
            Action::PressKey { on, key } => {
                self.focus_if_needed(*on, deadline).await?;
                self.synthesise(Gesture::Keys(vec![key.clone()]), deadline).await
            }
            Action::SetValue { on, to } => self.set_value(*on, to, deadline).await,
            Action::Toggle { on } => self.do_action_on(*on, TOGGLE, deadline).await,
            Action::Select { on } => self.select(*on, deadline).await,
            Action::Expand { on, open } => self.expand(*on, *open, deadline).await,
            Action::Scroll { on, dx, dy } => {
                let at = self.point(*on, deadline).await?;
                self.synthesise(Gesture::Wheel { at, dx: *dx, dy: *dy }, deadline).await
            }
            Action::ScrollTo { on } => self.scroll_to(*on, deadline).await,
            Action::Drag { from, to, over } => {
                let from = self.point(*from, deadline).await?;
                let to = self.point(*to, deadline).await?;
                self.drag(from, to, *over, deadline).await
            }
        }
    }

    /// A round trip: whoever does not answer gets nothing.
    async fn prove_awake(&self, deadline: Deadline) -> Result<()> {
        call(&self.bus, &self.app, ACCESSIBLE, "GetRole", &(), deadline).await.map(drop)
    }

    /// Sends the call that does it. From here on, silence means that nobody can know.
    pub(crate) async fn dispatch<B>(
        &self,
        object: &Object,
        interface: &str,
        member: &str,
        body: &B,
        deadline: Deadline,
    ) -> std::result::Result<Option<Message>, Refusal>
    where
        B: serde::Serialize + DynamicType,
    {
        if deadline.has_passed() {
            return Err(too_late().into());
        }
        let done = call(&self.bus, object, interface, member, body, deadline);
        // Ordered behind the call. Answered first, it proves that the app took the call and is inside of it: a handler
        // that runs a modal dialog answers only when the dialog is closed.
        let behind = self.prove_awake(deadline);
        tokio::pin!(done, behind);
        tokio::select! {
            biased;
            reply = &mut done => reply.map(Some).map_err(refused),
            awake = &mut behind => match awake {
                Ok(()) => Ok(None),
                Err(_) => done.await.map(Some).map_err(refused),
            },
        }
    }

    async fn tap(&self, key: NativeKey, deadline: Deadline) -> Outcome {
        let found = self.find(key, deadline).await?;
        // What "activate" does to a text field is Enter; a tap only puts the caret there.
        if found.facts.role.is_text_field() || found.facts.role.0 == 52 || is_mere_place_for_text(&found) {
            return self.focus(key, deadline).await;
        }
        self.do_action(&found, TAP, deadline).await
    }

    async fn do_action_on(&self, key: NativeKey, wanted: &[&str], deadline: Deadline) -> Outcome {
        let found = self.find(key, deadline).await?;
        self.do_action(&found, wanted, deadline).await
    }

    /// Does the first of the wanted actions that the object has, else taps it with the pointer.
    async fn do_action(&self, found: &Found, wanted: &[&str], deadline: Deadline) -> Outcome {
        if let Some((index, name)) = self.choose(found, wanted, deadline).await? {
            let object = &found.facts.object;
            let reply = self.dispatch(object, ACTION, "DoAction", &index, deadline).await?;
            let accepted = reply.is_none_or(|reply| reply.body().deserialize::<bool>().unwrap_or(true));
            if accepted {
                if found.facts.role.is_button() {
                    self.note_activation();
                }
                return Ok(native(&name));
            }
        }
        let at = self.middle_of(found, deadline).await?;
        let press = Gesture::Press { at, button: Button::Left, count: 1, hold: Duration::ZERO };
        self.synthesise(press, deadline).await
    }

    async fn choose(
        &self,
        found: &Found,
        wanted: &[&str],
        deadline: Deadline,
    ) -> Result<Option<(i32, String)>> {
        if !found.facts.interfaces.has(Interfaces::ACTION) || found.facts.role.is_mere_text() {
            return Ok(None);
        }
        let actions: Vec<(String, String, String)> =
            bus::ask(&self.bus, &found.facts.object, ACTION, "GetActions", &(), deadline).await?;
        Ok(choose(actions.iter().map(|(name, ..)| name.as_str()), wanted))
    }

    async fn focus(&self, key: NativeKey, deadline: Deadline) -> Outcome {
        let found = self.find(key, deadline).await?;
        if self.grab_focus(&found, deadline).await? {
            return Ok(native("GrabFocus"));
        }
        let at = self.middle_of(&found, deadline).await?;
        let press = Gesture::Press { at, button: Button::Left, count: 1, hold: Duration::ZERO };
        self.synthesise(press, deadline).await
    }

    async fn grab_focus(&self, found: &Found, deadline: Deadline) -> std::result::Result<bool, Refusal> {
        if !found.facts.interfaces.has(Interfaces::COMPONENT) {
            return Ok(false);
        }
        let reply = self.dispatch(&found.facts.object, COMPONENT, "GrabFocus", &(), deadline).await;
        match reply {
            Ok(reply) => Ok(reply.is_none_or(|r| r.body().deserialize::<bool>().unwrap_or(true))),
            // Not having the method is a "no", not a failure.
            Err(refusal) if refusal.error.code == Code::StaleReference => Ok(false),
            Err(refusal) => Err(refusal),
        }
    }

    pub(crate) async fn focus_if_needed(
        &self,
        on: Option<NativeKey>,
        deadline: Deadline,
    ) -> std::result::Result<(), Refusal> {
        let Some(key) = on else { return Ok(()) };
        let found = self.find(key, deadline).await?;
        if found.facts.states.has(NativeStates::FOCUSED) {
            return Ok(());
        }
        self.focus(key, deadline).await?;
        self.await_focus(key, deadline).await
    }

    /// Waits until the app says that the element has the focus. An app says yes to the request before it has passed it on (Chromium), and
    /// keys go to whoever has it. Where nobody says that they have it, the app does not tell, and its yes has to do.
    async fn await_focus(&self, key: NativeKey, deadline: Deadline) -> std::result::Result<(), Refusal> {
        for until in [deadline.or_after(FOCUS_TOLD), deadline] {
            match self.request("the keyboard's focus", |there| Command::Focused(key, there), until).await {
                Err(error) if error.code == Code::TargetUnresponsive => {}
                there => return Ok(there?),
            }
            // The deadline may have passed, and the session answers at once.
            let soon = Deadline::after(FOCUS_TOLD);
            let other =
                self.request("who has the focus", |who| Command::FocusElsewhere(key, who), soon).await?;
            let Some(other) = other else { return Ok(()) };
            if deadline.has_passed() {
                let name = other.facts.name.as_deref().unwrap_or_default();
                let message = format!(
                    "the element did not get the keyboard's focus: {name:?} has it, and nothing was typed"
                );
                return Err(Error::new(
                    Code::ActionRejected,
                    message,
                    "tap the element first, or what keeps it from getting the focus",
                )
                .into());
            }
        }
        Ok(())
    }

    async fn select(&self, key: NativeKey, deadline: Deadline) -> Outcome {
        let found = self.find(key, deadline).await?;
        let is_menu_item = matches!(found.facts.role.0, 8 | 35 | 45 | 59);
        if let Some(parent) = found.parent.as_ref().filter(|_| !is_menu_item) {
            let index = bus::ask::<_, i32>(
                &self.bus,
                &found.facts.object,
                ACCESSIBLE,
                "GetIndexInParent",
                &(),
                deadline,
            );
            if let Ok(index) = index.await
                && index >= 0
            {
                match self.dispatch(parent, SELECTION, "SelectChild", &index, deadline).await {
                    Ok(reply) if reply.as_ref().is_none_or(|r| r.body().deserialize().unwrap_or(true)) => {
                        return Ok(native("SelectChild"));
                    }
                    Err(refusal) if refusal.error.code == Code::TargetUnresponsive => return Err(refusal),
                    _ => {}
                }
            }
        }
        self.do_action(&found, SELECT, deadline).await
    }

    async fn expand(&self, key: NativeKey, open: bool, deadline: Deadline) -> Outcome {
        let found = self.find(key, deadline).await?;
        let states = found.facts.states;
        let known = states.has(NativeStates::EXPANDABLE | NativeStates::EXPANDED | NativeStates::COLLAPSED);
        if known && states.has(NativeStates::EXPANDED) == open {
            return Ok(native("already so"));
        }
        self.do_action(&found, EXPAND, deadline).await
    }

    async fn scroll_to(&self, key: NativeKey, deadline: Deadline) -> Outcome {
        let found = self.find(key, deadline).await?;
        let asked = self.dispatch(&found.facts.object, COMPONENT, "ScrollTo", &ANYWHERE, deadline).await;
        match asked {
            Ok(Some(reply)) if reply.body().deserialize::<bool>().unwrap_or(false) => Ok(native("ScrollTo")),
            Err(refusal) if refusal.error.code == Code::TargetUnresponsive => Err(refusal),
            // Toolkits that do not scroll on request do so for what gets the focus.
            _ if found.facts.states.has(NativeStates::FOCUSABLE)
                && self.grab_focus(&found, deadline).await? =>
            {
                Ok(native("GrabFocus"))
            }
            _ if found.facts.has_place() && found.bounds.is_some() => Ok(native("already in view")),
            _ => {
                Err(unsupported("way to scroll this element into view; scroll its container instead").into())
            }
        }
    }

    /// The point of the screen that is meant, read now.
    async fn point(&self, place: Place, deadline: Deadline) -> Result<(i32, i32)> {
        match place {
            Place::Point(x, y) => Ok((x, y)),
            Place::Element(key) => {
                let found = self.find(key, deadline).await?;
                self.middle_of(&found, deadline).await
            }
        }
    }

    async fn middle_of(&self, found: &Found, deadline: Deadline) -> Result<(i32, i32)> {
        let screen = crate::read::SCREEN;
        let ((x, y, width, height),): ((i32, i32, i32, i32),) =
            bus::ask(&self.bus, &found.facts.object, COMPONENT, "GetExtents", &screen, deadline).await?;
        let rect = Rect::new(x, y, width, height);
        if !rect.has_area() || x <= i32::MIN / 2 {
            return Err(Error::new(
                Code::NotActionable,
                "the element has no place on the screen",
                "bring it into view first: scroll_to, or open what holds it",
            ));
        }
        let (x, y) = rect.center();
        Ok((x + found.origin.0, y + found.origin.1))
    }

    /// Gives the app's main loop turns to take in what the display has for it. This makes it likely, not certain.
    async fn take_in(&self, deadline: Deadline) -> Result<()> {
        self.prove_awake(deadline).await?;
        self.prove_awake(deadline).await
    }

    /// Drags in parts, and lets the app take each of them in before the next: where something is dropped is agreed on
    /// between two widgets while the pointer moves, and a release that overtakes them drops nothing.
    async fn drag(&self, from: (i32, i32), to: (i32, i32), over: Duration, deadline: Deadline) -> Outcome {
        let part = over / 4;
        let on_the_way = (from.0 + (to.0 - from.0) / 4, from.1 + (to.1 - from.1) / 4);
        let beside = (to.0 + 2, to.1 + 1);
        let way = [
            Gesture::Down(from),
            Gesture::Glide { from, to: on_the_way, over: part },
            Gesture::Glide { from: on_the_way, to, over: part },
            Gesture::Glide { from: to, to: beside, over: part },
            Gesture::Glide { from: beside, to, over: part },
            Gesture::Up,
        ];
        self.synthesise_all(way.into(), deadline).await
    }

    /// Synthesises input on the display.
    pub(crate) async fn synthesise(&self, gesture: Gesture, deadline: Deadline) -> Outcome {
        self.synthesise_all(vec![gesture], deadline).await
    }

    /// Synthesises several gestures, off the async threads, with a round trip to the app behind each but the last.
    async fn synthesise_all(&self, gestures: Vec<Gesture>, deadline: Deadline) -> Outcome {
        let Some(display) = self.display.clone() else {
            return Err(unsupported("display for synthesised input (DISPLAY is not set)").into());
        };
        if deadline.has_passed() {
            return Err(too_late().into());
        }
        let mut input = off_thread(move || Input::open(&display)).await?;
        let last = gestures.len().saturating_sub(1);
        let until = deadline.instant().into_std();
        let mut failure = None;
        for (index, gesture) in gestures.into_iter().enumerate() {
            // After a failure only what has to be undone is done: a button that is down comes up.
            if failure.is_some() && !matches!(gesture, Gesture::Up) {
                continue;
            }
            let (back, done) = off_thread(move || {
                let done = input.perform(&gesture, until);
                Ok((input, done))
            })
            .await?;
            input = back;
            if let Err(error) = done {
                let refusal = if index == 0 { Refusal::from(error) } else { Refusal::after_dispatch(error) };
                failure.get_or_insert(refusal);
            }
            // Borrowed keys are given back only when the app has read what was typed with them.
            if (index < last || input.has_borrowed_keys())
                && failure.is_none()
                && let Err(error) = self.take_in(deadline).await
            {
                failure = Some(Refusal::after_dispatch(error));
            }
        }
        off_thread(move || input.close()).await.map_err(Refusal::after_dispatch)?;
        match failure {
            Some(refusal) => Err(refusal),
            None => Ok(Performed { means: Means::Synthesised("xtest".to_owned()) }),
        }
    }
}

/// Runs what blocks where it holds nobody up.
async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(Error::internal(format!("synthesising input: {error}"))),
    }
}

/// The index and name of the first wanted action.
fn choose<'a>(actions: impl Iterator<Item = &'a str>, wanted: &[&str]) -> Option<(i32, String)> {
    let actions: Vec<&str> = actions.collect();
    let plain = |name: &str| name.rsplit('.').next().unwrap_or(name).to_lowercase();
    for want in wanted {
        if let Some(index) = actions.iter().position(|name| plain(name) == *want) {
            return Some((index as i32, actions[index].to_owned()));
        }
    }
    // The only thing that can be done with it is what a tap does, whatever its name.
    match actions.as_slice() {
        [only] => Some((0, (*only).to_owned())),
        _ => None,
    }
}

/// A cell that can be written into and offers nothing else: a tap puts the cursor there (`LibreOffice`).
fn is_mere_place_for_text(found: &Found) -> bool {
    let facts = &found.facts;
    facts.role == NativeRole::CELL
        && facts.states.has(NativeStates::EDITABLE)
        && facts.states.has(NativeStates::FOCUSABLE)
        && !facts.interfaces.has(Interfaces::ACTION)
}

pub(crate) fn native(name: &str) -> Performed {
    Performed { means: Means::Native(name.to_owned()) }
}

/// The app said no, or said nothing; only the second leaves open whether it did it.
fn refused(error: Error) -> Refusal {
    match error.code {
        Code::TargetUnresponsive | Code::TargetLost => Refusal::after_dispatch(error),
        _ => Refusal::before_dispatch(error),
    }
}

fn too_late() -> Error {
    Error::new(Code::Timeout, "the deadline passed before the action was dispatched", "give a longer timeout")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wanted_action_is_found_whatever_the_toolkit_calls_it() {
        assert_eq!(choose(["SetFocus", "Press"].into_iter(), TAP), Some((1, "Press".to_owned())));
        assert_eq!(choose(["default.activate"].into_iter(), TAP), Some((0, "default.activate".to_owned())));
        assert_eq!(choose(["win.close", "win.print"].into_iter(), TAP), None);
        assert_eq!(choose(["switch"].into_iter(), TAP), Some((0, "switch".to_owned())));
        assert_eq!(choose([].into_iter(), TAP), None);
    }
}
