//! Finds the scene that a target names, and makes an app of it.

use crate::app::App;
use crate::barrier::{Call, Line, gone};
use crate::scene::choices::Choices;
use crate::scene::library::{self, Found};
use crate::scene::parse;
use crate::scene::player::Player;
use async_trait::async_trait;
use std::sync::Arc;
use stillpoint_core::tree::{Change, NativeKey};
use stillpoint_core::{Result, Target};
use stillpoint_engine::backend::{
    Action, AttachOptions, Attached, Backend, Capabilities, Deadline, End, EventSink, IdleReport, Performed,
    Refusal, Scope, TargetInfo,
};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::Instant;

/// How many calls may wait for the app.
const CALLS: usize = 64;

/// Starts the app that `target` names.
pub(crate) fn attach(
    custom: Option<&str>,
    target: &Target,
    options: &AttachOptions,
    sink: EventSink,
) -> Result<(Attached, mpsc::WeakSender<Call>)> {
    let (name, query) = target.rest().split_once('?').unwrap_or((target.rest(), ""));
    let seed = query.split('&').find_map(|pair| pair.strip_prefix("seed=")).and_then(|s| s.parse().ok());
    let found = match custom.filter(|_| name == "custom") {
        Some(text) => Found { scene: parse(text)?, machine: None },
        None => library::find(name, options.limits, seed.unwrap_or_default())?,
    };
    let choices = Choices::parse(query, &options.settings, &found.scene.options)?;
    let (latency, events) = (choices.latency, choices.events);
    let player = Player::new(Arc::new(found.scene), choices, found.machine, Instant::now());
    let first = player.stage.truth();
    let info = TargetInfo {
        target: target.to_string(),
        name: name.to_owned(),
        pid: None,
        toolkit: Some("sim".to_owned()),
        windows: player.scene.title.iter().cloned().collect(),
    };
    let idle = player.idle_signal();
    let (calls, inbox) = mpsc::channel(CALLS);
    let outside = calls.downgrade();
    let app = App { player, sink: sink.clone(), calls: inbox, latency, events };
    let task = tokio::spawn(app.run()).abort_handle();
    tracing::debug!(target = %info.target, "a scene plays");
    let backend = SimBackend { line: Line { calls }, task, sink, idle, events };
    Ok((Attached { backend: Box::new(backend), first, info }, outside))
}

/// The way to an app that plays a scene. Dropping it ends the app.
struct SimBackend {
    line: Line,
    task: AbortHandle,
    sink: EventSink,
    idle: Option<watch::Receiver<IdleReport>>,
    events: bool,
}

impl Drop for SimBackend {
    fn drop(&mut self) {
        self.task.abort();
        self.sink.end(End::Closed);
    }
}

#[async_trait]
impl Backend for SimBackend {
    fn capabilities(&self) -> Capabilities {
        Capabilities { events: self.events, ..crate::CAPABILITIES }
    }

    async fn barrier(&self, deadline: Deadline) -> Result<()> {
        self.line.ask("the barrier was not answered", deadline, |reply| Call::Barrier { reply }).await
    }

    async fn perform(&self, action: &Action, deadline: Deadline) -> Result<Performed, Refusal> {
        self.line.perform(action.clone(), deadline).await
    }

    async fn refresh(&self, scope: Scope, deadline: Deadline) -> Result<Vec<Change>> {
        self.line.ask("the tree was not read", deadline, |reply| Call::Refresh { scope, reply }).await
    }

    async fn screenshot(&self, of: Option<NativeKey>, deadline: Deadline) -> Result<Vec<u8>> {
        self.line.ask("no picture was taken", deadline, |reply| Call::Screenshot { of, reply }).await
    }

    async fn hit_test(&self, x: i32, y: i32, deadline: Deadline) -> Result<Option<NativeKey>> {
        self.line.ask("the hit test was not answered", deadline, |reply| Call::HitTest { x, y, reply }).await
    }

    fn idle_signal(&self) -> Option<watch::Receiver<IdleReport>> {
        self.idle.clone()
    }

    async fn close(&self) {
        self.task.abort();
        self.sink.end(End::Closed);
    }
}

/// The truth of a playing app, asked for from outside of any session.
pub(crate) async fn truth(calls: mpsc::Sender<Call>) -> Result<Vec<Change>> {
    let (reply, answer) = tokio::sync::oneshot::channel();
    calls.send(Call::Truth { reply }).await.map_err(|_| gone())?;
    answer.await.map_err(|_| gone())
}
