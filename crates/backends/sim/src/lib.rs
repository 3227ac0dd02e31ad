//! The simulator: a real backend whose app is a text fixture. It is the embedded default, the demo, the fixture of
//! every engine test and the load for scale tests. It touches no screen, no network and no other process.
//!
//! `sim:login` attaches to a scene; `sim:login?speed=2&seed=7&jitter=50` chooses how it plays. It tells changes by
//! itself, has a barrier and a hit test, acts natively, takes pictures, and keeps all its time with tokio's clock, so
//! that tests can play it in virtual time. [`scene`] is the language that scenes are written in.
//!
//! Rooms: `attach` finds the scene, `node` and `events` turn it into nodes and changes, `act` reacts to verbs,
//! `barrier` is the way into the one task (`app`) that owns it all.

mod act;
mod app;
mod attach;
mod barrier;
mod events;
mod node;
mod picture;
pub mod scene;

use async_trait::async_trait;
use std::sync::Mutex;
use stillpoint_core::tree::Change;
use stillpoint_core::{Code, Error, Result, Target};
use stillpoint_engine::backend::{
    AttachOptions, Attached, Capabilities, Check, Connector, Deadline, EventSink, TargetInfo,
};
use tokio::sync::mpsc::WeakSender;

/// What the simulator can do.
pub(crate) const CAPABILITIES: Capabilities = Capabilities {
    events: true,
    barrier: true,
    hit_test: true,
    screenshots: true,
    omits_events: false,
    native_actions: true,
    synthesised_input: true,
    network: false,
};

/// Finds scenes and plays them.
#[derive(Default)]
pub struct Sim {
    custom: Option<String>,
    playing: Mutex<Vec<(String, WeakSender<barrier::Call>)>>,
}

impl Sim {
    /// A simulator with the scenes that come with it.
    pub fn new() -> Self {
        Sim::default()
    }

    /// A simulator that also serves the scene of this text as `sim:custom`.
    pub fn scripted(text: &str) -> Self {
        Sim { custom: Some(text.to_owned()), ..Sim::default() }
    }

    /// The truth about the app that was attached last with this URI, asked for outside of any session:
    /// what a mirror must equal. Even a hung app answers; one that ended does not.
    pub async fn truth(&self, target: &str) -> Result<Vec<Change>> {
        let calls = {
            let playing = self.playing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            playing.iter().rev().find(|(name, _)| name == target).and_then(|(_, calls)| calls.upgrade())
        };
        match calls {
            Some(calls) => attach::truth(calls).await,
            None => Err(Error::new(
                Code::TargetNotFound,
                format!("nobody plays {target:?} in this simulator"),
                "attach to it first, with the same URI",
            )),
        }
    }
}

#[async_trait]
impl Connector for Sim {
    fn schemes(&self) -> &'static [&'static str] {
        &["sim"]
    }

    async fn attach(
        &self,
        target: &Target,
        options: &AttachOptions,
        sink: EventSink,
        deadline: Deadline,
    ) -> Result<Attached> {
        let _ = deadline; // nothing here waits
        let (attached, calls) = attach::attach(self.custom.as_deref(), target, options, sink)?;
        let mut playing = self.playing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        playing.retain(|(_, calls)| calls.strong_count() > 0);
        playing.push((target.to_string(), calls));
        Ok(attached)
    }

    async fn list(&self, _: Deadline) -> Result<Vec<TargetInfo>> {
        let custom = self.custom.iter().map(|_| ("custom", "the scene that was given as text."));
        let scenes = scene::library::catalogue().chain(custom);
        let info = |(name, about)| TargetInfo {
            target: format!("sim:{name}"),
            name: str::to_owned(about),
            toolkit: Some("sim".to_owned()),
            ..TargetInfo::default()
        };
        Ok(scenes.map(info).collect())
    }

    async fn diagnose(&self, _: Deadline) -> Vec<Check> {
        let found = format!("embedded and always there, {} scenes", scene::library::catalogue().count());
        vec![Check { name: "simulator".to_owned(), ok: true, found, fix: None }]
    }
}
