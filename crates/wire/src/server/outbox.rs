//! Frames on their way to one peer: few, and none for longer than the peer's patience allows.

use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::codec::{Frame, Reply, ServerFrame};
use crate::error::{ErrorCode, Fault};

/// The peer takes nothing any more.
#[derive(Debug)]
pub(super) struct PeerGone;

/// Where replies, answers and events are put. Full means: wait.
#[derive(Debug, Clone)]
pub(super) struct Outbox {
    frames: mpsc::Sender<Vec<u8>>,
}

impl Outbox {
    pub(super) fn new(capacity: usize) -> (Self, mpsc::Receiver<Vec<u8>>) {
        let (frames, queue) = mpsc::channel(capacity.max(1));
        (Self { frames }, queue)
    }

    /// Waits for room. A frame over the limit is replaced by an error that says so.
    pub(super) async fn put(&self, frame: ServerFrame) -> Result<(), PeerGone> {
        let bytes = match frame.encode() {
            Ok(bytes) => bytes,
            Err(error) => {
                tracing::warn!(%error, "an answer is too large to be sent");
                let fault = Fault::new(ErrorCode::Protocol, error.to_string());
                // A frame that small always fits.
                in_place_of(&frame, &fault).and_then(|small| small.encode().ok()).unwrap_or_default()
            }
        };
        if bytes.is_empty() {
            return Ok(());
        }
        self.frames.send(bytes).await.map_err(|_| PeerGone)
    }
}

fn in_place_of(frame: &ServerFrame, fault: &Fault) -> Option<ServerFrame> {
    match frame {
        ServerFrame::Reply(_) | ServerFrame::Hello(_) => Some(Reply::Error(fault.to_v1_text()).into()),
        ServerFrame::Answer { id, .. } => Some(refusal(*id, fault)),
        // The gap in the sequence numbers tells the client.
        ServerFrame::Event { .. } => None,
    }
}

/// An answer that says no.
pub(super) fn refusal(id: u64, fault: &Fault) -> ServerFrame {
    // A fault is plain data with string keys, which serde_json never refuses.
    ServerFrame::Answer { id, ok: false, json: serde_json::to_string(fault).unwrap_or_default() }
}

/// Writes until the queue ends. A peer that takes not a byte for `patience` is given up, and `over` tells everybody.
pub(super) async fn write_frames<W: AsyncWrite>(
    stream: W,
    mut queue: mpsc::Receiver<Vec<u8>>,
    patience: Duration,
    over: CancellationToken,
) {
    tokio::pin!(stream);
    'frames: while let Some(frame) = queue.recv().await {
        let mut rest = frame.as_slice();
        while !rest.is_empty() {
            match tokio::time::timeout(patience, stream.write(rest)).await {
                Ok(Ok(count)) if count > 0 => rest = &rest[count..],
                Ok(Ok(_)) => break 'frames,
                Ok(Err(error)) => {
                    tracing::debug!(%error, "a client went away");
                    break 'frames;
                }
                Err(_) => {
                    tracing::warn!(?patience, "a client reads nothing; closing it");
                    break 'frames;
                }
            }
        }
        if !matches!(tokio::time::timeout(patience, stream.flush()).await, Ok(Ok(()))) {
            break;
        }
    }
    over.cancel();
    let _ = tokio::time::timeout(patience, stream.shutdown()).await;
}
