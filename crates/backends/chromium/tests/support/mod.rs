//! What the tests stand on: a server, a browser of their own, and a mirror fed from the backend.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used)]

pub mod browser;
pub mod server;

use futures_util::FutureExt;
use std::time::Duration;
use stillpoint_chromium::Chromium;
use stillpoint_core::revise::Mirror;
use stillpoint_core::tree::{Limits, NativeKey, Node, Role};
use stillpoint_core::{Moment, Result};
use stillpoint_engine::backend::{
    Action, AttachOptions, Backend, Button, CAPACITY, Connector, Deadline, End, Event, IdleReport, Inbox,
    Next, Place, Scope, channel,
};
use tokio::time::Instant;

pub fn soon() -> Deadline {
    // A backstop only: nothing is waited for by the clock.
    Deadline::after(Duration::from_secs(60))
}

/// An attached browser with its mirror.
pub struct Rig {
    pub backend: Box<dyn Backend>,
    pub inbox: Inbox,
    pub mirror: Mirror,
    pub end: Option<End>,
    start: Instant,
}

impl Rig {
    pub async fn attach(target: &str, settings: &[(&str, &str)]) -> Rig {
        Rig::try_attach(target, settings).await.unwrap()
    }

    pub async fn try_attach(target: &str, settings: &[(&str, &str)]) -> Result<Rig> {
        let options = AttachOptions {
            limits: Limits::default(),
            settings: settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        };
        let (sink, inbox) = channel(CAPACITY);
        let attached = Chromium::new().attach(&target.parse().unwrap(), &options, sink, soon()).await?;
        let mut mirror = Mirror::new(Limits::default());
        mirror.apply(attached.first, Moment::START);
        Ok(Rig { backend: attached.backend, inbox, mirror, end: None, start: Instant::now() })
    }

    /// Applies everything that is in the inbox.
    pub async fn pump(&mut self) {
        while self.end.is_none()
            && let Some(next) = self.inbox.next().now_or_never()
        {
            self.take(next).await;
        }
    }

    async fn take(&mut self, next: Next) {
        match next {
            Next::Event(Event::Batch { changes, .. }) => {
                let at = Moment::from_micros(self.start.elapsed().as_micros() as u64);
                self.mirror.apply(changes, at);
            }
            Next::Event(Event::Marker(done)) => drop(done.send(())),
            Next::Resync(_) => {
                let all = self.backend.refresh(Scope::Everything, soon()).await.unwrap();
                self.mirror.apply(all, Moment::START);
            }
            Next::End(end) => self.end = Some(end),
        }
    }

    /// Takes in what comes by itself, without a barrier, until these words are there.
    pub async fn until_it_says(&mut self, words: &str) {
        let deadline = soon();
        while !self.says(words) {
            let next = tokio::time::timeout_at(deadline.instant(), self.inbox.next()).await;
            assert!(next.is_ok() && self.end.is_none(), "{words:?} did not come:\n{}", self.text());
            self.take(next.unwrap()).await;
        }
    }

    /// Waits for the end of the stream.
    pub async fn ended(&mut self) -> End {
        loop {
            if let Next::End(end) = self.inbox.next().await {
                return end;
            }
        }
    }

    pub async fn barrier(&mut self) {
        self.backend.barrier(soon()).await.unwrap();
        self.pump().await;
    }

    /// Waits until the page says that it is idle, with everything read.
    pub async fn settle(&mut self) -> IdleReport {
        let deadline = soon();
        let mut signal = self.backend.idle_signal().expect("an idle signal");
        loop {
            self.backend.barrier(deadline).await.unwrap();
            let report = signal.borrow_and_update().clone();
            if report.idle {
                // What ended between the barrier's look and the page's word is read by another barrier.
                self.backend.barrier(deadline).await.unwrap();
            }
            if report.idle && signal.borrow_and_update().idle {
                self.pump().await;
                return report;
            }
            assert!(
                tokio::time::timeout_at(deadline.instant(), signal.changed()).await.is_ok(),
                "never idle: {report:?}\n{}",
                self.text()
            );
        }
    }

    /// The elements of a role with a label.
    pub fn all(&self, role: Role, label: &str) -> Vec<NativeKey> {
        let tree = self.mirror.tree();
        tree.walk()
            .filter(|(_, n)| n.role() == role && n.label() == Some(label))
            .map(|(_, n)| n.key())
            .collect()
    }

    pub fn find(&self, role: Role, label: &str) -> NativeKey {
        let all = self.all(role, label);
        assert_eq!(all.len(), 1, "{role} {label:?} in\n{}", self.text());
        all[0]
    }

    pub fn node(&self, key: NativeKey) -> &Node {
        let tree = self.mirror.tree();
        tree.get(tree.by_key(key).unwrap()).unwrap()
    }

    /// Whether a text, label or value with these words is there.
    pub fn says(&self, words: &str) -> bool {
        self.mirror.tree().walk().any(|(_, n)| [n.label(), n.text(), n.value()].contains(&Some(words)))
    }

    #[track_caller]
    pub fn must_say(&self, words: &str) {
        assert!(self.says(words), "{words:?} is missing in\n{}", self.text());
    }

    pub async fn act(&mut self, action: Action) {
        self.backend.perform(&action, soon()).await.unwrap();
    }

    pub async fn tap(&mut self, role: Role, label: &str) {
        let on = Place::Element(self.find(role, label));
        self.act(Action::Tap { on, button: Button::Left, count: 1, hold: None }).await;
    }

    pub async fn type_into(&mut self, label: &str, text: &str) {
        let on = Some(self.find(Role::Textbox, label));
        self.act(Action::TypeText { on, text: text.to_owned(), replace: true }).await;
    }

    pub fn text(&self) -> String {
        describe(self.mirror.tree(), false)
    }
}

/// A tree in words: one line per element.
pub fn describe(tree: &stillpoint_core::tree::Tree, with_bounds: bool) -> String {
    use std::fmt::Write;
    let mut out = format!("{:?} {:?}\n", tree.screen().title, tree.screen().url);
    for (id, node) in tree.walk() {
        let depth = tree.ancestors(id).count();
        let mut states = node.states();
        if !with_bounds {
            states.set(stillpoint_core::tree::State::OnScreen, None);
        }
        write!(
            out,
            "{:indent$}{} {:?} value={:?} id={:?} desc={:?} raw={:?} {states:?}",
            "",
            node.role(),
            node.label().unwrap_or_default(),
            node.value(),
            node.stable_id(),
            node.description(),
            node.raw_value(),
            indent = depth * 2
        )
        .unwrap();
        if with_bounds {
            write!(out, " {:?}", node.bounds()).unwrap();
        }
        out.push('\n');
    }
    out
}
