//! The mirror task: everything that arrives, in its order, becomes changes in the sink.
//!
//! One task owns the model. It takes in all notes that have arrived, reads what they made dirty, and sends the
//! difference. A flush is answered when everything before it has been dealt with.

use crate::frames::{AttachedTo, Frame, Page, Shared};
use crate::idle::Board;
use crate::network::{Log, Traffic};
use crate::node::key;
use crate::project::Model;
use crate::socket::{Note, Session};
use crate::targets::{FrameOf, MovedWithin, Navigated};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
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
}

/// A wish to have part of the page read again.
#[derive(Debug)]
pub(crate) struct Reread {
    pub(crate) scope: Scope,
    pub(crate) deadline: Deadline,
    pub(crate) answer: oneshot::Sender<Result<Vec<Change>>>,
    pub(crate) hold: Hold,
}

/// While one is alive, nothing goes to the sink: what is older than the answer to a refresh must not come after it.
/// The answer brings all of it; what comes later is sent when the hold has ended.
#[derive(Debug)]
pub(crate) struct Hold(Arc<AtomicUsize>);

impl Hold {
    pub(crate) fn new(holds: &Arc<AtomicUsize>) -> Self {
        holds.fetch_add(1, Ordering::AcqRel);
        Hold(holds.clone())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What the answer to a routed command is about.
pub(crate) enum Tag {
    /// The observer of a frame has something to tell.
    Observed { frame: String, context: i64 },
    /// A page that answers late has told its frames.
    Listed { session: String },
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
    pub(crate) first_given: bool,
    holds: Arc<AtomicUsize>,
    pub(crate) screen: Vec<Change>,
    ended: bool,
}

impl Live {
    pub(crate) fn new(browser: Session, sink: EventSink, options: Options, shared: Shared, log: Log) -> Self {
        let holds = shared.lock().holds.clone();
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
            holds,
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
                Some(Tag::Listed { session }) => self.listed(&session, result),
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
            "Page.frameDetached" => {
                if let Some(frame) = parse::<FrameOf>(method, params) {
                    self.frame_gone(&frame, session);
                }
            }
            "Page.frameNavigated" => {
                if let Some(navigated) = parse::<Navigated>(method, params) {
                    self.traffic.handed_over(&navigated.frame.id, session);
                    self.navigated(session, &navigated.frame);
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
            _ if method.starts_with("Network.") || method.starts_with("Browser.download") => {
                self.shared.lock().news = true;
                self.traffic.event(session, method, params);
            }
            _ => {}
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
        if self.holds.load(Ordering::Acquire) > 0 {
            return;
        }
        let touched = std::mem::take(&mut self.touched);
        let mut changes = self.model.reproject(&touched);
        changes.append(&mut self.screen);
        if self.first_given {
            self.sink.send(changes);
        }
    }

    async fn reread(&mut self, wish: Reread) {
        let Reread { scope, deadline, answer, hold } = wish;
        let frames: Vec<String> = match scope {
            Scope::Everything => self.frames.keys().cloned().collect(),
            Scope::Subtree(key) => self.frame_of(key).into_iter().collect(),
        };
        // The first tree has just been read by the barrier before it.
        for frame in frames.iter().filter(|_| self.first_given) {
            if let Some(frame) = self.frames.get_mut(frame) {
                frame.bulk = true;
            }
        }
        let done = deadline.bound("reading the page again", async {
            self.catch_up(true).await;
            Ok(())
        });
        let result = match done.await {
            // Who has given up waiting gets what was found like everybody, through the sink.
            Ok(()) if answer.is_closed() => return drop(hold),
            Ok(()) => self.whole(scope),
            Err(error) => Err(error),
        };
        self.first_given |= result.is_ok();
        drop(hold);
        // Whoever asked may have given up waiting in this very moment; then it asks again.
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
        Ok(match scope {
            Scope::Everything => {
                self.sink.supersede();
                let mut all = vec![Change::Replace(self.model.tree())];
                if let Some(front) =
                    self.pages.iter().rev().find(|p| p.is_window).map(|p| p.session.id().to_owned())
                {
                    self.screen_changed(&front);
                }
                all.append(&mut self.screen);
                all
            }
            // What else was found on the way comes first: the subtree may have moved.
            Scope::Subtree(key) => {
                let mut all = changes;
                all.append(&mut self.screen);
                match self.model.subtree(key) {
                    Some(node) => all.push(Change::Replace(node)),
                    None => all.push(Change::Remove { key }),
                }
                all
            }
        })
    }

    pub(crate) fn frame_of(&self, key: NativeKey) -> Option<String> {
        let index = self.model.raw.get(&key)?.frame;
        self.frames.iter().find(|(_, frame)| frame.index == index).map(|(id, _)| id.clone())
    }

    fn publish(&mut self) {
        if !self.options.full {
            return;
        }
        // A page that stands still for a dialog goes on only when that is answered: it is at rest until then.
        let is_held = self.browser.dialog_is_open();
        let held: HashSet<String> =
            self.shared.lock().dialogs.values().map(|part| part.session.id().to_owned()).collect();
        let unread = self.frames.values().filter(|f| !is_held && (f.bulk || !f.dirty.is_empty())).count();
        let pages = self.frames.values().filter(|f| !held.contains(&f.session)).map(|frame| frame.in_page);
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

/// Reads an event; one that we do not understand is logged and left out.
pub(crate) fn parse<T: DeserializeOwned>(method: &str, params: &str) -> Option<T> {
    serde_json::from_str(params)
        .map_err(|error| tracing::warn!(%error, method, "an event of the browser was not understood"))
        .ok()
}
