//! An agent that serves a real target over a real socket, and engines that reach it.
#![allow(dead_code, unreachable_pub)] // each test program uses its part of it
#![allow(clippy::unwrap_used)]

pub mod proxy;

use serde_json::Value;
use std::net::SocketAddr;
use stillpoint_agent::{Agent, AgentBuilder, ServerOptions};
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::verbs::{self, Answer, Call};
use stillpoint_engine::{Engine, Session};
use stillpoint_sim::Sim;
use stillpoint_wire::codec::ClientHello;
use stillpoint_wire::{Client, ClientOptions, Version};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// An agent under way.
pub struct Served {
    pub addr: SocketAddr,
    stop: CancellationToken,
    running: JoinHandle<()>,
}

impl Served {
    pub async fn sim(target: &str) -> Self {
        Self::with(AgentBuilder::new().with(Sim::new()), target).await
    }

    pub async fn scene(text: &str) -> Self {
        Self::with(AgentBuilder::new().with(Sim::scripted(text)), "sim:custom").await
    }

    pub async fn with(builder: AgentBuilder, target: &str) -> Self {
        Self::at(builder, target, 0).await
    }

    pub async fn at(builder: AgentBuilder, target: &str, port: u16) -> Self {
        let addr = SocketAddr::from(([127, 0, 0, 1], port));
        let options = ServerOptions::default();
        let attach = AttachOptions::default();
        let server = builder.serve(&target.parse().unwrap(), attach, addr, options).await.unwrap();
        let addr = server.local_addr();
        let stop = CancellationToken::new();
        let running = tokio::spawn(server.run(stop.clone()));
        Served { addr, stop, running }
    }

    /// Ends the agent and returns once it is gone.
    pub async fn end(self) {
        self.stop.cancel();
        self.running.await.unwrap();
    }

    /// A v1 client.
    pub async fn client(&self) -> Client {
        Client::connect(&self.addr.to_string(), ClientOptions::default()).await.unwrap()
    }

    /// A v2 client.
    pub async fn client_v2(&self) -> Client {
        let client = self.client().await;
        let hello = ClientHello::new(None, &[ClientHello::EVENTS]);
        assert_eq!(client.hello(hello).await.unwrap(), Version::V2);
        client
    }

    /// A session of an engine over here.
    pub async fn session(&self, settings: &[(&str, &str)]) -> Session {
        session(self.addr, settings).await
    }
}

pub async fn session(addr: SocketAddr, settings: &[(&str, &str)]) -> Session {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let options = AttachOptions { settings, ..AttachOptions::default() };
    let engine = Engine::new().with(Agent::new());
    engine.open(&format!("agent:{addr}").parse().unwrap(), &options).await.unwrap()
}

/// Does a verb.
pub async fn ask(session: &Session, verb: &str, params: Value) -> Box<dyn Answer> {
    let spec = verbs::by_name(verb).unwrap();
    (spec.run)(session, params, &Call::default()).await.unwrap_or_else(|e| panic!("{verb}: {e}"))
}

/// Does a verb that has to succeed, and gives its answer as JSON.
pub async fn done(session: &Session, verb: &str, params: Value) -> Value {
    let answer = ask(session, verb, params).await;
    let json = answer.json().unwrap();
    assert!(answer.error().is_none(), "{verb}: {json:#}");
    json
}
