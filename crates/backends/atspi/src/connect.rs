//! The two contracts with the engine: finding apps, and one attached app.

use crate::attach::{self, App, Nature};
use crate::bus::{self, Desktop};
use crate::incoming::Incoming;
use crate::object::Object;
use crate::process::Work;
use crate::reconcile::Reconciler;
use crate::session::{Command, Found, Repairs, Session};
use crate::shadow::{Round, Shadow};
use crate::sockets::Sockets;
use async_trait::async_trait;
use futures_util::future;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;
use stillpoint_core::tree::{Change, NativeKey};
use stillpoint_core::{Code, Error, Result, Target};
use stillpoint_engine::backend::{
    Action, AttachOptions, Attached, Backend, Capabilities, Check, Connector, Deadline, EventSink, Performed,
    Place, Refusal, Scope, TargetInfo,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use zbus::{Connection, MessageStream};

/// How long an app that has just started may take to show its first window.
const FIRST_WINDOW: Duration = Duration::from_secs(2);
/// How many requests may wait for a session.
const REQUESTS: usize = 256;

/// Finds apps on one desktop.
#[derive(Clone, Debug)]
pub struct AtspiConnector {
    desktop: Desktop,
    sockets: Sockets,
}

impl AtspiConnector {
    /// Finds apps on the desktop that this process belongs to.
    pub fn from_env() -> Self {
        AtspiConnector::on(Desktop::from_env())
    }

    /// Finds apps on this desktop.
    pub fn on(desktop: Desktop) -> Self {
        AtspiConnector { desktop, sockets: Sockets::default() }
    }

    /// Attaches, and gives the backend by its own type.
    pub async fn attach_to(
        &self,
        target: &Target,
        options: &AttachOptions,
        sink: EventSink,
        deadline: Deadline,
    ) -> Result<(AtspiBackend, Vec<Change>, TargetInfo)> {
        let bus = self.desktop.connect(deadline).await?;
        let app = match attach::find(&bus, target, deadline).await {
            Err(error) if error.code == Code::HierarchyEmpty => {
                // On a connection of its own, so that what is heard while waiting does not mix with the app's events.
                let waiting = self.desktop.connect(deadline).await?;
                attach::await_app(&waiting, target, deadline).await?
            }
            found => found?,
        };
        // From here on nothing is lost: the stream holds what arrives until the first tree is read.
        let mut stream = Incoming::new(MessageStream::from(&bus));
        let begun = stream.hold_during(Box::pin(async {
            bus::listen(&bus, &app.root.name, deadline).await?;
            let nature = attach::look_at(&bus, &app, deadline).await?;
            let shadow = attach::begin(&bus, &self.sockets, &app, &nature, options.limits, deadline).await?;
            Ok((nature, shadow))
        }));
        let (nature, shadow) = begun.await?;
        let (requester, requests) = mpsc::channel(REQUESTS);
        let repairs = Repairs::default();
        let check = options.settings.get("reconcile").is_none_or(|on| on != "off");
        let mut session = Session {
            display: self.desktop.display.clone(),
            reconciler: Reconciler::new(check),
            requester: requester.downgrade(),
            ..Session::new(bus.clone(), stream, shadow, sink, &app, &nature, repairs.clone(), requests)
        };
        let first = deadline.bound("the first tree", session.first_tree()).await?;
        let dialect = session.shadow.dialect;
        let omits_events = dialect.structure_untold || dialect.web;
        let delays_clicks = dialect.showing_untold;
        let info = info(target, &app, &nature, &session.shadow);
        let work = session.work.clone();
        if dialect.web {
            work.note_others();
        }
        tokio::spawn(session.run());
        let backend = AtspiBackend {
            bus,
            app: app.root,
            pid: app.pid,
            display: self.desktop.display.clone(),
            requests: requester,
            repairs,
            omits_events,
            work,
            delays_clicks,
            pending_until: std::sync::Mutex::default(),
        };
        Ok((backend, first, info))
    }
}

fn info(target: &Target, app: &App, nature: &Nature, shadow: &Shadow) -> TargetInfo {
    let windows =
        shadow.nodes.get(&shadow.root).map(|root| root.told_children.as_slice()).unwrap_or_default();
    let titles =
        windows.iter().filter_map(|key| shadow.nodes.get(key)?.facts.name.as_deref().map(str::to_owned));
    TargetInfo {
        target: target.to_string(),
        name: nature.name.clone(),
        pid: Some(app.pid),
        toolkit: Some(nature.toolkit.clone()).filter(|t| !t.is_empty()),
        windows: titles.collect(),
    }
}

impl Session {
    #[allow(clippy::too_many_arguments)] // the parts of a session, each made in its own step of attaching
    fn new(
        bus: Connection,
        stream: Incoming,
        shadow: Shadow,
        sink: EventSink,
        app: &App,
        nature: &Nature,
        repairs: Repairs,
        requests: mpsc::Receiver<Command>,
    ) -> Self {
        let now = Instant::now();
        Session {
            bus,
            stream,
            shadow,
            sink,
            app: app.root.name.clone(),
            pid: app.pid,
            toolkit: nature.toolkit.clone(),
            display: None,
            repairs,
            screen: crate::tell::ToldScreen::default(),
            barriers: Vec::new(),
            pings: HashMap::new(),
            pongs: Vec::new(),
            last_barrier: 0,
            heard: 0,
            refreshes: Vec::new(),
            focus_waits: Vec::new(),
            later: HashMap::new(),
            sweeps: HashSet::new(),
            sweep_at: None,
            last_sweep: now,
            tells_bounds: false,
            last_told: now,
            first_told: false,
            reconciler: Reconciler::new(false),
            work: Work::of(app.pid),
            requests,
            requester: mpsc::channel(1).0.downgrade(),
        }
    }

    /// Finishes the first reading, and gives it as changes. An app that shows nothing yet is given a moment.
    async fn first_tree(&mut self) -> Result<Vec<Change>> {
        self.send_questions().await.map_err(|error| bus::told("the first tree", &error))?;
        // While the app answers.
        let windows = self.windows_on_display().await;
        crate::windows::place(&mut self.shadow, &windows);
        let empty_until = Instant::now() + FIRST_WINDOW;
        loop {
            let is_empty =
                self.shadow.nodes.get(&self.shadow.root).is_none_or(|root| root.facts.children.is_empty());
            if self.shadow.is_settled(Round(0)) && !is_empty {
                break;
            }
            if is_empty && Instant::now() >= empty_until {
                return Err(attach::hidden("the app", self.pid));
            }
            let step = tokio::time::timeout_at(empty_until, self.step());
            match step.await {
                Ok(std::ops::ControlFlow::Break(_)) => {
                    return Err(bus::lost("the app ended while it was read"));
                }
                Err(_) if is_empty => return Err(attach::hidden("the app", self.pid)),
                _ => {}
            }
        }
        self.shadow.round.0 += 1;
        self.shadow.drop_cache();
        self.shadow.moved.clear();
        // By now their sizes are known, and a window may have come in between.
        if crate::windows::knows_all(&self.shadow, &windows) {
            crate::windows::place(&mut self.shadow, &windows);
        } else {
            let windows = self.windows_on_display().await;
            crate::windows::place(&mut self.shadow, &windows);
        }
        let mut first = vec![Change::Replace(self.shadow.tell_all())];
        first.extend(self.shadow.tell_screen(&mut self.screen));
        self.first_told = true;
        self.shadow.ask_what_was_put_off();
        let skipped = self.shadow.skipped;
        tracing::debug!(nodes = self.shadow.nodes.len(), ?skipped, toolkit = self.toolkit, "first tree");
        Ok(first)
    }

    /// Where the toolkit does not say where its windows are, the display is asked.
    async fn windows_on_display(&mut self) -> Vec<crate::windows::XWindow> {
        let (Some(display), true) = (self.display.clone(), self.shadow.dialect.window_relative) else {
            return Vec::new();
        };
        let pid = self.pid;
        match tokio::task::spawn_blocking(move || crate::windows::windows_of(&display, pid)).await {
            Ok(Ok(found)) => return found,
            Ok(Err(error)) => tracing::debug!(%error, "the windows' places on the screen cannot be read"),
            Err(error) => tracing::debug!(%error, "looking at the display failed"),
        }
        Vec::new()
    }
}

#[async_trait]
impl Connector for AtspiConnector {
    fn schemes(&self) -> &'static [&'static str] {
        &["app"]
    }

    async fn attach(
        &self,
        target: &Target,
        options: &AttachOptions,
        sink: EventSink,
        deadline: Deadline,
    ) -> Result<Attached> {
        let (backend, first, info) = self.attach_to(target, options, sink, deadline).await?;
        Ok(Attached { backend: Box::new(backend), first, info })
    }

    async fn list(&self, deadline: Deadline) -> Result<Vec<TargetInfo>> {
        let bus = self.desktop.connect(deadline).await?;
        let apps = attach::apps(&bus, deadline).await?;
        Ok(future::join_all(apps.into_iter().map(|app| attach::describe(&bus, app, deadline))).await)
    }

    async fn diagnose(&self, deadline: Deadline) -> Vec<Check> {
        crate::doctor::diagnose(&self.desktop, deadline).await
    }
}

/// One attached app.
#[derive(Debug)]
pub struct AtspiBackend {
    pub(crate) bus: Connection,
    pub(crate) app: Object,
    pub(crate) pid: u32,
    pub(crate) display: Option<String>,
    requests: mpsc::Sender<Command>,
    repairs: Repairs,
    omits_events: bool,
    work: Work,
    /// Buttons of this toolkit carry out an activation a moment after they took it.
    delays_clicks: bool,
    /// Until when something that was handed over may still be waiting for its time.
    pub(crate) pending_until: std::sync::Mutex<Option<Instant>>,
}

impl AtspiBackend {
    /// How often a check found the mirror wrong, by toolkit and property.
    pub fn repairs(&self) -> BTreeMap<(String, String), u64> {
        self.repairs.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Asks the session for something.
    pub(crate) async fn request<T>(
        &self,
        what: &str,
        command: impl FnOnce(oneshot::Sender<T>) -> Command,
        deadline: Deadline,
    ) -> Result<T> {
        let (sender, receiver) = oneshot::channel();
        let command = command(sender);
        let work = async {
            let gone = || bus::lost(format!("the app (pid {}) is gone", self.pid));
            self.requests.send(command).await.map_err(|_| gone())?;
            receiver.await.map_err(|_| gone())
        };
        deadline.bound(what, work).await
    }

    /// An activation was handed to a button.
    pub(crate) fn note_activation(&self) {
        if self.delays_clicks {
            let until = Instant::now() + GTK4_ACTIVATION;
            *self.pending_until.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(until);
        }
    }

    /// What was handed to the app before a barrier is carried out before it passes.
    async fn outlast_pending(&self, deadline: Deadline) {
        let until = *self.pending_until.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(until) = until.filter(|until| *until > Instant::now()) {
            tokio::time::sleep_until(until.min(deadline.instant())).await;
        }
    }

    /// What is known of an element.
    pub(crate) async fn find(&self, key: NativeKey, deadline: Deadline) -> Result<Found> {
        let found =
            self.request("looking an element up", |answer| Command::Find(key, answer), deadline).await?;
        found.ok_or_else(|| {
            Error::new(
                stillpoint_core::Code::StaleReference,
                "the element is no longer there",
                "take a new snapshot and use its ids",
            )
        })
    }
}

#[async_trait]
impl Backend for AtspiBackend {
    fn capabilities(&self) -> Capabilities {
        let display = self.display.is_some();
        Capabilities {
            events: true,
            omits_events: self.omits_events,
            barrier: true,
            hit_test: true,
            screenshots: display,
            native_actions: true,
            synthesised_input: display,
            network: false,
        }
    }

    async fn barrier(&self, deadline: Deadline) -> Result<()> {
        self.outlast_pending(deadline).await;
        self.request("a barrier", Command::Barrier, deadline).await
    }

    async fn hail(&self, deadline: Deadline) -> Result<()> {
        self.outlast_pending(deadline).await;
        self.request("an answer", Command::Hail, deadline).await
    }

    async fn probe(&self, deadline: Deadline) -> Result<()> {
        let before = self.work.used();
        let answer = self.barrier(deadline).await;
        self.work.answered(before);
        answer
    }

    fn processor_time(&self) -> Option<Duration> {
        self.work.by_itself()
    }

    async fn perform(&self, action: &Action, deadline: Deadline) -> std::result::Result<Performed, Refusal> {
        let done = self.act(action, deadline).await?;
        // GTK 4 does not tell that a slider moved.
        let doubtful = match action {
            Action::Scroll { .. } | Action::ScrollTo { .. } => Some(Command::Scrolled),
            _ => target_of(action).map(Command::ActedOn),
        };
        if let Some(doubtful) = doubtful {
            // A session that is gone has nothing to read.
            let _ = self.requests.send(doubtful).await;
        }
        Ok(done)
    }

    async fn refresh(&self, scope: Scope, deadline: Deadline) -> Result<Vec<Change>> {
        self.request("reading again", |answer| Command::Refresh(scope, answer), deadline).await?
    }

    async fn screenshot(&self, of: Option<NativeKey>, deadline: Deadline) -> Result<Vec<u8>> {
        self.picture(of, deadline).await
    }

    async fn hit_test(&self, x: i32, y: i32, deadline: Deadline) -> Result<Option<NativeKey>> {
        self.element_at(x, y, deadline).await
    }

    async fn close(&self) {
        // A session that is gone is closed.
        let _ = self.requests.send(Command::Close).await;
    }
}

/// GTK 4 shows a button as pressed for 250 ms before it does what an assistive tool asked for, by a timer that nobody
/// can see. A barrier that came back earlier would not be behind it.
const GTK4_ACTIVATION: std::time::Duration = std::time::Duration::from_millis(255);

/// The element that an action changes by itself.
fn target_of(action: &Action) -> Option<NativeKey> {
    match action {
        Action::SetValue { on, .. } | Action::Toggle { on } | Action::Select { on } => Some(*on),
        Action::Expand { on, .. } => Some(*on),
        Action::TypeText { on, .. } | Action::PressKey { on, .. } => *on,
        Action::Tap { on: Place::Element(key), .. } => Some(*key),
        _ => None,
    }
}
