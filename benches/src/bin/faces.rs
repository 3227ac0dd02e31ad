//! `script/bench faces`: what the faces cost above the engine.
//!
//! The app is the simulator's table with about 300 elements that do not change. A warm command line is a new process
//! for each call, which asks the daemon; an MCP call goes over the pipes of a running server. The engine's own time is
//! taken in this process, between the two, on the same scene.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use stillpoint_benches::measure::Samples;
use stillpoint_benches::report::Report;
use stillpoint_engine::verbs::{Call, by_name};
use stillpoint_engine::{Engine, Session};
use stillpoint_sim::Sim;

const APP: &str = "sim:table:60";
const SAMPLES: usize = 200;
const WARM_UP: usize = 20;
type Failure = Box<dyn std::error::Error>;

/// The command line with a daemon of its own.
struct Cli {
    program: PathBuf,
    runtime: PathBuf,
}

impl Cli {
    /// Runs it once, and gives the time from before its start to after its end.
    fn run(&self, arguments: &[&str]) -> Result<(Duration, Vec<u8>), Failure> {
        let mut command = Command::new(&self.program);
        command.args(arguments).env("XDG_RUNTIME_DIR", &self.runtime).stdin(Stdio::null());
        let began = Instant::now();
        let out = command.output()?;
        let time = began.elapsed();
        if !out.status.success() {
            return Err(format!("{arguments:?}: {}", String::from_utf8_lossy(&out.stderr)).into());
        }
        Ok((time, out.stdout))
    }
}

/// A running MCP server.
struct Mcp {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    last: u64,
}

impl Mcp {
    fn start(program: &Path) -> Result<Mcp, Failure> {
        let mut command = Command::new(program);
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let to = child.stdin.take().ok_or("no input")?;
        let from = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut mcp = Mcp { child, to, from, last: 0 };
        let who = json!({ "name": "bench", "version": "1" });
        mcp.call(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who }),
        )?;
        writeln!(mcp.to, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(mcp)
    }

    /// Sends a request and reads its answer as text.
    fn call(&mut self, method: &str, params: &Value) -> Result<String, Failure> {
        self.last += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params });
        self.to.write_all(format!("{request}\n").as_bytes())?;
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        if line.contains("\"isError\":true") || !line.contains("\"result\"") {
            return Err(format!("{request}: {line}").into());
        }
        Ok(line)
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The engine alone: the verb, and its answer as every face tells it.
async fn engine_alone(session: &Session, verb: &str, params: Value) -> Result<Duration, Failure> {
    let verb = by_name(verb).ok_or("there is no such verb")?;
    let began = Instant::now();
    let answer = (verb.run)(session, params, &Call::default()).await?;
    std::hint::black_box((answer.json()?, answer.text()));
    Ok(began.elapsed())
}

#[derive(Default)]
struct Times {
    cli_full: Vec<Duration>,
    cli_since: Vec<Duration>,
    mcp: Vec<Duration>,
    engine: Vec<Duration>,
    mcp_find: Vec<Duration>,
    engine_find: Vec<Duration>,
}

async fn measure(cli: &Cli, mcp: &mut Mcp, session: &Session) -> Result<Times, Failure> {
    let (_, first) = cli.run(&["snapshot", APP, "--daemon", "--json"])?;
    let first: Value = serde_json::from_slice(&first)?;
    let since = first["snapshot_revision"].to_string();
    println!("{} elements", first["elements"].as_array().map_or(0, Vec::len));
    let mut times = Times::default();
    let find = json!({ "selector": "button \"Delete\"[7]" });
    for n in 0..SAMPLES + WARM_UP {
        let full = cli.run(&["snapshot", APP, "--daemon"])?.0;
        let unchanged = cli.run(&["snapshot", APP, "--daemon", "--since", &since])?.0;
        let began = Instant::now();
        mcp.call("tools/call", &json!({ "name": "snapshot", "arguments": { "app": APP } }))?;
        let asked = began.elapsed();
        let alone = engine_alone(session, "snapshot", json!({})).await?;
        let began = Instant::now();
        mcp.call("tools/call", &json!({ "name": "find_element", "arguments": find }))?;
        let asked_find = began.elapsed();
        let alone_find = engine_alone(session, "find_element", find.clone()).await?;
        if n >= WARM_UP {
            times.cli_full.push(full);
            times.cli_since.push(unchanged);
            times.mcp.push(asked);
            times.engine.push(alone);
            times.mcp_find.push(asked_find);
            times.engine_find.push(alone_find);
        }
    }
    Ok(times)
}

fn above(face: &[Duration], engine: &[Duration]) -> Samples {
    Samples::of(face.iter().zip(engine).map(|(face, engine)| face.saturating_sub(*engine)))
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut words = std::env::args_os().skip(1).map(PathBuf::from);
    let (program, file) = (words.next().ok_or("give the program")?, words.next().ok_or("give the file")?);
    let runtime = tempfile::tempdir()?;
    let cli = Cli { program: program.clone(), runtime: runtime.path().to_owned() };
    let mut mcp = Mcp::start(&program)?;
    let engine = Engine::new().with(Sim::new());
    let session = engine.open(&APP.parse()?, &stillpoint_engine::backend::AttachOptions::default()).await?;
    let measured = measure(&cli, &mut mcp, &session).await;
    cli.run(&["serve", "--stop"])?;
    let times = measured?;
    let mut report = Report::new("faces");
    report.time(
        "snapshot, warm CLI through the daemon, whole process",
        &Samples::of(times.cli_full),
        Some(15_000.0),
    );
    report.time("the same with --since, unchanged", &Samples::of(times.cli_since), Some(15_000.0));
    report.time("MCP snapshot above the engine's own time", &above(&times.mcp, &times.engine), Some(2_000.0));
    report.time(
        "MCP find_element above the engine's own time",
        &above(&times.mcp_find, &times.engine_find),
        Some(2_000.0),
    );
    report.time("engine's own: snapshot, as JSON and text", &Samples::of(times.engine), None);
    report.time("engine's own: find_element", &Samples::of(times.engine_find), None);
    report.finish(&file)?;
    engine.shut_down().await;
    Ok(())
}
