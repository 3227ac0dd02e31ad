//! One attached target with its mirror, its waits and its way to the app.
//!
//! A task of its own receives what the backend tells and applies it to the mirror; everybody else reads the mirror
//! under a lock that is held for microseconds and never across an await.

mod mirror_task;
mod recent;
mod watch;

pub use recent::PastAction;
pub(crate) use watch::last_call;
pub use watch::{Watch, Watched};

use crate::backend::{
    AttachOptions, Backend, BusyResource, Capabilities, Connector, Deadline, End, EventSink, TargetInfo,
    channel,
};
use crate::policy::Guard;
use crate::sync::{Choice, Sampling, Word};
use crate::telemetry::Telemetry;
use crate::trace::{Recorder, What};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stillpoint_core::revise::{Delta, Mirror, Revision, Snapshot};
use stillpoint_core::settle::{StabilityState, UiState, ui_state};
use stillpoint_core::tree::Tree;
use stillpoint_core::{Code, Error, Moment, Result, Target};
use tokio::sync::watch as signal;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long the UI must have been quiet for a plain snapshot to be called stable.
const CALM: Duration = Duration::from_millis(300);
/// The setting that names a file for the trace.
const TRACE: &str = "trace";

/// A session; clones share it.
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    target: Target,
    info: TargetInfo,
    backend: Box<dyn Backend>,
    sink: EventSink,
    epoch: Instant,
    state: Mutex<State>,
    tick: signal::Sender<u64>,
    recent: recent::Recent,
    recorder: Recorder,
    choice: Choice,
    word: Word,
    sampling: Sampling,
    telemetry: Arc<Telemetry>,
    guard: Option<Arc<Guard>>,
    closed: CancellationToken,
}

/// What is behind the lock.
pub(crate) struct State {
    pub(crate) mirror: Mirror,
    pub(crate) watches: watch::Watches,
    pub(crate) ended: Option<End>,
}

/// What an engine gives to each of its sessions.
pub(crate) struct Setting {
    /// Where it counts.
    pub(crate) telemetry: Arc<Telemetry>,
    /// What it may do; everything, if nobody said.
    pub(crate) guard: Option<Arc<Guard>>,
    /// How many batches may wait for the mirror.
    pub(crate) capacity: usize,
}

impl Session {
    /// Attaches to a target: the first tree is read, and from then on changes are followed.
    pub async fn attach(
        connector: &dyn Connector,
        target: Target,
        options: &AttachOptions,
        telemetry: Arc<Telemetry>,
        deadline: Deadline,
    ) -> Result<Self> {
        Self::attach_with_room(connector, target, options, telemetry, deadline, crate::backend::CAPACITY)
            .await
    }

    /// The same, with room for `capacity` batches between backend and mirror.
    pub async fn attach_with_room(
        connector: &dyn Connector,
        target: Target,
        options: &AttachOptions,
        telemetry: Arc<Telemetry>,
        deadline: Deadline,
        capacity: usize,
    ) -> Result<Self> {
        let setting = Setting { telemetry, guard: None, capacity };
        Self::attach_in(connector, target, options, setting, deadline).await
    }

    pub(crate) async fn attach_in(
        connector: &dyn Connector,
        target: Target,
        options: &AttachOptions,
        setting: Setting,
        deadline: Deadline,
    ) -> Result<Self> {
        let choice = Choice::from(options)?;
        let rules = choice.sampler_rules();
        let (sink, inbox) = channel(setting.capacity);
        let epoch = sink.opened();
        let (sampling, looks) = Sampling::new();
        let attaching = connector.attach(&target, options, sink.clone(), deadline);
        let attached = deadline.bound(&format!("attaching to {target}"), attaching).await?;
        let mut mirror = Mirror::new(options.limits);
        mirror.apply(attached.first, moment(epoch, Instant::now()));
        if mirror.tree().is_empty() {
            attached.backend.close().await;
            return Err(Error::new(
                Code::HierarchyEmpty,
                format!("{target} exposes no accessibility tree"),
                "`stillpoint doctor` says which switch turns it on for each toolkit",
            ));
        }
        let state = State { mirror, watches: watch::Watches::default(), ended: None };
        let inner = Arc::new(Inner {
            target,
            info: attached.info,
            backend: attached.backend,
            sink,
            epoch,
            state: Mutex::new(state),
            tick: signal::Sender::new(0),
            recent: recent::Recent::default(),
            recorder: Recorder::default(),
            choice,
            word: Word::default(),
            sampling,
            telemetry: setting.telemetry,
            guard: setting.guard,
            closed: CancellationToken::new(),
        });
        mirror_task::spawn(&inner, inbox);
        inner.sampling.spawn(&inner, looks, rules);
        let session = Session { inner };
        if let Some(path) = options.settings.get(TRACE)
            && let Err(error) = session.record_to(path)
        {
            session.close().await;
            return Err(error);
        }
        Ok(session)
    }

    /// The URI that it was opened with.
    pub fn target(&self) -> &Target {
        &self.inner.target
    }

    /// Whom it is attached to.
    pub fn info(&self) -> &TargetInfo {
        &self.inner.info
    }

    /// What its backend can do.
    pub fn capabilities(&self) -> Capabilities {
        self.inner.backend.capabilities()
    }

    /// The way to the app.
    pub fn backend(&self) -> &dyn Backend {
        &*self.inner.backend
    }

    /// Counters of what happens.
    pub fn telemetry(&self) -> &Telemetry {
        &self.inner.telemetry
    }

    /// The policy that it is under.
    pub(crate) fn guard(&self) -> Option<&Guard> {
        self.inner.guard.as_deref()
    }

    /// How rest is to be known.
    pub(crate) fn choice(&self) -> &Choice {
        &self.inner.choice
    }

    /// The app's own word, from its process.
    pub(crate) fn word(&self) -> &Word {
        &self.inner.word
    }

    /// The way to the task that looks.
    pub(crate) fn sampling(&self) -> &Sampling {
        &self.inner.sampling
    }

    /// Everything is to be read again.
    pub(crate) fn ask_for_resync(&self) {
        self.inner.sink.resync();
    }

    /// What keeps the trace.
    pub(crate) fn recorder(&self) -> &Recorder {
        &self.inner.recorder
    }

    /// The time now, on the session's own time line.
    pub fn now(&self) -> Moment {
        self.moment(Instant::now())
    }

    /// An instant on the session's own time line.
    pub fn moment(&self, at: Instant) -> Moment {
        moment(self.inner.epoch, at)
    }

    /// The instant of a moment of this session.
    pub fn instant(&self, at: Moment) -> Instant {
        self.inner.epoch + Duration::from_micros(at.as_micros())
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state()
    }

    /// The mirror as it is now, or why there is none any more.
    pub fn snapshot(&self) -> Snapshot {
        let now = self.now();
        self.state().mirror.snapshot(now)
    }

    /// Reads the living tree; keep it short, the mirror waits meanwhile.
    pub fn read<T>(&self, read: impl FnOnce(&Tree) -> T) -> T {
        read(self.state().mirror.tree())
    }

    /// Reads the mirror: the tree with its revisions; keep it short.
    pub fn read_mirror<T>(&self, read: impl FnOnce(&Mirror) -> T) -> T {
        read(&self.state().mirror)
    }

    /// The revision now.
    pub fn revision(&self) -> Revision {
        self.state().mirror.revision()
    }

    /// What changed since a revision.
    pub fn delta_since(&self, base: Revision) -> Result<Delta> {
        self.state().mirror.delta_since(base)
    }

    /// Woken on every change of the mirror, and at its end.
    pub fn changes(&self) -> signal::Receiver<u64> {
        self.inner.tick.subscribe()
    }

    /// Why the session ended, if it did.
    pub fn end(&self) -> Option<End> {
        self.state().ended.clone()
    }

    /// `Err` once the app is gone.
    pub fn alive(&self) -> Result<()> {
        match self.end() {
            None => Ok(()),
            Some(end) => Err(lost(&self.inner.target, &end)),
        }
    }

    /// A round trip to the app, after which it has seen what was done to it before. Brings less than a barrier, and costs the app less.
    pub(crate) async fn hail(&self, deadline: Deadline) -> Result<()> {
        if !self.hears_events() || !self.inner.backend.capabilities().barrier {
            return self.barrier(deadline).await;
        }
        self.alive()?;
        deadline.bound("an answer", self.inner.backend.hail(deadline)).await
    }

    /// A round trip to the app, after which every change that it had told before is in the mirror.
    pub async fn barrier(&self, deadline: Deadline) -> Result<()> {
        self.round_trip(deadline, self.inner.backend.barrier(deadline)).await
    }

    /// The same for those who only want to know whether something was left untold.
    pub(crate) async fn probe(&self, deadline: Deadline) -> Result<()> {
        self.round_trip(deadline, self.inner.backend.probe(deadline)).await
    }

    /// By way of the app, then through the queue of its events.
    async fn round_trip(&self, deadline: Deadline, by_app: impl Future<Output = Result<()>>) -> Result<()> {
        self.alive()?;
        let began = Instant::now();
        if !self.hears_events() {
            self.look(deadline).await?;
            self.inner.telemetry.barrier_time.observe(began.elapsed());
            return Ok(());
        }
        if self.inner.backend.capabilities().barrier {
            deadline.bound("a round trip behind its events", by_app).await?;
        }
        let through = async {
            let marker = self.inner.sink.marker().await;
            let received = match marker {
                Some(marker) => marker.await.is_ok(),
                None => false,
            };
            if received {
                Ok(())
            } else {
                self.alive().and(Err(Error::internal("the mirror's queue is gone")))
            }
        };
        deadline.bound("the queue of its events", through).await?;
        self.inner.telemetry.barrier_time.observe(began.elapsed());
        Ok(())
    }

    /// The processor time that the app has used, where that is known.
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        self.inner.backend.processor_time()
    }

    /// What the app says is under way.
    pub fn busy_resources(&self) -> Vec<BusyResource> {
        self.idle_report().map(|r| r.busy).unwrap_or_default()
    }

    /// What the UI is doing right now.
    pub fn ui_state(&self) -> UiState {
        let busy = self.idle_report().is_some_and(|r| !r.idle);
        let now = self.now();
        let state = self.state();
        ui_state(state.mirror.last_qualifying(), state.mirror.last_layout(), busy, CALM, now)
    }

    /// How far rest is known without asking the app: never `stable`, for that takes a barrier.
    pub fn glance(&self) -> StabilityState {
        let report = self.idle_report();
        let now = self.now();
        let quiet = self.state().mirror.last_qualifying().is_none_or(|at| now.since(at) >= CALM);
        match report {
            Some(report) if report.idle && quiet => StabilityState::Idle,
            Some(report) if !report.idle => StabilityState::Transient,
            _ if quiet => StabilityState::Stabilizing,
            _ => StabilityState::Transient,
        }
    }

    /// Lets go of the app, once the pictures for the trace are taken.
    pub async fn close(&self) {
        self.pictures_taken().await;
        if self.end().is_none() {
            self.recorder().note(self.now(), What::Ended { why: "the session was closed".to_owned() });
        }
        self.inner.closed.cancel();
        // Said here, and not only by the mirror's task once it comes to it: whoever asks next must hear it.
        self.inner.state().ended.get_or_insert(End::Closed);
        self.inner.wake();
        self.inner.sink.end(End::Closed);
        self.inner.backend.close().await;
    }
}

impl From<Arc<Inner>> for Session {
    fn from(inner: Arc<Inner>) -> Self {
        Session { inner }
    }
}

impl Inner {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere does not make the mirror wrong: every change is applied whole or not at all.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a wait also has to ask, because not everything is told.
    pub(crate) fn omits_events(&self) -> bool {
        self.backend.capabilities().omits_events
    }

    pub(crate) fn wake(&self) {
        self.tick.send_modify(|n| *n += 1);
    }
}

fn moment(epoch: Instant, at: Instant) -> Moment {
    Moment::START + at.saturating_duration_since(epoch)
}

/// The error of a session that is over.
pub(crate) fn lost(target: &Target, end: &End) -> Error {
    match end {
        End::Closed => Error::new(
            Code::TargetLost,
            format!("the session with {target} was closed"),
            "open the target again; element ids and revisions start anew",
        ),
        End::Lost(error) => error.clone(),
    }
}
