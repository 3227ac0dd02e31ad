//! The v2 calls that one client has in flight. Every call is answered exactly once, while its client is there.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use super::handler::{ConnectionId, Handler};
use super::outbox::refusal;
use crate::codec::ServerFrame;
use crate::error::{ErrorCode, Fault};

type Outcome = Result<Value, Fault>;

/// Runs calls beside each other and answers them as they end.
pub(super) struct Calls<H> {
    handler: Arc<H>,
    caller: ConnectionId,
    limit: usize,
    running: JoinSet<Outcome>,
    ids: HashMap<Id, u64>,
    aborts: HashMap<u64, AbortHandle>,
}

impl<H: Handler> Calls<H> {
    pub(super) fn new(handler: Arc<H>, caller: ConnectionId, limit: u32) -> Self {
        Self {
            handler,
            caller,
            limit: limit as usize,
            running: JoinSet::new(),
            ids: HashMap::new(),
            aborts: HashMap::new(),
        }
    }

    /// Begins a call; an `Err` is what to answer at once.
    pub(super) fn begin(&mut self, id: u64, method: String, json: &str) -> Result<(), Fault> {
        if self.aborts.contains_key(&id) {
            return Err(Fault::new(ErrorCode::Protocol, format!("a call with id {id} is already in flight"))
                .hint("give every call an id of its own"));
        }
        if self.aborts.len() >= self.limit {
            return Err(Fault::new(ErrorCode::RateLimited, format!("{} calls are in flight", self.limit))
                .hint("wait for an answer before the next call")
                .retryable());
        }
        let params = serde_json::from_str(json).map_err(|error| {
            Fault::new(
                ErrorCode::InvalidArgument,
                format!("the parameters of `{method}` are not JSON: {error}"),
            )
        })?;
        let (handler, caller) = (Arc::clone(&self.handler), self.caller);
        let abort = self.running.spawn(async move { handler.call(caller, method, params).await });
        self.ids.insert(abort.id(), id);
        self.aborts.insert(id, abort);
        Ok(())
    }

    /// Drops a call; it is answered with `CANCELLED`. A call that has ended is not known any more.
    pub(super) fn cancel(&mut self, id: u64) {
        if let Some(abort) = self.aborts.get(&id) {
            abort.abort();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Waits for the next call to end; `None` when there is none.
    pub(super) async fn next_answer(&mut self) -> Option<ServerFrame> {
        let ended = self.running.join_next_with_id().await?;
        let (task, outcome) = match ended {
            Ok((task, outcome)) => (task, outcome),
            Err(error) => (error.id(), Err(why(&error))),
        };
        // Every task was entered when it was spawned.
        let id = self.ids.remove(&task)?;
        self.aborts.remove(&id);
        Some(match outcome {
            Ok(value) => ServerFrame::Answer { id, ok: true, json: value.to_string() },
            Err(fault) => refusal(id, &fault),
        })
    }
}

fn why(error: &JoinError) -> Fault {
    if error.is_cancelled() {
        Fault::new(ErrorCode::Cancelled, "the call was cancelled")
    } else {
        Fault::new(ErrorCode::Internal, "the call failed inside the agent").hint("look at the agent's log")
    }
}
