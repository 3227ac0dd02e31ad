//! One client's connection: requests come in, calls run beside each other, answers go out as they are ready.

use crate::calls;
use crate::desk::Desk;
use crate::wire::{self, CANCEL, LONGEST_REQUEST, Request};
use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use stillpoint_core::{Code, Error};
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::codec::{FramedRead, FramedWrite, LinesCodec};
use tokio_util::sync::CancellationToken;

/// So many answers may wait for a client that reads slowly.
const OUTBOX: usize = 64;
/// So many calls of one client may run at once.
const MOST: usize = 64;

/// Serves one client until it goes, or until the daemon ends.
pub(crate) async fn serve(stream: UnixStream, desk: Arc<Desk>) {
    let ours = rustix::process::getuid().as_raw();
    match stream.peer_cred() {
        Ok(peer) if peer.uid() == ours || peer.uid() == 0 => {}
        stranger => {
            tracing::warn!(?stranger, "a stranger connected, and is not served");
            return;
        }
    }
    let (read, write) = stream.into_split();
    let (out, outbox) = mpsc::channel(OUTBOX);
    let writing = tokio::spawn(write_lines(FramedWrite::new(write, LinesCodec::new()), outbox));
    let lines = FramedRead::new(read, LinesCodec::new_with_max_length(LONGEST_REQUEST));
    let gone = desk.stopping().child_token();
    let mut client = Client {
        desk: desk.clone(),
        out,
        gone: gone.clone(),
        calls: HashMap::new(),
        running: JoinSet::new(),
    };
    client.read(lines).await;
    // Nobody waits for what still runs; what the daemon itself ended has been answered.
    gone.cancel();
    client.drain().await;
    drop(client);
    if let Err(error) = writing.await {
        tracing::warn!(%error, "the writer of a connection ended badly");
    }
}

type Lines = FramedRead<tokio::net::unix::OwnedReadHalf, LinesCodec>;
type Out = FramedWrite<tokio::net::unix::OwnedWriteHalf, LinesCodec>;

async fn write_lines(mut lines: Out, mut outbox: mpsc::Receiver<String>) {
    while let Some(line) = outbox.recv().await {
        if let Err(error) = lines.send(line).await {
            tracing::debug!(%error, "the client reads no more");
            return;
        }
    }
}

/// What is known of a client.
struct Client {
    desk: Arc<Desk>,
    out: mpsc::Sender<String>,
    gone: CancellationToken,
    calls: HashMap<String, CancellationToken>,
    running: JoinSet<String>,
}

impl Client {
    async fn read(&mut self, mut lines: Lines) {
        let ending = self.desk.ending().clone();
        loop {
            let line = tokio::select! {
                line = lines.next() => line,
                ended = self.running.join_next(), if !self.running.is_empty() => {
                    if let Some(Ok(id)) = ended {
                        self.calls.remove(&id);
                    }
                    continue;
                }
                () = ending.cancelled() => return,
            };
            match line {
                None => return,
                Some(Ok(line)) if line.trim().is_empty() => {}
                Some(Ok(line)) => match wire::read(&line) {
                    Ok(request) => self.take(request).await,
                    Err(answer) => self.send(answer).await,
                },
                Some(Err(error)) => {
                    tracing::debug!(%error, "a client sent what cannot be read");
                    self.send(wire::too_long()).await;
                    return;
                }
            }
        }
    }

    async fn send(&self, line: String) {
        if self.out.send(line).await.is_err() {
            tracing::debug!("the client reads no more");
        }
    }

    async fn take(&mut self, request: Request) {
        if request.method == CANCEL {
            let id = request.params.get("id").map(Value::to_string);
            // A call that has ended meanwhile needs no cancelling.
            if let Some(call) = id.and_then(|id| self.calls.get(&id)) {
                call.cancel();
            }
            return;
        }
        let Some(id) = request.id.clone() else {
            tracing::debug!(method = request.method, "a notification that means nothing here");
            return;
        };
        let key = id.to_string();
        if self.calls.contains_key(&key) || self.calls.len() >= MOST {
            let error = if self.calls.contains_key(&key) {
                Error::invalid(
                    format!("a call with the id {key} is under way"),
                    "give each call an id of its own",
                )
            } else {
                Error::new(
                    Code::RateLimited,
                    format!("{MOST} calls are under way"),
                    "wait for one of them to end",
                )
            };
            self.send(wire::refused(&id, &error)).await;
            return;
        }
        let cancel = self.gone.child_token();
        self.calls.insert(key.clone(), cancel.clone());
        let (desk, out) = (self.desk.clone(), self.out.clone());
        self.running.spawn(async move {
            let line = calls::answer(&desk, request, &cancel).await;
            if out.send(line).await.is_err() {
                tracing::debug!("the client is gone before its answer");
            }
            key
        });
    }

    async fn drain(&mut self) {
        while self.running.join_next().await.is_some() {}
    }
}
