//! Hello, calls with ids, events.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::link::Link;
use super::{Client, EventStream, Version};
use crate::codec::{ClientFrame, ClientHello, Frame, Reply, ServerFrame};
use crate::error::{ErrorCode, Fault, WireError};

/// Tells the far side when a caller no longer waits.
struct CancelOnDrop {
    link: Arc<Link>,
    id: u64,
    armed: bool,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if self.armed
            && let Ok(cancel) = (ClientFrame::Cancel { id: self.id }).encode()
        {
            self.link.abandon(self.id, cancel);
        }
    }
}

impl Client {
    /// Asks for v2. A peer that answers with an error speaks v1, and the connection goes on in v1. A server that does
    /// not like the token closes without a word, which is an error here.
    pub async fn hello(&self, hello: ClientHello) -> Result<Version, WireError> {
        let bytes = ClientFrame::Hello(hello).encode()?;
        let version = match self.link.exchange(bytes, "Hello", self.options.read_timeout).await? {
            ServerFrame::Hello(hello) if hello.version >= 2 => Version::V2,
            ServerFrame::Hello(_) | ServerFrame::Reply(Reply::Error(_)) => Version::V1,
            other => return Err(WireError::Protocol(format!("Hello was answered by {other:?}"))),
        };
        Ok(*self.agreed.get_or_init(|| version))
    }

    /// Calls a method of the far side. Dropping the future cancels the call there.
    pub async fn call(&self, method: &str, params: &Value) -> Result<Value, WireError> {
        self.call_within(method, params, self.options.read_timeout).await
    }

    /// As [`Client::call`], for calls that take long by nature, such as waits.
    pub async fn call_within(
        &self,
        method: &str,
        params: &Value,
        patience: Duration,
    ) -> Result<Value, WireError> {
        if self.version() == Version::V1 {
            return Err(WireError::NeedsV2 { method: method.to_owned() });
        }
        let id = self.link.next_id();
        let bytes = ClientFrame::Call { id, method: method.to_owned(), json: params.to_string() }.encode()?;
        let mut guard = CancelOnDrop { link: Arc::clone(&self.link), id, armed: true };
        let outcome = self.link.call(id, bytes, method, patience).await;
        // Whoever ran out of patience still wants the far side to stop.
        guard.armed = matches!(outcome, Err(WireError::NoAnswer { .. }));
        match outcome? {
            ServerFrame::Answer { ok: true, json, .. } => parsed(method, &json),
            ServerFrame::Answer { ok: false, json, .. } => Err(refused(&json)),
            other => Err(WireError::Protocol(format!("`{method}` was answered by {other:?}"))),
        }
    }

    /// The events that the far side pushes, if it was asked to in [`Client::hello`]. The first stream holds everything
    /// since the connection was made; later ones begin when they are made. `None` when the connection is over.
    pub fn events(&self) -> Option<EventStream> {
        self.link.events()
    }
}

fn parsed(method: &str, json: &str) -> Result<Value, WireError> {
    serde_json::from_str(json)
        .map_err(|error| WireError::Protocol(format!("the answer to `{method}` is not JSON: {error}")))
}

fn refused(json: &str) -> WireError {
    let fault = serde_json::from_str(json)
        .unwrap_or_else(|_| Fault::new(ErrorCode::Internal, format!("the agent failed and said: {json}")));
    WireError::Remote(fault)
}
