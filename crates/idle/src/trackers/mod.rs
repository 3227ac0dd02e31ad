//! Ready-made trackers for event loops. Qt's is a C++ header (`include/stillpoint_idle_qt.h`), asyncio's and PyQt's are in
//! the Python module, the page's is `web/stillpoint-idle.js`; tokio's is [`crate::track`].
#![allow(clippy::doc_markdown, reason = "GLib is a name, not code")]

mod glib;

pub use glib::{GlibError, glib_symbol, track_glib};
