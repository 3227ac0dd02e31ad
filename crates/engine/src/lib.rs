//! Sessions on tokio: live mirrors of apps, waits that are woken by revisions, actions that prove what they did.
//!
//! Decisions are made in [`stillpoint_core`]; this crate feeds it and carries out what it decides. It knows no
//! platform: those are behind [`backend::Connector`].

pub mod backend;
