//! Sessions that live on between calls: a JSON-RPC daemon on a unix socket, and its client.
//!
//! [`Daemon`] holds an engine and serves its verbs to several clients at once, so that mirrors stay warm and revisions
//! carry over from one call to the next. [`Client`] speaks to it, and starts it where none runs. There is one daemon
//! for each user and runtime directory ([`Place`]); it ends when nobody needed it for a while.
//!
//! Nothing is decided here: a call is handed to the engine, and its answer is handed back ([`Reply`]).

mod calls;
mod client;
mod connection;
mod desk;
pub mod guard;
mod metrics;
mod place;
mod reply;
mod server;
pub mod sessions;
mod start;
mod targets;
mod version;
mod wire;

pub use client::{Client, DaemonInfo};
pub use metrics::MetricsOptions;
pub use place::Place;
pub use reply::Reply;
pub use server::{Daemon, ServeOptions, serve};
pub use targets::{Targets, call_until, cancelled};
pub use wire::Form;
