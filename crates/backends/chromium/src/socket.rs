//! The connection to the browser: commands with ids, flat sessions, deadlines, and one ordered stream of notes.
//!
//! Everything that arrives keeps its order: an event, and the answer to a command that was sent with
//! [`Session::route`], go into the same queue. That order is what the barrier rests on.

mod session;

use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
pub(crate) use session::{Pending, Session};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::Deadline;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// How many notes may wait for the mirror before they are dropped and everything is read again.
const NOTES: usize = 1 << 14;
/// How many commands may wait to be written.
const COMMANDS: usize = 1 << 12;

/// Events that somebody in this crate reads; the rest is dropped before it is copied.
const WANTED: &[&str] = &[
    "Target.attachedToTarget",
    "Target.detachedFromTarget",
    "Inspector.targetCrashed",
    "Page.frameDetached",
    "Page.frameNavigated",
    "Page.navigatedWithinDocument",
    "Page.javascriptDialogOpening",
    "Page.javascriptDialogClosed",
    "Page.loadEventFired",
    "Network.requestWillBeSent",
    "Network.responseReceived",
    "Network.loadingFinished",
    "Network.loadingFailed",
    "Browser.downloadWillBegin",
    "Browser.downloadProgress",
    "Input.dragIntercepted",
];

/// What arrives, in order.
#[derive(Debug)]
pub(crate) enum Note {
    /// An event of a session.
    Event { session: String, method: String, params: Box<RawValue> },
    /// The answer to a command that was routed here under a tag.
    Answer { tag: u64, result: Result<Box<RawValue>> },
    /// Everything before this has arrived; the sender is told when it has been dealt with, and whether another
    /// look is due.
    Flush(oneshot::Sender<bool>),
    /// Read part of the page again, and tell what it looks like.
    Reread(crate::events::Reread),
    /// Which of these elements does the session know?
    Nearest(Vec<stillpoint_core::tree::NativeKey>, oneshot::Sender<Option<stillpoint_core::tree::NativeKey>>),
    /// Notes were dropped: read everything again.
    Missed,
    /// The connection is gone.
    Gone,
}

enum Waiting {
    Caller(oneshot::Sender<Result<Box<RawValue>>>),
    Queue(u64),
}

/// The connection.
pub(crate) struct Socket {
    commands: mpsc::Sender<String>,
    waiting: Mutex<HashMap<u64, (Arc<str>, Waiting)>>,
    /// Sessions whose target has died or gone: nothing that is asked of them would be answered.
    dead: Mutex<HashSet<String>>,
    next: AtomicU64,
    notes: mpsc::Sender<Note>,
    gone: watch::Sender<bool>,
    /// The pages with an open JavaScript dialog: while there is one, its page's main thread answers nothing.
    dialogs: watch::Sender<HashSet<String>>,
}

/// An answer that carries nothing.
#[derive(Deserialize)]
pub(crate) struct Nothing {}

#[derive(Deserialize)]
struct Incoming<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    method: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow, rename = "sessionId")]
    session: Option<std::borrow::Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    message: String,
    #[serde(default)]
    data: Option<Value>,
}

pub(crate) fn lost() -> Error {
    Error::new(
        Code::TargetLost,
        "the browser closed the connection",
        "the browser ended or was killed; open the target again",
    )
}

/// The error of a call to a page that is gone while the browser lives on.
fn page_gone() -> Error {
    Error::new(
        Code::TargetLost,
        "the page was closed or its process died",
        "take a new snapshot to see what is left",
    )
}

/// The error of a call that an open dialog holds up.
pub(crate) fn dialog_open() -> Error {
    Error::new(
        Code::TargetUnresponsive,
        "the page waits for an answer to a JavaScript dialog",
        "tap a button of the alertdialog that is open, then try again",
    )
    .with_details(json!({ "dialog": true }))
}

/// Whether the error is the one of [`dialog_open`].
pub(crate) fn is_dialog(error: &Error) -> bool {
    error.details.get("dialog").is_some()
}

impl Socket {
    /// Connects to a browser's debugging address.
    pub(crate) async fn connect(url: &str, deadline: Deadline) -> Result<(Session, mpsc::Receiver<Note>)> {
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let connecting = tokio_tungstenite::connect_async_with_config(url, Some(config), true);
        let stream = match tokio::time::timeout_at(deadline.instant(), connecting).await {
            Ok(Ok((stream, _))) => stream,
            Ok(Err(error)) => return Err(unreachable(url, &error.to_string())),
            Err(_) => return Err(unreachable(url, "no answer in time")),
        };
        let (mut writer, mut reader) = stream.split();
        let (commands, mut queue) = mpsc::channel::<String>(COMMANDS);
        let (notes, inbox) = mpsc::channel(NOTES);
        let socket = Arc::new(Socket {
            commands,
            waiting: Mutex::default(),
            dead: Mutex::default(),
            next: AtomicU64::new(1),
            notes,
            gone: watch::Sender::new(false),
            dialogs: watch::Sender::default(),
        });
        let mut gone = socket.gone.subscribe();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    command = queue.recv() => {
                        let Some(command) = command else { break };
                        if writer.send(Message::text(command)).await.is_err() { break }
                    }
                    () = raised(&mut gone) => break,
                }
            }
            // The other side is told that we leave; if it is gone already, that is what we want.
            let _ = writer.close().await;
        });
        let hub = Arc::downgrade(&socket);
        let mut gone = socket.gone.subscribe();
        tokio::spawn(async move {
            loop {
                let message = tokio::select! {
                    message = reader.next() => message,
                    () = raised(&mut gone) => None,
                };
                let Some(socket) = hub.upgrade() else { return };
                match message {
                    Some(Ok(Message::Text(text))) => socket.arrived(text.as_str()),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return socket.cut().await,
                    Some(Ok(_)) => {}
                }
            }
        });
        Ok((Session { socket, id: "".into() }, inbox))
    }

    fn arrived(&self, text: &str) {
        let message: Incoming<'_> = match serde_json::from_str(text) {
            Ok(message) => message,
            Err(error) => return tracing::warn!(%error, "the browser sent something that is no message"),
        };
        if let Some(id) = message.id {
            let waiting = self.lock().remove(&id);
            let result = match (message.error, message.result) {
                (Some(failure), _) => Err(protocol(&failure)),
                (None, Some(result)) => Ok(result.to_owned()),
                (None, None) => Err(Error::internal("an answer of the browser carries nothing")),
            };
            match waiting {
                Some((_, Waiting::Caller(caller))) => drop(caller.send(result)),
                Some((_, Waiting::Queue(tag))) => self.note(Note::Answer { tag, result }),
                None => {}
            }
        } else if let (Some(method), Some(params)) = (message.method, message.params) {
            if !WANTED.contains(&&*method) {
                return;
            }
            let session = message.session.unwrap_or_default().into_owned();
            match &*method {
                "Page.javascriptDialogOpening" => self.dialog(&session, true),
                "Page.javascriptDialogClosed" => self.dialog(&session, false),
                "Inspector.targetCrashed" => self.bury(&session),
                "Target.detachedFromTarget" => {
                    if let Ok(gone) = serde_json::from_str::<Value>(params.get()) {
                        self.bury(gone["sessionId"].as_str().unwrap_or_default());
                    }
                }
                _ => {}
            }
            self.note(Note::Event { session, method: method.into_owned(), params: params.to_owned() });
        }
    }

    /// Ends every call to a target that is gone.
    fn bury(&self, session: &str) {
        self.dead().insert(session.to_owned());
        self.dialog(session, false);
        let mut waiting = self.lock();
        let ids: Vec<u64> =
            waiting.iter().filter(|(_, (of, _))| &**of == session).map(|(id, _)| *id).collect();
        let ended: Vec<_> = ids.into_iter().filter_map(|id| waiting.remove(&id)).collect();
        drop(waiting);
        for (_, one) in ended {
            if let Waiting::Caller(caller) = one {
                drop(caller.send(Err(page_gone())));
            }
        }
    }

    fn dialog(&self, session: &str, is_open: bool) {
        self.dialogs.send_if_modified(|open| {
            if is_open { open.insert(session.to_owned()) } else { open.remove(session) }
        });
    }

    fn dead(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.dead.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, note: Note) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.notes.try_send(note) {
            tracing::warn!("the mirror cannot keep up with the browser; everything will be read again");
            let notes = self.notes.clone();
            tokio::spawn(async move { notes.send(Note::Missed).await });
        }
    }

    async fn cut(&self) {
        self.gone.send_replace(true);
        let waiting = std::mem::take(&mut *self.lock());
        for (_, (_, one)) in waiting {
            if let Waiting::Caller(caller) = one {
                drop(caller.send(Err(lost())));
            }
        }
        // Fails only if the mirror has ended already, and then nobody needs to know.
        let _ = self.notes.send(Note::Gone).await;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, (Arc<str>, Waiting)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, session: &Arc<str>, method: &str, params: Value, waiting: Option<Waiting>) -> Result<u64> {
        if *self.gone.borrow() {
            return Err(lost());
        }
        if self.dead().contains(&**session) {
            return Err(page_gone());
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut command = json!({ "id": id, "method": method });
        command["params"] = params;
        if !session.is_empty() {
            command["sessionId"] = (**session).into();
        }
        if let Some(waiting) = waiting {
            self.lock().insert(id, (session.clone(), waiting));
        }
        self.commands.try_send(command.to_string()).map_err(|error| {
            self.lock().remove(&id);
            match error {
                mpsc::error::TrySendError::Closed(_) => lost(),
                mpsc::error::TrySendError::Full(_) => Error::new(
                    Code::TargetUnresponsive,
                    "the browser does not take commands",
                    "the browser may be stopped; look at it, or open the target again",
                ),
            }
        })?;
        Ok(id)
    }
}

/// Waits until the flag is up. A sender that is gone has nothing more to say either.
async fn raised(flag: &mut watch::Receiver<bool>) {
    let _ = flag.wait_for(|up| *up).await;
}

fn protocol(failure: &Failure) -> Error {
    let data = failure.data.as_ref().map(|d| format!(" ({d})")).unwrap_or_default();
    Error::new(
        Code::Protocol,
        format!("the browser refused: {}{data}", failure.message),
        "the page may have changed in the meantime; try again",
    )
}

fn unreachable(url: &str, why: &str) -> Error {
    Error::new(
        Code::TargetNotFound,
        format!("no browser answers at {url}: {why}"),
        "start the browser with --remote-debugging-port=PORT and give that port: cdp:PORT",
    )
}
