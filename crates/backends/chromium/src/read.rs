//! Reading: a whole frame, or the few nodes that the observer named.

use crate::events::{Live, PATIENCE, Tag};
use crate::node::{AxNodes, Facts, Raw, key, unkey};
use crate::role::is_named_by_content;
use crate::socket::{Pending, Session};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use stillpoint_core::tree::{NativeKey, Rect};
use stillpoint_core::{Error, Result};
use stillpoint_engine::backend::Deadline;
use tokio::time::Instant;

/// More nodes than this are cheaper to read all at once.
const FEW: usize = 240;
/// How deep new content is followed, call by call.
const ROUNDS: usize = 12;

/// What the observer tells.
#[derive(Default, Deserialize)]
struct Told {
    #[serde(default)]
    bulk: bool,
    #[serde(default)]
    superseded: bool,
    #[serde(default)]
    dirty: Vec<u32>,
    #[serde(default)]
    refs: Vec<u32>,
    #[serde(default)]
    facts: Vec<Fact>,
    #[serde(default)]
    controls: usize,
    title: Option<String>,
    url: Option<String>,
    idle: Option<crate::idle::InPage>,
}

/// number, id, test tag, on screen, x, y, width, height, inset x, inset y, secret.
#[derive(Deserialize)]
struct Fact(u32, Option<String>, Option<String>, u8, i32, i32, i32, i32, f64, f64, u8);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct World {
    execution_context_id: i64,
}

/// A value with DOM nodes in it, as `Runtime.evaluate` tells it.
#[derive(Deserialize)]
struct Evaluated {
    result: Deep,
    #[serde(rename = "exceptionDetails")]
    exception: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Deep {
    deep_serialized_value: Option<Value>,
    object_id: Option<String>,
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
struct Owner {
    backend_node_id: i64,
}

impl Live {
    /// Reads everything that is known to have changed. With `all`, also what would otherwise be put off.
    pub(crate) async fn catch_up(&mut self, all: bool) {
        if self.browser.dialog_is_open() {
            return;
        }
        for _ in 0..3 {
            let due: Vec<String> = self
                .frames
                .iter()
                .filter(|(_, f)| {
                    f.context.is_none() || (f.bulk && (all || !f.is_resting())) || !f.dirty.is_empty()
                })
                .filter(|(_, f)| self.page(&f.session).is_some_and(|p| !p.crashed))
                .map(|(id, _)| id.clone())
                .collect();
            if due.is_empty() {
                return;
            }
            for id in due {
                if let Err(error) = self.read_frame(&id).await {
                    tracing::debug!(%error, frame = %id, "a frame could not be read now");
                    return;
                }
            }
        }
    }

    async fn read_frame(&mut self, id: &str) -> Result<()> {
        let Some(frame) = self.frames.get(id) else { return Ok(()) };
        let session = self.browser.of(&frame.session);
        if frame.context.is_none() {
            self.enter(id, &session).await?;
        }
        let Some(frame) = self.frames.get_mut(id) else { return Ok(()) };
        let few = FEW.min(20 + self.model.len() / 4);
        if frame.bulk || frame.dirty.len() > few {
            frame.bulk = false;
            let dirty = std::mem::take(&mut frame.dirty);
            let read = self.read_all(id, &session).await;
            if read.is_err()
                && let Some(frame) = self.frames.get_mut(id)
            {
                frame.bulk = true;
                frame.dirty = dirty;
            }
            return read;
        }
        let dirty = std::mem::take(&mut frame.dirty);
        if dirty.is_empty() {
            return Ok(());
        }
        let (serial, index) = (frame.serial, frame.index);
        let read = self.read_some(&session, serial, index, &dirty).await;
        if read.is_err()
            && let Some(frame) = self.frames.get_mut(id)
        {
            frame.dirty.extend(dirty);
        }
        read
    }

    /// Puts the observer into a document.
    async fn enter(&mut self, id: &str, session: &Session) -> Result<()> {
        let world: World = session
            .call(
                "Page.createIsolatedWorld",
                json!({ "frameId": id, "worldName": "stillpoint", "grantUniveralAccess": false }),
                Deadline::after(PATIENCE),
            )
            .await?;
        let context = world.execution_context_id;
        let config = json!({
            "tests": self.options.test_attributes,
            "idle": self.options.full,
            "token": if self.options.full { Value::from(self.options.token.as_str()) } else { Value::Null },
        });
        // An observer that is there already has told its facts to somebody who forgot them.
        let source = format!("({})({config}); stillpoint.forget()", include_str!("observer.js"));
        session
            .post("Runtime.evaluate", json!({ "expression": source, "contextId": context, "silent": true }));
        if let Some(frame) = self.frames.get_mut(id) {
            frame.context = Some(context);
            frame.bulk = true;
        }
        self.again = true;
        self.ask(id);
        self.update_registry();
        Ok(())
    }

    /// Asks the observer for what is new; the answer comes as a note, in its place among the others.
    fn ask(&mut self, id: &str) {
        let Some(frame) = self.frames.get(id) else { return };
        let Some(context) = frame.context else { return };
        self.last_number += 1;
        let tag = self.last_number;
        let params = json!({
            "expression": "stillpoint.next()", "contextId": context, "awaitPromise": true, "silent": true,
            "serializationOptions": { "serialization": "deep", "maxDepth": 3,
                "additionalParameters": { "maxNodeDepth": 0, "includeShadowTree": "none" } },
        });
        match self.browser.of(&frame.session).route(tag, "Runtime.evaluate", params) {
            Ok(()) => drop(self.tags.insert(tag, Tag::Observed { frame: id.to_owned(), context })),
            Err(error) => tracing::debug!(%error, "the observer could not be asked"),
        }
    }

    /// The observer has answered.
    pub(crate) async fn observed(&mut self, id: &str, context: i64, result: Result<Box<RawValue>>) {
        if self.frames.get(id).is_none_or(|frame| frame.context != Some(context)) {
            return;
        }
        let told = result.and_then(|raw| self.understand(id, &raw));
        match told {
            Ok((told, closed)) => {
                self.note_told(id, told);
                self.adopt(id, context, closed).await;
                self.ask(id);
            }
            Err(error) => {
                // The document is on its way out; a new one will announce itself. If it does not, enter it again.
                tracing::debug!(%error, frame = %id, "an observer fell silent");
                if let Some(frame) = self.frames.get_mut(id) {
                    frame.context = None;
                }
                self.update_registry();
            }
        }
    }

    /// Reads an answer of the observer; gives also the closed shadow roots that it cannot see by itself.
    fn understand(&mut self, id: &str, raw: &RawValue) -> Result<(Told, Vec<i64>)> {
        let wrong = |what: &str| Error::internal(format!("the observer's answer: {what}"));
        let answer: Evaluated = serde_json::from_str(raw.get()).map_err(|error| wrong(&error.to_string()))?;
        if let Some(exception) = answer.exception {
            return Err(wrong(&exception.to_string()));
        }
        let Some(frame) = self.frames.get_mut(id) else { return Err(wrong("its frame is gone")) };
        if let Some(object) = answer.result.object_id {
            self.browser.of(&frame.session).post("Runtime.releaseObject", json!({ "objectId": object }));
        }
        let deep = answer.result.deep_serialized_value.ok_or_else(|| wrong("no value"))?;
        let text = deep["value"][0]["value"].as_str().ok_or_else(|| wrong("no text"))?;
        let told: Told = serde_json::from_str(text).map_err(|error| wrong(&error.to_string()))?;
        let mut closed = Vec::new();
        let nodes = deep["value"][1]["value"].as_array().map(Vec::as_slice).unwrap_or_default();
        for (number, node) in told.refs.iter().zip(nodes) {
            let node = &node["value"];
            if let Some(backend) = node["backendNodeId"].as_i64() {
                frame.numbers.insert(*number, backend);
            }
            let root = &node["shadowRoot"]["value"];
            if root["mode"].as_str() == Some("closed") {
                closed.extend(root["backendNodeId"].as_i64());
            }
        }
        Ok((told, closed))
    }

    fn note_told(&mut self, id: &str, told: Told) {
        let Some(frame) = self.frames.get_mut(id) else { return };
        if told.superseded {
            return;
        }
        frame.bulk |= told.bulk;
        frame.controls = told.controls;
        frame.dirty.extend(told.dirty.iter().filter_map(|n| frame.numbers.get(n)));
        if let Some(idle) = told.idle {
            frame.in_page = idle;
        }
        let (serial, index, session) = (frame.serial, frame.index, frame.session.clone());
        let mut moved_frames = false;
        for fact in told.facts {
            let Some(backend) = frame.numbers.get(&fact.0) else { continue };
            let key = key(serial, *backend);
            let facts = Facts {
                frame: index,
                id: fact.1.map(Into::into),
                test_tag: fact.2.map(Into::into),
                place: (fact.3 == 1).then(|| Rect::new(fact.4, fact.5, fact.6, fact.7)),
                inset: (fact.8 as i32, fact.9 as i32),
                is_secret: fact.10 == 1,
            };
            moved_frames |= self.model.inside.contains_key(&key);
            self.touched.insert(key);
            // Texts that fill their element are placed by it.
            if let Some(raw) = self.model.raw.get(&key) {
                self.touched.extend(raw.children.iter().copied());
            }
            self.model.facts.insert(key, facts);
        }
        let is_top = self.pages.iter().any(|p| p.root_frame == id);
        if is_top && (told.title.is_some() || told.url.is_some()) {
            if let Some(page) = self.pages.iter_mut().find(|p| p.root_frame == id) {
                page.title = told.title.unwrap_or_else(|| std::mem::take(&mut page.title));
                page.url = told.url.unwrap_or_else(|| std::mem::take(&mut page.url));
            }
            self.screen_changed(&session);
        }
        if moved_frames {
            // What lies in a frame moves along with it.
            let inside: HashSet<u32> = self
                .model
                .inside
                .values()
                .filter_map(|root| self.model.raw.get(root))
                .map(|r| r.frame)
                .collect();
            let moved: Vec<NativeKey> =
                self.model.raw.iter().filter(|(_, r)| inside.contains(&r.frame)).map(|(k, _)| *k).collect();
            self.touched.extend(moved);
            self.update_registry();
        }
    }

    /// Shows closed shadow roots to the observer.
    async fn adopt(&mut self, id: &str, context: i64, closed: Vec<i64>) {
        let Some(frame) = self.frames.get(id) else { return };
        let session = self.browser.of(&frame.session);
        for root in closed {
            self.again = true;
            let params = json!({ "backendNodeId": root, "executionContextId": context });
            match session.call::<Resolved>("DOM.resolveNode", params, Deadline::after(PATIENCE)).await {
                Ok(found) => session.post(
                    "Runtime.callFunctionOn",
                    json!({ "functionDeclaration": "function(root) { stillpoint.adopt(root) }", "executionContextId": context,
                            "arguments": [{ "objectId": found.object.object_id }], "silent": true }),
                ),
                Err(error) => tracing::debug!(%error, "a closed shadow root could not be watched"),
            }
        }
    }

    /// Reads the whole tree of one frame.
    async fn read_all(&mut self, id: &str, session: &Session) -> Result<()> {
        let began = Instant::now();
        let deadline = Deadline::after(PATIENCE * 6);
        let nodes: AxNodes =
            session.call("Accessibility.getFullAXTree", json!({ "frameId": id }), deadline).await?;
        let Some(frame) = self.frames.get_mut(id) else { return Ok(()) };
        frame.read = Some((Instant::now(), began.elapsed()));
        let (serial, index) = (frame.serial, frame.index);
        self.model.raw.retain(|key, raw| {
            let gone = raw.frame == index;
            if gone {
                self.touched.insert(*key);
            }
            !gone
        });
        let mut root = None;
        for node in nodes.nodes {
            if node.is_line() {
                continue;
            }
            let at = key(serial, node.number());
            root = root.or(Some(at));
            self.touched.insert(at);
            self.model.raw.insert(at, node.into_raw(serial, index));
        }
        self.connect(id, root).await
    }

    /// Hangs a document into its frame element, or makes it a window.
    async fn connect(&mut self, id: &str, root: Option<NativeKey>) -> Result<()> {
        let Some(root) = root else { return Ok(()) };
        let Some(frame) = self.frames.get_mut(id) else { return Ok(()) };
        frame.root = Some(root);
        let parent = frame.parent.clone();
        let is_window = self.pages.iter().any(|p| p.is_window && p.root_frame == id);
        if is_window {
            self.show_window(id, root);
        } else if let Some(above) = parent.and_then(|parent| self.frames.get(&parent)) {
            let (serial, session) = (above.serial, self.browser.of(&above.session));
            let owner: Owner = session
                .call("DOM.getFrameOwner", json!({ "frameId": id }), Deadline::after(PATIENCE))
                .await?;
            let element = key(serial, owner.backend_node_id);
            self.model.inside.insert(element, root);
            self.model.around.insert(root, element);
            self.touched.insert(element);
        }
        self.update_registry();
        Ok(())
    }

    fn show_window(&mut self, id: &str, root: NativeKey) {
        let Some(page) = self.pages.iter_mut().find(|p| p.root_frame == id) else { return };
        let old = page.window.replace(root);
        let session = page.session.id().to_owned();
        if old == Some(root) {
            return;
        }
        match self.model.windows.iter_mut().find(|w| Some(**w) == old) {
            Some(place) => *place = root,
            None => self.model.windows.push(root),
        }
        if let Some(old) = old {
            self.model.made.remove(&old);
        }
        self.screen_changed(&session);
    }

    /// Reads the nodes that were named, those around them that may have changed along, and what is new in them.
    async fn read_some(
        &mut self,
        session: &Session,
        serial: u32,
        index: u32,
        dirty: &HashSet<i64>,
    ) -> Result<()> {
        let deadline = Deadline::after(PATIENCE);
        let mut due: HashSet<i64> = dirty.clone();
        for ax in dirty {
            self.add_surroundings(key(serial, *ax), &mut due);
        }
        let mut done: HashSet<i64> = HashSet::new();
        let mut expanded: HashSet<i64> = HashSet::new();
        for _ in 0..ROUNDS {
            let mut calls: Vec<(i64, Pending)> = Vec::with_capacity(due.len());
            for ax in std::mem::take(&mut due) {
                if done.insert(ax) {
                    let params = json!({ "backendNodeId": ax, "fetchRelatives": false });
                    calls.push((ax, session.start("Accessibility.getPartialAXTree", params)?));
                }
            }
            if calls.is_empty() {
                break;
            }
            let mut parents = Vec::new();
            for (ax, call) in calls {
                self.take_node(
                    serial,
                    index,
                    ax,
                    call.read::<AxNodes>(deadline).await,
                    &mut due,
                    &mut parents,
                )?;
            }
            self.read_nameless(session, serial, index, parents, &mut expanded, deadline).await?;
            due.retain(|ax| !done.contains(ax));
            if done.len() + due.len() > FEW * 4 {
                if let Some(frame) = self.frames.values_mut().find(|f| f.index == index) {
                    frame.bulk = true;
                }
                break;
            }
        }
        Ok(())
    }

    /// The parent of a node knows its children; whoever is named by their content changes along.
    fn add_surroundings(&self, from: NativeKey, due: &mut HashSet<i64>) {
        let mut at = self.model.raw.get(&from).and_then(|raw| raw.parent);
        let mut direct = true;
        for _ in 0..200 {
            let Some(above) = at else { return };
            let Some(raw) = self.model.raw.get(&above) else { return };
            if (direct || is_named_by_content(&raw.native)) && unkey(above).1 > 0 {
                due.insert(unkey(above).1);
            }
            direct = direct && raw.role.is_none();
            at = raw.parent;
        }
    }

    /// Takes in one node that was read; `due` and `parents` get what must be read because of it.
    fn take_node(
        &mut self,
        serial: u32,
        index: u32,
        ax: i64,
        read: Result<AxNodes>,
        due: &mut HashSet<i64>,
        parents: &mut Vec<i64>,
    ) -> Result<()> {
        let at = key(serial, ax);
        let node = match read {
            Ok(nodes) => nodes.nodes.into_iter().next().filter(|node| node.number() == ax),
            Err(error) if error.code == stillpoint_core::Code::Protocol => None,
            Err(error) => return Err(error),
        };
        let Some(node) = node else {
            // It is no longer there: whoever held it is read again.
            if let Some(old) = self.model.raw.remove(&at) {
                self.touched.extend(old.parent);
                due.extend(old.parent.map(|p| unkey(p).1).filter(|p| *p > 0));
            }
            return Ok(());
        };
        let new = node.into_raw(serial, index);
        let old = self.model.raw.get(&at);
        // The content of a pseudo-element has no number of its own, and changes with its element.
        let is_generated = |raw: &Raw| raw.children.iter().any(|c| unkey(*c).1 < 0);
        let is_settled =
            |c: &NativeKey| unkey(*c).1 > 0 && self.model.raw.get(c).is_some_and(|raw| !is_generated(raw));
        if old == Some(&new) && new.children.iter().all(is_settled) {
            return Ok(());
        }
        let moved =
            old.is_none_or(|old| old.parent != new.parent || old.role.is_none() != new.role.is_none());
        if moved {
            let both = [new.parent, old.and_then(|old| old.parent)];
            due.extend(both.into_iter().flatten().map(|p| unkey(p).1).filter(|p| *p > 0));
        }
        for child in &new.children {
            let number = unkey(*child).1;
            match self.model.raw.get(child) {
                _ if number < 0 => parents.push(ax),
                None => drop(due.insert(number)),
                Some(known) if is_generated(known) => {
                    parents.push(number);
                    due.insert(number);
                }
                Some(known) if known.parent != Some(at) => drop(due.insert(number)),
                Some(_) => {}
            }
        }
        self.touched.insert(at);
        self.touched.extend(new.parent);
        self.touched.extend(new.children.iter().copied());
        self.model.raw.insert(at, new);
        Ok(())
    }

    /// Reads children that have no DOM node: generated content.
    async fn read_nameless(
        &mut self,
        session: &Session,
        serial: u32,
        index: u32,
        parents: Vec<i64>,
        expanded: &mut HashSet<i64>,
        deadline: Deadline,
    ) -> Result<()> {
        let mut calls = Vec::new();
        for parent in parents {
            if expanded.insert(parent) {
                calls.push(
                    session.start("Accessibility.getChildAXNodes", json!({ "id": parent.to_string() }))?,
                );
            }
        }
        let mut seen: HashMap<NativeKey, ()> = HashMap::new();
        for call in calls {
            let nodes = match call.read::<AxNodes>(deadline).await {
                Ok(nodes) => nodes.nodes,
                Err(error) if error.code == stillpoint_core::Code::Protocol => continue,
                Err(error) => return Err(error),
            };
            for node in nodes.into_iter().filter(|node| !node.is_line() && node.number() < 0) {
                let at = key(serial, node.number());
                seen.insert(at, ());
                let raw = node.into_raw(serial, index);
                self.touched.insert(at);
                self.touched.extend(raw.parent);
                self.model.raw.insert(at, raw);
            }
        }
        Ok(())
    }

}
