//! `script/bench agent`: what a remote target costs, over a real socket on loopback.
//!
//! The app is a backend of this file: a screen of 322 elements, of which one changes its label when the bench says so. A
//! client of v1 reads the whole tree after each change; a client of v2 is pushed the change. Both are measured from the
//! moment at which the app changes to the moment at which the client knows, one after the other in the same run.

use async_trait::async_trait;
use serde_json::json;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use stillpoint_agent::{AgentBuilder, ServerOptions};
use stillpoint_benches::measure::Samples;
use stillpoint_benches::report::Report;
use stillpoint_benches::shape;
use stillpoint_core::tree::{Change, NativeKey, Prop};
use stillpoint_core::{Error, Result, Target};
use stillpoint_engine::backend::{
    Action, AttachOptions, Attached, Backend, Capabilities, Check, Connector, Deadline, EventSink, Performed,
    Refusal, Scope, TargetInfo, unsupported,
};
use stillpoint_wire::codec::{ClientHello, Frame, ServerFrame};
use stillpoint_wire::{Client, ClientOptions, EventNotice, EventStream, Reply, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

const SCREEN: usize = 322;
const SAMPLES: usize = 1_000;
const HEARTBEATS: usize = 5_000;
const WAITS: u32 = 40;
/// What the slow link takes, each way.
const LINK: Duration = Duration::from_millis(100);

/// Errors of any kind end the bench with their words.
type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// An app that does what the bench says.
#[derive(Clone, Default)]
struct Puppet {
    sink: Arc<OnceLock<EventSink>>,
}

#[async_trait]
impl Connector for Puppet {
    fn schemes(&self) -> &'static [&'static str] {
        &["sim"]
    }

    async fn attach(
        &self,
        target: &Target,
        _: &AttachOptions,
        sink: EventSink,
        _: Deadline,
    ) -> Result<Attached> {
        if self.sink.set(sink).is_err() {
            return Err(Error::internal("the puppet is attached already"));
        }
        let info =
            TargetInfo { target: target.to_string(), name: "puppet".to_owned(), ..TargetInfo::default() };
        let first = vec![Change::Replace(shape::tree(SCREEN))];
        Ok(Attached { backend: Box::new(self.clone()), first, info })
    }

    async fn list(&self, _: Deadline) -> Result<Vec<TargetInfo>> {
        Ok(Vec::new())
    }

    async fn diagnose(&self, _: Deadline) -> Vec<Check> {
        Vec::new()
    }
}

#[async_trait]
impl Backend for Puppet {
    fn capabilities(&self) -> Capabilities {
        Capabilities { events: true, barrier: true, ..Capabilities::default() }
    }

    async fn barrier(&self, _: Deadline) -> Result<()> {
        Ok(())
    }

    async fn perform(&self, _: &Action, _: Deadline) -> Result<Performed, Refusal> {
        Err(unsupported("actions").into())
    }

    async fn refresh(&self, _: Scope, _: Deadline) -> Result<Vec<Change>> {
        Ok(vec![Change::Replace(shape::tree(SCREEN))])
    }

    async fn screenshot(&self, _: Option<NativeKey>, _: Deadline) -> Result<Vec<u8>> {
        Err(unsupported("pictures"))
    }

    async fn close(&self) {}
}

impl Puppet {
    /// The app works for a while, then shows something; gives the moment at which it does.
    fn change_after(&self, work: Duration, label: String) -> JoinHandle<Instant> {
        let app = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(work).await;
            let at = Instant::now();
            app.change(last_key(), &label);
            at
        })
    }

    /// One element has another label.
    fn change(&self, key: NativeKey, to: &str) {
        if let Some(sink) = self.sink.get() {
            sink.send(vec![Change::Update { key, props: vec![Prop::Label(Some(to.into()))] }]);
        }
    }
}

/// The last element of the tree, which every version of it has.
fn last_key() -> NativeKey {
    let root = shape::tree(SCREEN);
    let mut last = &root;
    while let Some(child) = last.children.last() {
        last = child;
    }
    last.key
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Outcome<()> {
    let file = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "target/bench/agent.json".to_owned()));
    let puppet = Puppet::default();
    let target: Target = "sim:puppet".parse()?;
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    let builder = AgentBuilder::new().with(puppet.clone());
    let server = builder.serve(&target, AttachOptions::default(), any_port, ServerOptions::default()).await?;
    let server_addr = server.local_addr();
    let addr = server_addr.to_string();
    let stop = CancellationToken::new();
    let running = tokio::spawn(server.run(stop.clone()));

    let v1 = Client::connect(&addr, ClientOptions::default()).await?;
    let v2 = Client::connect(&addr, ClientOptions::default()).await?;
    v2.hello(ClientHello::new(None, &[ClientHello::EVENTS])).await?;
    let mut events = v2.events().ok_or("the connection ended")?;
    let attached = v2.call("backend.attach", &json!({})).await?.to_string().len();

    let mut report = Report::new("agent");
    report.time("heartbeat, loopback", &heartbeats(&v1).await?, Some(100.0));
    let measured = one_change(&puppet, &v1, &mut events).await?;
    report.time("one change in 322 elements: v2 pushes it", &measured.pushed, None);
    report.beside("v1: the whole tree", median_us(&measured.dumped));
    report.number("one change in 322 elements: bytes of v2", "B", measured.event_bytes as f64, None);
    report.beside("v1: the whole tree", measured.tree_bytes as f64);
    report.number("the first tree of 322 elements: bytes of v2", "B", attached as f64, None);
    report.beside("v1: the whole tree", measured.tree_bytes as f64);
    let waited = slow_link(&puppet, server_addr).await?;
    report.time("a wait over a link of 100 ms each way, from the change to the answer", &waited.called, None);
    report.beside("v1: looking again and again", median_us(&waited.looked));
    report.number("a wait over a link of 100 ms each way: requests", "", waited.calls, None);
    report.beside("v1: looking again and again", waited.looks);
    report.finish(&file)?;
    stop.cancel();
    running.await?;
    Ok(())
}

fn median_us(samples: &Samples) -> f64 {
    (samples.quantile(0.5) / 10.0).round() / 100.0
}

async fn heartbeats(client: &Client) -> std::result::Result<Samples, stillpoint_wire::WireError> {
    let mut times = Vec::with_capacity(HEARTBEATS);
    for n in 0..HEARTBEATS + HEARTBEATS / 10 {
        let start = Instant::now();
        client.heartbeat().await?;
        if n >= HEARTBEATS / 10 {
            times.push(start.elapsed());
        }
    }
    Ok(Samples::of(times))
}

struct Measured {
    pushed: Samples,
    dumped: Samples,
    event_bytes: usize,
    tree_bytes: usize,
}

/// The same change, learned by push and by reading everything; in turns, so that the machine is the same for both.
async fn one_change(puppet: &Puppet, v1: &Client, events: &mut EventStream) -> Outcome<Measured> {
    let key = last_key();
    let (mut pushed, mut dumped) = (Vec::new(), Vec::new());
    let (mut event_bytes, mut tree_bytes) = (0, 0);
    for n in 0..SAMPLES + SAMPLES / 10 {
        let label = format!("changed {n:05}");
        let start = Instant::now();
        puppet.change(key, &label);
        event_bytes = until(events, &label).await?;
        let push: Duration = start.elapsed();

        let label = format!("altered {n:05}");
        let start = Instant::now();
        puppet.change(key, &label);
        let Reply::Tree(tree) = v1.request(Request::DumpTree).await? else { return Err("no tree".into()) };
        let known = tree.contains(&label);
        let dump = start.elapsed();
        if !known {
            return Err(format!("the dump does not have {label:?}").into());
        }
        until(events, &label).await?;
        tree_bytes = ServerFrame::from(Reply::Tree(tree)).encode()?.len();
        if n >= SAMPLES / 10 {
            pushed.push(push);
            dumped.push(dump);
        }
    }
    Ok(Measured { pushed: Samples::of(pushed), dumped: Samples::of(dumped), event_bytes, tree_bytes })
}

struct Waited {
    called: Samples,
    looked: Samples,
    /// Requests for each wait.
    calls: f64,
    looks: f64,
}

/// An element comes to be what is waited for, behind a slow link: one call of v2, and looks of v1, in turns.
async fn slow_link(puppet: &Puppet, agent: SocketAddr) -> Outcome<Waited> {
    let link = delayed(agent, LINK).await?.to_string();
    let v1 = Client::connect(&link, ClientOptions::default()).await?;
    let v2 = Client::connect(&link, ClientOptions::default()).await?;
    v2.hello(ClientHello::new(None, &[])).await?;
    let (mut called, mut looked, mut looks) = (Vec::new(), Vec::new(), 0_u32);
    for n in 0..WAITS {
        // Drawn over a round trip, so that the looks meet the change at every phase.
        let work = Duration::from_millis(300 + u64::from(n) * 37 % 200);
        let label = format!("called {n:05}");
        let changing = puppet.change_after(work, label.clone());
        let params = json!({ "selector": { "text": label }, "timeout_ms": 10_000 });
        let answer = v2.call("wait_for_ui", &params).await?;
        called.push(changing.await?.elapsed());
        if answer["status"] != "success" {
            return Err(format!("the wait failed: {answer}").into());
        }

        let label = format!("looked {n:05}");
        let changing = puppet.change_after(work, label.clone());
        loop {
            looks += 1;
            if v1.find_element(&label, true, None).await?.is_some() {
                break;
            }
        }
        looked.push(changing.await?.elapsed());
    }
    let looks = f64::from(looks) / f64::from(WAITS);
    Ok(Waited { called: Samples::of(called), looked: Samples::of(looked), calls: 1.0, looks })
}

/// A link to the agent on which everything takes `delay`, each way.
async fn delayed(agent: SocketAddr, delay: Duration) -> Outcome<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let addr = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let Ok(far) = TcpStream::connect(agent).await else { continue };
            // A delaying link must not add Nagle's delay to its own.
            if near.set_nodelay(true).and(far.set_nodelay(true)).is_err() {
                continue;
            }
            let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
            tokio::spawn(pass(near_in, far_out, delay));
            tokio::spawn(pass(far_in, near_out, delay));
        }
    });
    Ok(addr)
}

async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, delay: Duration) {
    let (queue, mut queued) = tokio::sync::mpsc::unbounded_channel::<(tokio::time::Instant, Vec<u8>)>();
    let reading = async move {
        let mut bytes = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = from.read(&mut bytes).await {
            if queue.send((tokio::time::Instant::now() + delay, bytes[..length].to_vec())).is_err() {
                break;
            }
        }
    };
    let writing = async move {
        while let Some((due, bytes)) = queued.recv().await {
            tokio::time::sleep_until(due).await;
            if to.write_all(&bytes).await.is_err() {
                break;
            }
        }
    };
    tokio::join!(reading, writing);
}

/// Waits for the event that tells of `label`; gives the size of its frame.
async fn until(events: &mut EventStream, label: &str) -> Outcome<usize> {
    while let Some(notice) = events.next().await {
        if let EventNotice::Event { seq, json } = notice
            && json.contains(label)
        {
            return Ok(ServerFrame::Event { seq, json: json.as_ref().to_owned() }.encode()?.len());
        }
    }
    Err("the connection ended".into())
}
