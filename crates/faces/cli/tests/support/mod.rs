//! The real binary, through pipes and in a terminal of its own.
#![allow(dead_code)] // each test file uses its part

pub(crate) mod house;
pub(crate) mod pages;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, Output, Stdio};

/// The binary, with nothing of the surrounding session that would change what it prints.
pub(crate) fn stillpoint(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stillpoint"));
    command.args(arguments).stdin(Stdio::null());
    for name in [
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "COLUMNS",
        "STILLPOINT_LOG",
        "DISPLAY",
        "DBUS_SESSION_BUS_ADDRESS",
        "STILLPOINT_DAEMON",
        "STILLPOINT_POLICY",
    ] {
        command.env_remove(name);
    }
    // Nobody's own policy, nobody's own clients.
    command.env("TERM", "xterm-256color").env("XDG_CONFIG_HOME", "/nonexistent");
    command
}

/// What came out of the pipes.
pub(crate) struct Piped {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Piped {
    /// The one JSON object on stdout.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.stdout.lines().count(), 1, "one object, one line: {:?}", self.stdout);
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {:?}", self.stdout))
    }

    /// The error object on stdout, which has all that an error needs.
    pub(crate) fn error(&self, code: &str) -> Value {
        let error = self.json()["error"].clone();
        assert_eq!(error["code"], code, "{error}");
        assert!(error["message"].as_str().is_some_and(|m| !m.is_empty()), "{error}");
        assert!(error["hint"].as_str().is_some_and(|m| !m.is_empty()), "{error}");
        assert!(error["retryable"].is_boolean(), "{error}");
        error
    }
}

impl From<Output> for Piped {
    fn from(output: Output) -> Self {
        Piped {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
        }
    }
}

/// Runs it through pipes.
pub(crate) fn piped(arguments: &[&str]) -> Piped {
    stillpoint(arguments).output().expect("the binary runs").into()
}

/// A process in a terminal of its own.
pub(crate) struct InTerminal {
    child: Child,
    terminal: File,
    seen: String,
}

impl InTerminal {
    /// Starts it in a terminal with so many columns. It leads a session, so that Ctrl-C reaches it as it would a person's.
    pub(crate) fn start(arguments: &[&str], columns: u16) -> Self {
        Self::start_command(&stillpoint(arguments), columns)
    }

    /// The same with a command that has been prepared.
    pub(crate) fn start_command(binary: &Command, columns: u16) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&ours).expect("the terminal is ours");
        unlockpt(&ours).expect("the terminal is open");
        let name = ptsname(&ours, Vec::new()).expect("it has a name").into_string().expect("in UTF-8");
        let theirs: OwnedFd =
            OpenOptions::new().read(true).write(true).open(&name).expect("the other end").into();
        let size = Winsize { ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(theirs.as_fd(), size).expect("it has a size");
        // `setsid --ctty` makes the terminal the controlling one, which takes a call between fork and exec.
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg("--wait").arg(binary.get_program()).args(binary.get_args());
        for (name, value) in binary.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let end = || Stdio::from(theirs.try_clone().expect("a copy"));
        let child = command.stdin(end()).stdout(end()).stderr(end()).spawn().expect("the binary runs");
        drop(theirs);
        InTerminal { child, terminal: File::from(ours), seen: String::new() }
    }

    /// Reads until `text` has been shown.
    pub(crate) fn until(&mut self, text: &str) {
        while !self.seen.contains(text) {
            assert!(self.more(), "it ended without {text:?}: {:?}", self.seen);
        }
    }

    /// Types a character.
    pub(crate) fn press(&mut self, key: u8) {
        use std::io::Write;
        self.terminal.write_all(&[key]).expect("it can be typed into");
    }

    /// Reads the rest, and gives the exit code with all that was shown.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        while self.more() {}
        let status = self.child.wait().expect("it ends");
        (status.code(), self.seen)
    }

    fn more(&mut self) -> bool {
        let mut some = [0; 4096];
        match self.terminal.read(&mut some) {
            // The other end of a terminal closes with an error on Linux.
            Ok(0) | Err(_) => false,
            Ok(n) => {
                self.seen.push_str(&String::from_utf8_lossy(&some[..n]));
                true
            }
        }
    }
}
