//! Desktops that last: started under a name, found again by other processes through a state file.

use crate::cookie::Cookie;
use crate::desktop::Builder;
use crate::environment::Environment;
use crate::error::LabError;
use crate::places::{Places, private_directory};
use crate::teardown;
use crate::xserver::Server;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A lasting desktop, as its state file describes it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DetachedDesktop {
    name: String,
    display: u32,
    a11y_address: String,
    server: Option<Server>,
    pids: Vec<i32>,
    cookie: Cookie,
    places: Places,
    environment: Environment,
}

impl DetachedDesktop {
    /// The name it was started under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The display, as in `:99`.
    pub fn display(&self) -> String {
        format!(":{}", self.display)
    }

    /// The address of its accessibility bus.
    pub fn a11y_address(&self) -> &str {
        &self.a11y_address
    }

    /// The variables that lead a program to this desktop.
    pub fn env(&self) -> Vec<(String, String)> {
        self.environment.pairs()
    }

    /// A command that will run on this desktop, in a process group of its own.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        self.environment.apply(&mut command);
        command.process_group(0);
        command
    }

    /// The directory below which all its files are.
    pub fn root(&self) -> &Path {
        &self.places.root
    }

    /// The processes that belong to it now, apps included; proven by its cookie, not by remembered numbers.
    pub fn pids(&self) -> Vec<i32> {
        self.cookie.carriers()
    }

    /// Whether its display server still runs.
    pub fn is_alive(&self) -> bool {
        self.server.as_ref().is_some_and(|server| self.cookie.carriers().contains(&server.pid))
    }

    /// Takes a screenshot of the whole screen as PNG.
    pub fn screenshot(&self) -> Result<Vec<u8>, LabError> {
        crate::screen::Screen::connect(self.display)?.screenshot()
    }
}

pub(crate) fn start(builder: Builder, name: &str) -> Result<DetachedDesktop, LabError> {
    let path = state_path(name)?;
    // The file is created first, and only if it is not there: of two starts under one name, one wins.
    let mut file = match claim(&path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if find(name).is_ok_and(|desktop| desktop.is_alive()) {
                return Err(LabError::Name {
                    name: name.to_owned(),
                    problem: "is already running",
                    hint: "choose another name, or stop it with `stillpoint desktop stop NAME`",
                });
            }
            forget_dead(name, &path)?;
            claim(&path)
        }
        other => other,
    }
    .map_err(LabError::file(format!("creating {}", path.display())))?;
    let started = builder.start().and_then(|desktop| {
        let pids = desktop.cookie().carriers();
        let released = desktop.release();
        let state = DetachedDesktop {
            name: name.to_owned(),
            display: released.server.as_ref().map_or(0, |server| server.display),
            a11y_address: released.a11y_address,
            server: released.server,
            pids,
            cookie: released.cookie,
            places: released.places,
            environment: released.environment,
        };
        let written = serde_json::to_vec_pretty(&state)
            .map_err(std::io::Error::from)
            .and_then(|text| file.write_all(&text))
            .map_err(LabError::file(format!("writing {}", path.display())));
        match written {
            Ok(()) => Ok(state),
            Err(error) => {
                teardown::end(&state.cookie, state.server.as_ref(), &state.places)?;
                Err(error)
            }
        }
    });
    if started.is_err() {
        let _ = fs::remove_file(&path);
    }
    started
}

/// The lasting desktops of this user that have a state file, by name. Dead ones are among them, so that
/// they can be shown and stopped.
pub fn list() -> Result<Vec<DetachedDesktop>, LabError> {
    let directory = state_directory()?;
    let entries =
        fs::read_dir(&directory).map_err(LabError::file(format!("reading {}", directory.display())))?;
    let mut desktops: Vec<DetachedDesktop> = entries
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "json"))
        // A file without content belongs to a desktop that is just being started.
        .filter_map(|entry| serde_json::from_slice(&fs::read(entry.path()).ok()?).ok())
        .collect();
    desktops.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(desktops)
}

/// The lasting desktop of this name.
pub fn find(name: &str) -> Result<DetachedDesktop, LabError> {
    let path = state_path(name)?;
    let text = match fs::read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(LabError::Name {
                name: name.to_owned(),
                problem: "does not exist",
                hint: "`stillpoint desktop list` shows those that do",
            });
        }
        other => other.map_err(LabError::file(format!("reading {}", path.display())))?,
    };
    serde_json::from_slice(&text)
        .map_err(std::io::Error::from)
        .map_err(LabError::file(format!("understanding {}", path.display())))
}

/// Ends a lasting desktop: every process that carries its cookie (remembered numbers prove nothing), its
/// directories and its state file.
pub fn stop(name: &str) -> Result<(), LabError> {
    let desktop = find(name)?;
    teardown::end(&desktop.cookie, desktop.server.as_ref(), &desktop.places)?;
    let path = state_path(name)?;
    fs::remove_file(&path).map_err(LabError::file(format!("removing {}", path.display())))
}

/// Clears away the state of a desktop whose display is gone, and whatever it left running.
fn forget_dead(name: &str, path: &Path) -> Result<(), LabError> {
    if let Ok(desktop) = find(name) {
        teardown::end(&desktop.cookie, desktop.server.as_ref(), &desktop.places)?;
    }
    fs::remove_file(path).map_err(LabError::file(format!("removing {}", path.display())))
}

fn claim(path: &Path) -> std::io::Result<File> {
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

fn state_path(name: &str) -> Result<PathBuf, LabError> {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    if name.is_empty() || name.len() > 64 || name.starts_with('.') || !name.chars().all(plain) {
        return Err(LabError::Name {
            name: name.to_owned(),
            problem: "is not a usable name",
            hint: "use up to 64 letters, digits, `-`, `_` and `.`, and no `.` at the start",
        });
    }
    Ok(state_directory()?.join(format!("{name}.json")))
}

/// `$XDG_RUNTIME_DIR/stillpoint/desktops`, or `/tmp/stillpoint-UID/desktops` where there is none.
fn state_directory() -> Result<PathBuf, LabError> {
    let uid = rustix::process::geteuid().as_raw();
    let own = match std::env::var_os("XDG_RUNTIME_DIR").filter(|directory| !directory.is_empty()) {
        Some(directory) => PathBuf::from(directory).join("stillpoint"),
        None => PathBuf::from(format!("/tmp/stillpoint-{uid}")),
    };
    private_directory(&own, true)?;
    let desktops = own.join("desktops");
    private_directory(&desktops, true)?;
    Ok(desktops)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_the_state_directory() {
        for name in ["", "../x", "a/b", ".hidden", "with space"] {
            assert!(matches!(state_path(name), Err(LabError::Name { .. })), "{name:?}");
        }
    }
}
