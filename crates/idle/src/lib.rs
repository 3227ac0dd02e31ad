//! The idle SDK: an app says when work is in flight ([`busy`]), and a reader knows when the app is at rest
//! ([`IdleClient`]), through counters in shared memory. Asking costs no system call, and a reader never writes to, locks
//! or blocks the app.
//!
//! The app's side is [`busy`], [`Resource`] and [`Reporter`]; the reader's is [`IdleClient`]. The layout of the shared
//! memory is described in `docs/idle-layout.md`, how to embed it (C, Python, web pages) in `docs/idle.md`.

mod attach;
pub mod c_abi;
mod client;
mod clock;
mod error;
mod layout;
mod left_over;
mod live;
mod lock;
mod mapping;
mod names;
mod page_file;
mod place;
#[doc(hidden)]
pub mod protocol;
mod reporter;
mod stuck;
mod track;
pub mod trackers;
#[cfg(feature = "tokio")]
mod wait_async;

pub use client::{BusyResource, IdleClient, IdleState, PageEntry, WaitOutcome};
pub use error::{ConnectError, StartError};
pub use layout::{MAX_NAME, MAX_RESOURCES};
pub use reporter::{Guard, Reporter, Resource, busy};
pub use track::{Tracked, track};
