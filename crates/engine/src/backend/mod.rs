//! What a backend owes the engine.
//!
//! A [`Connector`] finds targets of its scheme and attaches to one. What it gives back is a [`Backend`], the first
//! tree, and from then on a stream of changes into the [`EventSink`]. A backend never knows a wait, a revision or a
//! verb; the engine never knows a platform. Every call has a [`Deadline`], and keeps it even if the app hangs.

mod action;
mod deadline;
mod sink;

pub use action::{Action, Button, Delivery, Key, Means, Performed, Place, Refusal, SetTo};
pub use deadline::Deadline;
pub use sink::{CAPACITY, End, Event, EventSink, Inbox, Next, channel};

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use stillpoint_core::tree::{Change, Limits, NativeKey};
use stillpoint_core::{Error, Result, Target};
use tokio::sync::watch;

/// What a backend can do, so that the engine asks for nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    /// It tells changes by itself. Without this the engine samples (SPEC §5, heuristic mode).
    pub events: bool,
    /// Its app does not tell everything: a wait also asks. A barrier then finds what was not told.
    pub omits_events: bool,
    /// It has a round trip that is ordered behind every event already sent.
    pub barrier: bool,
    /// It can say which element receives the pointer at a point.
    pub hit_test: bool,
    /// It can take pictures.
    pub screenshots: bool,
    /// It acts without moving the pointer or stealing the focus.
    pub native_actions: bool,
    /// It can synthesise pointer and keyboard input.
    pub synthesised_input: bool,
    /// It sees network requests.
    pub network: bool,
}

/// A target that is there to be attached to, or that is attached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetInfo {
    /// The URI that attaches to it.
    pub target: String,
    /// Its name for people.
    pub name: String,
    /// Its process, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// What it is built with: `gtk3`, `qt5`, `chromium`, `sim`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolkit: Option<String>,
    /// Its windows' titles, or the page's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<String>,
}

/// One thing that was looked at by `doctor`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What was looked at.
    pub name: String,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found.
    pub found: String,
    /// What to do, where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// How to attach.
#[derive(Clone, Debug, Default)]
pub struct AttachOptions {
    /// How much is mirrored.
    pub limits: Limits,
    /// Settings of one backend by name, as given by the caller (`headless`, `instrument`, …).
    pub settings: std::collections::BTreeMap<String, String>,
}

/// What attaching gives.
pub struct Attached {
    /// The way to the app from now on.
    pub backend: Box<dyn Backend>,
    /// The first tree, as changes: one [`Change::Replace`] with the root, and the screen.
    /// Events that the sink got in the meantime are applied after it.
    pub first: Vec<Change>,
    /// Whom we are attached to.
    pub info: TargetInfo,
}

/// Finds targets of one platform.
#[async_trait]
pub trait Connector: Send + Sync + 'static {
    /// The URI schemes that it answers to.
    fn schemes(&self) -> &'static [&'static str];

    /// Attaches to a target. Changes go into `sink` from then on.
    async fn attach(
        &self,
        target: &Target,
        options: &AttachOptions,
        sink: EventSink,
        deadline: Deadline,
    ) -> Result<Attached>;

    /// What could be attached to now.
    async fn list(&self, deadline: Deadline) -> Result<Vec<TargetInfo>>;

    /// What this platform needs and whether it is there.
    async fn diagnose(&self, deadline: Deadline) -> Vec<Check>;
}

/// Which part of the app to read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of it.
    Everything,
    /// One element and what lies in it.
    Subtree(NativeKey),
}

/// What an app says about its own idleness (SPEC §5, SDK mode).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IdleReport {
    /// Whether nothing that blocks is under way.
    pub idle: bool,
    /// What is under way.
    pub busy: Vec<BusyResource>,
}

/// Work that an app says is under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BusyResource {
    /// Its name: `network`, `animation`, …
    pub name: String,
    /// How often it is under way at once.
    pub count: u32,
    /// For how long.
    pub age_ms: u64,
    /// Busy for so long that it no longer blocks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stuck: bool,
}

/// A request that the app sent over the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkRequest {
    /// The method, such as `GET`.
    pub method: String,
    /// Where it went.
    pub url: String,
    /// What came back, once it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// When it was sent, in milliseconds of the session.
    pub started_ms: u64,
    /// How long it took, once it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Why it failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What kind of thing was asked for: `document`, `fetch`, `image`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The action in whose course it was sent: after its dispatch, and before the UI was at rest again. None for what
    /// the app sent by itself. The engine fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
}

/// One attached app.
#[async_trait]
pub trait Backend: Send + Sync + 'static {
    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// A round trip to the app. When it returns `Ok`, every change that the app had told before is in the sink.
    /// An app that does not answer in time is [`TARGET_UNRESPONSIVE`](stillpoint_core::Code::TargetUnresponsive).
    async fn barrier(&self, deadline: Deadline) -> Result<()>;

    /// A round trip to the app that brings nothing: when it returns `Ok`, the app has seen what was done to it before. For those who
    /// do not read, where a barrier reads more than the app told.
    async fn hail(&self, deadline: Deadline) -> Result<()> {
        self.barrier(deadline).await
    }

    /// Does one thing to the app. Nothing may be dispatched once the deadline has passed, not even later.
    async fn perform(&self, action: &Action, deadline: Deadline) -> std::result::Result<Performed, Refusal>;

    /// Reads part of the app again; the answer is the truth about it.
    async fn refresh(&self, scope: Scope, deadline: Deadline) -> Result<Vec<Change>>;

    /// A PNG of the app, or of one element.
    async fn screenshot(&self, of: Option<NativeKey>, deadline: Deadline) -> Result<Vec<u8>>;

    /// Which element receives the pointer at a point of the screen.
    async fn hit_test(&self, x: i32, y: i32, deadline: Deadline) -> Result<Option<NativeKey>> {
        let _ = (x, y, deadline);
        Err(unsupported("hit tests"))
    }

    /// The app's own word about its idleness, where it gives one.
    fn idle_signal(&self) -> Option<watch::Receiver<IdleReport>> {
        None
    }

    /// A barrier for those who only want to know whether something was left untold. What the app takes to answer it does not count as its
    /// own [`processor_time`](Backend::processor_time).
    async fn probe(&self, deadline: Deadline) -> Result<()> {
        self.barrier(deadline).await
    }

    /// The processor time that the app has used by itself, if that is known of all of it. What has not run has not changed, and is
    /// not asked whether it has.
    fn processor_time(&self) -> Option<Duration> {
        None
    }

    /// The requests that the app sent since `since_ms` of the session.
    async fn network(&self, since_ms: u64, deadline: Deadline) -> Result<Vec<NetworkRequest>> {
        let _ = (since_ms, deadline);
        Err(unsupported("network activity"))
    }

    /// Lets go of the app. What the backend started itself is ended; what it found running goes on.
    async fn close(&self);
}

/// The error for what a platform cannot do.
pub fn unsupported(what: &str) -> Error {
    Error::new(
        stillpoint_core::Code::Unsupported,
        format!("this target has no {what}"),
        "`stillpoint doctor` lists what each kind of target can do",
    )
}
