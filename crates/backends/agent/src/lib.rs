//! Remote targets, both ends: `agent:HOST:PORT` as a backend, and the agent that serves any local target.
//!
//! The backend: with an agent of v2 the far side's changes feed the mirror here as if they were local, and actions run on
//! the far side's backend under the caller's deadline. An agent of v1 (a phone's, say) tells nothing by itself: its tree is
//! read and compared, which is the engine's heuristic mode.
//!
//! Rooms of the backend: `attach` connects and reads the first tree, `node` turns a v1 element into a node, `events` follows
//! what a v2 agent pushes, `act` hands actions over, `barrier` is the way to the agent. The agent's own rooms are in
//! `serve`. What both say to each other is in `payload`; the bytes around it are `stillpoint_wire`'s.

mod act;
mod address;
mod attach;
mod barrier;
mod events;
mod node;
mod payload;
mod role;
mod serve;

pub use serve::{AgentBuilder, AgentServer};
pub use stillpoint_wire::server::ServerOptions;
pub use stillpoint_wire::tls::ServerTls;
pub use stillpoint_wire::{DEFAULT_PORT, Token};

use async_trait::async_trait;
use stillpoint_core::{Result, Target};
use stillpoint_engine::backend::{
    AttachOptions, Attached, Check, Connector, Deadline, EventSink, TargetInfo,
};

/// Drives targets on other machines, through an agent there.
///
/// Settings: `token_file`, `ca` (a PEM file: TLS, trusting that authority alone), `server_name` (as the certificate has
/// it, if not the host), `plaintext=true` (beyond loopback without TLS), `protocol=v1` (never ask for v2).
#[derive(Debug, Default)]
pub struct Agent;

impl Agent {
    /// The connector.
    pub fn new() -> Self {
        Agent
    }
}

#[async_trait]
impl Connector for Agent {
    fn schemes(&self) -> &'static [&'static str] {
        &["agent"]
    }

    async fn attach(
        &self,
        target: &Target,
        options: &AttachOptions,
        sink: EventSink,
        deadline: Deadline,
    ) -> Result<Attached> {
        attach::attach(target, options, sink, deadline).await
    }

    async fn list(&self, _: Deadline) -> Result<Vec<TargetInfo>> {
        // Agents are on machines that only the user knows.
        Ok(Vec::new())
    }

    async fn diagnose(&self, _: Deadline) -> Vec<Check> {
        let found = "agent:HOST:PORT needs an agent there, such as `stillpoint agent serve`".to_owned();
        vec![Check { name: "agents".to_owned(), ok: true, found, fix: None }]
    }
}
