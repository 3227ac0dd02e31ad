//! Sessions that live on between calls: a JSON-RPC daemon on a unix socket, and its client.

mod targets;

pub use targets::{Targets, cancelled};
