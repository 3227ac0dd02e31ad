//! The command line of Stillpoint: every verb of the engine, for people and for programs.
//!
//! Nothing is decided here. A command word leads to a verb ([`words`]), flags are made from the verb's JSON schema
//! ([`params`], [`kind`]), the engine runs it ([`call`]), and its answer is printed ([`output`]).
//!
//! With `--json`, stdout carries exactly one object: the verb's answer, or `{"error": {code, message, hint,
//! retryable, details}}` where there is none. `watch --json` prints one object per line. Everything else goes to stderr.

mod agent;
mod apps;
mod call;
mod demo;
mod desktop;
mod doctor;
mod engine;
mod exit;
mod flow;
mod grammar;
mod help;
mod idle;
mod install;
mod kind;
mod open;
mod output;
mod paint;
mod params;
mod picture;
mod policy;
mod program;
mod progress;
mod route;
mod serve;
mod table;
mod trace;
mod usage;
mod watch;
mod words;

#[cfg(target_os = "linux")]
pub use crate::desktop::explain as explain_lab;
pub use crate::policy::written as written_policy;

use crate::engine::Desk;
use crate::exit::Exit;
use crate::output::Out;
use clap::ArgMatches;
use std::ffi::OsString;
use std::path::PathBuf;
use stillpoint_core::Error;
use stillpoint_engine::Policy;
use tokio_util::sync::CancellationToken;

/// Does what the arguments ask for, the first of which is the program's name, and gives the exit code (SPEC §12).
/// `program` is what starts this command line again, as the daemon does.
pub fn main_from(program: PathBuf, arguments: Vec<OsString>) -> u8 {
    program::is(program);
    let words: Vec<String> = arguments.iter().map(|a| a.to_string_lossy().into_owned()).collect();
    let out = Out::of(&words);
    log(out);
    let done = parse(out, arguments).and_then(|asked| match asked {
        Asked::Work(matches) => work(out, &matches),
        Asked::Help(exit) => Ok(exit),
    });
    done.unwrap_or_else(|error| tell(out, error)).code()
}

/// What the command line asks for.
enum Asked {
    /// To do something.
    Work(Box<ArgMatches>),
    /// Help or the version, which has been printed.
    Help(Exit),
}

/// Reads the command line.
fn parse(out: Out, arguments: Vec<OsString>) -> anyhow::Result<Asked> {
    let choice = match out.color {
        anstream::ColorChoice::Always | anstream::ColorChoice::AlwaysAnsi => clap::ColorChoice::Always,
        anstream::ColorChoice::Never => clap::ColorChoice::Never,
        anstream::ColorChoice::Auto => clap::ColorChoice::Auto,
    };
    match grammar::command().color(choice).try_get_matches_from(arguments) {
        Ok(matches) => Ok(Asked::Work(Box::new(matches))),
        Err(help) if usage::is_help(&help) && (help.exit_code() == 0 || !out.json) => {
            help.print()?;
            Ok(Asked::Help(if help.exit_code() == 0 { Exit::Done } else { Exit::Usage }))
        }
        Err(wrong) => Err(usage::explain(&wrong).into()),
    }
}

/// Commands that do nothing to a target, or load the policy themselves: they work beside one that cannot be understood,
/// so that it can be found out and put right.
const OUTSIDE: [&str; 8] = ["doctor", "agent", "serve", "mcp", "desktop", "trace", "completions", "man"];

fn work(out: Out, matches: &ArgMatches) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let done = runtime.block_on(async {
        let cancel = CancellationToken::new();
        interruptible(&cancel)?;
        let policy = match matches.subcommand_name() {
            Some(word) if OUTSIDE.contains(&word) => Policy::default(),
            _ => policy::load()?,
        };
        let desk = Desk { engine: engine::engine(policy), out, cancel };
        let done = dispatch(&desk, matches).await;
        desk.engine.shut_down().await;
        done
    });
    // A backend that hangs in a blocking call does not keep the process.
    runtime.shutdown_background();
    done
}

/// The first Ctrl-C cancels what runs, the second ends the process. A supervisor's word to end counts as Ctrl-C: what
/// was started for a target, such as a browser, is ended with it.
fn interruptible(cancel: &CancellationToken) -> anyhow::Result<()> {
    let mut term = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    let mut interrupt = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    let cancel = cancel.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = term.recv() => {}
                _ = interrupt.recv() => {}
            }
            if cancel.is_cancelled() {
                std::process::exit(Exit::Interrupted.code().into());
            }
            cancel.cancel();
        }
    });
    Ok(())
}

async fn dispatch(desk: &Desk, matches: &ArgMatches) -> anyhow::Result<Exit> {
    // The grammar requires a command, so there is one.
    let (word, matches) = matches.subcommand().unwrap_or(("", matches));
    match word {
        "agent" => agent::run(desk, matches).await,
        "open" => open::open(desk, matches).await,
        "close" => open::close(desk, matches).await,
        "flow" => flow::run(desk, matches).await,
        "apps" => apps::run(desk).await,
        "doctor" => doctor::run(desk).await,
        "watch" => watch::run(desk, matches).await,
        "demo" => demo::run(desk, matches).await,
        "desktop" => desktop::run(desk, matches).await,
        "mcp" => serve::mcp(desk, matches).await,
        "serve" => serve::serve(desk, matches).await,
        "trace" => trace::run(desk, matches),
        "completions" => completions(desk.out, matches),
        "man" => {
            let mut page = Vec::new();
            clap_mangen::Man::new(grammar::command()).render(&mut page)?;
            desk.out.text(&String::from_utf8_lossy(&page))?;
            Ok(Exit::Done)
        }
        word => match idle::pid(matches).filter(|_| word == "idle") {
            Some(pid) => idle::run(desk, pid).await,
            None => call::run(desk, word, matches).await,
        },
    }
}

fn completions(out: Out, matches: &ArgMatches) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    if let Some(shell) = matches.get_one::<clap_complete::Shell>("shell") {
        clap_complete::generate(*shell, &mut grammar::command(), "stillpoint", &mut script);
    }
    out.text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// Tells what went wrong, and with which code to end.
fn tell(out: Out, error: anyhow::Error) -> Exit {
    let error = match error.downcast::<Error>() {
        Ok(error) => error,
        Err(other) => {
            let io = other.downcast_ref::<std::io::Error>();
            if io.is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe) {
                // Whoever reads has enough, as `head` does.
                return Exit::Done;
            }
            Error::internal(format!("{other:#}"))
        }
    };
    if let Err(closed) = out.error(&error) {
        tracing::debug!(%closed, "nobody reads the error");
    }
    Exit::from(&error)
}

/// Log lines go to stderr, as many as `STILLPOINT_LOG` asks for: `debug`, `stillpoint_engine=trace`, …
fn log(out: Out) {
    let filter = tracing_subscriber::EnvFilter::try_from_env("STILLPOINT_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("error"));
    let colour = anstream::AutoStream::new(std::io::stderr(), out.color).current_choice()
        != anstream::ColorChoice::Never;
    // A process that runs this more than once, as an interpreter may, keeps its first log.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(colour)
        .with_writer(std::io::stderr)
        .try_init();
}
