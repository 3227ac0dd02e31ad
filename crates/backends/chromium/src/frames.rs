//! Targets and frames: which page holds which documents, in which process, and how to reach them.

use crate::large::LARGE;
use crate::socket::Session;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stillpoint_core::tree::NativeKey;
use stillpoint_core::{Code, Error, Result};
use tokio::sync::watch;
use tokio::time::Instant;

/// One attached target: a page, or a frame that lives in a process of its own.
pub(crate) struct Page {
    pub(crate) session: Session,
    /// The session of the window that it belongs to; its own for a page.
    pub(crate) window_session: String,
    /// The frame in which it is rooted.
    pub(crate) root_frame: String,
    /// The document generation: new for each document of the root frame.
    pub(crate) serial: u32,
    /// Whether it is a window rather than a frame of another page.
    pub(crate) is_window: bool,
    /// The window's element, once its document has been read.
    pub(crate) window: Option<NativeKey>,
    /// Its renderer died.
    pub(crate) crashed: bool,
    /// Title and address, as last told.
    pub(crate) title: String,
    pub(crate) url: String,
}

/// A document that is on its way out is followed by another within this time, or stays.
const LEAVING: Duration = Duration::from_secs(1);

/// A document that is still being parsed after this long is read as far as it has come.
const PARSING: Duration = Duration::from_millis(150);

/// One frame with its document.
pub(crate) struct Frame {
    /// Our number for this document in this frame.
    pub(crate) index: u32,
    pub(crate) session: String,
    pub(crate) parent: Option<String>,
    pub(crate) serial: u32,
    /// The observer's world in this document.
    pub(crate) context: Option<i64>,
    /// When its observer fell silent: the document is on its way out, and is not read in the place of the next one.
    pub(crate) leaving: Option<Instant>,
    /// The document's node.
    pub(crate) root: Option<NativeKey>,
    /// The observer's numbers → the browser's.
    pub(crate) numbers: HashMap<u32, i64>,
    /// How many form controls it has: those are sampled.
    pub(crate) controls: usize,
    /// How many elements the document has.
    pub(crate) size: usize,
    /// Since when it is known to be under the parser: until that has ended nobody knows how large it will be.
    pub(crate) parsing: Option<Instant>,
    /// Containers of which only a part is mirrored, with the first child of that part.
    pub(crate) capped: HashMap<i64, NativeKey>,
    /// A sample is under way.
    pub(crate) sampling: bool,
    /// What the page is busy with, by its own account.
    pub(crate) in_page: crate::idle::InPage,
    /// Nodes to read again.
    pub(crate) dirty: HashSet<i64>,
    /// Nodes that were read since the last barrier, and those of `dirty` that are there to be read for the second time.
    pub(crate) recent: HashSet<i64>,
    pub(crate) second: HashSet<i64>,
    /// Nodes that came on screen and are not known, in a large document.
    pub(crate) wanted: HashSet<i64>,
    /// Nodes that were wanted, and have no place in the tree.
    pub(crate) absent: HashSet<i64>,
    /// Everything is to be read again.
    pub(crate) bulk: bool,
    /// When everything was last read, and how long that took.
    pub(crate) read: Option<(Instant, Duration)>,
}

impl Frame {
    /// Whether something of it is to be read; `all` of it, or only what is not at rest from its last reading.
    pub(crate) fn is_due(&self, all: bool) -> bool {
        if self.context.is_none() {
            return self.leaving.is_none_or(|since| since.elapsed() > LEAVING);
        }
        if self.bulk && !all && self.is_being_parsed() {
            return false;
        }
        (self.bulk && (all || !self.is_resting()))
            || !self.dirty.is_empty()
            || (!self.bulk && !self.wanted.is_empty())
    }

    pub(crate) fn new(index: u32, session: &str, parent: Option<String>, serial: u32) -> Self {
        Frame {
            index,
            session: session.to_owned(),
            parent,
            serial,
            context: None,
            leaving: None,
            root: None,
            numbers: HashMap::new(),
            controls: 0,
            size: 0,
            parsing: None,
            capped: HashMap::new(),
            sampling: false,
            in_page: crate::idle::InPage::default(),
            dirty: HashSet::new(),
            recent: HashSet::new(),
            second: HashSet::new(),
            wanted: HashSet::new(),
            absent: HashSet::new(),
            bulk: true,
            read: None,
        }
    }

    /// Whether it is mirrored in part.
    pub(crate) fn is_large(&self) -> bool {
        self.size > LARGE
    }

    /// Whether a full read would come too early: a document may grow by tens of thousands of elements in the turn of its script
    /// that comes next, and how it is best read depends on that.
    fn is_being_parsed(&self) -> bool {
        self.parsing.is_some_and(|since| since.elapsed() < PARSING)
    }

    /// Whether a full read would come too soon after the last one: a big page that keeps growing is read at
    /// most half of the time.
    pub(crate) fn is_resting(&self) -> bool {
        self.read.is_some_and(|(at, cost)| cost > Duration::from_millis(20) && at.elapsed() < cost)
    }
}

/// `targetInfo` of the Target domain, as far as it is used.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TargetInfo {
    pub(crate) target_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) title: String,
    #[serde(default)]
    pub(crate) url: String,
}

/// `Target.attachedToTarget`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttachedTo {
    pub(crate) session_id: String,
    pub(crate) target_info: TargetInfo,
}

/// A frame of the Page domain.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameInfo {
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
    #[serde(default)]
    pub(crate) url: String,
}

/// `Page.getFrameTree`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameTree {
    pub(crate) frame: FrameInfo,
    #[serde(default)]
    pub(crate) child_frames: Vec<FrameTree>,
}

/// The answer that holds it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameTreeAnswer {
    pub(crate) frame_tree: FrameTree,
}

/// What a button of a dialog does.
#[derive(Clone)]
pub(crate) struct DialogPart {
    pub(crate) session: Session,
    pub(crate) window: NativeKey,
    pub(crate) kind: DialogKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialogKind {
    Accept,
    Dismiss,
    Answer,
}

/// What everybody who acts must know; the mirror keeps it current.
#[derive(Default)]
pub(crate) struct Registry {
    /// By document generation: the target's session, its window's session, where its viewport begins.
    pub(crate) serials: HashMap<u32, Reach>,
    /// Every observer that can be asked.
    pub(crate) observers: Vec<(Session, i64)>,
    /// Frames in processes of their own.
    pub(crate) embedded: Vec<Embedded>,
    /// The windows, in order.
    pub(crate) windows: Vec<(NativeKey, Session)>,
    /// Parts of open dialogs.
    pub(crate) dialogs: HashMap<NativeKey, DialogPart>,
    /// What was typed into a prompt.
    pub(crate) prompt: HashMap<NativeKey, String>,
    /// How often a page has finished loading.
    pub(crate) loads: watch::Sender<u64>,
    /// How many pages have told their frames.
    pub(crate) attached: watch::Sender<u64>,
    /// How many refreshes are under way.
    pub(crate) holds: Arc<AtomicUsize>,
    /// What is being dragged, once the page has begun it.
    pub(crate) drag: Option<serde_json::Value>,
    /// How far the document of a session was scrolled when that was last asked.
    pub(crate) scrolled: HashMap<String, (i32, i32)>,
    /// Something happened that a page may have answered to without its observer hearing of it.
    pub(crate) news: bool,
    /// The frame's document generation, by the browser's name for the frame.
    pub(crate) frames: HashMap<String, u32>,
}

/// A frame in a process of its own: the element that holds it, and who answers for its inside.
pub(crate) struct Embedded {
    pub(crate) element: NativeKey,
    pub(crate) session: Session,
    pub(crate) offset: (i32, i32),
}

/// How to reach a document.
#[derive(Clone)]
pub(crate) struct Reach {
    pub(crate) session: Session,
    pub(crate) window: Session,
    pub(crate) offset: (i32, i32),
    /// The observer's worlds in its documents.
    pub(crate) contexts: Vec<i64>,
}

/// A node that can be acted on.
pub(crate) struct Located {
    pub(crate) reach: Reach,
    pub(crate) node: i64,
}

/// The registry, shared between the mirror and those who act.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Registry>>);

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Registry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How to reach an element.
    pub(crate) fn locate(&self, key: NativeKey) -> Result<Located> {
        let (serial, node) = crate::node::unkey(key);
        match self.lock().serials.get(&serial) {
            Some(reach) => Ok(Located { reach: reach.clone(), node }),
            None => Err(Error::new(
                Code::StaleReference,
                "the element belongs to a document that is gone",
                "take a new snapshot and use an element of it",
            )),
        }
    }

    /// The window that is in front: the one opened last that still lives.
    pub(crate) fn front(&self) -> Result<Session> {
        self.lock().windows.last().map(|(_, session)| session.clone()).ok_or_else(|| {
            Error::new(Code::TargetLost, "no page is open in the browser", "open the target again")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_document_that_is_being_parsed_is_read_whole_by_a_barrier_or_when_it_takes_long() {
        let mut frame =
            Frame { context: Some(1), parsing: Some(Instant::now()), ..Frame::new(1, "", None, 1) };
        frame.dirty.insert(7);
        assert!(!frame.is_due(false), "it may grow at any moment");
        assert!(frame.is_due(true), "a barrier reads what there is");
        tokio::time::advance(PARSING).await;
        assert!(frame.is_due(false), "what takes long is shown as far as it has come");
        frame.parsing = Some(Instant::now());
        assert!(!frame.is_due(false));
        frame.parsing = None;
        assert!(frame.is_due(false), "it is parsed");
    }
}
