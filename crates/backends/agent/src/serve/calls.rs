//! The backend as calls, for a client that keeps a mirror of its own.

use super::feed::Feed;
use super::handler::AgentHandler;
use crate::payload::{ActionForm, Attached, Barrier, PerformAnswer, Refreshed, not_understood};
use base64::Engine as _;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use stillpoint_core::tree::NativeKey;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::Session;
use stillpoint_engine::backend::{Deadline, Refusal, Scope};
use stillpoint_wire::Fault;

/// How long a call may take that does not say.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
struct Timed {
    timeout_ms: Option<u64>,
}

impl Timed {
    fn deadline(&self) -> Deadline {
        Deadline::after(self.timeout_ms.map_or(PATIENCE, Duration::from_millis))
    }
}

#[derive(Deserialize)]
struct About {
    epoch: u64,
    /// The element; all of it if left out.
    key: Option<u64>,
    #[serde(flatten)]
    timed: Timed,
}

#[derive(Deserialize)]
struct Perform {
    epoch: u64,
    /// The agent's clock at which it is too late, in microseconds.
    deadline_us: u64,
    action: ActionForm,
}

#[derive(Deserialize)]
struct Hit {
    epoch: u64,
    x: i32,
    y: i32,
    #[serde(flatten)]
    timed: Timed,
}

#[derive(Deserialize)]
struct Network {
    epoch: u64,
    since_ms: u64,
    #[serde(flatten)]
    timed: Timed,
}

fn read<T: DeserializeOwned>(method: &str, params: Value) -> Result<T> {
    serde_json::from_value(params).map_err(|why| {
        Error::invalid(
            format!("the parameters of backend.{method} do not fit: {why}"),
            "docs/agent-protocol.md lists them",
        )
    })
}

fn told<T: serde::Serialize>(answer: &T) -> Result<Value, Fault> {
    serde_json::to_value(answer)
        .map_err(|why| Error::internal(format!("an answer has no JSON: {why}")).into())
}

/// A picture as JSON carries it.
pub(super) fn base64(picture: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(picture)
}

/// Names given in another session mean nothing in this one.
fn stale() -> Error {
    Error::new(
        Code::StaleReference,
        "the agent has attached to its target anew since this was named",
        "take a new snapshot and find the element again",
    )
}

impl AgentHandler {
    pub(super) async fn call_backend(&self, method: &str, params: Value) -> Result<Value, Fault> {
        match method {
            "attach" => self.attach(read(method, params)?).await,
            "barrier" => {
                let timed: Timed = read(method, params)?;
                let (_, feed) = self.feed().await?;
                let n = feed.barrier(timed.deadline()).await?;
                told(&Barrier { epoch: feed.epoch, n })
            }
            "refresh" => {
                let about: About = read(method, params)?;
                let feed = self.feed_of(about.epoch).await?;
                let scope = about.key.map_or(Scope::Everything, |key| Scope::Subtree(NativeKey(key)));
                let (_, changes) = feed.refresh(scope, true, about.timed.deadline()).await?;
                told(&Refreshed { changes: feed.write(&changes) })
            }
            "perform" => self.perform(read(method, params)?).await,
            "screenshot" => {
                let about: About = read(method, params)?;
                let feed = self.feed_of(about.epoch).await?;
                let picture =
                    feed.backend.screenshot(about.key.map(NativeKey), about.timed.deadline()).await?;
                Ok(json!({ "png": base64(&picture) }))
            }
            "hit_test" => {
                let hit: Hit = read(method, params)?;
                let feed = self.feed_of(hit.epoch).await?;
                let found = feed.backend.hit_test(hit.x, hit.y, hit.timed.deadline()).await?;
                Ok(json!({ "key": found.map(|key| key.0) }))
            }
            "network" => {
                let asked: Network = read(method, params)?;
                let feed = self.feed_of(asked.epoch).await?;
                let requests = feed.backend.network(asked.since_ms, asked.timed.deadline()).await?;
                Ok(json!({ "requests": requests, "now_ms": feed.now_ms() }))
            }
            _ => Err(Error::new(
                Code::Unsupported,
                format!("there is no method \"backend.{method}\""),
                "there are attach, barrier, refresh, perform, screenshot, hit_test and network",
            )
            .into()),
        }
    }

    async fn feed(&self) -> Result<(Session, Arc<Feed>)> {
        let session = self.session().await?;
        let feed = self.hub.feed(session.target());
        feed.map(|feed| (session, feed)).ok_or_else(|| Error::internal("a session that nobody can follow"))
    }

    async fn feed_of(&self, epoch: u64) -> Result<Arc<Feed>> {
        let (_, feed) = self.feed().await?;
        if feed.epoch == epoch { Ok(feed) } else { Err(stale()) }
    }

    async fn attach(&self, timed: Timed) -> Result<Value, Fault> {
        let (session, feed) = self.feed().await?;
        let (n, changes) = feed.refresh(Scope::Everything, true, timed.deadline()).await?;
        let idle = feed.backend.idle_signal().map(|word| word.borrow().clone().into());
        let changes = feed.write(&changes);
        told(&Attached {
            epoch: feed.epoch,
            n,
            capabilities: feed.backend.capabilities(),
            info: session.info().clone(),
            idle,
            changes,
            // Last: whoever computes a deadline with it must not be given time that has passed.
            clock_us: self.hub.clock_us(),
        })
    }

    /// In a task of its own: an action that was begun is finished, even if its connection ends meanwhile. It has its
    /// deadline.
    async fn perform(&self, asked: Perform) -> Result<Value, Fault> {
        let (session, feed) = match self.feed().await {
            Ok((session, feed)) if feed.epoch == asked.epoch => (session, feed),
            Ok(_) => return told(&PerformAnswer::from(Err(Refusal::before_dispatch(stale())))),
            Err(error) => return told(&PerformAnswer::from(Err(Refusal::before_dispatch(error)))),
        };
        let Some(at) = self.hub.instant(asked.deadline_us) else {
            return Err(not_understood("the deadline", asked.deadline_us).into());
        };
        let deadline = Deadline::at(at);
        if deadline.has_passed() {
            let late = Error::new(
                Code::TargetUnresponsive,
                "the action's deadline had passed before it reached the agent",
                "give a longer timeout",
            );
            return told(&PerformAnswer::from(Err(Refusal::before_dispatch(late))));
        }
        let action = asked.action.action();
        let work =
            tokio::spawn(
                async move { session.carry_out(&action, feed.backend.perform(&action, deadline)).await },
            );
        let outcome = work.await.unwrap_or_else(|_| {
            Err(Refusal::after_dispatch(Error::internal("the action failed inside the agent")))
        });
        told(&PerformAnswer::from(outcome))
    }
}
