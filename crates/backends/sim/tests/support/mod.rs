//! A scene, attached, with its changes at hand.
#![allow(dead_code)] // each test file uses its own part

use std::time::Duration;
use stillpoint_core::Target;
use stillpoint_core::tree::{Change, NativeKey, NewNode, Prop, Props, Role, State};
use stillpoint_engine::backend::{
    Action, AttachOptions, Attached, Backend, Button, Connector, Deadline, End, Event, Inbox, Key, Next,
    Performed, Place, Refusal, Scope, channel,
};
use stillpoint_sim::Sim;

pub(crate) struct Player {
    pub(crate) sim: Sim,
    pub(crate) backend: Box<dyn Backend>,
    pub(crate) inbox: Inbox,
    pub(crate) first: Vec<Change>,
    pub(crate) target: String,
}

/// Long enough for everything in a scene; virtual time makes it short.
pub(crate) fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(5))
}

pub(crate) async fn attach_with(sim: Sim, target: &str) -> Player {
    let uri: Target = target.parse().unwrap();
    let (sink, inbox) = channel(stillpoint_engine::backend::CAPACITY);
    let Attached { backend, first, .. } =
        sim.attach(&uri, &AttachOptions::default(), sink, soon()).await.unwrap();
    Player { sim, backend, inbox, first, target: target.to_owned() }
}

pub(crate) async fn attach(target: &str) -> Player {
    attach_with(Sim::new(), target).await
}

pub(crate) async fn refused(target: &str) -> stillpoint_core::Error {
    let uri: Target = target.parse().unwrap();
    let (sink, _inbox) = channel(16);
    match Sim::new().attach(&uri, &AttachOptions::default(), sink, soon()).await {
        Ok(_) => panic!("{target} should not attach"),
        Err(error) => error,
    }
}

/// The tree in a truth.
pub(crate) fn tree(truth: &[Change]) -> &NewNode {
    match &truth[0] {
        Change::Replace(root) => root,
        other => panic!("a truth begins with the tree, not with {other:?}"),
    }
}

pub(crate) fn all(root: &NewNode) -> Vec<&NewNode> {
    let mut found = vec![root];
    for child in &root.children {
        found.extend(all(child));
    }
    found
}

impl Player {
    /// Lets the scene play for a while of virtual time.
    pub(crate) async fn play(&self, millis: u64) {
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }

    /// The tree as the app has it now.
    pub(crate) async fn now(&self) -> NewNode {
        let truth = self.backend.refresh(Scope::Everything, soon()).await.unwrap();
        tree(&truth).clone()
    }

    pub(crate) async fn props(&self, id: &str) -> Option<Props> {
        let root = self.now().await;
        all(&root).into_iter().find(|n| n.props.stable_id() == Some(id)).map(|n| n.props.clone())
    }

    pub(crate) async fn key(&self, id: &str) -> NativeKey {
        let root = self.now().await;
        all(&root)
            .into_iter()
            .find(|n| n.props.stable_id() == Some(id))
            .unwrap_or_else(|| panic!("no element #{id}"))
            .key
    }

    pub(crate) async fn text(&self, id: &str) -> String {
        let props = self.props(id).await.unwrap_or_else(|| panic!("no element #{id}"));
        props.value().or(props.text()).or(props.label()).unwrap_or_default().to_owned()
    }

    pub(crate) async fn is(&self, id: &str, state: State) -> bool {
        self.props(id).await.is_some_and(|p| p.states().is(state))
    }

    pub(crate) async fn count(&self, role: Role) -> usize {
        let root = self.now().await;
        all(&root).into_iter().filter(|n| n.props.role() == role).count()
    }

    pub(crate) async fn act(&self, action: Action) -> Result<Performed, Refusal> {
        self.backend.perform(&action, soon()).await
    }

    pub(crate) async fn tap(&self, id: &str) -> Result<Performed, Refusal> {
        let on = Place::Element(self.key(id).await);
        self.act(Action::Tap { on, button: Button::Left, count: 1, hold: None }).await
    }

    pub(crate) async fn type_into(&self, id: &str, text: &str) -> Result<Performed, Refusal> {
        let on = Some(self.key(id).await);
        self.act(Action::TypeText { on, text: text.to_owned(), replace: true }).await
    }

    pub(crate) async fn press(&self, name: &str) -> Result<Performed, Refusal> {
        self.act(Action::PressKey { on: None, key: key(name) }).await
    }

    /// Every batch that was told so far.
    pub(crate) async fn told(&mut self) -> Vec<Vec<Change>> {
        let mut batches = Vec::new();
        loop {
            let next = tokio::time::timeout(Duration::from_millis(1), self.inbox.next()).await;
            match next {
                Ok(Next::Event(Event::Batch { changes, .. })) => batches.push(changes),
                Ok(Next::Event(Event::Marker(_))) => {}
                Ok(Next::Resync(_) | Next::End(_)) | Err(_) => return batches,
            }
        }
    }

    /// Reads until the stream ends.
    pub(crate) async fn end(&mut self) -> (Vec<Vec<Change>>, End) {
        let mut batches = Vec::new();
        loop {
            match self.inbox.next().await {
                Next::Event(Event::Batch { changes, .. }) => batches.push(changes),
                Next::Event(Event::Marker(_)) | Next::Resync(_) => {}
                Next::End(end) => return (batches, end),
            }
        }
    }
}

/// `ctrl+s` as a key.
pub(crate) fn key(written: &str) -> Key {
    let mut parts: Vec<&str> = written.split('+').collect();
    let name = parts.pop().unwrap_or_default().to_owned();
    let held = |modifier: &str| parts.contains(&modifier);
    Key { name, ctrl: held("ctrl"), shift: held("shift"), alt: held("alt"), meta: held("meta") }
}

/// All texts that were told, in order.
pub(crate) fn texts(batches: &[Vec<Change>]) -> Vec<String> {
    let mut texts = Vec::new();
    for change in batches.iter().flatten() {
        if let Change::Update { props, .. } = change {
            for prop in props {
                if let Prop::Text(Some(text)) = prop {
                    texts.push(text.to_string());
                }
            }
        }
    }
    texts
}
