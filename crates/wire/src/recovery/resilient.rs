//! A client that survives the loss of its connection and of its agent.

use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use super::retry::{Safety, Verdict};
use crate::client::{Client, ClientOptions};
use crate::codec::{ClientHello, Reply, Request};
use crate::error::WireError;
use crate::lifecycle::{AgentCommand, AgentLifecycle, LifecycleOptions, connect};

/// A connection and how many there were before it.
#[derive(Debug, Clone)]
struct Current {
    generation: u64,
    client: Client,
}

struct RecoveryRequest {
    /// The connection that failed; whoever comes late gets the newer one.
    lost: u64,
    done: oneshot::Sender<Result<Current, WireError>>,
}

/// Sends commands and, when the connection is lost, reconnects; if that fails, respawns the agent. Then the command is
/// sent once more, if that is safe. Clones share the connection, and one recovery serves all who wait for it.
///
/// The agent ends when the last clone is dropped.
#[derive(Debug, Clone)]
pub struct ResilientClient {
    current: watch::Receiver<Current>,
    recoveries: mpsc::Sender<RecoveryRequest>,
    target: watch::Sender<Option<String>>,
}

impl ResilientClient {
    /// Brings the agent up (see [`AgentLifecycle::ensure_agent_ready`]) and keeps it up.
    pub async fn start(mut lifecycle: AgentLifecycle) -> Result<Self, WireError> {
        let client = lifecycle.ensure_agent_ready().await?;
        let options = lifecycle.options().clone();
        Ok(Self::keep(client, options, Some(lifecycle)))
    }

    /// Connects to an agent that somebody else keeps: only reconnects when it is lost.
    pub async fn attach(
        host: &str,
        port: u16,
        hello: Option<ClientHello>,
        client: ClientOptions,
    ) -> Result<Self, WireError> {
        // Nothing is spawned without a lifecycle, so the command stays empty.
        let mut options = LifecycleOptions::new(AgentCommand::new(""));
        (options.agent_host, options.agent_port) = (host.to_owned(), port);
        (options.hello, options.client) = (hello, client);
        let client = connect(&options).await?;
        Ok(Self::keep(client, options, None))
    }

    fn keep(client: Client, options: LifecycleOptions, lifecycle: Option<AgentLifecycle>) -> Self {
        let (publish, current) = watch::channel(Current { generation: 0, client });
        let (target, wanted_target) = watch::channel(None);
        let (recoveries, queue) = mpsc::channel(64);
        let keeper = Keeper { options, lifecycle, publish, target: wanted_target };
        tokio::spawn(keeper.run(queue));
        Self { current, recoveries, target }
    }

    /// The connection of the moment, for whatever this type does not cover, such as events.
    pub fn client(&self) -> Client {
        self.current.borrow().client.clone()
    }

    /// The connection of the moment, made anew if the last one was lost.
    pub async fn reconnect(&self) -> Result<Client, WireError> {
        let Current { generation, client } = self.current.borrow().clone();
        if client.is_closed() { Ok(self.recover(generation).await?.client) } else { Ok(client) }
    }

    /// Sends a v1 request. Idempotent ones are sent once more after a loss; others only if nobody can have received
    /// them, and else fail with [`WireError::DeliveryUnknown`].
    pub async fn request(&self, request: Request) -> Result<Reply, WireError> {
        let safety = Safety::from(&request);
        let reply = self
            .carry_out(request.name(), safety, |client| {
                let request = request.clone();
                async move { client.request(request).await }
            })
            .await?;
        if let Request::SetTarget { target } = request {
            self.target.send_replace(Some(target));
        }
        Ok(reply)
    }

    /// Sends a v2 call. Only the caller knows whether it may be sent twice.
    pub async fn call(
        &self,
        method: &str,
        params: &Value,
        patience: Duration,
        safety: Safety,
    ) -> Result<Value, WireError> {
        self.carry_out(
            method,
            safety,
            |client| async move { client.call_within(method, params, patience).await },
        )
        .await
    }

    async fn carry_out<T, Sending>(
        &self,
        command: &str,
        safety: Safety,
        send: impl Fn(Client) -> Sending,
    ) -> Result<T, WireError>
    where
        Sending: Future<Output = Result<T, WireError>>,
    {
        let Current { generation, client } = self.current.borrow().clone();
        let error = match send(client.clone()).await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        if matches!(error, WireError::NoAnswer { .. }) && !client.is_closed() {
            // A v2 call took too long and was cancelled. Nothing is wrong with the connection.
            return Err(error);
        }
        let verdict = Verdict::on(&error, safety);
        if verdict == Verdict::Report {
            return Err(error);
        }
        tracing::warn!(%error, command, ?verdict, "the connection failed");
        let recovered = self.recover(generation).await;
        if verdict == Verdict::RecoverAndReport {
            let state = match &recovered {
                Ok(_) => "the agent is back".to_owned(),
                Err(why) => format!("and the agent could not be brought back: {why}"),
            };
            let reason = format!("{error}; {state}");
            return Err(WireError::DeliveryUnknown { command: command.to_owned(), reason });
        }
        let outcome = send(recovered?.client).await;
        outcome.map_err(|error| match Verdict::on(&error, safety) {
            Verdict::RecoverAndReport => {
                WireError::DeliveryUnknown { command: command.to_owned(), reason: error.to_string() }
            }
            _ => error,
        })
    }

    async fn recover(&self, lost: u64) -> Result<Current, WireError> {
        let (done, recovered) = oneshot::channel();
        let stopped =
            || WireError::Connect { addr: "the agent".to_owned(), reason: "recovery has stopped".to_owned() };
        self.recoveries.send(RecoveryRequest { lost, done }).await.map_err(|_| stopped())?;
        recovered.await.map_err(|_| stopped())?
    }
}

/// The one task that owns the agent's process and makes connections.
struct Keeper {
    options: LifecycleOptions,
    lifecycle: Option<AgentLifecycle>,
    publish: watch::Sender<Current>,
    target: watch::Receiver<Option<String>>,
}

impl Keeper {
    async fn run(mut self, mut queue: mpsc::Receiver<RecoveryRequest>) {
        while let Some(RecoveryRequest { lost, done }) = queue.recv().await {
            let current = self.publish.borrow().clone();
            let outcome = if current.generation > lost && !current.client.is_closed() {
                Ok(current)
            } else {
                self.restore(current.generation).await
            };
            // Whoever asked may have gone; the connection is there for the next one.
            let _ = done.send(outcome);
        }
        if let Some(lifecycle) = &mut self.lifecycle {
            lifecycle.terminate().await;
        }
    }

    async fn restore(&mut self, generation: u64) -> Result<Current, WireError> {
        self.publish.borrow().client.close();
        let client = match self.reconnect().await {
            Ok(client) => client,
            // It answered, and the answer was no: starting it again would not change that.
            Err(error @ WireError::Remote(_)) => return Err(error),
            Err(error) => self.respawn(error).await?,
        };
        let current = Current { generation: generation + 1, client };
        self.publish.send_replace(current.clone());
        Ok(current)
    }

    async fn reconnect(&self) -> Result<Client, WireError> {
        let client = connect(&self.options).await?;
        // Somebody else may have started the agent anew, and setting the target twice does no harm.
        self.set_target(&client).await?;
        Ok(client)
    }

    async fn respawn(&mut self, because: WireError) -> Result<Client, WireError> {
        let Some(lifecycle) = &mut self.lifecycle else { return Err(because) };
        tracing::warn!(error = %because, "cannot reconnect; starting the agent again");
        let client = lifecycle.respawn().await?;
        self.set_target(&client).await?;
        Ok(client)
    }

    async fn set_target(&self, client: &Client) -> Result<(), WireError> {
        let target = self.target.borrow().clone();
        match target {
            Some(target) => client.set_target(&target).await,
            None => Ok(()),
        }
    }
}
