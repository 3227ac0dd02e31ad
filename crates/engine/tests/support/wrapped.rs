//! The simulator with something changed: another process id, no tree, events left out, looks and barriers that are counted.
#![allow(dead_code, unreachable_pub)] // each test file uses its own part

use async_trait::async_trait;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use stillpoint_core::tree::{Change, NativeKey};
use stillpoint_core::{Result, Target};
use stillpoint_engine::backend::{
    Action, AttachOptions, Attached, Backend, Capabilities, Check, Connector, Deadline, EventSink,
    IdleReport, Performed, Refusal, Scope, TargetInfo,
};
use stillpoint_sim::Sim;
use tokio::sync::watch;

/// What is changed.
#[derive(Default)]
pub struct Wrapped {
    pub sim: Sim,
    pub pid: Option<u32>,
    pub no_tree: bool,
    pub omits_events: bool,
    pub looks: Arc<AtomicUsize>,
    pub barriers: Arc<AtomicUsize>,
    /// The processor time that the app says it has used.
    pub processor_time: Option<Duration>,
}

struct Inside {
    backend: Box<dyn Backend>,
    omits_events: bool,
    looks: Arc<AtomicUsize>,
    barriers: Arc<AtomicUsize>,
    processor_time: Option<Duration>,
}

#[async_trait]
impl Connector for Wrapped {
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
        let mut attached = self.sim.attach(target, options, sink, deadline).await?;
        attached.info.pid = self.pid;
        if self.no_tree {
            attached.first.clear();
        }
        let (looks, barriers) = (self.looks.clone(), self.barriers.clone());
        let (backend, omits_events) = (attached.backend, self.omits_events);
        let processor_time = self.processor_time;
        attached.backend = Box::new(Inside { backend, omits_events, looks, barriers, processor_time });
        Ok(attached)
    }

    async fn list(&self, deadline: Deadline) -> Result<Vec<TargetInfo>> {
        self.sim.list(deadline).await
    }

    async fn diagnose(&self, deadline: Deadline) -> Vec<Check> {
        self.sim.diagnose(deadline).await
    }
}

#[async_trait]
impl Backend for Inside {
    fn capabilities(&self) -> Capabilities {
        Capabilities { omits_events: self.omits_events, ..self.backend.capabilities() }
    }

    async fn barrier(&self, deadline: Deadline) -> Result<()> {
        self.barriers.fetch_add(1, Ordering::Relaxed);
        self.backend.barrier(deadline).await
    }

    async fn hail(&self, deadline: Deadline) -> Result<()> {
        self.backend.hail(deadline).await
    }

    fn processor_time(&self) -> Option<Duration> {
        self.processor_time
    }

    async fn perform(&self, action: &Action, deadline: Deadline) -> Result<Performed, Refusal> {
        self.backend.perform(action, deadline).await
    }

    async fn refresh(&self, scope: Scope, deadline: Deadline) -> Result<Vec<Change>> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.backend.refresh(scope, deadline).await
    }

    async fn screenshot(&self, of: Option<NativeKey>, deadline: Deadline) -> Result<Vec<u8>> {
        self.backend.screenshot(of, deadline).await
    }

    async fn hit_test(&self, x: i32, y: i32, deadline: Deadline) -> Result<Option<NativeKey>> {
        self.backend.hit_test(x, y, deadline).await
    }

    fn idle_signal(&self) -> Option<watch::Receiver<IdleReport>> {
        self.backend.idle_signal()
    }

    async fn close(&self) {
        self.backend.close().await;
    }
}
