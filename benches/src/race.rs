//! A fixture app does random work of known length, and waits for its rest are judged by the app's own log.

use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;
use stillpoint_atspi::AtspiConnector;
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::sync::SyncEngine;
use stillpoint_engine::{Engine, Session};
use stillpoint_idle::IdleClient;
use stillpoint_lab::{App, Desktop, Fixture};

/// What a race fails with: a message for people.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

/// Delays of the app's operations in milliseconds, the window of the modes without an idle signal well inside.
const DELAYS: [&str; 4] = ["--delay-min", "10", "--delay-max", "400"];
/// To the app's word it does not matter how long they are.
const SHORT_DELAYS: [&str; 4] = ["--delay-min", "10", "--delay-max", "100"];
/// Longer than any round; a wait that takes so long is counted as one that never came back.
const LONGEST: Duration = Duration::from_secs(20);
/// So many waits before the app's log is read, which holds two thousand operations.
const BETWEEN_LOGS: usize = 50;

/// How rest is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// With the reader of the idle SDK alone, without a session.
    Reader,
    /// With a session in this mode of `sync`.
    Session(&'static str),
}

impl How {
    /// Every way.
    pub const ALL: [How; 4] =
        [How::Reader, How::Session("sdk"), How::Session("events"), How::Session("heuristic")];

    /// Whether it goes by the app's own word.
    pub fn is_by_word(self) -> bool {
        matches!(self, How::Reader | How::Session("sdk"))
    }

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            How::Reader => "reader",
            How::Session(mode) => mode,
        }
    }
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Operations that the app logged.
    pub operations: usize,
    /// Waits for its rest.
    pub waits: usize,
    /// Waits that returned while an operation was in flight.
    pub premature: usize,
    /// Waits that said that the app did not come to rest.
    pub gave_up: usize,
    /// For every other wait: how late it returned.
    pub late: Vec<Lateness>,
}

/// How late a wait returned.
#[derive(Clone, Copy, Debug)]
pub struct Lateness {
    /// Counted from the end of the last operation.
    pub after_end: Duration,
    /// Counted from when its work was done, before the app laid out and drew the result.
    pub after_work: Duration,
    /// A virtual machine's host gave the processor to others meanwhile, for a hundredth of a second or so.
    pub disturbed: bool,
}

#[derive(Deserialize)]
struct Operation {
    start: u64,
    end: Option<u64>,
    /// When its work was done; it ends when its result has been laid out and drawn.
    done: Option<u64>,
}

struct Wait {
    called: u64,
    returned: u64,
    disturbed: bool,
}

/// Lets a fixture do at least so many operations, some at a time, and waits for its rest after each start.
pub fn run(fixture: Fixture, how: How, operations: usize, seed: u64) -> Result<Tally, Fault> {
    let desktop = Desktop::start()?;
    let library = library()?;
    let mut arguments = vec!["--seed", "7", "--items", "3", "--idle", library.to_str().ok_or("odd path")?];
    arguments.extend(if how.is_by_word() { SHORT_DELAYS } else { DELAYS });
    let app = desktop.fixture_with(fixture, &arguments)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let waiter = Waiter::new(&runtime, &desktop, &app, how)?;
    let mut dice = Dice(seed);
    let mut tally = Tally::default();
    let mut waits = Vec::new();
    let mut read_from = 0;
    while tally.operations < operations {
        begin_some(&app, &mut dice)?;
        let (stolen, called) = (crate::machine::stolen_ticks(), now());
        let rested = waiter.wait()?;
        let returned = now();
        waits.push(Wait { called, returned, disturbed: crate::machine::stolen_ticks() != stolen });
        tally.gave_up += usize::from(!rested);
        // What a premature wait left under way does not belong to the next.
        app.control("rest")?;
        if waits.len() == BETWEEN_LOGS || tally.operations + waits.len() >= operations {
            let log: Vec<Operation> = serde_json::from_value(app.control_json("log")?)?;
            let fresh: Vec<&Operation> = log.iter().filter(|o| o.start > read_from).collect();
            tally.operations += fresh.len();
            for wait in waits.drain(..) {
                tally.judge(&wait, &fresh);
            }
            read_from = fresh.iter().map(|o| o.start).max().unwrap_or(read_from);
        }
    }
    waiter.close();
    desktop.close()?;
    Ok(tally)
}

impl Tally {
    fn judge(&mut self, wait: &Wait, log: &[&Operation]) {
        self.waits += 1;
        let begun = || log.iter().filter(|o| o.start < wait.returned);
        if begun().any(|o| o.end.is_none_or(|end| end > wait.returned)) {
            self.premature += 1;
            return;
        }
        let since = |last: Option<u64>| {
            Duration::from_nanos(wait.returned.saturating_sub(last.unwrap_or(0).max(wait.called)))
        };
        self.late.push(Lateness {
            after_end: since(begun().filter_map(|o| o.end).max()),
            after_work: since(begun().filter_map(|o| o.done).max()),
            disturbed: wait.disturbed,
        });
    }
}

/// Begins one to three operations, on the page of the first.
fn begin_some(app: &App, dice: &mut Dice) -> Result<(), Fault> {
    const WORK: [(&str, &str); 6] = [
        ("login", "op signin"),
        ("feed", "op load"),
        ("toast", "op toast"),
        ("moving", "op move"),
        ("replaced", "op replace"),
        ("debounce", "set debounce.quantity"),
    ];
    for n in 0..=dice.below(3) {
        let (page, command) = WORK[dice.below(WORK.len() as u64) as usize];
        if n == 0 {
            app.control(&format!("show {page}"))?;
        }
        match command {
            "set debounce.quantity" => app.control(&format!("{command} {}", dice.next() % 100_000))?,
            _ => app.control(command)?,
        };
    }
    Ok(())
}

enum Waiter<'a> {
    Reader(Box<IdleClient>),
    Session(&'a tokio::runtime::Runtime, Session, &'static str),
}

impl<'a> Waiter<'a> {
    fn new(
        runtime: &'a tokio::runtime::Runtime,
        desktop: &Desktop,
        app: &App,
        how: How,
    ) -> Result<Self, Fault> {
        let How::Session(mode) = how else {
            return Ok(Waiter::Reader(Box::new(IdleClient::try_connect(app.pid())?)));
        };
        let session = runtime.block_on(attach(desktop, app, mode))?;
        Ok(Waiter::Session(runtime, session, mode))
    }

    /// Whether the app came to rest.
    fn wait(&self) -> Result<bool, Fault> {
        match self {
            Waiter::Reader(client) => Ok(client.wait_for_idle(LONGEST).is_idle()),
            Waiter::Session(runtime, session, mode) => {
                let sync = SyncEngine::new(session.clone());
                let answer = serde_json::to_value(runtime.block_on(sync.wait_for_idle(LONGEST))?)?;
                if answer["sync_mode"] != **mode {
                    return Err(format!("{mode} was asked for: {answer}").into());
                }
                Ok(answer["status"] == "success")
            }
        }
    }

    fn close(&self) {
        if let Waiter::Session(runtime, session, _) = self {
            runtime.block_on(session.close());
        }
    }
}

/// Attaches to an app on a private desktop, in this mode of `sync`.
pub async fn attach(desktop: &Desktop, app: &App, mode: &str) -> Result<Session, Fault> {
    let engine = Engine::new().with(AtspiConnector::on(stillpoint_atspi::Desktop {
        accessibility_bus: Some(desktop.a11y_address().to_owned()),
        session_bus: Some(desktop.session_address()),
        display: Some(desktop.display()),
    }));
    let target = format!("app:pid={}", app.pid()).parse()?;
    let settings = [("sync".to_owned(), mode.to_owned())].into();
    let options = AttachOptions { settings, ..AttachOptions::default() };
    Ok(engine.open(&target, &options).await?)
}

/// The shared library of this build.
pub fn library() -> Result<PathBuf, Fault> {
    let program = std::env::current_exe()?;
    let found = program.ancestors().skip(1).take(2).flat_map(|dir| [dir.join("deps"), dir.to_owned()]);
    let mut found = found.map(|dir| dir.join("libstillpoint_idle.so"));
    found.find(|path| path.exists()).ok_or_else(|| "libstillpoint_idle.so was not built".into())
}

/// The clock of the app's log.
fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Reproducible randomness (an xorshift generator).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}
