//! One attached target on the connection, and commands to it that are under way.

use super::{Note, Socket, Waiting, dialog_open, lost};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::sync::Arc;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::Deadline;
use tokio::sync::{oneshot, watch};

/// One attached target, or the browser itself.
#[derive(Clone)]
pub(crate) struct Session {
    pub(super) socket: Arc<Socket>,
    pub(super) id: Arc<str>,
}

/// A command under way.
pub(crate) struct Pending {
    reply: oneshot::Receiver<Result<Box<RawValue>>>,
    socket: Arc<Socket>,
    id: u64,
    method: &'static str,
    /// Whether an open dialog ends the wait.
    interruptible: bool,
}

impl Session {
    /// The session of another target on the same connection.
    pub(crate) fn of(&self, id: &str) -> Session {
        Session { socket: self.socket.clone(), id: id.into() }
    }

    /// The browser's name for it; empty for the browser itself.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Sends a command now, to be awaited later.
    pub(crate) fn start(&self, method: &'static str, params: Value) -> Result<Pending> {
        let (caller, reply) = oneshot::channel();
        let id = self.socket.send(&self.id, method, params, Some(Waiting::Caller(caller)))?;
        Ok(Pending { reply, socket: self.socket.clone(), id, method, interruptible: true })
    }

    /// Sends a command and reads its answer.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: Value,
        deadline: Deadline,
    ) -> Result<T> {
        self.start(method, params)?.read(deadline).await
    }

    /// Sends a command whose answer nobody needs.
    pub(crate) fn post(&self, method: &'static str, params: Value) {
        if let Err(error) = self.socket.send(&self.id, method, params, None) {
            tracing::debug!(%error, method, "a command was not sent");
        }
    }

    /// Sends a command whose answer goes into the queue of notes, in its place.
    pub(crate) fn route(&self, tag: u64, method: &'static str, params: Value) -> Result<()> {
        self.socket.send(&self.id, method, params, Some(Waiting::Queue(tag))).map(drop)
    }

    /// Puts a note behind everything that has arrived so far.
    pub(crate) async fn enqueue(&self, note: Note) -> Result<()> {
        self.socket.notes.send(note).await.map_err(|_| lost())
    }

    /// Whether a JavaScript dialog is open.
    pub(crate) fn dialog_is_open(&self) -> bool {
        !self.socket.dialogs.borrow().is_empty()
    }

    /// Waits until a JavaScript dialog is open.
    pub(crate) async fn until_dialog(&self) {
        let mut dialogs = self.socket.dialogs.subscribe();
        opened(&mut dialogs).await;
    }

    /// Leaves the browser.
    pub(crate) fn hang_up(&self) {
        self.socket.gone.send_replace(true);
    }
}

impl Pending {
    /// The same, and an open dialog does not end the wait.
    pub(crate) fn through_dialogs(mut self) -> Self {
        self.interruptible = false;
        self
    }

    /// Waits for the answer.
    pub(crate) async fn read<T: DeserializeOwned>(mut self, deadline: Deadline) -> Result<T> {
        let mut dialogs = self.socket.dialogs.subscribe();
        let method = self.method;
        let interruptible = self.interruptible;
        let reply = &mut self.reply;
        let waiting = async move {
            tokio::select! {
                biased;
                reply = reply => reply.unwrap_or_else(|_| Err(lost())),
                () = opened(&mut dialogs), if interruptible => Err(dialog_open()),
            }
        };
        let raw = deadline.bound(method, waiting).await?;
        serde_json::from_str(raw.get()).map_err(|error| {
            Error::new(Code::Protocol, format!("{method}: {error}"), "this browser may be too old or too new")
        })
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.socket.lock().remove(&self.id);
    }
}

/// Waits until a dialog is open; for ever, if nobody can open one any more.
async fn opened(dialogs: &mut watch::Receiver<HashSet<String>>) {
    if dialogs.wait_for(|open| !open.is_empty()).await.is_err() {
        std::future::pending::<()>().await;
    }
}
