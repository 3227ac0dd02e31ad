//! A private desktop with an app on it, attached, with its mirror fed from the sink.
#![allow(dead_code, unreachable_pub)] // each test program uses its part of it

pub mod truthful;
pub mod verbs;
pub mod walker;

use futures_util::FutureExt;
use std::future::Future;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use stillpoint_atspi::{AtspiBackend, AtspiConnector};
use stillpoint_core::revise::Mirror;
use stillpoint_core::tree::{Change, ElementId, Limits, NativeKey, Node, Role, Tree};
use stillpoint_core::{Moment, Result, Target};
use stillpoint_engine::backend::{
    AttachOptions, Backend as _, CAPACITY, Deadline, End, Event, Inbox, Next, Scope, TargetInfo, channel,
};
use stillpoint_lab::{App, Desktop, Fixture};

/// Long enough for a busy machine; nothing waits for it to pass.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub fn patience() -> Deadline {
    Deadline::after(PATIENCE)
}

/// A desktop for one test.
pub struct Stage {
    pub desktop: Desktop,
}

impl Stage {
    pub fn new() -> Self {
        Stage { desktop: Desktop::builder().deadline(Duration::from_secs(120)).start().expect("a desktop") }
    }

    pub fn connector(&self) -> AtspiConnector {
        AtspiConnector::on(stillpoint_atspi::Desktop {
            accessibility_bus: Some(self.desktop.a11y_address().to_owned()),
            session_bus: Some(self.desktop.session_address()),
            display: Some(self.desktop.display()),
        })
    }

    pub fn fixture(&self, fixture: Fixture) -> Arc<App> {
        Arc::new(self.desktop.fixture(fixture).expect("the fixture starts"))
    }

    /// Starts a program of the distribution and returns once the registry lists it.
    pub async fn program(&self, program: &str) -> App {
        self.listed(self.desktop.command(program)).await
    }

    /// Runs a command of this desktop and returns once the registry lists it.
    pub async fn listed(&self, command: Command) -> App {
        let program = command.get_program().to_string_lossy().into_owned();
        let app = self.desktop.spawn(command).expect("it starts");
        let until = patience();
        loop {
            let listed = self.connector().list(until).await.expect("the registry answers");
            if listed.iter().any(|t| t.pid == Some(app.pid())) {
                return app;
            }
            assert!(
                !until.has_passed() && app.is_alive(),
                "{program} did not appear among {listed:?}: {}",
                app.stderr_tail()
            );
        }
    }

    pub async fn attach(&self, app: &App) -> Watched {
        let target = format!("app:pid={}", app.pid());
        self.try_attach(&target, patience()).await.expect("it can be attached to")
    }

    pub async fn try_attach(&self, target: &str, deadline: Deadline) -> Result<Watched> {
        self.attach_with_room(target, CAPACITY, deadline).await
    }

    /// The same, with room for so many batches between the backend and the mirror.
    pub async fn attach_with_room(&self, target: &str, room: usize, deadline: Deadline) -> Result<Watched> {
        self.attach_by(&self.connector(), target, room, deadline).await
    }

    /// The same, by a connector that may have been used before.
    pub async fn attach_by(
        &self,
        connector: &AtspiConnector,
        target: &str,
        room: usize,
        deadline: Deadline,
    ) -> Result<Watched> {
        let target: Target = target.parse()?;
        let (sink, inbox) = channel(room);
        // Without the check that repairs: a test has to see what the events alone give.
        let settings = [("reconcile".to_owned(), "off".to_owned())].into();
        let options = AttachOptions { limits: Limits::default(), settings };
        let (backend, first, info) = connector.attach_to(&target, &options, sink, deadline).await?;
        let mut mirror = Mirror::new(Limits::default());
        mirror.apply(first, Moment::START);
        Ok(Watched { backend, mirror, inbox, info, ignored: 0, end: None, resyncs: 0 })
    }
}

use stillpoint_engine::backend::Connector as _;

/// An attached app.
pub struct Watched {
    pub backend: AtspiBackend,
    pub mirror: Mirror,
    pub info: TargetInfo,
    pub ignored: usize,
    pub end: Option<End>,
    pub resyncs: usize,
    inbox: Inbox,
}

impl Watched {
    pub fn tree(&self) -> &Tree {
        self.mirror.tree()
    }

    fn take(&mut self, next: Next) {
        match next {
            Next::Event(Event::Batch { changes, .. }) => {
                self.ignored += self.mirror.apply(changes, Moment::START).ignored;
            }
            Next::Event(Event::Marker(marker)) => drop(marker),
            Next::Resync(_) => self.resyncs += 1,
            Next::End(end) => self.end = Some(end),
        }
    }

    /// Does something while the mirror follows.
    pub async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                next = self.inbox.next(), if self.end.is_none() => self.take(next),
            }
        }
    }

    /// Everything that the app has said so far is in the mirror afterwards.
    pub async fn catch_up(&mut self) {
        self.backend.barrier(patience()).await.expect("the app answers");
        self.drain();
    }

    pub fn drain(&mut self) {
        while self.end.is_none() {
            match self.inbox.next().now_or_never() {
                Some(next) => self.take(next),
                None => break,
            }
        }
    }

    /// Waits until the mirror shows something, woken by changes only.
    pub async fn until(&mut self, what: &str, seen: impl Fn(&Tree) -> bool) {
        let wait = async {
            while !seen(self.mirror.tree()) {
                assert!(self.end.is_none(), "the app ended while waiting for {what}: {:?}", self.end);
                let next = self.inbox.next().await;
                self.take(next);
            }
        };
        let done = tokio::time::timeout(PATIENCE, wait).await;
        assert!(done.is_ok(), "never saw {what} in:\n{}", outline(self.mirror.tree()).join("\n"));
    }

    pub async fn until_end(&mut self) -> End {
        let wait = async {
            while self.end.is_none() {
                let next = self.inbox.next().await;
                self.take(next);
            }
        };
        tokio::time::timeout(PATIENCE, wait).await.expect("the stream ends");
        self.end.clone().expect("it ended")
    }

    /// A line of the app's protocol, off the async threads, while the mirror follows.
    pub async fn control(&mut self, app: &Arc<App>, line: &str) -> String {
        let (app, line) = (app.clone(), line.to_owned());
        let work = tokio::task::spawn_blocking(move || app.control(&line).expect("the fixture does as told"));
        self.during(work).await.expect("no panic")
    }

    pub fn find(&self, role: Role, label: &str) -> Option<ElementId> {
        self.tree()
            .by_label(label)
            .into_iter()
            .find(|id| self.tree().get(*id).is_some_and(|n| n.role() == role))
    }

    pub fn key(&self, role: Role, label: &str) -> NativeKey {
        let id = self.find(role, label);
        let id = id.unwrap_or_else(|| panic!("no {role} {label:?} in:\n{}", outline(self.tree()).join("\n")));
        self.tree().get(id).expect("it was just found").key()
    }

    /// What a whole new reading says, in a mirror of its own.
    pub async fn read_afresh(&self) -> Mirror {
        let changes = self.backend.refresh(Scope::Everything, patience()).await.expect("the app answers");
        let mut fresh = Mirror::new(Limits::default());
        fresh.apply(changes, Moment::START);
        fresh
    }
}

/// Where every element is, in the order of the tree. A turning spinner of GTK 4 is elsewhere at every look, and says nothing.
pub fn places(tree: &Tree) -> Vec<String> {
    let still = tree.walk().filter(|(_, node)| node.label() != Some("GtkSpinner"));
    still.map(|(id, node)| format!("{} {:?}", path(tree, id, node), node.bounds())).collect()
}

fn path(tree: &Tree, id: ElementId, node: &Node) -> String {
    format!(
        "{}{} {:?}",
        "  ".repeat(tree.path(id).len()),
        node.role(),
        lasting(node.label().unwrap_or_default())
    )
}

/// The part of a name that is the same at any two looks: Chromium puts what a tab needs of memory behind the tab's name,
/// whenever it has measured it, and says nothing.
pub fn lasting(name: &str) -> &str {
    name.split_once(" - Memory usage - ").map_or(name, |(name, _)| name)
}

/// Structure, role, label, text, value and states of every element, one line each.
pub fn outline(tree: &Tree) -> Vec<String> {
    tree.walk().map(|(id, node)| line(tree.path(id).len(), node)).collect()
}

fn line(depth: usize, node: &Node) -> String {
    format!(
        "{}{} ({}) {:?} text={:?} value={:?} id={:?} {:?}",
        "  ".repeat(depth),
        node.role(),
        node.native_role().unwrap_or_default(),
        lasting(node.label().unwrap_or_default()),
        node.text().unwrap_or_default(),
        node.value().unwrap_or_default(),
        node.stable_id().unwrap_or_default(),
        node.states()
    )
}

/// The first differences between two outlines, for a message that helps.
pub fn differences(mirror: &[String], truth: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let (mut m, mut t) = (0, 0);
    while (m < mirror.len() || t < truth.len()) && found.len() < 20 {
        match (mirror.get(m), truth.get(t)) {
            (Some(a), Some(b)) if a == b => (m, t) = (m + 1, t + 1),
            (a, Some(b)) if a.is_none() || !mirror[m..].contains(b) => {
                found.push(format!("missing: {b}"));
                t += 1;
            }
            (Some(a), _) => {
                found.push(format!("wrong:   {a}"));
                m += 1;
            }
            (None, _) => break,
        }
    }
    found
}

/// Whether a piece of text is anywhere in what a mirror holds.
pub fn holds(tree: &Tree, secret: &str) -> bool {
    format!("{:?}", tree.walk().collect::<Vec<_>>()).contains(secret)
}

pub fn first_of(changes: &[Change]) -> Option<&stillpoint_core::tree::NewNode> {
    changes.iter().find_map(|c| match c {
        Change::Replace(node) => Some(node),
        _ => None,
    })
}
