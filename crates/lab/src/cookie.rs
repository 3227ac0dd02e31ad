//! How a desktop knows its own processes: a random cookie in their environment, inherited by whatever they
//! start. A process that carries it was started by this desktop; nothing else is ever signalled.

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::fd::OwnedFd;

/// The environment variable that carries the cookie. Nested desktops join theirs with `:`.
pub const COOKIE_VARIABLE: &str = "STILLPOINT_DESKTOP";

/// The identity of one desktop: 122 random bits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cookie(String);

impl Cookie {
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self(fs::read_to_string("/proc/sys/kernel/random/uuid")?.trim().to_owned()))
    }

    /// The bare cookie.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first characters, enough to name a directory.
    pub(crate) fn short(&self) -> &str {
        self.0.get(..8).unwrap_or(&self.0)
    }

    /// What [`COOKIE_VARIABLE`] is set to: inside another desktop, its cookies come first, so that the
    /// outer teardown finds the inner processes too.
    pub(crate) fn variable(&self) -> String {
        match std::env::var(COOKIE_VARIABLE) {
            Ok(outer) if !outer.is_empty() => format!("{outer}:{}", self.0),
            _ => self.0.clone(),
        }
    }

    /// Every living process that carries this cookie in its environment.
    pub fn carriers(&self) -> Vec<i32> {
        process_ids().filter(|&pid| self.is_carried_by(pid)).collect()
    }

    fn is_carried_by(&self, pid: i32) -> bool {
        // Unreadable means: it ended (a zombie's environment is empty), or it belongs to another user.
        fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| self.is_in(&environment))
    }

    fn is_in(&self, environment: &[u8]) -> bool {
        environment.split(|&byte| byte == 0).any(|entry| {
            std::str::from_utf8(entry)
                .ok()
                .and_then(|entry| entry.strip_prefix(COOKIE_VARIABLE))
                .and_then(|rest| rest.strip_prefix('='))
                .is_some_and(|cookies| cookies.split(':').any(|cookie| cookie == self.0))
        })
    }

    /// The carriers and their living descendants (a program may overwrite its own environment block, as
    /// Chromium's children do), each held by a descriptor, so that a recycled number is never signalled.
    pub(crate) fn hold_processes(&self) -> Vec<Held> {
        let mut wanted: BTreeSet<i32> = self.carriers().into_iter().collect();
        if wanted.is_empty() {
            return Vec::new();
        }
        let parents = parents();
        loop {
            let children: Vec<i32> = parents
                .iter()
                .filter(|(pid, parent)| wanted.contains(parent) && !wanted.contains(pid))
                .map(|(pid, _)| *pid)
                .collect();
            if children.is_empty() {
                break;
            }
            wanted.extend(children);
        }
        let own = std::process::id() as i32;
        wanted
            .iter()
            .filter(|&&pid| pid != own)
            .filter_map(|&pid| Held::open(pid))
            // Looked at again now that the number cannot be recycled under us.
            .filter(|held| {
                self.is_carried_by(held.pid)
                    || parent_of(held.pid).is_some_and(|parent| wanted.contains(&parent))
            })
            .collect()
    }
}

/// A process held by a pidfd.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) pid: i32,
    pub(crate) descriptor: OwnedFd,
}

impl Held {
    pub(crate) fn open(pid: i32) -> Option<Self> {
        let descriptor = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
        Some(Self { pid, descriptor })
    }

    /// Sends a signal; a process that has already ended is no error.
    pub(crate) fn signal(&self, signal: Signal) -> Result<(), Errno> {
        match pidfd_send_signal(&self.descriptor, signal) {
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

fn process_ids() -> impl Iterator<Item = i32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
}

fn parents() -> BTreeMap<i32, i32> {
    process_ids().filter_map(|pid| Some((pid, parent_of(pid)?))).collect()
}

/// The parent of a living process; a zombie has none that matters.
fn parent_of(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The command name is in parentheses and may itself hold spaces and parentheses.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if state == "Z" || state == "X" {
        return None;
    }
    fields.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_alone_and_in_a_list() {
        let cookie = Cookie("c0ffee".to_owned());
        assert!(cookie.is_in(b"A=1\0STILLPOINT_DESKTOP=c0ffee\0"));
        assert!(cookie.is_in(b"STILLPOINT_DESKTOP=outer:c0ffee:inner\0B=2\0"));
    }

    #[test]
    fn a_longer_or_foreign_value_is_not_ours() {
        let cookie = Cookie("c0ffee".to_owned());
        assert!(!cookie.is_in(b"STILLPOINT_DESKTOP=c0ffee2\0"));
        assert!(!cookie.is_in(b"STILLPOINT_DESKTOPS=c0ffee\0"));
        assert!(!cookie.is_in(b"OTHER=STILLPOINT_DESKTOP=c0ffee\0"));
        assert!(!cookie.is_in(b""));
    }

    #[test]
    fn two_cookies_differ() {
        assert_ne!(Cookie::new().unwrap(), Cookie::new().unwrap());
    }
}
