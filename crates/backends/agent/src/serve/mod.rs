//! The agent: any local target behind the protocol.
//!
//! [`AgentServer`] is a session of the engine with the sixteen requests of v1 in front of it (`v1`), the engine's verbs as
//! calls of v2, and its backend as calls and events for whoever keeps a mirror of its own (`calls`, `feed`).

mod calls;
mod element;
mod feed;
mod handler;
mod hub;
mod lookup;
mod machine;
mod verb;

use feed::Followed;
use handler::AgentHandler;
use hub::Hub;
use std::net::SocketAddr;
use std::sync::Arc;
use stillpoint_core::{Result, Target};
use stillpoint_engine::backend::{AttachOptions, Connector};
use stillpoint_engine::{Engine, Policy};
use stillpoint_wire::server::{Server, ServerOptions};
use tokio_util::sync::CancellationToken;

/// Puts an agent together: which kinds of targets it can serve.
#[derive(Default)]
pub struct AgentBuilder {
    engine: Engine,
    hub: Arc<Hub>,
}

impl AgentBuilder {
    /// An agent that knows no target yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more kind of target.
    pub fn with(mut self, connector: impl Connector) -> Self {
        self.engine = self.engine.with(Followed::new(connector, Arc::clone(&self.hub)));
        self
    }

    /// The same under a policy: it says what may be served, and what may be done to it, whoever asks.
    #[must_use]
    pub fn under(mut self, policy: Policy) -> Self {
        self.engine = self.engine.with_policy(policy);
        self
    }

    /// Opens the target and listens. Anything but loopback needs a token and TLS, which are in `options`.
    pub async fn serve(
        self,
        target: &Target,
        attach: AttachOptions,
        addr: SocketAddr,
        options: ServerOptions,
    ) -> Result<AgentServer> {
        let handler = Arc::new(AgentHandler::open(self.engine, self.hub, target.clone(), attach).await?);
        match Server::bind(addr, Arc::clone(&handler), options).await {
            Ok(server) => Ok(AgentServer { server, handler }),
            Err(error) => {
                handler.shut_down().await;
                Err(error.into())
            }
        }
    }
}

/// A target that is open, and a port that listens.
pub struct AgentServer {
    server: Server<AgentHandler>,
    handler: Arc<AgentHandler>,
}

impl AgentServer {
    /// Where it listens; of use when port 0 was asked for.
    pub fn local_addr(&self) -> SocketAddr {
        self.server.local_addr()
    }

    /// Serves until `stop` is cancelled, then lets go of the target.
    pub async fn run(self, stop: CancellationToken) {
        self.server.serve(stop).await;
        self.handler.shut_down().await;
    }
}
