//! Which requests did the app send?

use super::{Answer, Call, Verb, to_json};
use crate::backend::{Deadline, NetworkRequest};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write;
use std::time::Duration;
use stillpoint_core::Result;

/// From when on.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NetworkParams {
    /// Milliseconds of the session, such as an answer's `captured_at_ms`; 0 is its start.
    pub since: u64,
}

/// The requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkAnswer {
    /// In the order in which they were sent.
    pub requests: Vec<NetworkRequest>,
}

impl Answer for NetworkAnswer {
    fn json(&self) -> Result<Value> {
        to_json(self)
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for r in &self.requests {
            let status = r.status.map_or_else(|| "…".to_owned(), |s| s.to_string());
            let by = r.action_id.as_ref().map(|id| format!(" by {id}")).unwrap_or_default();
            let _ = writeln!(out, "{} {} {status}{by}", r.method, r.url);
        }
        if out.is_empty() { "no requests\n".to_owned() } else { out }
    }
}

/// The verb.
pub struct GetNetworkActivity;

#[async_trait]
impl Verb for GetNetworkActivity {
    const NAME: &'static str = "get_network_activity";
    const ABOUT: &'static str = "Lists the requests that the app sent. What the UI shows is better evidence: use this only \
        where an action has no visible effect. Only web pages can tell.";
    const READ_ONLY: bool = true;
    type Params = NetworkParams;
    type Answer = NetworkAnswer;

    async fn run(session: &Session, params: NetworkParams, _: &Call) -> Result<NetworkAnswer> {
        session.alive()?;
        let deadline = Deadline::after(Duration::from_secs(5));
        let asked = session.backend().network(params.since, deadline);
        let mut requests = deadline.bound("its network activity", asked).await?;
        for request in &mut requests {
            request.action_id = session.action_under_way(request.started_ms);
        }
        Ok(NetworkAnswer { requests })
    }
}
