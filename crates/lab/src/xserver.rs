//! The display: an Xvfb that picks its own free number and says which.

use crate::component::{Component, Recipe};
use crate::deadline::Deadline;
use crate::environment::Environment;
use crate::error::LabError;
use crate::places::Places;
use rustix::process::{Signal, pidfd_send_signal};
use serde::{Deserialize, Serialize};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

/// How long the X server may take to end by itself, which is when it removes its socket.
pub(crate) const POLITENESS: Duration = Duration::from_secs(3);

/// A running X server and the socket that leads to it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Server {
    pub(crate) pid: i32,
    pub(crate) display: u32,
    /// Inode and time of creation of its socket: another server may take the same number later, and its
    /// socket is not ours to remove. The server keeps no lock file when it chooses the number itself.
    pub(crate) socket: Option<String>,
}

/// Starts Xvfb and returns it once it accepts clients.
pub(crate) fn start(
    (width, height): (u16, u16),
    environment: &Environment,
    places: &Places,
    deadline: Deadline,
) -> Result<(Component, Server), LabError> {
    // `-displayfd` makes the server choose a number and write it once it listens; 1 is its stdout.
    let arguments: Vec<String> =
        ["-displayfd", "1", "-screen", "0", &format!("{width}x{height}x24"), "-dpi", "96"]
            .into_iter()
            .chain(["-nolisten", "tcp", "-noreset", "+extension", "XTEST"])
            .map(str::to_owned)
            .collect();
    let recipe =
        Recipe { component: "the display (Xvfb)", program: "Xvfb", package: "xvfb", arguments: &arguments };
    let mut component = Component::start(&recipe, environment, places)?;
    let number = component
        .first_line("its display number", deadline)
        .and_then(|line| line.parse().map_err(|_| component.nonsense("a display number", &line)));
    match number {
        Ok(display) => {
            let socket = identity(display);
            let server = Server { pid: component.pid(), display, socket };
            Ok((component, server))
        }
        Err(error) => {
            let _ = pidfd_send_signal(component.process(), Signal::TERM);
            let _ = Deadline::after(POLITENESS).is_readable(component.process());
            Err(error)
        }
    }
}

impl Server {
    /// Removes the socket that a killed server left, if it is still that server's.
    pub(crate) fn remove_leftovers(&self) {
        if self.socket.is_some() && self.socket == identity(self.display) {
            let _ = fs::remove_file(socket_path(self.display));
        }
    }
}

/// Where X servers keep their sockets, whatever TMPDIR says.
pub(crate) fn socket_path(display: u32) -> PathBuf {
    PathBuf::from(format!("/tmp/.X11-unix/X{display}"))
}

/// In the words of `stat --format '%i %.9Z'`, for the watchdog.
fn identity(display: u32) -> Option<String> {
    let status = fs::symlink_metadata(socket_path(display)).ok()?;
    Some(format!("{} {}.{:09}", status.ino(), status.ctime(), status.ctime_nsec()))
}
