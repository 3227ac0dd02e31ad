//! Ending a desktop: every process that carries its cookie, then the files, in that order.

use crate::cookie::{Cookie, Held};
use crate::deadline::Deadline;
use crate::error::LabError;
use crate::places::Places;
use crate::xserver::{POLITENESS, Server};
use rustix::process::Signal;
use std::time::Duration;

/// How long one signalled process may take to be gone. SIGKILL needs microseconds; a machine under load more.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// A process may start another while we look; each round leaves fewer that can.
const ROUNDS: usize = 20;

/// Ends the processes and removes the files of a desktop. The X server is asked politely, so
/// that it removes its own socket.
pub(crate) fn end(cookie: &Cookie, server: Option<&Server>, places: &Places) -> Result<(), LabError> {
    let is_server = |held: &Held| server.is_some_and(|server| server.pid == held.pid);
    // Its clients go first, so that none of them reports a broken display.
    kill_all(cookie, |held| !is_server(held));
    if let Some(held) = cookie.hold_processes().into_iter().find(is_server) {
        let _ = held.signal(Signal::TERM);
        let _ = Deadline::after(POLITENESS).is_readable(&held.descriptor);
    }
    kill_all(cookie, |_| true);
    if let Some(server) = server {
        server.remove_leftovers();
    }
    let removed = places.remove();
    let survivors = cookie.carriers();
    if survivors.is_empty() { removed } else { Err(LabError::Survivors { pids: survivors }) }
}

fn kill_all(cookie: &Cookie, chosen: impl Fn(&Held) -> bool) {
    let deadline = Deadline::after(PATIENCE);
    for _ in 0..ROUNDS {
        let victims: Vec<Held> = cookie.hold_processes().into_iter().filter(&chosen).collect();
        if victims.is_empty() {
            return;
        }
        for victim in &victims {
            if let Err(error) = victim.signal(Signal::KILL) {
                tracing::warn!(pid = victim.pid, %error, "cannot kill a process of the desktop");
            }
        }
        for victim in &victims {
            let _ = deadline.is_readable(&victim.descriptor);
        }
    }
}
