//! Reading: a whole frame, or the few nodes that the observer named.

use crate::events::{Live, PATIENCE, Tag};
use crate::large::ROOM;
use crate::node::{AxNodes, Facts, key};
use crate::refresh::FEW;
use crate::socket::Session;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashSet;
use stillpoint_core::tree::{NativeKey, Rect};
use stillpoint_core::{Error, Result};
use stillpoint_engine::backend::Deadline;
use tokio::time::Instant;

/// What the observer tells.
#[derive(Default, Deserialize)]
struct Told {
    #[serde(default)]
    bulk: bool,
    #[serde(default)]
    superseded: bool,
    #[serde(default)]
    dirty: Vec<u32>,
    /// Texts that the browser may have left out for longer than it should.
    #[serde(default)]
    late: Vec<u32>,
    #[serde(default)]
    refs: Vec<u32>,
    #[serde(default)]
    facts: Vec<Fact>,
    #[serde(default)]
    controls: usize,
    #[serde(default)]
    size: usize,
    #[serde(default)]
    parsing: bool,
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

/// What `count` asked for; nothing where the script failed.
#[derive(Deserialize)]
struct Counted {
    result: Count,
}

#[derive(Deserialize)]
struct Count {
    value: Option<(usize, bool)>,
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

impl Live {
    /// Reads everything that is known to have changed. With `all`, also what would otherwise be put off.
    pub(crate) async fn catch_up(&mut self, all: bool) {
        if self.browser.dialog_is_open() {
            return;
        }
        if all {
            // The browser puts some consequences off to its next frame: what was read before it is read once more.
            for frame in self.frames.values_mut() {
                let mut recent = std::mem::take(&mut frame.recent);
                recent.retain(|ax| !frame.dirty.contains(ax));
                frame.dirty.extend(&recent);
                frame.second = recent;
            }
        }
        for _ in 0..4 {
            let due: Vec<String> = self
                .frames
                .iter()
                .filter(|(_, f)| f.is_due(all))
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
            // Whether it is read now depends on what it is like.
            return self.enter(id, &session).await;
        }
        let Some(frame) = self.frames.get_mut(id) else { return Ok(()) };
        let second = std::mem::take(&mut frame.second);
        let few = if frame.is_large() { ROOM / 4 } else { FEW.min(20 + self.model.len() / 4) };
        let wanted = std::mem::take(&mut frame.wanted);
        if frame.bulk || frame.dirty.len() + wanted.len() > few {
            frame.bulk = false;
            let dirty = std::mem::take(&mut frame.dirty);
            frame.recent = if dirty.len() <= FEW { dirty.clone() } else { HashSet::new() };
            let read = self.read_whole(id, &session).await;
            if read.is_err()
                && let Some(frame) = self.frames.get_mut(id)
            {
                frame.bulk = true;
                frame.dirty = dirty;
            }
            return read;
        }
        let dirty = std::mem::take(&mut frame.dirty);
        if dirty.is_empty() && wanted.is_empty() {
            return Ok(());
        }
        let (serial, index) = (frame.serial, frame.index);
        // Twice is enough: on a page that never rests, each barrier would read what all before it had read.
        frame.recent = &dirty - &second;
        tracing::trace!(?dirty, wanted = wanted.len(), "reading some");
        let read = self.read_some(&session, serial, index, &(&dirty | &wanted)).await;
        let Some(frame) = self.frames.get_mut(id) else { return read };
        if read.is_err() {
            frame.dirty.extend(dirty);
            frame.wanted.extend(wanted);
        } else if !frame.bulk {
            let is_absent = |ax: &i64| !self.model.raw.contains_key(&key(serial, *ax));
            frame.absent.extend(wanted.into_iter().filter(is_absent));
        }
        read
    }

    /// Reads everything in a frame, a large document in part.
    async fn read_whole(&mut self, id: &str, session: &Session) -> Result<()> {
        let Some(frame) = self.frames.get_mut(id) else { return Ok(()) };
        if let (Some(since), Some(context)) = (frame.parsing, frame.context) {
            // Its script may be at work: the answer comes behind it, and so would the tree.
            let (size, is_being_parsed) = count(session, context, "").await?;
            frame.size = size;
            frame.parsing = is_being_parsed.then_some(since);
        }
        if frame.is_large() { self.read_large(id, session).await } else { self.read_all(id, session).await }
    }

    /// Puts the observer into a document.
    async fn enter(&mut self, id: &str, session: &Session) -> Result<()> {
        let world: World = session
            .call(
                "Page.createIsolatedWorld",
                json!({ "frameId": id, "worldName": format!("stillpoint-{}", self.options.token) }),
                Deadline::after(PATIENCE),
            )
            .await?;
        let context = world.execution_context_id;
        let config = json!({
            "tests": self.options.test_attributes,
            "idle": self.options.full,
            "token": if self.options.full { Value::from(self.options.token.as_str()) } else { Value::Null },
        });
        // An observer that is there already has told its facts to somebody who forgot them. How large the document is
        // decides how it is read, so this is awaited.
        let observer = format!("({})({config}); stillpoint.forget(); ", include_str!("observer.js"));
        let (size, is_being_parsed) = count(session, context, &observer).await?;
        if let Some(frame) = self.frames.get_mut(id) {
            frame.context = Some(context);
            frame.size = size;
            frame.parsing = is_being_parsed.then(Instant::now);
            frame.leaving = None;
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
                // The document is on its way out; a new one will announce itself. If it does not, it is entered again.
                tracing::debug!(%error, frame = %id, "an observer fell silent");
                if let Some(frame) = self.frames.get_mut(id) {
                    frame.context = None;
                    frame.leaving = Some(Instant::now());
                }
                self.again = true;
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
        let was_large = frame.is_large();
        frame.size = told.size;
        // What was left out of it is wanted now.
        frame.bulk |= was_large && !frame.is_large();
        frame.parsing = frame.parsing.filter(|_| told.parsing);
        frame.dirty.extend(told.dirty.iter().filter_map(|n| frame.numbers.get(n)));
        frame.absent.retain(|ax| !frame.dirty.contains(ax));
        let is_left_out =
            |ax: &&i64| self.model.raw.get(&key(frame.serial, **ax)).is_none_or(|raw| raw.role.is_none());
        let late = told.late.iter().filter_map(|n| frame.numbers.get(n)).filter(is_left_out);
        frame.dirty.extend(late);
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
            if facts.place.is_some() && !frame.absent.contains(backend) {
                // What is mirrored of a long list, and of a large document, follows what is on screen.
                frame.dirty.extend(self.model.left_out_by(key, &frame.capped));
                if frame.is_large() && !self.model.raw.contains_key(&key) {
                    frame.wanted.insert(*backend);
                }
            }
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
        tracing::trace!(id, "reading all");
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
            let raw = node.into_raw(serial, index);
            let raw = self.capped(id, at, raw);
            self.model.raw.insert(at, raw);
        }
        self.connect(id, root).await
    }
}

/// How many elements a document has, and whether it is still being parsed; `first` is done before.
async fn count(session: &Session, context: i64, first: &str) -> Result<(usize, bool)> {
    let source = format!("{first}[stillpoint.size(), stillpoint.parsing()]");
    let params = json!({ "expression": source, "contextId": context, "silent": true, "returnByValue": true });
    let counted: Counted = session.call("Runtime.evaluate", params, Deadline::after(PATIENCE)).await?;
    Ok(counted.result.value.unwrap_or_default())
}
