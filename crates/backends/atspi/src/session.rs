//! One attached app: receives events and answers in the order in which the bus brings them, keeps the shadow true,
//! and tells the mirror. It never waits for the app: questions are sent, and answers are handled when they come.

use crate::barrier::Reads;
use crate::bus;
use crate::incoming::Incoming;
use crate::node::Facts;
use crate::object::Object;
use crate::process::Work;
use crate::reconcile::{Reconciler, RepairCounts};
use crate::role::NativeRole;
use crate::shadow::{Round, Shadow};
use crate::tell::ToldScreen;
use crate::windows::XWindow;
use futures_util::FutureExt;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use stillpoint_core::tree::{Change, NativeKey, Rect};
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::{End, EventSink, Scope};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use zbus::message::Type;
use zbus::{Connection, Message};

/// How many questions may be unanswered at once; the rest waits here.
pub(crate) const WINDOW: usize = 512;
/// How many messages are handled before what they changed is told.
const BURST: usize = 4096;
/// With this much waiting, single questions make no sense any more: everything is read again.
const BACKLOG: usize = 200_000;
/// What checks found so far, shared with whoever asks.
pub(crate) type Repairs = Arc<Mutex<RepairCounts>>;

/// An object as an action needs it.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) facts: Facts,
    pub(crate) bounds: Option<Rect>,
    pub(crate) origin: (i32, i32),
    pub(crate) parent: Option<Object>,
    pub(crate) window_name: Option<String>,
}

/// What others ask of a session.
pub(crate) enum Command {
    /// Answer when everything that the app said before has been told.
    Barrier(oneshot::Sender<()>),
    /// Answer when the app has answered.
    Hail(oneshot::Sender<()>),
    /// Read again; the answer is the truth.
    Refresh(Scope, oneshot::Sender<Result<Vec<Change>>>),
    /// Something was done to an element: read it again, whether its toolkit tells or not.
    ActedOn(NativeKey),
    /// The wheel was turned: what lies in some list has moved, and hardly any toolkit says so.
    Scrolled,
    /// What is known of an element.
    Find(NativeKey, oneshot::Sender<Option<Found>>),
    /// Answer when the keyboard's focus is on an element, or in it.
    Focused(NativeKey, oneshot::Sender<()>),
    /// Who has the keyboard's focus, if it is neither an element nor in it nor around it.
    FocusElsewhere(NativeKey, oneshot::Sender<Option<Found>>),
    /// The windows of the app, the one in front first.
    Windows(oneshot::Sender<Vec<Found>>),
    /// The menu or popover that is on top at a point of the screen.
    PopupAt(i32, i32, oneshot::Sender<Option<Found>>),
    /// The nearest mirrored element for an object.
    KeyOf(Object, oneshot::Sender<Option<NativeKey>>),
    /// Where the app's windows are on the screen.
    Placed(Vec<XWindow>),
    /// Let go of the app.
    Close,
}

pub(crate) struct Session {
    pub(crate) bus: Connection,
    pub(crate) stream: Incoming,
    pub(crate) shadow: Shadow,
    pub(crate) sink: EventSink,
    pub(crate) app: Arc<str>,
    pub(crate) pid: u32,
    pub(crate) toolkit: String,
    pub(crate) display: Option<String>,
    pub(crate) repairs: Repairs,
    pub(crate) screen: ToldScreen,
    pub(crate) barriers: Vec<crate::barrier::Barrier>,
    pub(crate) pings: HashMap<NonZeroU32, u64>,
    /// Pings that continue a barrier and are to be sent.
    pub(crate) pongs: Vec<Message>,
    pub(crate) last_barrier: u64,
    /// How many events the app has sent.
    pub(crate) heard: u64,
    pub(crate) refreshes: Vec<Refresh>,
    /// Who waits for the focus to be on which element.
    pub(crate) focus_waits: Vec<(NativeKey, oneshot::Sender<()>)>,
    /// Whose places have to be asked for, and when.
    pub(crate) later: HashMap<NativeKey, Instant>,
    pub(crate) sweeps: HashSet<NativeKey>,
    pub(crate) sweep_at: Option<Instant>,
    pub(crate) last_sweep: Instant,
    pub(crate) tells_bounds: bool,
    pub(crate) last_told: Instant,
    pub(crate) first_told: bool,
    pub(crate) reconciler: Reconciler,
    pub(crate) work: Work,
    pub(crate) requests: mpsc::Receiver<Command>,
    pub(crate) requester: mpsc::WeakSender<Command>,
}

pub(crate) struct Refresh {
    pub(crate) round: Round,
    pub(crate) key: NativeKey,
    pub(crate) answer: oneshot::Sender<Result<Vec<Change>>>,
}

impl Session {
    /// Runs until the app is gone or nobody wants it any more.
    pub(crate) async fn run(mut self) {
        if let Err(error) = self.send_questions().await {
            // The loop will find the connection closed, and say so.
            tracing::debug!(%error, "what the first tree left open could not be asked");
        }
        let end = loop {
            if let ControlFlow::Break(end) = self.step().await {
                break end;
            }
        };
        self.sink.end(end);
    }

    /// Waits for the next thing to happen and handles it, with everything that happened along.
    pub(crate) async fn step(&mut self) -> ControlFlow<End> {
        let due = self.next_due();
        tokio::select! {
            message = self.stream.next() => match message {
                Some(Ok(message)) => self.burst(&message)?,
                _ => return ControlFlow::Break(End::Lost(bus::lost("the accessibility bus closed the connection"))),
            },
            command = self.requests.recv() => match command {
                Some(command) => self.command(command).await?,
                None => return ControlFlow::Break(End::Closed),
            },
            () = tokio::time::sleep_until(due) => self.wake(),
        }
        if self.send_questions().await.is_err() {
            return ControlFlow::Break(End::Lost(bus::lost("the accessibility bus closed the connection")));
        }
        self.tell();
        if !self.pongs.is_empty() && self.send_questions().await.is_err() {
            return ControlFlow::Break(End::Lost(bus::lost("the accessibility bus closed the connection")));
        }
        ControlFlow::Continue(())
    }

    /// Handles a message and all that have arrived behind it, so that they make one batch.
    fn burst(&mut self, first: &Message) -> ControlFlow<End> {
        self.shadow.now = Instant::now();
        self.receive(first)?;
        for _ in 0..BURST {
            match self.stream.next().now_or_never() {
                Some(Some(Ok(message))) => self.receive(&message)?,
                _ => break,
            }
        }
        ControlFlow::Continue(())
    }

    fn receive(&mut self, message: &Message) -> ControlFlow<End> {
        match message.message_type() {
            Type::MethodReturn | Type::Error => {
                if !self.shadow.answer(message) {
                    self.pong(message);
                }
            }
            Type::Signal => return self.signal(message),
            Type::MethodCall => {}
        }
        ControlFlow::Continue(())
    }

    fn signal(&mut self, message: &Message) -> ControlFlow<End> {
        let header = message.header();
        if header.member().is_some_and(|member| member.as_str() == "NameOwnerChanged") {
            let gone = message
                .body()
                .deserialize::<(&str, &str, &str)>()
                .is_ok_and(|(name, _, new)| name == &*self.app && new.is_empty());
            if gone {
                return ControlFlow::Break(End::Lost(bus::lost(format!("the app (pid {}) ended", self.pid))));
            }
            return ControlFlow::Continue(());
        }
        self.heard += 1;
        self.reconciler.note_event(self.shadow.now);
        let effects = self.shadow.event(message);
        self.tells_bounds |= effects.tells_bounds;
        if let Some(key) = effects.place_later {
            self.later.entry(key).or_insert(self.shadow.now + crate::events::PLACE_INTERVAL);
        }
        if let Some(key) = effects.moved_within {
            self.sweep_soon(key);
        }
        ControlFlow::Continue(())
    }

    fn next_due(&self) -> Instant {
        let due =
            [self.later.values().min().copied(), self.sweep_at, self.reconciler.due(self.shadow.is_quiet())];
        due.into_iter().flatten().min().unwrap_or_else(|| Instant::now() + Duration::from_secs(3600))
    }

    fn wake(&mut self) {
        let now = Instant::now();
        self.shadow.now = now;
        self.place_due(|at| at <= now);
        if self.sweep_at.is_some_and(|at| at <= now) {
            self.sweep_now();
        }
        if self.reconciler.due(self.shadow.is_quiet()).is_some_and(|at| at <= now) {
            self.reconciler.check(&mut self.shadow, &self.work);
        }
    }

    /// Sends what has to be asked.
    pub(crate) async fn send_questions(&mut self) -> zbus::Result<()> {
        self.listen_to_strangers();
        if self.shadow.backlog() > BACKLOG {
            tracing::warn!(app = self.pid, "more to ask than makes sense; everything is to be read again");
            self.sink.resync();
        }
        let mut questions = self.shadow.next_questions(WINDOW);
        questions.append(&mut self.pongs);
        self.bus.send_all(&questions).await
    }

    /// Objects of other processes (plugs, web engines) bring their own events.
    fn listen_to_strangers(&mut self) {
        for name in std::mem::take(&mut self.shadow.strangers) {
            self.work.note_others();
            let bus = self.bus.clone();
            tokio::spawn(async move {
                let deadline = stillpoint_engine::backend::Deadline::after(Duration::from_secs(5));
                if let Err(error) = bus::listen(&bus, &name, deadline).await {
                    tracing::warn!(%error, %name, "events of an embedded process cannot be had");
                }
            });
        }
    }

    /// Tells the mirror what changed, then those who wait for it to be told.
    pub(crate) fn tell(&mut self) {
        if !self.first_told {
            return;
        }
        self.look_again_at_what_moved();
        let (at, mut changes) = self.shadow.tell(self.shadow.now);
        changes.extend(self.shadow.tell_screen(&mut self.screen));
        self.count_repairs();
        if !changes.is_empty() {
            if !self.tells_bounds && changes.iter().any(moves_others) {
                self.sweep_soon(self.shadow.root);
            }
            self.look_around_what_moved();
            self.last_told = self.last_told.max(at);
            self.sink.send_at(self.last_told, changes);
        }
        if self.shadow.is_quiet() {
            self.reconciler.finished(Instant::now(), &self.work);
        }
        self.answer_barriers();
        self.answer_refreshes();
        self.answer_focus_waits();
    }

    fn count_repairs(&mut self) {
        if self.shadow.drifted.is_empty() {
            return;
        }
        let mut repairs = self.repairs.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        crate::reconcile::count(&mut repairs, &self.toolkit, &mut self.shadow.drifted);
    }

    fn answer_refreshes(&mut self) {
        let (ready, waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut self.refreshes)
            .into_iter()
            .filter(|r| !r.answer.is_closed())
            .partition(|r| self.shadow.is_settled(r.round));
        self.refreshes = waiting;
        for refresh in ready {
            if refresh.key == self.shadow.root {
                self.sink.supersede();
            }
            let answer = self.shadow.told_subtree(refresh.key).map(|node| vec![Change::Replace(node)]);
            // Whoever asked may have stopped waiting.
            let _ = refresh.answer.send(answer.ok_or_else(stale));
        }
    }

    fn answer_focus_waits(&mut self) {
        let (there, waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut self.focus_waits)
            .into_iter()
            .filter(|(_, answer)| !answer.is_closed())
            .partition(|(key, _)| self.shadow.focused().any(|focused| self.shadow.is_within(focused, *key)));
        self.focus_waits = waiting;
        for (_, answer) in there {
            // Whoever asked may have stopped waiting.
            let _ = answer.send(());
        }
    }

    async fn command(&mut self, command: Command) -> ControlFlow<End> {
        self.shadow.now = Instant::now();
        match command {
            Command::Barrier(answer) => return self.start_barrier(answer, Reads::WhatIsUntold).await,
            Command::Hail(answer) => return self.start_barrier(answer, Reads::Nothing).await,
            Command::Refresh(scope, answer) => self.refresh(scope, answer),
            Command::Scrolled => self.sweep_soon(self.shadow.root),
            Command::ActedOn(key) => self.shadow.read_one_again(key),
            Command::Find(key, answer) => {
                let _ = answer.send(self.find(key));
            }
            // Answered with everything else that is told after a step.
            Command::Focused(key, answer) => self.focus_waits.push((key, answer)),
            Command::FocusElsewhere(key, answer) => {
                let is_elsewhere = |other: &NativeKey| {
                    !self.shadow.is_within(*other, key) && !self.shadow.is_within(key, *other)
                };
                let other = self.shadow.focused().find(is_elsewhere);
                let _ = answer.send(other.and_then(|other| self.find(other)));
            }
            Command::Windows(answer) => {
                let _ = answer.send(self.windows());
            }
            Command::PopupAt(x, y, answer) => {
                let popup = self.shadow.popup_at(x, y).and_then(|key| self.find(key));
                let _ = answer.send(popup);
            }
            Command::KeyOf(object, answer) => {
                let key = self.shadow.keys.get(&object.name, &object.path);
                let _ = answer
                    .send(key.filter(|key| self.shadow.nodes.get(key).is_some_and(|e| e.told.is_some())));
            }
            Command::Placed(found) => crate::windows::place(&mut self.shadow, &found),
            Command::Close => return ControlFlow::Break(End::Closed),
        }
        ControlFlow::Continue(())
    }

    fn refresh(&mut self, scope: Scope, answer: oneshot::Sender<Result<Vec<Change>>>) {
        let key = match scope {
            Scope::Everything => self.shadow.root,
            Scope::Subtree(key) => key,
        };
        if !self.shadow.nodes.contains_key(&key) {
            let _ = answer.send(Err(stale()));
            return;
        }
        let round = self.shadow.round;
        self.shadow.checking(|shadow| shadow.read_again(key));
        self.shadow.round.0 += 1;
        self.look_at_windows();
        self.refreshes.push(Refresh { round, key, answer });
    }

    fn find(&self, key: NativeKey) -> Option<Found> {
        let entry = self.shadow.nodes.get(&key).filter(|e| !e.dead)?;
        let window = self.shadow.toplevel(key).and_then(|window| self.shadow.nodes.get(&window));
        let origin = self.shadow.origin(key);
        let parent = entry.facts.parent.and_then(|p| self.shadow.nodes.get(&p));
        Some(Found {
            facts: entry.facts.clone(),
            bounds: entry.facts.bounds(origin),
            origin,
            parent: parent.map(|p| p.facts.object.clone()),
            window_name: window.and_then(|w| w.facts.name.as_deref().map(str::to_owned)),
        })
    }

    fn windows(&self) -> Vec<Found> {
        let windows =
            self.shadow.nodes.get(&self.shadow.root).map(|r| r.told_children.clone()).unwrap_or_default();
        let mut found: Vec<(NativeKey, Found)> =
            windows.into_iter().rev().filter_map(|key| Some((key, self.find(key)?))).collect();
        // A dialog lies above the window that opened it even before it has the focus.
        let is_dialog = |found: &Found| found.facts.role == NativeRole::DIALOG;
        found.sort_by_key(|(key, found)| (!is_dialog(found), Some(*key) != self.shadow.active));
        found.into_iter().map(|(_, found)| found).collect()
    }
}

/// Whether a change is likely to move others.
fn moves_others(change: &Change) -> bool {
    use stillpoint_core::tree::Prop;
    match change {
        Change::Update { props, .. } => props.iter().any(|p| !matches!(p, Prop::Bounds(_))),
        Change::Screen { .. } => false,
        _ => true,
    }
}

fn stale() -> Error {
    Error::new(Code::StaleReference, "the element is no longer there", "take a new snapshot and use its ids")
}
