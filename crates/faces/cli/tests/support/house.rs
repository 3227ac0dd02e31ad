//! A runtime directory of the test's own, with whatever daemon is started there; stopped at the end.

use super::{Piped, stillpoint};
use std::process::Command;
use tempfile::TempDir;

/// A place for a daemon.
pub(crate) struct House {
    runtime: TempDir,
}

impl House {
    pub(crate) fn new() -> House {
        House { runtime: tempfile::tempdir().expect("a folder") }
    }

    /// The binary with this place as its runtime directory.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = stillpoint(arguments);
        command.env("XDG_RUNTIME_DIR", self.runtime.path());
        command
    }

    /// Runs it through pipes.
    pub(crate) fn run(&self, arguments: &[&str]) -> Piped {
        self.command(arguments).output().expect("the binary runs").into()
    }
}

impl Drop for House {
    fn drop(&mut self) {
        // Where none runs, this says so and nothing else happens.
        let stopped = self.command(&["serve", "--stop"]).output();
        if !std::thread::panicking() {
            assert!(stopped.is_ok_and(|out| out.status.success()), "the daemon was not stopped");
        }
    }
}
