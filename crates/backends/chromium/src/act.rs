//! Acting: through the browser's own input pipeline, or its DOM where that is the platform's way.
//!
//! Before anything is dispatched, the page's main thread must answer within the deadline: input to a page that hangs
//! would lie in its queue and be carried out later.

use crate::barrier::main_thread_answers;
use crate::frames::{DialogKind, DialogPart, Located, Shared};
use crate::keys;
use crate::pointer::{Spot, scroll_into_view, spot};
use crate::scripts::{CHOOSE_BY_LABEL, CHOOSE_OPTION, EXPANDED, IS_EDITABLE, SELECT_CONTENT, SET_VALUE};
use crate::socket::{Pending, Session, is_dialog};
use serde::Deserialize;
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
        Action::Tap { on: Place::Element(key), .. } | Action::Select { on: key }
            if hand.is_option(*key).await? =>
        {
            hand.choose(*key).await
        }
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

#[derive(Deserialize)]
struct Described {
    node: NodeInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeInfo {
    node_name: String,
    #[serde(default)]
    attributes: Vec<String>,
}

impl NodeInfo {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .chunks(2)
            .find(|pair| pair[0] == name)
            .and_then(|pair| pair.get(1))
            .map(String::as_str)
    }
}

#[derive(Deserialize)]
struct Resolved {
    object: Object,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Object {
    object_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Called {
    result: Value,
    exception_details: Option<Value>,
}

/// One action under way.
struct Hand<'a> {
    shared: &'a Shared,
    deadline: Deadline,
}

impl Hand<'_> {
    /// Finds the element, and makes sure that its page listens.
    async fn ready(&self, key: NativeKey) -> Result<Located> {
        let at = self.shared.locate(key)?;
        if at.node <= 0 {
            return Err(Error::new(
                Code::NotActionable,
                "the element is generated by a style and has no place in the document",
                "act on the element around it",
            ));
        }
        main_thread_answers(&at.reach.session, self.deadline).await?;
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

    async fn spot(&self, place: Place) -> Result<Spot> {
        let window = match place {
            Place::Element(key) => self.ready(key).await?.reach.window,
            Place::Point(..) => self.shared.front()?,
        };
        main_thread_answers(&window, self.deadline).await?;
        spot(self.shared, place, self.deadline).await
    }

    async fn tap(&self, on: Place, button: Button, count: u8, hold: Option<Duration>) -> Outcome {
        let spot = self.spot(on).await?;
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
        self.dispatch(&spot.window, vec![("Input.dispatchMouseEvent", event)]).await?;
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

    /// The session that takes the keyboard, with the element focused if there is one.
    async fn keyboard(&self, on: Option<NativeKey>) -> std::result::Result<Session, Refusal> {
        match on {
            Some(key) => Ok(self.focus(key).await?.reach.window),
            None => {
                let window = self.shared.front()?;
                main_thread_answers(&window, self.deadline).await?;
                Ok(window)
            }
        }
    }

    async fn type_text(&self, on: Option<NativeKey>, text: &str, replace: bool) -> Outcome {
        let window = self.keyboard(on).await?;
        if replace {
            if let Some(key) = on {
                self.run(key, SELECT_CONTENT, &[]).await?;
            } else {
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
        let window = self.keyboard(on).await?;
        self.dispatch(&window, events).await?;
        by_keyboard()
    }

    async fn describe(&self, at: &Located) -> Result<NodeInfo> {
        let params = json!({ "backendNodeId": at.node });
        let described: Described = at.reach.session.call("DOM.describeNode", params, self.deadline).await?;
        Ok(described.node)
    }

    /// Whether it is an option of a native list, which has no place on the screen while the list is closed.
    async fn is_option(&self, key: NativeKey) -> Result<bool> {
        let at = self.ready(key).await?;
        Ok(self.describe(&at).await?.node_name == "OPTION")
    }

    async fn choose(&self, option: NativeKey) -> Outcome {
        self.run(option, CHOOSE_OPTION, &[]).await?;
        native("select option, with input and change events")
    }

    async fn expand(&self, on: NativeKey, open: bool) -> Outcome {
        let at = self.ready(on).await?;
        let state = self.run(on, EXPANDED, &[]).await?;
        if state.as_bool() == Some(open) {
            return native("already so");
        }
        drop(at);
        self.tap(Place::Element(on), Button::Left, 1, None).await
    }

    async fn set_value(&self, on: NativeKey, to: &SetTo) -> Outcome {
        let at = self.ready(on).await?;
        let node = self.describe(&at).await?;
        let text = match to {
            SetTo::Number(number) => number.to_string(),
            SetTo::Text(text) => text.clone(),
        };
        let kind = node.attribute("type").unwrap_or("text").to_ascii_lowercase();
        match (&*node.node_name, &*kind) {
            ("SELECT", _) => {
                let found = self.run(on, CHOOSE_BY_LABEL, &[json!(text)]).await?;
                if found.as_bool() == Some(true) {
                    return native("select option, with input and change events");
                }
                Err(Refusal::before_dispatch(Error::new(
                    Code::ActionRejected,
                    format!("the list has no option {text:?}"),
                    "use the exact label of one of its options",
                )))
            }
            ("INPUT", "file") => {
                let files: Vec<&str> = text.lines().collect();
                let params = json!({ "files": files, "backendNodeId": at.node });
                at.reach.session.call::<Value>("DOM.setFileInputFiles", params, self.deadline).await?;
                native("DOM.setFileInputFiles")
            }
            ("INPUT", "checkbox" | "radio" | "button" | "submit" | "reset" | "image") => {
                Err(Refusal::before_dispatch(Error::new(
                    Code::ActionRejected,
                    format!("a {kind} has no value to set"),
                    "tap or toggle it instead",
                )))
            }
            ("INPUT", "range" | "date" | "time" | "month" | "week" | "datetime-local" | "color") => {
                self.run(on, SET_VALUE, &[json!(text)]).await?;
                native("value, with input and change events")
            }
            ("INPUT" | "TEXTAREA", _) => self.type_text(Some(on), &text, true).await,
            _ if self.run(on, IS_EDITABLE, &[]).await?.as_bool() == Some(true) => {
                self.type_text(Some(on), &text, true).await
            }
            _ => Err(Refusal::before_dispatch(Error::new(
                Code::Unsupported,
                "this control is drawn by the page and takes no value by itself",
                "focus it and press its keys (ArrowRight, Home, …), or drag it",
            ))),
        }
    }

    /// Runs a function on an element, in the observer's world: the page's own scripts cannot get in its way.
    async fn run(
        &self,
        key: NativeKey,
        function: &str,
        arguments: &[Value],
    ) -> std::result::Result<Value, Refusal> {
        let at = self.ready(key).await?;
        if self.deadline.has_passed() {
            return Err(too_late());
        }
        let session = &at.reach.session;
        let mut last = Error::internal("no world of the page takes the element");
        for context in &at.reach.contexts {
            let params = json!({ "backendNodeId": at.node, "executionContextId": context });
            let object = match session.call::<Resolved>("DOM.resolveNode", params, self.deadline).await {
                Ok(resolved) => resolved.object.object_id,
                Err(error) if error.code == Code::Protocol => {
                    last = error;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let arguments: Vec<Value> = arguments.iter().map(|value| json!({ "value": value })).collect();
            let params = json!({ "objectId": object, "functionDeclaration": function, "arguments": arguments,
                                 "returnByValue": true, "userGesture": true });
            let called = session.call::<Called>("Runtime.callFunctionOn", params, self.deadline).await;
            session.post("Runtime.releaseObject", json!({ "objectId": object }));
            return match called {
                Ok(Called { exception_details: Some(details), .. }) => {
                    Err(Refusal::after_dispatch(Error::internal(format!("in the page: {details}"))))
                }
                Ok(called) => Ok(called.result["value"].clone()),
                Err(error) if is_dialog(&error) => Ok(Value::Null),
                Err(error) => Err(Refusal::after_dispatch(error)),
            };
        }
        Err(last.into())
    }

    async fn drag(&self, from: Place, to: Place, over: Duration) -> Outcome {
        let end = self.spot(to).await?;
        let start = self.spot(from).await?;
        let window = &start.window;
        self.shared.lock().drag = None;
        let mouse = |kind: &str, x: f64, y: f64| {
            let held = u8::from(kind != "mouseReleased");
            (
                "Input.dispatchMouseEvent",
                json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": held, "clickCount": 1 }),
            )
        };
        let events = vec![
            ("Input.setInterceptDrags", json!({ "enabled": true })),
            ("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": start.x, "y": start.y })),
            mouse("mousePressed", start.x, start.y),
        ];
        self.dispatch(window, events).await?;
        const STEPS: u32 = 8;
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let (x, y) = (start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part);
            self.dispatch(window, vec![mouse("mouseMoved", x, y)])
                .await
                .map_err(|r| Refusal::after_dispatch(r.error))?;
            tokio::time::sleep(over / STEPS).await;
        }
        // The page decides during the moves whether this is a drag of data; that word comes before this answer.
        main_thread_answers(window, self.deadline).await.map_err(Refusal::after_dispatch)?;
        taken_in(window, self.deadline).await.map_err(Refusal::after_dispatch)?;
        let data = self.shared.lock().drag.take();
        if let Some(data) = data {
            for kind in ["dragEnter", "dragOver", "drop"] {
                let event = json!({ "type": kind, "x": end.x, "y": end.y, "data": data });
                window
                    .call::<Value>("Input.dispatchDragEvent", event, self.deadline)
                    .await
                    .map_err(Refusal::after_dispatch)?;
            }
        }
        window.post("Input.setInterceptDrags", json!({ "enabled": false }));
        self.release(&start, mouse("mouseReleased", end.x, end.y)).await?;
        by_pointer()
    }
}

/// Waits until the mirror has taken in everything that has arrived.
async fn taken_in(session: &Session, deadline: Deadline) -> Result<()> {
    let (done, taken) = tokio::sync::oneshot::channel();
    session.enqueue(crate::socket::Note::Flush(done)).await?;
    deadline.bound("the mirror", async { taken.await.map_err(|_| crate::socket::lost()) }).await.map(drop)
}

fn strokes(key: &Key) -> Result<Vec<(&'static str, Value)>> {
    Ok(keys::stroke(key)?.into_iter().map(|event| ("Input.dispatchKeyEvent", event)).collect())
}
