//! Stillpoint for agents: the engine's verbs as tools of a Model Context Protocol server.
//!
//! Nothing is decided here. Tools are made from [`stillpoint_engine::verbs::table`], a call is handed to the engine,
//! and its answer is told as text (for the model) and as structured content (for programs). What a verb refuses is a
//! result that the agent can read, never an error of the protocol.
//!
//! [`serve_stdio`] speaks over standard input and output, [`serve_http`] over streamable HTTP with a token,
//! [`serve`] over any pair of streams.

mod call;
mod gate;
mod http;
mod options;
mod outcome;
mod progress;
mod prompts;
mod resources;
mod schema;
mod server;
mod session_tools;
#[cfg(target_os = "linux")]
mod sockets;
mod stdio;
mod tools;

pub use http::{HttpOptions, HttpServer, serve_http};
pub use options::{Options, ToolSet};
pub use server::{INSTRUCTIONS, Server};
pub use stdio::{serve, serve_stdio};
pub use tools::USUAL as USUAL_TOOLS;
