//! The mirror task: everything that arrives, in its order, becomes changes in the sink.
//!
//! One task owns the model. It takes in all notes that have arrived, reads what they made dirty, and sends the
//! difference. A flush is answered when everything before it has been dealt with.

use crate::frames::{
    AttachedTo, Embedded, Frame, FrameInfo, FrameTree, FrameTreeAnswer, Page, Reach, Shared, TargetInfo,
};
use crate::idle::Board;
use crate::network::{Log, Traffic};
use crate::node::key;
use crate::project::Model;
use crate::socket::{Note, Session};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use stillpoint_core::tree::{Change, Limits, NativeKey};
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::{Deadline, End, EventSink, Scope};
use tokio::sync::{mpsc, oneshot};

/// How often form controls are sampled for values that a script has set.
const SAMPLING: Duration = Duration::from_millis(150);
/// How long a page may take to answer the mirror before the mirror goes on without it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Settings of one attachment.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) limits: Limits,
    /// Timers are counted and idleness is told.
    pub(crate) full: bool,
    /// Attributes that developers put test ids into.
    pub(crate) test_attributes: Vec<String>,
    /// The name of the event that brings the count of timers; nobody can guess it.
    pub(crate) token: String,
    /// Where downloads go, if we may say so.
    pub(crate) downloads: Option<std::path::PathBuf>,
}

/// A wish to have part of the page read again.
#[derive(Debug)]
pub(crate) struct Reread {
    pub(crate) scope: Scope,
    pub(crate) deadline: Deadline,
    pub(crate) answer: oneshot::Sender<Result<Vec<Change>>>,
}

/// What the answer to a routed command is about.
pub(crate) enum Tag {
    /// The observer of a frame has something to tell.
    Observed { frame: String, context: i64 },
    /// A sample of form controls was taken.
    Sampled { frame: String },
}

/// The mirror.
pub(crate) struct Live {
    pub(crate) browser: Session,
    pub(crate) sink: EventSink,
    pub(crate) options: Options,
    pub(crate) model: Model,
    pub(crate) pages: Vec<Page>,
    pub(crate) frames: HashMap<String, Frame>,
    pub(crate) shared: Shared,
    pub(crate) tags: HashMap<u64, Tag>,
    pub(crate) touched: HashSet<NativeKey>,
    pub(crate) board: Board,
    pub(crate) traffic: Traffic,
    pub(crate) last_serial: u32,
    pub(crate) last_number: u64,
    flushes: Vec<oneshot::Sender<bool>>,
    /// Something was found that must be looked at once more.
    pub(crate) again: bool,
    rereads: Vec<Reread>,
    /// Changes go to the sink only once the first tree has been given out.
    first_given: bool,
    pub(crate) screen: Vec<Change>,
    ended: bool,
}

impl Live {
    pub(crate) fn new(browser: Session, sink: EventSink, options: Options, shared: Shared, log: Log) -> Self {
        Live {
            browser,
            sink,
            options,
            model: Model::default(),
            pages: Vec::new(),
            frames: HashMap::new(),
            shared,
            tags: HashMap::new(),
            touched: HashSet::new(),
            board: Board::new(),
            traffic: Traffic::new(log),
            last_serial: 0,
            last_number: 0,
            flushes: Vec::new(),
            again: false,
            rereads: Vec::new(),
            first_given: false,
            screen: Vec::new(),
            ended: false,
        }
    }

    /// Runs until the browser or the session is gone.
    pub(crate) async fn run(mut self, mut notes: mpsc::Receiver<Note>) {
        let mut tick = tokio::time::interval(SAMPLING);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        while !self.ended {
            tokio::select! {
                biased;
                note = notes.recv() => match note {
                    Some(note) => self.take(note).await,
                    None => break,
                },
                _ = tick.tick() => self.sample(),
            }
            while let Ok(note) = notes.try_recv() {
                self.take(note).await;
            }
            self.catch_up(!self.flushes.is_empty()).await;
            self.tell();
            if !self.flushes.is_empty() {
                let again = std::mem::take(&mut self.again);
                for flush in std::mem::take(&mut self.flushes) {
                    // Whoever asked may have given up waiting.
                    let _ = flush.send(again);
                }
            }
            for reread in std::mem::take(&mut self.rereads) {
                self.reread(reread).await;
            }
            self.publish();
        }
    }

    async fn take(&mut self, note: Note) {
        match note {
            Note::Event { session, method, params } => self.event(&session, &method, params.get()).await,
            Note::Answer { tag, result } => match self.tags.remove(&tag) {
                Some(Tag::Observed { frame, context }) => self.observed(&frame, context, result).await,
                Some(Tag::Sampled { frame }) => {
                    if let Some(frame) = self.frames.get_mut(&frame) {
                        frame.sampling = false;
                    }
                }
                None => {}
            },
            Note::Flush(done) => self.flushes.push(done),
            Note::Reread(wish) => self.rereads.push(wish),
            Note::Nearest(keys, answer) => {
                // Whoever asked may have given up waiting.
                let _ = answer.send(keys.into_iter().find(|key| self.model.is_shown(*key)));
            }
            Note::Missed => self.frames.values_mut().for_each(|frame| frame.bulk = true),
            Note::Gone => self.end(End::Lost(crate::socket::lost())),
        }
    }

    pub(crate) fn end(&mut self, end: End) {
        self.ended = true;
        self.sink.end(end);
    }

    async fn event(&mut self, session: &str, method: &str, params: &str) {
        match method {
            "Target.attachedToTarget" => {
                if let Some(attached) = parse::<AttachedTo>(method, params) {
                    self.attached(session, attached).await;
                }
            }
            "Target.detachedFromTarget" => {
                if let Some(gone) = parse::<SessionOf>(method, params) {
                    self.detached(&gone.session_id);
                }
            }
            "Inspector.targetCrashed" => self.crashed(session),
            "Page.frameAttached" | "Page.frameDetached" => {
                if let Some(frame) = parse::<FrameOf>(method, params) {
                    if method == "Page.frameDetached" {
                        self.frame_gone(&frame, session);
                    }
                }
            }
            "Page.frameNavigated" => {
                if let Some(navigated) = parse::<Navigated>(method, params) {
                    self.navigated(session, &navigated.frame).await;
                }
            }
            "Page.navigatedWithinDocument" => {
                if let Some(moved) = parse::<MovedWithin>(method, params) {
                    self.moved_within(session, &moved);
                }
            }
            "Page.loadEventFired" => self.shared.lock().loads.send_modify(|n| *n += 1),
            "Page.javascriptDialogOpening" => self.dialog_opened(session, params),
            "Page.javascriptDialogClosed" => self.dialog_closed(session),
            "Input.dragIntercepted" => {
                let event: Option<serde_json::Value> = parse(method, params);
                self.shared.lock().drag = event.map(|mut event| event["data"].take());
            }
            _ if method.starts_with("Network.") => self.traffic.event(session, method, params),
            _ => {}
        }
    }

    async fn attached(&mut self, parent: &str, target: AttachedTo) {
        let session = self.browser.of(&target.session_id);
        let TargetInfo { target_id, kind, title, url } = target.target_info;
        let is_window = kind == "page";
        if !is_window && kind != "iframe" || url.starts_with("devtools://") {
            session.post("Runtime.runIfWaitingForDebugger", json!({}));
            self.browser
                .of(parent)
                .post("Target.detachFromTarget", json!({ "sessionId": target.session_id }));
            return;
        }
        let window_session = if is_window {
            target.session_id.clone()
        } else {
            self.page(parent).map_or_else(|| parent.to_owned(), |page| page.window_session.clone())
        };
        self.last_serial += 1;
        self.pages.retain(|page| page.session.id() != target.session_id);
        self.pages.push(Page {
            session: session.clone(),
            window_session,
            root_frame: target_id.clone(),
            serial: self.last_serial,
            is_window,
            window: None,
            crashed: false,
            title,
            url,
        });
        if let Err(error) = self.set_up(&session).await {
            tracing::warn!(%error, "a page could not be set up");
        }
    }

    /// Switches on what the mirror needs, and lets the target run.
    async fn set_up(&mut self, session: &Session) -> Result<()> {
        for domain in ["Page.enable", "DOM.enable", "Accessibility.enable", "Network.enable"] {
            session.post(domain, json!({}));
        }
        session.post(
            "Target.setAutoAttach",
            json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
                    "filter": [{ "type": "iframe" }, { "exclude": true }] }),
        );
        if self.options.full {
            let source = format!("({})({:?},1500)", include_str!("instrument.js"), self.options.token);
            session.post(
                "Page.addScriptToEvaluateOnNewDocument",
                json!({ "source": source, "runImmediately": true }),
            );
        }
        let tree = session.start("Page.getFrameTree", json!({}))?;
        session.post("Runtime.runIfWaitingForDebugger", json!({}));
        let answer: FrameTreeAnswer = tree.read(Deadline::after(PATIENCE)).await?;
        self.add_frames(session, answer.frame_tree).await;
        Ok(())
    }

    async fn add_frames(&mut self, session: &Session, tree: FrameTree) {
        let mut stack = vec![tree];
        while let Some(tree) = stack.pop() {
            self.navigated(session.id(), &tree.frame).await;
            stack.extend(tree.child_frames);
        }
    }

    /// A frame has a new document.
    async fn navigated(&mut self, session: &str, info: &FrameInfo) {
        let Some(at) = self.pages.iter().position(|page| page.session.id() == session) else { return };
        let known_parent = self.frames.get(&info.id).and_then(|frame| frame.parent.clone());
        self.drop_document(&info.id);
        self.last_number += 1;
        let page = &mut self.pages[at];
        if page.root_frame == info.id {
            if page.window.is_some() || self.frames.values().any(|f| f.serial == page.serial) {
                self.last_serial += 1;
                page.serial = self.last_serial;
            }
            page.url.clone_from(&info.url);
        }
        let parent = info.parent_id.clone().or(known_parent);
        let frame = Frame::new(self.last_number as u32, session, parent, page.serial);
        self.frames.insert(info.id.clone(), frame);
        self.update_registry();
    }

    fn moved_within(&mut self, session: &str, moved: &MovedWithin) {
        let Some(page) = self.pages.iter_mut().find(|p| p.session.id() == session) else { return };
        if page.root_frame == moved.frame_id {
            page.url.clone_from(&moved.url);
            self.screen_changed(session);
        }
    }

    fn frame_gone(&mut self, frame: &FrameOf, session: &str) {
        // A frame that moves to another process is detached here after it was attached there.
        if self.frames.get(&frame.frame_id).is_none_or(|known| known.session == session) {
            self.drop_document(&frame.frame_id);
            self.frames.remove(&frame.frame_id);
            self.update_registry();
        }
    }

    /// Forgets the document of a frame, and of the frames inside it.
    pub(crate) fn drop_document(&mut self, id: &str) {
        let inner: Vec<String> = self
            .frames
            .iter()
            .filter(|(_, f)| f.parent.as_deref() == Some(id))
            .map(|(id, _)| id.clone())
            .collect();
        for id in inner {
            self.drop_document(&id);
            self.frames.remove(&id);
        }
        let Some(frame) = self.frames.get_mut(id) else { return };
        let (index, root) = (frame.index, frame.root.take());
        frame.context = None;
        self.model.drop_frame(index);
        self.model.drop_facts(index);
        if let Some(root) = root {
            self.touched.extend(self.model.around.remove(&root));
            self.model.inside.retain(|_, inside| *inside != root);
        }
    }

    fn detached(&mut self, session: &str) {
        let Some(at) = self.pages.iter().position(|p| p.session.id() == session) else { return };
        let page = self.pages.remove(at);
        self.traffic.drop_session(session);
        if self.frames.get(&page.root_frame).is_some_and(|f| f.session == session) {
            self.drop_document(&page.root_frame);
            self.frames.remove(&page.root_frame);
        }
        self.frames.retain(|_, frame| frame.session != session);
        if let Some(window) = page.window {
            self.model.windows.retain(|w| *w != window);
            self.model.made.remove(&window);
        }
        self.update_registry();
        if page.is_window && !self.pages.iter().any(|p| p.is_window) && self.first_given {
            self.tell();
            self.end(End::Closed);
        } else if let Some(front) =
            self.pages.iter().rev().find(|p| p.is_window).map(|p| p.session.id().to_owned())
        {
            self.screen_changed(&front);
        }
    }

    pub(crate) fn page(&self, session: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.session.id() == session)
    }

    /// Tells which screen is shown, if the page is a window.
    pub(crate) fn screen_changed(&mut self, session: &str) {
        if let Some(page) = self.page(session).filter(|p| p.is_window) {
            let change = Change::Screen {
                title: Some(page.title.as_str().into()),
                url: Some(page.url.as_str().into()),
                active: page.window,
            };
            self.screen.push(change);
        }
    }

    /// Sends what has changed since the last time.
    pub(crate) fn tell(&mut self) {
        let touched = std::mem::take(&mut self.touched);
        let mut changes = self.model.reproject(&touched);
        changes.append(&mut self.screen);
        if self.first_given {
            self.sink.send(changes);
        }
    }

    async fn reread(&mut self, wish: Reread) {
        let Reread { scope, deadline, answer } = wish;
        let frames: Vec<String> = match scope {
            Scope::Everything => self.frames.keys().cloned().collect(),
            Scope::Subtree(key) => self.frame_of(key).into_iter().collect(),
        };
        for frame in frames {
            if let Some(frame) = self.frames.get_mut(&frame) {
                frame.bulk = true;
            }
        }
        let done = deadline.bound("reading the page again", async {
            self.catch_up(true).await;
            Ok(())
        });
        let result = done.await.and_then(|()| self.whole(scope));
        if self.first_given {
            self.tell();
        } else if result.is_ok() {
            self.first_given = true;
        }
        // Whoever asked may have given up waiting.
        let _ = answer.send(result);
    }

    /// The truth as it was read, as one change.
    fn whole(&mut self, scope: Scope) -> Result<Vec<Change>> {
        if let Some(unread) = self.frames.values().find(|f| f.bulk && f.root.is_none() && f.parent.is_none())
            && !self.browser.dialog_is_open()
        {
            let _ = unread;
            return Err(Error::new(
                Code::TargetUnresponsive,
                "a page did not let its accessibility tree be read",
                "its main thread may be busy; try again, or give a longer timeout",
            ));
        }
        let touched = std::mem::take(&mut self.touched);
        let changes = self.model.reproject(&touched);
        if self.first_given {
            self.sink.send(changes);
        }
        Ok(match scope {
            Scope::Everything => {
                let mut all = vec![Change::Replace(self.model.tree())];
                if let Some(front) =
                    self.pages.iter().rev().find(|p| p.is_window).map(|p| p.session.id().to_owned())
                {
                    self.screen_changed(&front);
                }
                all.append(&mut self.screen);
                all
            }
            Scope::Subtree(key) => match self.model.subtree(key) {
                Some(node) => vec![Change::Replace(node)],
                None => vec![Change::Remove { key }],
            },
        })
    }

    fn frame_of(&self, key: NativeKey) -> Option<String> {
        let index = self.model.raw.get(&key)?.frame;
        self.frames.iter().find(|(_, frame)| frame.index == index).map(|(id, _)| id.clone())
    }

    /// Makes known how everything can be reached.
    pub(crate) fn update_registry(&mut self) {
        let mut serials = HashMap::new();
        let mut embedded = Vec::new();
        for page in &self.pages {
            let window = self.browser.of(&page.window_session);
            let root = self.frames.get(&page.root_frame).and_then(|f| f.root);
            let offset =
                root.filter(|_| !page.is_window).and_then(|root| self.model.offset(root)).unwrap_or_default();
            if let Some(element) =
                root.filter(|_| !page.is_window).and_then(|root| self.model.around.get(&root))
            {
                embedded.push(Embedded { element: *element, session: page.session.clone(), offset });
            }
            let session = page.session.id();
            let contexts =
                self.frames.values().filter(|f| f.session == session).filter_map(|f| f.context).collect();
            serials.insert(page.serial, Reach { session: page.session.clone(), window, offset, contexts });
        }
        let observers = self
            .frames
            .values()
            .filter(|frame| self.page(&frame.session).is_some_and(|p| !p.crashed))
            .filter_map(|frame| Some((self.browser.of(&frame.session), frame.context?)))
            .collect();
        let windows = self.pages.iter().filter_map(|p| Some((p.window?, p.session.clone()))).collect();
        let frames = self.frames.iter().map(|(id, frame)| (id.clone(), frame.serial)).collect();
        let mut registry = self.shared.lock();
        registry.frames = frames;
        registry.serials = serials;
        registry.embedded = embedded;
        registry.observers = observers;
        registry.windows = windows;
    }

    fn publish(&mut self) {
        if !self.options.full {
            return;
        }
        let unread = self.frames.values().filter(|f| f.bulk || !f.dirty.is_empty()).count();
        let pages = self.frames.values().map(|frame| frame.in_page);
        self.board.publish(pages, &self.traffic, unread);
    }

    /// Form controls whose value was set by a script tell nobody: they are looked at now and then.
    fn sample(&mut self) {
        if self.browser.dialog_is_open() {
            return;
        }
        let due: Vec<(String, String, i64)> = self
            .frames
            .iter()
            .filter(|(_, f)| f.controls > 0 && !f.sampling)
            .filter_map(|(id, f)| Some((id.clone(), f.session.clone(), f.context?)))
            .collect();
        for (id, session, context) in due {
            self.last_number += 1;
            let tag = self.last_number;
            let params = json!({ "expression": "stillpoint.sample()", "contextId": context, "silent": true });
            if self.browser.of(&session).route(tag, "Runtime.evaluate", params).is_ok() {
                self.tags.insert(tag, Tag::Sampled { frame: id.clone() });
                if let Some(frame) = self.frames.get_mut(&id) {
                    frame.sampling = true;
                }
            }
        }
    }

    /// A key that belongs to no document: for windows that we make ourselves.
    pub(crate) fn own_key(&mut self) -> NativeKey {
        self.last_number += 1;
        key(0, 1000 + self.last_number as i64)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SessionOf {
    session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameOf {
    pub(crate) frame_id: String,
}

#[derive(Deserialize)]
struct Navigated {
    frame: FrameInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MovedWithin {
    frame_id: String,
    url: String,
}

/// Reads an event; one that we do not understand is logged and left out.
pub(crate) fn parse<T: DeserializeOwned>(method: &str, params: &str) -> Option<T> {
    serde_json::from_str(params)
        .map_err(|error| tracing::warn!(%error, method, "an event of the browser was not understood"))
        .ok()
}
