//! A pretend app in its own process, with its own runtime directory.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(dead_code, reason = "each test file uses its part")]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

use stillpoint_idle::{IdleClient, IdleState};
use tempfile::TempDir;

/// A runtime directory that goes with the test.
pub(crate) fn runtime_dir() -> Arc<TempDir> {
    let dir = TempDir::new().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
    Arc::new(dir)
}

pub(crate) struct App {
    pub(crate) child: Child,
    pub(crate) dir: Arc<TempDir>,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl App {
    pub(crate) fn start() -> Self {
        Self::start_in(runtime_dir())
    }

    pub(crate) fn start_in(dir: Arc<TempDir>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stillpoint-idle-app"));
        command.env("XDG_RUNTIME_DIR", dir.path());
        Self::spawn(command, dir)
    }

    pub(crate) fn spawn(mut command: Command, dir: Arc<TempDir>) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, dir, input, output }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Says one line and waits for the answer.
    pub(crate) fn ask(&mut self, line: &str) -> String {
        self.tell(line);
        self.line()
    }

    pub(crate) fn tell(&mut self, line: &str) {
        // In one piece: an app that reads its stdin unbuffered takes each write for an event.
        self.input.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    pub(crate) fn client(&self) -> IdleClient {
        IdleClient::connect_in(self.dir.path(), self.pid()).unwrap()
    }

    /// The app's page.
    pub(crate) fn page(&mut self) -> PathBuf {
        let answer = self.ask("status");
        PathBuf::from(answer.strip_prefix("ok ").unwrap_or_else(|| panic!("the app says: {answer}")))
    }

    /// kill -9, and waits until the kernel has taken the process apart.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for App {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Looks until the state is the wanted one; the test's own time limit ends it otherwise.
pub(crate) fn until(client: &IdleClient, wanted: IdleState) {
    while client.state() != wanted {
        std::thread::yield_now();
    }
}

/// Where this build put its shared library.
pub(crate) fn library() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_stillpoint-idle-app"));
    let target = program.parent().unwrap();
    let found = [target.join("deps"), target.to_owned()].map(|dir| dir.join("libstillpoint_idle.so"));
    found.iter().find(|path| path.exists()).unwrap_or_else(|| panic!("none of {found:?} was built")).clone()
}
