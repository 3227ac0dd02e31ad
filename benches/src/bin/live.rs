//! Measures, on the fixture app that it starts, how long a change in the app takes to be visible as a revision, and how far
//! the answer of a wait lags behind the end of its window; then the share of a core that watching another app takes.
//! Prints JSON. The app's own log says when it changed, by the clock that this program reads too.
//!
//! Usage: `bench-live FIXTURE.py FLOODING-PID [SAMPLES]`, on the desktop of the environment.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use stillpoint_atspi::AtspiConnector;
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::verbs::{Call, by_name};
use stillpoint_engine::{Engine, Session};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const WINDOW: Duration = Duration::from_millis(50);
/// How long the flooding app is watched.
const WATCHED: Duration = Duration::from_secs(10);

/// The fixture, driven over its line protocol.
struct Fixture {
    child: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
}

impl Fixture {
    fn start(script: &str) -> Outcome<Self> {
        let mut command = Command::new("/usr/bin/python3");
        command.args(["-B", script, "--page", "choices"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let stdin = child.stdin.take().ok_or("no stdin")?;
        let stdout = BufReader::new(child.stdout.take().ok_or("no stdout")?).lines();
        let mut fixture = Fixture { child, stdin, stdout };
        fixture.line()?;
        Ok(fixture)
    }

    fn line(&mut self) -> Outcome<String> {
        Ok(self.stdout.next().ok_or("the fixture ended")??)
    }

    fn send(&mut self, command: &str) -> Outcome<()> {
        Ok(writeln!(self.stdin, "{command}")?)
    }

    /// When the check box was toggled, in nanoseconds of the monotonic clock.
    fn toggled_at(&mut self) -> Outcome<Vec<u64>> {
        self.send("truth")?;
        let truth: Value = serde_json::from_str(&self.line()?)?;
        let events = truth["events"].as_array().ok_or("no events")?;
        Ok(events.iter().filter(|e| e["kind"] == "toggled").filter_map(|e| e["at"].as_u64()).collect())
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // The end of its input is the end of the program; a failure here leaves it to the desktop's teardown.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn monotonic() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

async fn open(pid: u32) -> Outcome<Session> {
    let target = format!("app:pid={pid}").parse()?;
    let engine = Engine::new().with(AtspiConnector::from_env());
    Ok(engine.open(&target, &AttachOptions::default()).await?)
}

async fn wait(session: &Session, params: Value) -> Outcome<Value> {
    let verb = by_name("wait_for_ui_change").ok_or("no such verb")?;
    Ok((verb.run)(session, params, &Call::default()).await?.json()?)
}

/// From the app's own log of a change to the revision that has it.
async fn visible(fixture: &mut Fixture, session: &Session, samples: usize) -> Outcome<Vec<f64>> {
    let before = fixture.toggled_at()?.len();
    let mut seen = Vec::new();
    let mut changes = session.changes();
    for n in 0..samples {
        let base = session.revision();
        fixture.send(&format!("set choices.remember {}", n % 2 == 0))?;
        while session.revision() == base {
            changes.changed().await?;
        }
        seen.push(monotonic());
        fixture.line()?;
    }
    let happened = fixture.toggled_at()?;
    Ok(lags(&seen, &happened[before..], Duration::ZERO))
}

/// From the end of the window after the app's last change to the answer.
async fn answered(fixture: &mut Fixture, session: &Session, samples: usize) -> Outcome<Vec<f64>> {
    let before = fixture.toggled_at()?.len();
    let mut seen = Vec::new();
    for n in 0..samples {
        let base = session.revision();
        fixture.send(&format!("set choices.remember {}", n % 2 == 0))?;
        let params = json!({ "since_revision": base, "stability_window_ms": WINDOW.as_millis() as u64, "mask_volatile": false });
        let told = wait(session, params).await?;
        seen.push(monotonic());
        if told["stabilized"] != true {
            return Err(format!("not stable: {told}").into());
        }
        fixture.line()?;
    }
    let happened = fixture.toggled_at()?;
    Ok(lags(&seen, &happened[before..], WINDOW))
}

fn lags(seen: &[u64], happened: &[u64], window: Duration) -> Vec<f64> {
    let lag = |(seen, at): (&u64, &u64)| (*seen as f64 - *at as f64) / 1e6 - window.as_secs_f64() * 1e3;
    seen.iter().zip(happened).map(lag).collect()
}

/// The share of one core that this process takes while it only watches.
async fn watching(pid: u32) -> Outcome<f64> {
    let session = open(pid).await?;
    let spent = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let (began, before) = (Instant::now(), spent());
    // Time passes here because the figure is a share of it; nothing is waited for.
    tokio::time::sleep(WATCHED).await;
    let share = spent().saturating_sub(before).as_secs_f64() / began.elapsed().as_secs_f64();
    session.close().await;
    Ok(share * 100.0)
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: bench-live FIXTURE.py FLOODING-PID [SAMPLES]";
    let script = arguments.next().ok_or(usage)?;
    let flooding: u32 = arguments.next().ok_or(usage)?.parse()?;
    let samples: usize = arguments.next().map_or(Ok(200), |n| n.parse())?;
    let mut fixture = Fixture::start(&script)?;
    let session = open(fixture.child.id()).await?;
    let visible = visible(&mut fixture, &session, samples).await?;
    let answered = answered(&mut fixture, &session, samples.min(50)).await?;
    session.close().await;
    let share = watching(flooding).await?;
    println!(
        "{}",
        json!({ "visible_ms": visible, "answer_lag_ms": answered, "watching_cpu_percent": [share] })
    );
    Ok(())
}
