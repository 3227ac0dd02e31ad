//! Connects to an agent, finds out what it speaks, and reads the first tree.

use crate::act::{perform_v1, perform_v2};
use crate::address::Address;
use crate::barrier::{Agreement, Line, lost};
use crate::events::{Follower, attach_over};
use crate::node::Dumps;
use crate::payload::{Keys, Refreshed, read_changes};
use async_trait::async_trait;
use base64::Engine as _;
use serde::Deserialize;
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};
use stillpoint_core::tree::{Change, NativeKey};
use stillpoint_core::{Error, Result, Target};
use stillpoint_engine::backend::{
    Action, AttachOptions, Attached, Backend, Capabilities, Deadline, End, EventSink, IdleReport,
    NetworkRequest, Performed, Refusal, Scope, TargetInfo, unsupported,
};
use stillpoint_wire::{Element, Reply, Request, ResilientClient, Version};
use tokio::sync::watch;

/// Attaches to the agent that `target` names.
pub(crate) async fn attach(
    target: &Target,
    options: &AttachOptions,
    sink: EventSink,
    deadline: Deadline,
) -> Result<Attached> {
    let address = Address::of(target, options)?;
    let wants_v2 = address.hello.as_ref().is_some_and(|hello| !hello.wants.is_empty());
    let agent = ResilientClient::attach(&address.host, address.port, address.hello, address.client).await?;
    if wants_v2 && agent.client().version() == Version::V2 {
        attach_v2(target, agent, sink, deadline).await
    } else {
        attach_v1(target, agent, sink, deadline).await
    }
}

async fn attach_v2(
    target: &Target,
    agent: ResilientClient,
    sink: EventSink,
    deadline: Deadline,
) -> Result<Attached> {
    let client = agent.client();
    let stream = client.events().ok_or_else(|| Error::internal("the connection ended at once"))?;
    let (attached, heard) = attach_over(&client, deadline.left()).await?;
    drop(client);
    let agreement = Agreement::first(&attached, heard);
    let first = read_changes(attached.changes, agreement.keys)?;
    let (idle, word) = watch::channel(attached.idle.clone().map(IdleReport::from).unwrap_or_default());
    let line = Arc::new(Line::new(agent, agreement, attached.n));
    let follower = Follower { line: Arc::downgrade(&line), sink: sink.clone(), idle };
    tokio::spawn(follower.run(stream));
    let backend = RemoteBackend {
        line,
        sink,
        capabilities: attached.capabilities,
        idle: attached.idle.is_some().then_some(word),
    };
    let info = TargetInfo { target: target.to_string(), ..without_process(attached.info) };
    Ok(Attached { backend: Box::new(backend), first, info })
}

/// A process id of another machine would be taken for one of this machine's.
fn without_process(info: TargetInfo) -> TargetInfo {
    TargetInfo { pid: None, ..info }
}

/// A target behind an agent of v2.
struct RemoteBackend {
    line: Arc<Line>,
    sink: EventSink,
    capabilities: Capabilities,
    idle: Option<watch::Receiver<IdleReport>>,
}

#[derive(Deserialize)]
struct Picture {
    png: String,
}

#[derive(Deserialize)]
struct Hit {
    key: Option<u64>,
}

#[derive(Deserialize)]
struct Requests {
    requests: Vec<NetworkRequest>,
    /// The far end's time, in which the requests are told.
    now_ms: Option<u64>,
}

impl RemoteBackend {
    fn keys(&self) -> Keys {
        self.line.agreement().keys
    }
}

#[async_trait]
impl Backend for RemoteBackend {
    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    async fn barrier(&self, deadline: Deadline) -> Result<()> {
        self.line.barrier(deadline).await
    }

    async fn perform(&self, action: &Action, deadline: Deadline) -> Result<Performed, Refusal> {
        perform_v2(&self.line, action, deadline).await
    }

    async fn refresh(&self, scope: Scope, deadline: Deadline) -> Result<Vec<Change>> {
        let keys = self.keys();
        let key = match scope {
            Scope::Everything => None,
            Scope::Subtree(key) => Some(keys.far(key)),
        };
        let answer: Refreshed =
            self.line.ask_about("backend.refresh", json!({ "key": key }), deadline).await?;
        read_changes(answer.changes, keys)
    }

    async fn screenshot(&self, of: Option<NativeKey>, deadline: Deadline) -> Result<Vec<u8>> {
        let key = of.map(|key| self.keys().far(key));
        let answer: Picture =
            self.line.ask_about("backend.screenshot", json!({ "key": key }), deadline).await?;
        base64::engine::general_purpose::STANDARD
            .decode(answer.png)
            .map_err(|why| crate::payload::not_understood("the picture", why))
    }

    async fn hit_test(&self, x: i32, y: i32, deadline: Deadline) -> Result<Option<NativeKey>> {
        let keys = self.keys();
        let answer: Hit =
            self.line.ask_about("backend.hit_test", json!({ "x": x, "y": y }), deadline).await?;
        Ok(answer.key.map(|key| keys.near(key)))
    }

    fn idle_signal(&self) -> Option<watch::Receiver<IdleReport>> {
        self.idle.clone()
    }

    async fn network(&self, since_ms: u64, deadline: Deadline) -> Result<Vec<NetworkRequest>> {
        // The far end counts from its own start: all are asked for, and told in our time.
        let params = json!({ "since_ms": 0 });
        let answer: Requests = self.line.ask_about("backend.network", params, deadline).await?;
        let ours = self.sink.opened().elapsed().as_millis() as i64;
        let ahead = answer.now_ms.map_or(0, |far| ours - far as i64);
        let mut requests = answer.requests;
        for request in &mut requests {
            request.started_ms = (request.started_ms as i64 + ahead).max(0) as u64;
        }
        requests.retain(|request| request.started_ms >= since_ms);
        Ok(requests)
    }

    async fn close(&self) {
        self.line.agent.client().close();
        self.sink.end(End::Closed);
    }
}

async fn attach_v1(
    target: &Target,
    agent: ResilientClient,
    sink: EventSink,
    deadline: Deadline,
) -> Result<Attached> {
    let backend = DumpedBackend { agent, sink, dumps: Mutex::default() };
    let first = backend.dump(deadline).await?;
    let told = match backend.agent.request(Request::GetTargetInfo).await.map_err(lost)? {
        Reply::TargetInfo(json) => serde_json::from_str(&json).unwrap_or_default(),
        _ => serde_json::Value::Null,
    };
    let text = |name: &str| told[name].as_str().map(str::to_owned);
    let info = TargetInfo {
        target: target.to_string(),
        name: text("name").or_else(|| text("bundle_id")).unwrap_or_else(|| target.rest().to_owned()),
        toolkit: text("toolkit").or_else(|| text("platform")),
        ..TargetInfo::default()
    };
    Ok(Attached { backend: Box::new(backend), first, info })
}

/// A target behind an agent of v1, which tells nothing by itself.
struct DumpedBackend {
    agent: ResilientClient,
    sink: EventSink,
    dumps: Mutex<Dumps>,
}

impl DumpedBackend {
    async fn dump(&self, deadline: Deadline) -> Result<Vec<Change>> {
        let dumping = async { self.agent.request(Request::DumpTree).await.map_err(lost) };
        let Reply::Tree(json) = deadline.bound("the tree", dumping).await? else {
            return Err(crate::payload::not_understood("the reply to DumpTree", "it is no tree"));
        };
        let roots =
            Element::parse_tree(&json).map_err(|why| crate::payload::not_understood("the tree", why))?;
        Ok(self.dumps.lock().unwrap_or_else(PoisonError::into_inner).take(roots))
    }
}

#[async_trait]
impl Backend for DumpedBackend {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            screenshots: true,
            native_actions: true,
            synthesised_input: true,
            ..Capabilities::default()
        }
    }

    async fn barrier(&self, deadline: Deadline) -> Result<()> {
        let health = async { self.agent.request(Request::BridgeHealth).await.map_err(lost) };
        deadline.bound("a sign of life", health).await.map(|_| ())
    }

    async fn perform(&self, action: &Action, deadline: Deadline) -> Result<Performed, Refusal> {
        let plan = self.dumps.lock().unwrap_or_else(PoisonError::into_inner).plan(action)?;
        perform_v1(&self.agent, plan, deadline).await
    }

    async fn refresh(&self, _: Scope, deadline: Deadline) -> Result<Vec<Change>> {
        // There is no request for less than everything, and everything is the truth about any part.
        self.dump(deadline).await
    }

    async fn screenshot(&self, of: Option<NativeKey>, deadline: Deadline) -> Result<Vec<u8>> {
        if of.is_some() {
            return Err(unsupported("pictures of one element"));
        }
        let taking = async { self.agent.request(Request::Screenshot).await.map_err(lost) };
        match deadline.bound("a picture", taking).await? {
            Reply::Screenshot(png) => Ok(png),
            other => Err(crate::payload::not_understood("the picture", other.name())),
        }
    }

    async fn close(&self) {
        self.agent.client().close();
        self.sink.end(End::Closed);
    }
}
