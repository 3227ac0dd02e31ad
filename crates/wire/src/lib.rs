//! The agent protocol of Stillpoint: a codec that never touches a socket or a clock, and thin tokio layers around it.
//!
//! | room | what it holds | what it must not know |
//! |---|---|---|
//! | [`codec`] | frames ⇄ bytes, sans I/O | sockets, time, tokio |
//! | [`client`] | one connection to an agent, v1 and v2 | processes |
//! | [`server`] | connections from clients, in front of a [`server::Handler`] | what a verb means |
//! | [`lifecycle`] | an agent's process: spawn, ready, terminate | which command is in flight |
//! | [`tls`] | the stream made secret | frames |
//! | [`recovery`] | what to do when a connection or an agent is lost | bytes |
//!
//! The contract is SPEC §11; `docs/agent-protocol.md` describes it for other implementations, and
//! `vectors/*.json` pins it down byte by byte.

pub mod client;
pub mod codec;
pub mod error;
pub mod lifecycle;
pub mod recovery;
pub mod server;
pub mod tls;

pub use client::{Client, ClientOptions, EventNotice, EventStream, Version};
pub use codec::{Element, Frame, Reply, Request, Token};
pub use error::{Delivery, ErrorCode, Fault, WireError};
pub use lifecycle::{AgentCommand, AgentLifecycle, LifecycleOptions};
pub use recovery::{ResilientClient, Safety};
pub use server::{Handler, Server, ServerOptions};

/// The port an agent listens on unless told otherwise.
pub const DEFAULT_PORT: u16 = 8080;
