//! `stillpoint idle PID`: what a process with the idle SDK says of itself, live on a terminal, once elsewhere.

use crate::engine::Desk;
use crate::exit::Exit;
use crate::grammar;
use crate::output::{self, Out};
use crate::paint::{BOLD, CALM, DIM, GOOD, NEWS, styled};
use crate::table;
use clap::ArgMatches;
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};
use stillpoint_core::{Code, Error};
use stillpoint_idle::{BusyResource, ConnectError, IdleClient, IdleState, WaitOutcome};

/// How often the view is drawn: ages are told in tenths of a second. A look is a few loads from memory.
const FRAME: Duration = Duration::from_millis(100);

/// The process id, if that is what the target is.
pub(crate) fn pid(matches: &ArgMatches) -> Option<u32> {
    matches.try_get_one::<String>(grammar::TARGET).ok()??.parse().ok()
}

/// Shows it until Ctrl-C or the app's end; where nobody watches, tells it once.
pub(crate) async fn run(desk: &Desk, pid: u32) -> anyhow::Result<Exit> {
    let client = IdleClient::try_connect(pid).map_err(|error| explain(pid, &error))?;
    if desk.out.json || !io::stdout().is_terminal() {
        return once(desk.out, &client);
    }
    let mut view = View::new(desk.out);
    let mut frames = tokio::time::interval(FRAME);
    loop {
        tokio::select! {
            _ = frames.tick() => {}
            () = desk.cancel.cancelled() => return Ok(Exit::Interrupted),
        }
        if client.state() == IdleState::Lost {
            return Err(lost(pid).into());
        }
        view.draw(&client)?;
    }
}

fn once(out: Out, client: &IdleClient) -> anyhow::Result<Exit> {
    // Asks the kernel too whether anybody is there to say so.
    let state = match client.wait_for_idle(Duration::ZERO) {
        WaitOutcome::Idle => IdleState::Idle,
        WaitOutcome::Busy(_) => IdleState::Busy,
        WaitOutcome::Lost => return Err(lost(client.pid()).into()),
    };
    let busy = client.busy_resources();
    if out.json {
        out.value(&told(client, state, &busy))?;
    } else {
        out.text(&words(client.pid(), state, &busy, None))?;
    }
    Ok(Exit::Done)
}

fn told(client: &IdleClient, state: IdleState, busy: &[BusyResource]) -> Value {
    let resources = busy.iter().map(
        |r| json!({ "name": r.name, "count": r.count, "age_ms": r.age.as_millis() as u64, "stuck": r.stuck }),
    );
    json!({
        "pid": client.pid(),
        "idle": state == IdleState::Idle,
        "busy_resources": resources.collect::<Vec<_>>(),
        "begun": client.begun(),
        "page": client.path(),
    })
}

/// The state in a line, and a line for each resource. `calm` is for how long it was seen to be idle.
fn words(pid: u32, state: IdleState, busy: &[BusyResource], calm: Option<Duration>) -> String {
    let since = |time: Duration| format!("{:.1} s", time.as_secs_f64());
    let blocking = busy.iter().filter(|r| !r.stuck).map(|r| r.age).max();
    let (state, time) = match state {
        IdleState::Idle => (styled(GOOD, "idle"), calm),
        IdleState::Busy => (styled(NEWS, "busy"), blocking),
        IdleState::Lost => (styled(DIM, "lost"), None),
    };
    let time = time.map_or(String::new(), |time| format!(" for {}", since(time)));
    let mut out = format!("{} {state}{time}\n", styled(BOLD, &format!("pid {pid}")));
    let room = output::width().saturating_sub(30).max(12);
    let lines = busy.iter().map(|resource| {
        let name = styled(CALM, &table::cut(&resource.name, room));
        let stuck = if resource.stuck { " stuck, no longer waited for" } else { "" };
        format!("  {name} ×{} for {}{stuck}\n", resource.count, since(resource.age))
    });
    out.extend(lines);
    out
}

/// The live view: each frame is written over the one before.
struct View {
    out: Out,
    drawn: String,
    begun: Option<u64>,
    calm_since: Instant,
}

impl View {
    fn new(out: Out) -> Self {
        View { out, drawn: String::new(), begun: None, calm_since: Instant::now() }
    }

    fn draw(&mut self, client: &IdleClient) -> io::Result<()> {
        let (begun, state, busy) = (client.begun(), client.state(), client.busy_resources());
        // Work that came and went between two frames ends the calm too.
        if state != IdleState::Idle || self.begun.replace(begun).is_some_and(|before| before != begun) {
            self.calm_since = Instant::now();
        }
        let frame = words(client.pid(), state, &busy, Some(self.calm_since.elapsed()));
        if frame == self.drawn {
            return Ok(());
        }
        let lines = self.drawn.lines().count();
        if lines > 0 {
            // Movement is no colour: it is wanted on a terminal without colour too.
            io::stdout().write_all(format!("\x1b[{lines}A\x1b[J").as_bytes())?;
        }
        self.out.text(&frame)?;
        self.drawn = frame;
        Ok(())
    }
}

fn lost(pid: u32) -> Error {
    let hint = "the process ended, became another program or dropped its SDK; start it again and ask again";
    Error::new(Code::TargetLost, format!("process {pid} no longer says anything"), hint)
}

fn explain(pid: u32, error: &ConnectError) -> Error {
    let (code, hint) = match error {
        ConnectError::NoProcess { .. } => {
            (Code::TargetNotFound, "`stillpoint apps` lists the pids of what can be driven".to_owned())
        }
        ConnectError::NotReporting { .. } => (
            Code::Unsupported,
            format!(
                "docs/idle.md says how an app embeds the idle SDK; without it, `stillpoint idle app:pid={pid}` judges by events"
            ),
        ),
        ConnectError::LeftOver(_) | ConnectError::OtherProcess(_) => {
            (Code::TargetLost, "start the app again, then ask for its new pid".to_owned())
        }
        ConnectError::Unsafe { .. } => (
            Code::PermissionDenied,
            "only the user that runs the app can read what it says; ask as that user".to_owned(),
        ),
        ConnectError::Garbage(_) | ConnectError::Version { .. } => {
            (Code::Protocol, "build the app and Stillpoint with the same version of the idle SDK".to_owned())
        }
        _ => (Code::Internal, "docs/idle-layout.md says what the files must be".to_owned()),
    };
    Error::new(code, error.to_string(), hint)
}
