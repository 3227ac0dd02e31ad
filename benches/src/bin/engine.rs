//! `script/bench engine`: how long after the deciding event a wait returns, in real time (`--quick`: fewer samples
//! of what has to wait for a window's end).
//!
//! The app is a backend of this file: its tree is a screen of 2,048 elements, its barrier answers at once, and a
//! change is handed over when the bench says so. What is measured is the engine alone: from the moment at which the
//! change is put into the sink to the moment at which the caller of the wait has its answer.

use async_trait::async_trait;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use stillpoint_benches::measure::Samples;
use stillpoint_benches::report::Report;
use stillpoint_benches::shape;
use stillpoint_core::revise::Revision;
use stillpoint_core::tree::{Change, NativeKey, Prop};
use stillpoint_core::{Error, Result, Target};
use stillpoint_engine::backend::{
    Action, AttachOptions, Attached, Backend, Capabilities, Check, Connector, Deadline, EventSink, Performed,
    Refusal, Scope, TargetInfo, unsupported,
};
use stillpoint_engine::verbs::{Answer, Call, Verb, WaitForUi, WaitForUiChange};
use stillpoint_engine::{Engine, Session};

const SCREEN: usize = 2_048;
const SAMPLES: u32 = 1_000;
const QUICK_WINDOWS: u32 = 250;
/// Long enough for a wait to be registered and asleep before its event comes.
const ASLEEP: Duration = Duration::from_millis(2);

/// An app that does what the bench says. The first attachment leaves its sink here.
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
        Ok(Attached {
            backend: Box::new(self.clone()),
            first: vec![Change::Replace(shape::tree(SCREEN))],
            info,
        })
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

    async fn perform(&self, _: &Action, _: Deadline) -> std::result::Result<Performed, Refusal> {
        Err(Refusal::before_dispatch(unsupported("actions")))
    }

    async fn refresh(&self, _: Scope, _: Deadline) -> Result<Vec<Change>> {
        Ok(vec![Change::Replace(shape::tree(SCREEN))])
    }

    async fn screenshot(&self, _: Option<NativeKey>, _: Deadline) -> Result<Vec<u8>> {
        Err(unsupported("screenshots"))
    }

    async fn close(&self) {}
}

impl Puppet {
    fn label(&self, key: u64, label: &str) {
        if let Some(sink) = self.sink.get() {
            let props = vec![Prop::Label(Some(label.into()))];
            sink.send(vec![Change::Update { key: NativeKey(key), props }]);
        }
    }
}

#[tokio::main]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let file =
        std::env::args_os().nth(1).map_or_else(|| PathBuf::from("target/bench/engine.json"), PathBuf::from);
    let windows = if std::env::args().any(|word| word == "--quick") { QUICK_WINDOWS } else { SAMPLES };
    let puppet = Puppet::default();
    let engine = Engine::new().with(puppet.clone());
    let session = engine.open(&"sim:puppet".parse()?, &AttachOptions::default()).await?;
    let mut report = Report::new("engine");

    // Counted from the revision before the event, so that a busy machine cannot let the event pass unseen.
    let params = |window: u64| move |_: u32, since: Revision| json!({ "stability_window_ms": window, "mask_volatile": false, "since_revision": since });
    let samples = wake_ups::<WaitForUiChange>(&session, &puppet, SAMPLES, params(0), Duration::ZERO).await?;
    report.time_p99("wait_for_ui_change, window 0: from the event to the answer", &samples, 1_000.0);

    let window = Duration::from_millis(20);
    let samples = wake_ups::<WaitForUiChange>(&session, &puppet, windows, params(20), window).await?;
    report.time("wait_for_ui_change, window 20 ms: from the end of the window to the answer", &samples, None);

    let named = |n: u32, _: Revision| json!({ "selector": format!("\"Tick {n}\""), "condition": "exists" });
    let samples = wake_ups::<WaitForUi>(&session, &puppet, SAMPLES, named, Duration::ZERO).await?;
    report.time_p99("wait_for_ui exists: from the event to the answer", &samples, 1_000.0);

    engine.shut_down().await;
    report.finish(&file)?;
    Ok(())
}

/// Lets a wait fall asleep, sends the event that it is for, and takes the time until the caller has the answer;
/// `quiet` of it had to pass.
async fn wake_ups<V>(
    session: &Session,
    puppet: &Puppet,
    samples: u32,
    params: impl Fn(u32, Revision) -> Value,
    quiet: Duration,
) -> std::result::Result<Samples, Box<dyn std::error::Error>>
where
    V: Verb + 'static,
    V::Answer: Answer + 'static,
{
    let mut times = Vec::new();
    for n in 0..samples {
        let (session, params) =
            (session.clone(), serde_json::from_value::<V::Params>(params(n, session.revision()))?);
        let waiter = tokio::spawn(async move {
            let answer = V::run(&session, params, &Call::default()).await;
            (Instant::now(), answer)
        });
        tokio::time::sleep(ASLEEP).await;
        let sent = Instant::now();
        puppet.label(700 + u64::from(n % 64), &format!("Tick {n}"));
        let (returned, answer) = waiter.await?;
        if let Some(error) = answer?.error() {
            return Err(error.into());
        }
        times.push(returned.saturating_duration_since(sent).saturating_sub(quiet));
    }
    Ok(Samples::of(times))
}
