//! What an agent of v2 tells by itself, on its way into the sink. When the connection is lost, it is made anew and
//! everything is read again; only when that fails is the target lost.

use crate::barrier::{Line, Reached, lost, read};
use crate::payload::{Attached, EventForm, Occurrence, read_changes};
use serde_json::json;
use std::sync::{Arc, Weak};
use std::time::Duration;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::{End, EventSink, IdleReport};
use stillpoint_wire::{Client, EventNotice, EventStream, WireError};
use tokio::sync::watch;
use tokio::time::Instant;

/// How often one loss may be followed by another before it counts as the end.
const TRIES: usize = 3;
/// How long attaching anew may take.
const ATTACH: Duration = Duration::from_secs(30);

/// Attaches to the agent's target over one connection. Its events must be listened to already.
pub(crate) async fn attach_over(
    client: &Client,
    patience: Duration,
) -> Result<(Attached, Instant), WireError> {
    let millis = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
    let answer = client.call_within("backend.attach", &json!({ "timeout_ms": millis }), patience).await?;
    let heard = Instant::now();
    let attached =
        read("backend.attach", answer).map_err(|error: Error| WireError::Protocol(error.to_string()))?;
    Ok((attached, heard))
}

/// Follows the agent until the session is over.
pub(crate) struct Follower {
    pub(crate) line: Weak<Line>,
    pub(crate) sink: EventSink,
    pub(crate) idle: watch::Sender<IdleReport>,
}

/// Whether to go on.
enum Next {
    Listen,
    /// The agent serves another target, or another session with it.
    AttachAnew,
    Stop,
}

impl Follower {
    pub(crate) async fn run(self, mut stream: EventStream) {
        loop {
            // The connection is held by the line alone, so that it ends with the session.
            let ended = self.listen(&mut stream).await;
            let Some(line) = self.line.upgrade() else { return };
            let anew = match ended {
                Next::Stop => return,
                Next::Listen => self.return_to(&line).await.map(|its| stream = its),
                Next::AttachAnew => self.attach(&line, &line.agent.client()).await.map_err(lost),
            };
            if let Err(error) = anew {
                return self.sink.end(End::Lost(error));
            }
        }
    }

    /// Takes over what comes until the connection ends or something else has to be done.
    async fn listen(&self, stream: &mut EventStream) -> Next {
        let mut expected = None;
        while let Some(notice) = stream.next().await {
            let EventNotice::Event { seq, json } = notice else {
                self.sink.resync();
                expected = None;
                continue;
            };
            if expected.is_some_and(|expected| seq != expected) {
                self.sink.resync();
            }
            expected = Some(seq + 1);
            let Some(line) = self.line.upgrade() else { return Next::Stop };
            match self.take(&line, &json) {
                Next::Listen => {}
                other => return other,
            }
        }
        Next::Listen
    }

    fn take(&self, line: &Arc<Line>, json: &str) -> Next {
        let event: EventForm = match serde_json::from_str(json) {
            Ok(event) => event,
            Err(error) => {
                tracing::warn!(%error, "an event of the agent is not understood; reading everything again");
                self.sink.resync();
                return Next::Listen;
            }
        };
        let agreement = line.agreement();
        let reached = *line.reached.borrow();
        match event.what {
            Occurrence::Resync => {
                self.sink.resync();
                return Next::Listen;
            }
            Occurrence::Target if event.epoch != agreement.epoch => return Next::AttachAnew,
            _ if event.epoch != agreement.epoch || event.n <= reached.n => return Next::Listen,
            Occurrence::Target => {}
            Occurrence::Changes { changes } => match read_changes(changes, agreement.keys) {
                Ok(changes) => self.sink.send(changes),
                Err(error) => {
                    tracing::warn!(%error, "changes of the agent are not understood; reading everything again");
                    self.sink.resync();
                }
            },
            Occurrence::Idle(word) => drop(self.idle.send_replace(word.into())),
            Occurrence::Reread => self.sink.resync(),
            Occurrence::End { error } => {
                self.sink.end(error.map_or(End::Closed, End::Lost));
                return Next::Stop;
            }
        }
        line.reached.send_replace(Reached { epoch: event.epoch, n: event.n });
        Next::Listen
    }

    /// A connection that works again, with everything read anew.
    async fn return_to(&self, line: &Arc<Line>) -> Result<EventStream> {
        let mut last = None;
        for _ in 0..TRIES {
            let client = line.agent.reconnect().await.map_err(lost)?;
            let Some(stream) = client.events() else { continue };
            match self.attach(line, &client).await {
                Ok(()) => return Ok(stream),
                Err(error) if error.delivery().is_some() => last = Some(error),
                Err(error) => return Err(lost(error)),
            }
        }
        Err(last.map_or_else(gone, lost))
    }

    async fn attach(&self, line: &Arc<Line>, client: &Client) -> Result<(), WireError> {
        let (attached, heard) = attach_over(client, ATTACH).await?;
        let agreement = line.agree(&attached, heard);
        let (epoch, n) = (attached.epoch, attached.n);
        let changes = read_changes(attached.changes, agreement.keys)
            .map_err(|error| WireError::Protocol(error.to_string()))?;
        self.sink.send(changes);
        if let Some(word) = attached.idle {
            self.idle.send_replace(word.into());
        }
        line.reached.send_replace(Reached { epoch, n });
        Ok(())
    }
}

fn gone() -> Error {
    Error::new(
        Code::TargetLost,
        "the connection to the agent is lost and does not hold when it is made anew",
        "look at the agent's log, then open the target again",
    )
}
