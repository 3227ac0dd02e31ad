//! Sessions on tokio: live mirrors of apps, waits that are woken by revisions, actions that prove what they did.
//!
//! Decisions are made in [`stillpoint_core`]; this crate feeds it and carries out what it decides. It knows no
//! platform: those are behind [`backend::Connector`].
//!
//! [`Engine`] opens targets, [`Session`] is one of them, [`verbs`] is what can be asked of a session: every face
//! (command line, MCP, Python) is made from that table.

pub mod act;
pub mod backend;
mod engine;
pub mod policy;
mod session;
pub mod sync;
pub mod telemetry;
pub mod trace;
pub mod verbs;

pub use engine::Engine;
pub use policy::Policy;
pub use session::{PastAction, Session, Watch, Watched};
