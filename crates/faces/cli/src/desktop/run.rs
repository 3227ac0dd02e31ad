//! One command on a desktop of its own. The terminal stays the command's: its input, output and Ctrl-C work as ever.

use super::{at_rest, blocking, size};
use crate::demo::write;
use crate::engine::Desk;
use crate::exit::Exit;
use crate::paint::{DIM, RESET};
use crate::program;
use clap::ArgMatches;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;
use stillpoint_core::{Code, Error, Result};
use stillpoint_lab::Desktop;
use tokio::process::Child;

/// How long a command may take to end after Ctrl-C before it is killed.
const FAREWELL: Duration = Duration::from_secs(5);

/// Runs it, and passes its exit code on.
pub(super) async fn run(desk: &Desk, matches: &ArgMatches) -> anyhow::Result<Exit> {
    let (width, height) = size(matches)?;
    let home = matches.get_flag("inherit_home");
    let words: Vec<&OsString> = matches.get_many("cmd").into_iter().flatten().collect();
    let Some((program, arguments)) = words.split_first() else {
        return Err(Error::invalid("there is no command to run", "write it after --").into());
    };
    let desktop = blocking(move || {
        let builder = Desktop::builder().size(width, height);
        (if home { builder.inherit_home() } else { builder }).start()
    })
    .await?;
    let desktop = Arc::new(desktop);
    let mut command = std::process::Command::new(program);
    command.args(arguments);
    desktop.apply_env(&mut command);
    if matches.get_flag("with_idle") {
        command.env("LD_PRELOAD", preloaded()?);
    }
    let mut child = tokio::process::Command::from(command).kill_on_drop(true).spawn().map_err(|e| {
        Error::invalid(
            format!("{} cannot be run: {e}", program.to_string_lossy()),
            "give a program that is installed, with its path if it is not on PATH",
        )
    })?;
    let picture = matches.get_one::<PathBuf>("screenshot");
    let done = attend(desk, &desktop, &mut child, picture, matches.get_flag("stop_at_rest")).await;
    // Teardown blocks; whoever still looks at the display loses it, which ends the looking.
    let closed = tokio::task::spawn_blocking(move || drop(desktop)).await;
    let exit = done?;
    closed?;
    Ok(exit)
}

/// What `LD_PRELOAD` is with the library that reports main loops: in front of what was there.
fn preloaded() -> Result<OsString> {
    const NAME: &str = "libstillpoint_idle_preload.so";
    let beside =
        program::path()?.parent().into_iter().flat_map(|dir| [dir.join(NAME), dir.join("deps").join(NAME)]);
    let named = std::env::var_os("STILLPOINT_IDLE_PRELOAD").map(PathBuf::from);
    let library = named.into_iter().chain(beside).find(|path| path.exists()).ok_or_else(|| {
        let hint = "build it with `cargo build -p stillpoint-idle-preload`, or set STILLPOINT_IDLE_PRELOAD to its path";
        Error::new(Code::Unsupported, format!("{NAME} is not beside this program"), hint)
    })?;
    let mut all = library.into_os_string();
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        all.push(":");
        all.push(others);
    }
    Ok(all)
}

async fn attend(
    desk: &Desk,
    desktop: &Arc<Desktop>,
    child: &mut Child,
    picture: Option<&PathBuf>,
    stop_at_rest: bool,
) -> anyhow::Result<Exit> {
    if picture.is_some() || stop_at_rest {
        let seen = tokio::select! {
            seen = at_rest::first_window(desktop) => Some(seen?),
            status = child.wait() => {
                // Scripts leave windows of what they started; those are still there.
                take(desk, desktop, picture).await?;
                return Ok(passed_on(status?));
            }
            () = desk.cancel.cancelled() => None,
        };
        if let Some(rest) = seen {
            if let at_rest::Rest::Unknown(why) = rest {
                desk.out.note(&format!(
                    "{DIM}rest is not known ({why}); the picture shows the window as it is{RESET}"
                ));
            }
            take(desk, desktop, picture).await?;
            if stop_at_rest {
                child.kill().await?;
                return Ok(Exit::Done);
            }
        }
    }
    tokio::select! {
        status = child.wait() => Ok(passed_on(status?)),
        () = desk.cancel.cancelled() => {
            // Ctrl-C reached the command as well, for it has the same terminal.
            if tokio::time::timeout(FAREWELL, child.wait()).await.is_err() {
                child.kill().await?;
            }
            Ok(Exit::Interrupted)
        }
    }
}

async fn take(desk: &Desk, desktop: &Arc<Desktop>, picture: Option<&PathBuf>) -> anyhow::Result<()> {
    let Some(file) = picture else { return Ok(()) };
    let desktop = desktop.clone();
    let png = blocking(move || desktop.screenshot()).await?;
    write(file, &png)?;
    desk.out.note(&format!("{DIM}picture: {}{RESET}", file.display()));
    Ok(())
}

/// A command's own code; one that a signal ended is told as shells tell it.
fn passed_on(status: ExitStatus) -> Exit {
    let code = status.code().or_else(|| status.signal().map(|s| 128 + s)).unwrap_or(1);
    Exit::Of(u8::try_from(code).unwrap_or(u8::MAX))
}
