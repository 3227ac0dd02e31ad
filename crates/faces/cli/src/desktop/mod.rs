//! `stillpoint desktop`: private headless desktops, so that nothing touches the user's screen.

#[cfg(target_os = "linux")]
mod at_rest;
#[cfg(target_os = "linux")]
mod lasting;
#[cfg(target_os = "linux")]
mod run;

use crate::engine::Desk;
use crate::exit::Exit;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::ffi::OsString;
use std::path::PathBuf;
use stillpoint_core::{Error, Result};

/// The name of a lasting desktop where none is given.
const DEFAULT_NAME: &str = "default";

/// The grammar of it.
pub(crate) fn command() -> Command {
    let size = || {
        Arg::new("size")
            .long("size")
            .value_name("WxH")
            .default_value("1280x800")
            .help("The size of its screen in pixels")
    };
    let name = || Arg::new("name").value_name("NAME").default_value(DEFAULT_NAME).help("Which desktop");
    let home = || {
        Arg::new("inherit_home")
            .long("inherit-home")
            .action(ArgAction::SetTrue)
            .help("Let programs see your own home and settings instead of empty ones")
    };
    let run = Command::new("run")
        .about("Run a command on a desktop of its own, torn down with the command; its exit code is passed on")
        .arg(size())
        .arg(home())
        .arg(
            Arg::new("screenshot")
                .long("screenshot")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Leave a picture (PNG) there: once the first window is at rest, or when CMD ends before that"),
        )
        .arg(
            Arg::new("stop_at_rest")
                .long("stop-at-rest")
                .action(ArgAction::SetTrue)
                .help("End CMD once its first window is at rest and the picture is taken"),
        )
        .arg(
            Arg::new("with_idle")
                .long("with-idle")
                .action(ArgAction::SetTrue)
                .help("Let unmodified GTK and Qt apps say when their main loop is busy (preloads a library; docs/idle.md)"),
        )
        .arg(
            Arg::new("cmd")
                .value_name("CMD")
                .required(true)
                .num_args(1..)
                .last(true)
                .value_parser(value_parser!(OsString))
                .help("What to run, with its arguments, after --"),
        )
        .after_help(concat!(
            "Examples:\n",
            "  stillpoint desktop run -- sh -c 'gedit & stillpoint wait app:gedit idle'\n",
            "  stillpoint desktop run --size 1024x768 --screenshot shot.png --stop-at-rest -- gtk3-widget-factory",
        ));
    Command::new("desktop")
        .about("Private headless desktops: own display, buses, accessibility and home")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(run)
        .subcommand(
            Command::new("start").about("Start a desktop that lasts").arg(name()).arg(size()).arg(home()),
        )
        .subcommand(Command::new("stop").about("End a lasting desktop and all that runs on it").arg(name()))
        .subcommand(Command::new("list").about("The lasting desktops of this user"))
        .subcommand(
            Command::new("env")
                .about("The variables that lead a program to a lasting desktop, for `eval` in a shell")
                .arg(name())
                .after_help("Examples:\n  eval \"$(stillpoint desktop env)\"; gedit &"),
        )
}

/// Runs it.
pub(crate) async fn run(desk: &Desk, matches: &ArgMatches) -> anyhow::Result<Exit> {
    #[cfg(target_os = "linux")]
    match matches.subcommand() {
        Some(("run", matches)) => run::run(desk, matches).await,
        Some((what, matches)) => lasting::run(desk.out, what, matches).await,
        None => {
            Err(Error::invalid("desktop needs to know what to do", "run, start, stop, list or env").into())
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (desk, matches);
        let hint = "private desktops need Linux; on this system drive the apps of your own desktop";
        Err(Error::new(stillpoint_core::Code::Unsupported, "there are no private desktops here", hint).into())
    }
}

/// Width and height, as in `1280x800`.
fn size(matches: &ArgMatches) -> Result<(u16, u16)> {
    let given = matches.get_one::<String>("size").map_or("", String::as_str);
    let sides = given.split_once(['x', 'X', '×']);
    let parsed = sides.and_then(|(w, h)| Some((w.parse::<u16>().ok()?, h.parse::<u16>().ok()?)));
    parsed.filter(|(w, h)| (64..=16_384).contains(w) && (64..=16_384).contains(h)).ok_or_else(|| {
        Error::invalid(
            format!("--size {given:?} is not a size of a screen"),
            "write it as 1280x800; each side is from 64 to 16384",
        )
    })
}

/// What the lab says, as every face tells it.
#[cfg(target_os = "linux")]
pub fn explain(error: &stillpoint_lab::LabError) -> Error {
    use stillpoint_core::Code;
    use stillpoint_lab::LabError;
    let code = match error {
        LabError::Missing { .. } => Code::Unsupported,
        LabError::Name { problem: "does not exist", .. } => Code::TargetNotFound,
        LabError::Name { .. } => Code::InvalidArgument,
        LabError::Late { .. } => Code::Timeout,
        LabError::Display { .. } => Code::TargetLost,
        _ => Code::Internal,
    };
    let told = error.to_string();
    let otherwise = "run it again with STILLPOINT_LOG=debug, which tells each part as it starts";
    let (message, hint) = told.split_once("\nhint: ").unwrap_or((&told, otherwise));
    Error::new(code, message, hint)
}

/// Runs what blocks, off the async threads.
#[cfg(target_os = "linux")]
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::result::Result<T, stillpoint_lab::LabError> + Send + 'static,
) -> anyhow::Result<T> {
    Ok(tokio::task::spawn_blocking(work).await?.map_err(|error| explain(&error))?)
}
