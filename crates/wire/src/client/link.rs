//! The two tasks of a connection: one writes frames, one reads them. They share [`Pending`] and nothing else.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::events::{EventNotice, EventStream};
use super::options::ClientOptions;
use super::pending::{Awaits, Failure, MayWrite, Outcome, Pending};
use crate::codec::{DecodeError, Decoder, ServerFrame};
use crate::error::{Delivery, WireError};

const READ_CHUNK: usize = 64 * 1024;

/// Who waits, behind a lock that is only ever held for a few instructions.
#[derive(Debug, Default, Clone)]
struct Waiters(Arc<Mutex<Pending>>);

impl Waiters {
    fn lock(&self) -> MutexGuard<'_, Pending> {
        // Nothing inside can be left half-done by a panic, so a poisoned lock is as good as any.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Outgoing {
    bytes: Vec<u8>,
    awaits: Awaits,
    written: Option<oneshot::Sender<()>>,
}

/// One open connection.
#[derive(Debug)]
pub(super) struct Link {
    outgoing: mpsc::Sender<Outgoing>,
    waiters: Waiters,
    over: CancellationToken,
    next_id: AtomicU64,
    events: broadcast::WeakSender<EventNotice>,
    /// Made before the first byte is read, so that no early event is lost.
    first_stream: Mutex<Option<EventStream>>,
}

impl Drop for Link {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

impl Link {
    pub(super) fn open<S>(stream: S, options: &ClientOptions) -> Self
    where
        S: AsyncRead + AsyncWrite + Send + 'static,
    {
        let (read_half, write_half) = tokio::io::split(stream);
        let (outgoing, queue) = mpsc::channel(options.queue.max(1));
        let (events, first) = broadcast::channel(options.event_queue.max(1));
        let waiters = Waiters::default();
        let over = CancellationToken::new();
        let weak_events = events.downgrade();
        tokio::spawn(write_frames(write_half, queue, waiters.clone(), over.clone(), options.write_timeout));
        tokio::spawn(read_frames(read_half, events, waiters.clone(), over.clone()));
        Self {
            outgoing,
            waiters,
            over,
            next_id: AtomicU64::new(1),
            events: weak_events,
            first_stream: Mutex::new(Some(EventStream::new(first))),
        }
    }

    pub(super) fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn is_ended(&self) -> bool {
        self.waiters.lock().has_ended()
    }

    pub(super) fn end(&self, reason: &str) {
        self.waiters.lock().end(reason);
        self.over.cancel();
    }

    pub(super) async fn ended(&self) {
        self.over.cancelled().await;
    }

    pub(super) fn events(&self) -> Option<EventStream> {
        let first = self.first_stream.lock().unwrap_or_else(PoisonError::into_inner).take();
        first.or_else(|| Some(EventStream::new(self.events.upgrade()?.subscribe())))
    }

    /// Sends a frame whose reply comes in order. `patience` counts from the frame's last byte.
    pub(super) async fn exchange(
        &self,
        bytes: Vec<u8>,
        during: &str,
        patience: Duration,
    ) -> Result<ServerFrame, WireError> {
        let (waiter, outcome) = oneshot::channel();
        self.submit(bytes, Awaits::Reply(waiter), during).await?;
        let Some(frame) = settled(outcome, during, patience).await? else {
            // v1 has no ids: after a missing reply nobody knows which one comes next.
            self.end(&format!("no answer to {during}"));
            return Err(WireError::NoAnswer { during: during.to_owned(), after: patience });
        };
        Ok(frame)
    }

    /// Sends a call and waits for the answer with its id.
    pub(super) async fn call(
        &self,
        id: u64,
        bytes: Vec<u8>,
        during: &str,
        patience: Duration,
    ) -> Result<ServerFrame, WireError> {
        let (waiter, outcome) = oneshot::channel();
        self.submit(bytes, Awaits::Answer(id, waiter), during).await?;
        let frame = settled(outcome, during, patience).await?;
        frame.ok_or_else(|| WireError::NoAnswer { during: during.to_owned(), after: patience })
    }

    /// Sends without waiting, if there is room; and stops waiting for the answer to `id`.
    pub(super) fn abandon(&self, id: u64, cancel: Vec<u8>) {
        self.waiters.lock().forget_call(id);
        let frame = Outgoing { bytes: cancel, awaits: Awaits::Nothing, written: None };
        if self.outgoing.try_send(frame).is_err() {
            tracing::debug!(id, "no room for a cancellation; the answer will be ignored");
        }
    }

    /// Returns when the frame's last byte left, or when it is clear that it never will: the waiter knows which.
    async fn submit(&self, bytes: Vec<u8>, awaits: Awaits, during: &str) -> Result<(), WireError> {
        let (written, done) = oneshot::channel();
        let frame = Outgoing { bytes, awaits, written: Some(written) };
        if self.outgoing.send(frame).await.is_err() {
            return Err(WireError::Lost {
                during: during.to_owned(),
                delivery: Delivery::NotSent,
                reason: "the connection is closed".to_owned(),
            });
        }
        let _ = done.await;
        Ok(())
    }
}

/// The outcome, or `None` when patience ran out.
async fn settled(
    outcome: oneshot::Receiver<Outcome>,
    during: &str,
    patience: Duration,
) -> Result<Option<ServerFrame>, WireError> {
    match tokio::time::timeout(patience, outcome).await {
        Err(_) => Ok(None),
        Ok(Ok(Ok(frame))) => Ok(Some(frame)),
        Ok(Ok(Err(failure))) => Err(failure.into_error(during)),
        // The tasks were dropped with their runtime, after taking the frame.
        Ok(Err(_)) => {
            let reason = "the connection was dropped".to_owned();
            Err(Failure::Lost { delivery: Delivery::Unknown, reason }.into_error(during))
        }
    }
}

async fn write_frames<W: AsyncWrite>(
    stream: W,
    mut queue: mpsc::Receiver<Outgoing>,
    waiters: Waiters,
    over: CancellationToken,
    patience: Duration,
) {
    tokio::pin!(stream);
    loop {
        let next = tokio::select! {
            biased;
            () = over.cancelled() => None,
            next = queue.recv() => next,
        };
        let Some(Outgoing { bytes, awaits, written }) = next else { break };
        let may_write = waiters.lock().begin_write(awaits);
        match may_write {
            MayWrite::Yes => {}
            MayWrite::NoLongerWanted => continue,
            MayWrite::Ended => break,
        }
        let accepted = AtomicBool::new(false);
        let sending = async {
            stream.write_all(&bytes).await?;
            accepted.store(true, Ordering::Relaxed);
            stream.flush().await
        };
        let problem = tokio::select! {
            sent = tokio::time::timeout(patience, sending) => match sent {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(_) => Some(format!("the agent took nothing for {patience:?}")),
            },
            () = over.cancelled() => Some("the connection ended".to_owned()),
        };
        // A stream that buffers (TLS) may have sent a frame that it accepted, whatever became of the flush.
        if accepted.into_inner() {
            waiters.lock().finish_write();
        }
        if let Some(reason) = problem {
            waiters.lock().fail_write(&reason);
            break;
        }
        if let Some(done) = written {
            let _ = done.send(());
        }
    }
    waiters.lock().end("closed by this side");
    over.cancel();
    queue.close();
    while let Some(unsent) = queue.recv().await {
        waiters.lock().begin_write(unsent.awaits);
    }
    let _ = stream.shutdown().await;
}

async fn read_frames<R: AsyncRead>(
    stream: R,
    events: broadcast::Sender<EventNotice>,
    waiters: Waiters,
    over: CancellationToken,
) {
    tokio::pin!(stream);
    let mut decoder = Decoder::<ServerFrame>::new();
    let mut chunk = vec![0; READ_CHUNK];
    let reason = 'reading: loop {
        let got = tokio::select! {
            got = stream.read(&mut chunk) => got,
            () = over.cancelled() => break "the connection ended".to_owned(),
        };
        match got {
            Ok(0) if decoder.is_between_frames() => break "closed by the agent".to_owned(),
            Ok(0) => break "closed by the agent in the middle of a frame".to_owned(),
            Ok(count) => decoder.feed(&chunk[..count]),
            Err(error) => break error.to_string(),
        }
        loop {
            let next = decoder.next_frame();
            match next {
                Ok(None) => break,
                Ok(Some(frame)) => {
                    if let Err(reason) = route(frame, &events, &waiters) {
                        break 'reading reason;
                    }
                }
                Err(error) if error.is_fatal() => break 'reading error.to_string(),
                Err(error) => blame(error, &waiters),
            }
        }
    };
    waiters.lock().end(&reason);
    over.cancel();
}

/// Brings a frame to whoever waits for it.
fn route(
    frame: ServerFrame,
    events: &broadcast::Sender<EventNotice>,
    waiters: &Waiters,
) -> Result<(), String> {
    match frame {
        ServerFrame::Reply(_) | ServerFrame::Hello(_) => {
            if !waiters.lock().settle_reply(Ok(frame)) {
                return Err("the agent sent a reply that nobody asked for".to_owned());
            }
        }
        ServerFrame::Answer { id, .. } => {
            if !waiters.lock().settle_answer(id, Ok(frame)) {
                tracing::debug!(id, "an answer came after its call was given up");
            }
        }
        ServerFrame::Event { seq, json } => {
            // Without a reader the event is dropped, as asked.
            let _ = events.send(EventNotice::Event { seq, json: json.into() });
        }
    }
    Ok(())
}

/// Tells the one who most likely waited for a malformed frame.
fn blame(error: DecodeError, waiters: &Waiters) {
    const EVENT: u8 = 0x43;
    let failure = Err(Failure::Malformed(error.to_string()));
    let settled = match (error.call_id, error.opcode) {
        (Some(id), _) => waiters.lock().settle_answer(id, failure),
        (None, Some(EVENT)) => false,
        (None, _) => waiters.lock().settle_reply(failure),
    };
    tracing::warn!(%error, settled, "the agent sent a malformed frame");
}
