//! An agent's process: spawned, awaited, reused, ended.
//!
//! [`AgentLifecycle`] owns at most one child and its process group. Whatever way it ends (a call, a drop, a failed
//! start), the group ends with it. It knows nothing of the commands that are in flight: that is [`crate::recovery`].

mod child;
mod command;
mod readiness;
mod xcodebuild;

use std::time::Duration;

use crate::DEFAULT_PORT;
use crate::client::{Client, ClientOptions};
use crate::codec::ClientHello;
use crate::error::WireError;
use child::AgentChild;

pub use command::AgentCommand;
pub(crate) use readiness::connect;
pub use xcodebuild::XcodebuildPreset;

/// How an agent is started and reached.
#[derive(Debug, Clone)]
pub struct LifecycleOptions {
    /// What to spawn.
    pub command: AgentCommand,
    /// What must have run once before the first spawn, such as a build.
    pub prepare: Option<AgentCommand>,
    /// What to run after the child has ended, for agents that outlive their launcher.
    pub clean_up: Option<AgentCommand>,
    /// Where the agent listens: 127.0.0.1.
    pub agent_host: String,
    /// The agent's port: 8080.
    pub agent_port: u16,
    /// How long one start may take: 30 s.
    pub startup_timeout: Duration,
    /// How often a failed start is repeated: 3 times.
    pub max_retries: u32,
    /// Between heartbeats until the agent is ready: 500 ms.
    pub heartbeat_every: Duration,
    /// Between asking the child to end and ending it: 2 s.
    pub terminate_grace: Duration,
    /// The device that the agent must run on, where it matters.
    pub device_udid: Option<String>,
    /// What to say first, for a token or for v2. Without it every connection stays v1.
    pub hello: Option<ClientHello>,
    /// For the connections to the agent.
    pub client: ClientOptions,
}

impl LifecycleOptions {
    /// The contract's defaults around a command.
    pub fn new(command: AgentCommand) -> Self {
        Self {
            command,
            prepare: None,
            clean_up: None,
            agent_host: "127.0.0.1".to_owned(),
            agent_port: DEFAULT_PORT,
            startup_timeout: Duration::from_secs(30),
            max_retries: 3,
            heartbeat_every: Duration::from_millis(500),
            terminate_grace: Duration::from_secs(2),
            device_udid: None,
            hello: None,
            client: ClientOptions::default(),
        }
    }

    /// `host:port` of the agent.
    pub fn address(&self) -> String {
        if self.agent_host.contains(':') {
            format!("[{}]:{}", self.agent_host, self.agent_port)
        } else {
            format!("{}:{}", self.agent_host, self.agent_port)
        }
    }
}

/// The owner of an agent's process.
#[derive(Debug)]
pub struct AgentLifecycle {
    options: LifecycleOptions,
    child: Option<AgentChild>,
    prepared: bool,
}

impl AgentLifecycle {
    /// Starts nothing yet.
    pub fn new(options: LifecycleOptions) -> Self {
        Self { options, child: None, prepared: false }
    }

    /// How the agent is started and reached.
    pub fn options(&self) -> &LifecycleOptions {
        &self.options
    }

    /// The child's process id, while there is one. It is also the id of its group.
    pub fn child_id(&self) -> Option<u32> {
        self.child.as_ref().map(AgentChild::id)
    }

    /// Starts afresh, always: ends what was started before, prepares, spawns, and waits for the first heartbeat.
    pub async fn ensure_running(&mut self) -> Result<Client, WireError> {
        self.prepared = false;
        self.respawn().await
    }

    /// Reuses an agent that answers on the port and runs on the right device; else [`AgentLifecycle::ensure_running`].
    pub async fn ensure_agent_ready(&mut self) -> Result<Client, WireError> {
        match readiness::reusable(&self.options).await {
            Some(client) => Ok(client),
            None => self.ensure_running().await,
        }
    }

    /// Ends the child and spawns it again, without preparing it anew.
    pub async fn respawn(&mut self) -> Result<Client, WireError> {
        self.terminate().await;
        self.prepare().await?;
        let mut attempt = 0;
        loop {
            let error = match self.start_once().await {
                Ok(client) => return Ok(client),
                Err(error) => error,
            };
            self.terminate().await;
            if attempt >= self.options.max_retries || !worth_repeating(&error) {
                return Err(error);
            }
            attempt += 1;
            tracing::warn!(%error, attempt, "the agent did not start; trying again");
        }
    }

    /// Ends the child and its group: asks first, then insists. Nothing happens without a child.
    pub async fn terminate(&mut self) {
        let Some(child) = self.child.take() else { return };
        child.terminate(self.options.terminate_grace).await;
        if let Some(clean_up) = &self.options.clean_up
            && let Err(error) = child::run_to_end(clean_up).await
        {
            tracing::debug!(%error, "cleaning up after the agent failed");
        }
    }

    async fn prepare(&mut self) -> Result<(), WireError> {
        if let (false, Some(prepare)) = (self.prepared, &self.options.prepare) {
            child::run_to_end(prepare).await?;
        }
        self.prepared = true;
        Ok(())
    }

    async fn start_once(&mut self) -> Result<Client, WireError> {
        readiness::port_is_free(&self.options).await?;
        let child = self.child.insert(AgentChild::spawn(&self.options.command)?);
        readiness::wait_until_ready(&self.options, child).await
    }
}

/// A program that is not there, or a port that is not ours, will not change by trying.
fn worth_repeating(error: &WireError) -> bool {
    !matches!(error, WireError::Spawn { .. } | WireError::PortTaken { .. })
}
