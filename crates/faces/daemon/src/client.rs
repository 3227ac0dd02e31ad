//! The client: calls that are answered out of order, given up when their caller gives up.

use crate::place::Place;
use crate::reply::Reply;
use crate::start::start;
use crate::targets::cancelled;
use crate::version::OURS;
use crate::wire::{self, Form, LONGEST_REPLY, Response};
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stillpoint_core::{Code, Error, Result};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio_util::codec::{FramedRead, FramedWrite, LinesCodec};
use tokio_util::sync::CancellationToken;

/// How long the daemon may take to answer a call that was given up.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// So many calls may wait to be sent.
const OUTBOX: usize = 64;

/// Whom a client speaks to.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct DaemonInfo {
    /// Its version.
    pub version: String,
    /// Its process.
    pub pid: u32,
    /// Whether it is coming to its end, and takes no more calls.
    pub finishing: bool,
}

/// A connection to a daemon. Calls may be made from several tasks at once.
pub struct Client {
    out: mpsc::Sender<String>,
    pending: Arc<Pending>,
    next: AtomicU64,
    info: DaemonInfo,
}

/// The calls that wait for their answers; `None` once the connection is gone.
struct Pending(Mutex<Option<HashMap<u64, oneshot::Sender<Response>>>>);

impl Pending {
    fn waiting(&self) -> MutexGuard<'_, Option<HashMap<u64, oneshot::Sender<Response>>>> {
        // The map is whole whatever panicked elsewhere.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Client {
    /// Connects to the daemon of a place; `None` if none runs there, or the one that runs is too old and has been
    /// asked to finish.
    pub async fn connect(place: &Place) -> Result<Option<Self>> {
        Self::connect_as(place, OURS).await
    }

    /// The same, as a client of this version.
    pub async fn connect_as(place: &Place, version: &str) -> Result<Option<Self>> {
        place.prepare()?;
        let socket = place.socket();
        let stream = match UnixStream::connect(&socket).await {
            Ok(stream) => stream,
            Err(error) if is_nobody(&error) => return Ok(None),
            Err(error) => return Err(gone(&format!("{}: {error}", socket.display()))),
        };
        let client = Self::over(stream);
        let hello = client.call("hello", json!({ "version": version }), &CancellationToken::new()).await;
        match hello {
            Ok(hello) => {
                let info = serde_json::from_value(hello.into_json());
                let info: DaemonInfo = info.map_err(|e| gone(&format!("it does not say who it is: {e}")))?;
                Ok((!info.finishing).then_some(Client { info, ..client }))
            }
            // It ended while we knocked.
            Err(error) if error.code == Code::AgentUnavailable => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Connects to the daemon of a place, or starts `exe args…` there and connects to that. Of several clients that
    /// find none, one starts it.
    pub async fn connect_or_start<A: AsRef<OsStr>>(place: &Place, exe: &Path, args: &[A]) -> Result<Self> {
        if let Some(client) = Self::connect(place).await? {
            return Ok(client);
        }
        let waiting = place.clone();
        let turn = tokio::task::spawn_blocking(move || waiting.turn_to_start()).await;
        let _turn =
            turn.map_err(|e| Error::internal(format!("waiting for the turn to start failed: {e}")))??;
        if let Some(client) = Self::connect(place).await? {
            return Ok(client);
        }
        start(place, exe, args).await?;
        Self::connect(place).await?.ok_or_else(|| gone("it was ready, and is gone already"))
    }

    fn over(stream: UnixStream) -> Self {
        let (read, write) = stream.into_split();
        let (out, mut outbox) = mpsc::channel::<String>(OUTBOX);
        let pending = Arc::new(Pending(Mutex::new(Some(HashMap::new()))));
        tokio::spawn(async move {
            let mut lines = FramedWrite::new(write, LinesCodec::new());
            while let Some(line) = outbox.recv().await {
                if let Err(error) = lines.send(line).await {
                    tracing::debug!(%error, "the daemon reads no more");
                    return;
                }
            }
        });
        let waiting = pending.clone();
        tokio::spawn(async move {
            let mut lines = FramedRead::new(read, LinesCodec::new_with_max_length(LONGEST_REPLY));
            while let Some(Ok(line)) = lines.next().await {
                deliver(&waiting, &line);
            }
            // Whoever waits hears of it by the end of its channel.
            *waiting.waiting() = None;
        });
        let info = DaemonInfo { version: String::new(), pid: 0, finishing: false };
        Client { out, pending, next: AtomicU64::new(1), info }
    }

    /// Whom it speaks to.
    pub fn info(&self) -> &DaemonInfo {
        &self.info
    }

    /// Calls a method: a verb with its parameters and `app`, or `open`, `close`, `list`, `status`, `metrics`, `stop`.
    /// Cancelling gives the call up at the daemon too; what it has to say then is the answer.
    pub async fn call(&self, method: &str, params: Value, cancel: &CancellationToken) -> Result<Reply> {
        self.call_for(Form::Both, method, params, cancel).await
    }

    /// The same, for a caller that tells the answer in one form only.
    pub async fn call_for(
        &self,
        form: Form,
        method: &str,
        params: Value,
        cancel: &CancellationToken,
    ) -> Result<Reply> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (answer, mut answered) = oneshot::channel();
        match self.pending.waiting().as_mut() {
            Some(waiting) => drop(waiting.insert(id, answer)),
            None => return Err(gone("the connection is closed")),
        }
        let _forget = Forget { pending: &self.pending, id };
        self.send(wire::call(id, method, &params, form)).await?;
        let response = tokio::select! {
            biased;
            response = &mut answered => response,
            () = cancel.cancelled() => {
                self.send(wire::cancel(id)).await?;
                match tokio::time::timeout(LAST_WORDS, answered).await {
                    Ok(response) => response,
                    Err(_) => return Err(cancelled()),
                }
            }
        };
        let response = response.map_err(|_| gone("the connection closed before the answer came"))?;
        match response.error {
            Some(failure) => Err(failure.into()),
            None => response.result.ok_or_else(|| disagree("an answer has neither a result nor an error")),
        }
    }

    async fn send(&self, line: String) -> Result<()> {
        self.out.send(line).await.map_err(|_| gone("the connection is closed"))
    }
}

/// Takes a call off the list, whether it was answered or its caller went away.
struct Forget<'a> {
    pending: &'a Pending,
    id: u64,
}

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        if let Some(waiting) = self.pending.waiting().as_mut() {
            waiting.remove(&self.id);
        }
    }
}

fn deliver(pending: &Pending, line: &str) {
    let response: Response = match serde_json::from_str(line) {
        Ok(response) => response,
        Err(error) => return unreadable(pending, line, &error),
    };
    let waiting = response.id.and_then(|id| pending.waiting().as_mut()?.remove(&id));
    if let Some(waiting) = waiting {
        // Whoever asked may have given up meanwhile.
        drop(waiting.send(response));
    } else {
        tracing::debug!(id = ?response.id, "an answer that nobody waits for");
    }
}

/// Tells whoever waits for it that its answer cannot be read.
fn unreadable(pending: &Pending, line: &str, error: &serde_json::Error) {
    #[derive(Deserialize)]
    struct Addressed {
        id: Option<u64>,
    }
    tracing::warn!(%error, "the daemon sent what cannot be read");
    let id = serde_json::from_str(line).ok().and_then(|addressed: Addressed| addressed.id);
    if let Some(waiting) = id.and_then(|id| pending.waiting().as_mut()?.remove(&id)) {
        let why = disagree(&format!("an answer cannot be read: {error}"));
        drop(waiting.send(Response { id, result: None, error: Some(why.into()) }));
    }
}

fn disagree(why: &str) -> Error {
    Error::new(Code::Protocol, why, "restart the daemon with `stillpoint serve --stop`")
}

fn is_nobody(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionRefused, ConnectionReset, NotFound};
    matches!(error.kind(), NotFound | ConnectionRefused | ConnectionReset)
}

fn gone(why: &str) -> Error {
    Error::new(
        Code::AgentUnavailable,
        format!("the daemon cannot be reached: {why}"),
        "call again; another one is started",
    )
}
