//! Linux desktop apps through AT-SPI. Never polls a tree: it is read once, then kept by events.
//!
//! - targets: `app:NAME` (as the app calls itself, or its executable) and `app:pid=N`
//! - first tree by one bulk call, completed by pipelined reads, over the app's own socket where it has one
//! - events for structure, states, properties, text, places, selection, focus and windows
//! - a barrier that is ordered behind the events
//! - a check while the app is quiet, which repairs what toolkits forget to tell, and counts it
//! - native actions (press, edit, set, select, focus, scroll to); XTEST as the named fallback
//! - hit tests, screenshots, and what is missing on this machine

mod act;
mod ask;
mod attach;
mod barrier;
mod bus;
mod cache;
mod cells;
mod connect;
mod doctor;
mod edit;
mod events;
mod family;
mod follow;
mod gather;
mod hit;
mod incoming;
mod input;
mod keymap;
mod node;
mod object;
mod places;
mod process;
mod read;
mod reconcile;
mod role;
mod screenshot;
mod session;
mod shadow;
mod sockets;
mod state;
mod tell;
mod windows;

pub use bus::Desktop;
pub use connect::{AtspiBackend, AtspiConnector};
