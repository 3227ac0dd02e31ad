//! The one place where the engine is put together: which kinds of targets this program can open.

use crate::output::Out;
use stillpoint_agent::Agent;
use stillpoint_chromium::Chromium;
use stillpoint_core::{Code, Error, Result, Target};
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::{Engine, Policy, Session};
use stillpoint_sim::Sim;
use tokio_util::sync::CancellationToken;

/// An engine with every backend of this build, under a policy: an engine that is given none lets everything
/// pass, and what is destructive needs the caller's own `--confirm` (SPEC §14).
pub(crate) fn engine(policy: Policy) -> Engine {
    let engine = Engine::new().with_policy(policy).with(Sim::new()).with(Chromium::new()).with(Agent::new());
    #[cfg(target_os = "linux")]
    let engine = engine.with(stillpoint_atspi::AtspiConnector::from_env());
    engine
}

/// Opens a target, unless the caller gives up first.
pub(crate) async fn open(
    engine: &Engine,
    target: &Target,
    options: &AttachOptions,
    cancel: &CancellationToken,
) -> Result<Session> {
    tokio::select! {
        opened = engine.open(target, options) => opened,
        () = cancel.cancelled() => Err(interrupted()),
    }
}

/// The error of a call that the caller gave up.
pub(crate) fn interrupted() -> Error {
    Error::new(Code::Cancelled, "interrupted", "call again if the answer is still wanted")
}

/// What a command has at hand.
pub(crate) struct Desk {
    /// The way to every target.
    pub(crate) engine: Engine,
    /// How to speak to the caller.
    pub(crate) out: Out,
    /// Cancelled by Ctrl-C.
    pub(crate) cancel: CancellationToken,
}
