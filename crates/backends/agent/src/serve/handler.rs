//! The session behind the protocol, and the sixteen requests of v1 on it.
//!
//! Taps and typing go through the engine's verbs, so that they wait until the element is found, can be hit and is still.
//! They are answered once they were handed to the app: a v1 client looks for itself what came of them. Where the policy
//! lets nothing be handed over, they are refused, for v1 has no word for "it would have worked".

use super::element::dump;
use super::hub::Hub;
use super::lookup::Search;
use super::{machine, verb};
use crate::payload::Occurrence;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stillpoint_core::judge::Verb as Act;
use stillpoint_core::tree::{ElementId, Node, State};
use stillpoint_core::{Code, Error, Result, Target};
use stillpoint_engine::act::{ActOptions, Intent, SettleName, act};
use stillpoint_engine::backend::{Action, AttachOptions, Button, Deadline, Place};
use stillpoint_engine::verbs::{Answer, Call};
use stillpoint_engine::{Engine, Session};
use stillpoint_wire::server::{ConnectionId, Handler, Lookup, Point};
use stillpoint_wire::{Element, Fault};
use tokio::sync::broadcast;

/// How long a request without a time of its own may take; clients wait for 30 s.
const PATIENCE: Duration = Duration::from_secs(20);
/// The longest press or swipe.
const LONGEST_PRESS: Duration = Duration::from_secs(10);
/// How long the focus may take to follow a tap.
const FOCUS_MS: u64 = 2_000;
/// A swipe that does not say how long it takes.
const SWIPE: Duration = Duration::from_millis(200);

/// A session and the connections to it.
pub(crate) struct AgentHandler {
    engine: Engine,
    pub(super) hub: Arc<Hub>,
    attach: AttachOptions,
    target: Mutex<Target>,
    /// Held while the target is opened or switched, so that two requests do not do it at once.
    opening: tokio::sync::Mutex<()>,
}

impl AgentHandler {
    pub(super) async fn open(
        engine: Engine,
        hub: Arc<Hub>,
        target: Target,
        attach: AttachOptions,
    ) -> Result<Self> {
        engine.open(&target, &attach).await?;
        Ok(AgentHandler {
            engine,
            hub,
            attach,
            target: Mutex::new(target),
            opening: tokio::sync::Mutex::default(),
        })
    }

    pub(super) async fn shut_down(&self) {
        self.engine.shut_down().await;
    }

    fn target(&self) -> MutexGuard<'_, Target> {
        self.target.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session with the target; opened again if the app is back after its end.
    pub(super) async fn session(&self) -> Result<Session> {
        let target = self.target().clone();
        if let Some(session) = self.engine.session(&target) {
            return Ok(session);
        }
        let _only_one = self.opening.lock().await;
        let target = self.target().clone();
        self.engine.open(&target, &self.attach).await
    }

    /// Serves another target from now on; the one before is let go of.
    pub(super) async fn switch(&self, name: &str) -> Result<()> {
        // A bare name is an app's, as a phone's bundle identifier is.
        let wanted: Target =
            if name.contains(':') { name.parse()? } else { format!("app:{name}").parse()? };
        let _only_one = self.opening.lock().await;
        let before = self.target().clone();
        if before == wanted && self.engine.session(&wanted).is_some() {
            return Ok(());
        }
        self.engine.open(&wanted, &self.attach).await?;
        self.target().clone_from(&wanted);
        let epoch = self.hub.feed(&wanted).map_or(0, |feed| feed.epoch);
        self.hub.tell(epoch, |_| Some(Occurrence::Target));
        if before != wanted {
            self.engine.close(&before).await;
        }
        Ok(())
    }
}

/// Options for what v1 asks for: nobody is asked, and nothing is awaited afterwards.
fn plainly() -> ActOptions {
    let timeout_ms = u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX);
    ActOptions { settle: SettleName::None, timeout_ms, confirm: true, ..ActOptions::default() }
}

/// Does something at a point of the screen.
async fn at_point(session: &Session, action: Action) -> Result<(), Fault> {
    session.admit_dispatch()?;
    let intent = Intent {
        verb: Act::TapAt,
        selector: None,
        second: None,
        action: Box::new(move |_, _| Ok(action.clone())),
        read_back: None,
    };
    let envelope = act(session, intent, &plainly(), &Call::default()).await?;
    envelope.error().map_or(Ok(()), |error| Err(error.into()))
}

/// The field that has the focus. A tap that was just answered may still be on its way to the app (a synthesised one goes
/// through the display, and no barrier follows it there), so the focus is waited for, woken by changes.
async fn focused_field(session: &Session) -> Result<Option<ElementId>, Fault> {
    let look = || {
        session.read(|tree| {
            let is_it = |node: &Node| node.states().is(State::Focused) && node.states().is(State::Editable);
            tree.iter().find(|(_, node)| is_it(node)).map(|(id, _)| id)
        })
    };
    session.barrier(Deadline::after(PATIENCE)).await?;
    if let Some(field) = look() {
        return Ok(Some(field));
    }
    let params = json!({ "selector": "[focused][editable]", "timeout_ms": FOCUS_MS });
    match verb::done(session, "wait_for_ui", params).await {
        Err(fault) if fault.code != Code::Timeout => Err(fault),
        _ => Ok(look()),
    }
}

fn place(point: Point) -> Place {
    Place::Point(point.x, point.y)
}

impl Handler for AgentHandler {
    async fn tap_coord(&self, point: Point) -> Result<(), Fault> {
        let tap = Action::Tap { on: place(point), button: Button::Left, count: 1, hold: None };
        at_point(&self.session().await?, tap).await
    }

    async fn tap_element(&self, lookup: Lookup) -> Result<(), Fault> {
        let session = self.session().await?;
        session.admit_dispatch()?;
        let search = Search::of(&session, &lookup).await?;
        let params = json!({
            "selector": search.selector(), "timeout_ms": search.left_ms(), "settle": "none", "confirm": true,
        });
        verb::done(&session, "tap", params).await.map(|_| ())
    }

    async fn type_text(&self, text: String) -> Result<(), Fault> {
        let session = self.session().await?;
        session.admit_dispatch()?;
        let Some(field) = focused_field(&session).await? else {
            let hint = "tap the field first";
            return Err(Error::new(Code::NotActionable, "no field has the focus", hint).into());
        };
        let params = json!({
            "selector": field.to_string(), "text": text, "replace": false, "settle": "none", "confirm": true,
        });
        verb::done(&session, "type_text", params).await.map(|_| ())
    }

    async fn swipe(&self, from: Point, to: Point, duration: Option<Duration>) -> Result<(), Fault> {
        let over = duration.unwrap_or(SWIPE).min(LONGEST_PRESS);
        at_point(&self.session().await?, Action::Drag { from: place(from), to: place(to), over }).await
    }

    async fn get_value(&self, lookup: Lookup) -> Result<Option<String>, Fault> {
        let session = self.session().await?;
        let search = Search::of(&session, &lookup).await?;
        let id = search.element()?;
        Ok(session.read(|tree| tree.get(id).and_then(|node| super::element::describe(node).value)))
    }

    async fn long_press(&self, point: Point, duration: Duration) -> Result<(), Fault> {
        let hold = Some(duration.min(LONGEST_PRESS));
        let press = Action::Tap { on: place(point), button: Button::Left, count: 1, hold };
        at_point(&self.session().await?, press).await
    }

    async fn dump_tree(&self) -> Result<Vec<Element>, Fault> {
        let session = self.session().await?;
        session.barrier(Deadline::after(PATIENCE)).await?;
        let now = session.snapshot();
        Ok(dump(&now.tree))
    }

    async fn screenshot(&self) -> Result<Vec<u8>, Fault> {
        let deadline = Deadline::after(PATIENCE);
        Ok(self.session().await?.backend().screenshot(None, deadline).await?)
    }

    async fn set_target(&self, target: String) -> Result<(), Fault> {
        Ok(self.switch(&target).await?)
    }

    async fn find_element(&self, lookup: Lookup) -> Result<Option<Element>, Fault> {
        let session = self.session().await?;
        Search::of(&session, &lookup).await?.seen().await
    }

    async fn target_info(&self) -> Result<Value, Fault> {
        let session = self.session().await?;
        let mut info = serde_json::to_value(session.info()).map_err(|e| Error::internal(e.to_string()))?;
        info["bundle_id"] = json!(session.info().name);
        info["platform"] = json!(std::env::consts::OS);
        info["state"] = json!("running");
        Ok(info)
    }

    async fn bridge_health(&self) -> Result<(), Fault> {
        Ok(self.session().await?.barrier(Deadline::after(PATIENCE)).await?)
    }

    async fn device_udid(&self) -> Result<Option<String>, Fault> {
        Ok(machine::id())
    }

    async fn call(&self, _: ConnectionId, method: String, params: Value) -> Result<Value, Fault> {
        if let Some(method) = method.strip_prefix("backend.") {
            return self.call_backend(method, params).await;
        }
        let session = self.session().await?;
        // What a verb found wrong is part of its answer, as in every face.
        let answer = verb::ask(&session, &method, params).await?;
        let mut json = answer.json()?;
        if let (Some(picture), Some(told)) = (answer.picture(), json.as_object_mut()) {
            told.insert("png".to_owned(), super::calls::base64(picture).into());
        }
        Ok(json)
    }

    fn events(&self, _: ConnectionId) -> Option<broadcast::Receiver<Arc<str>>> {
        Some(self.hub.listen())
    }
}
