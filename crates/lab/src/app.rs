//! A program that runs on a desktop.

use crate::component::{LAST_WORDS, open_child};
use crate::deadline::Deadline;
use crate::error::LabError;
use crate::lines::Lines;
use crate::teardown::PATIENCE;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_send_signal, waitid};
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const TAIL_LINES: usize = 40;

/// How long a fixture app may take to answer; its main loop may be blocked on purpose.
const REPLY: Duration = Duration::from_secs(60);

/// A running program, in a process group of its own. It is killed when dropped.
#[derive(Debug)]
pub struct App {
    name: String,
    child: Child,
    process: OwnedFd,
    // One conversation at a time: the lock is held from a command until its reply.
    stdin: Mutex<Option<ChildStdin>>,
    stdout: Lines,
    stderr: Lines,
    reaped: Option<ExitStatus>,
}

impl App {
    pub(crate) fn spawn(mut command: Command) -> Result<Self, LabError> {
        let name = command.get_program().to_string_lossy().into_owned();
        let refused = |source| LabError::Spawn { component: name.clone(), source };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(refused)?;
        let process = match open_child(&child) {
            Ok(process) => process,
            Err(source) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(refused(source));
            }
        };
        let stdout = child.stdout.take().map(Lines::read).unwrap_or_default();
        let stderr = child.stderr.take().map(Lines::read).unwrap_or_default();
        let stdin = Mutex::new(child.stdin.take());
        Ok(Self { name, child, process, stdin, stdout, stderr, reaped: None })
    }

    pub(crate) fn renamed(mut self, name: String) -> Self {
        self.name = name;
        self
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The last lines of its stderr.
    pub fn stderr_tail(&self) -> String {
        self.stderr.tail(TAIL_LINES)
    }

    /// Waits for the line on its stdout that starts with `ready`, and returns what follows it.
    pub fn wait_ready(&self, patience: Duration) -> Result<String, LabError> {
        let deadline = Deadline::after(patience);
        loop {
            let line = self.line("its ready line", deadline)?;
            if let Some(rest) = line.strip_prefix("ready") {
                return Ok(rest.trim().to_owned());
            }
        }
    }

    /// The next line of its stdout.
    pub fn next_line(&self, patience: Duration) -> Result<String, LabError> {
        self.line("a line on its stdout", Deadline::after(patience))
    }

    /// Sends one command of the line protocol (`apps/README.md`) and returns the reply.
    pub fn control(&self, command: &str) -> Result<String, LabError> {
        let mut stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(&mut stdin, command)?;
        let reply = self.line(&format!("the reply to `{command}`"), Deadline::after(REPLY))?;
        if reply.starts_with("error") {
            let last_output = self.stderr_tail();
            return Err(LabError::Refused {
                app: self.name.clone(),
                command: command.to_owned(),
                reply,
                last_output,
            });
        }
        Ok(reply)
    }

    /// Sends one command and does not wait for a reply, e.g. `crash`.
    pub fn send(&self, command: &str) -> Result<(), LabError> {
        self.write(&mut self.stdin.lock().unwrap_or_else(PoisonError::into_inner), command)
    }

    /// Like [`App::control`], for replies that are JSON, e.g. `truth`.
    pub fn control_json(&self, command: &str) -> Result<serde_json::Value, LabError> {
        let reply = self.control(command)?;
        serde_json::from_str(&reply).map_err(|error| LabError::Nonsense {
            component: self.name.clone(),
            awaited: format!("JSON in reply to `{command}` ({error})"),
            answer: reply,
            last_output: self.stderr_tail(),
        })
    }

    /// SIGSTOP, and returns once the process stands still.
    pub fn stop(&self) -> Result<(), LabError> {
        self.signal(Signal::STOP)?;
        self.observe(WaitIdOptions::STOPPED)
    }

    /// SIGCONT, and returns once the process runs again.
    pub fn cont(&self) -> Result<(), LabError> {
        self.signal(Signal::CONT)?;
        self.observe(WaitIdOptions::CONTINUED)
    }

    /// SIGKILL to the process and its group, and returns once the process is dead.
    pub fn kill(&self) -> Result<(), LabError> {
        self.kill_group();
        let dead =
            Deadline::after(PATIENCE).is_readable(&self.process).map_err(|error| self.failed(error))?;
        if dead { Ok(()) } else { Err(LabError::Survivors { pids: vec![self.pid() as i32] }) }
    }

    /// Whether the process is alive now.
    pub fn is_alive(&self) -> bool {
        self.reaped.is_none()
            && matches!(Deadline::after(Duration::ZERO).is_readable(&self.process), Ok(false))
    }

    /// Waits until the process ends by itself.
    pub fn wait_exit(&mut self, patience: Duration) -> Result<ExitStatus, LabError> {
        if let Some(status) = self.reaped {
            return Ok(status);
        }
        let deadline = Deadline::after(patience);
        if !deadline.is_readable(&self.process).map_err(|error| self.failed(error))? {
            return Err(self.late("its end", deadline));
        }
        // What it started in its group goes with it, while the group's number is still ours.
        self.kill_group();
        let status = self.child.wait().map_err(|error| self.failed(error))?;
        self.reaped = Some(status);
        Ok(status)
    }

    fn write(&self, stdin: &mut Option<ChildStdin>, command: &str) -> Result<(), LabError> {
        let Some(stdin) = stdin else {
            return Err(self.failed(io::Error::from(io::ErrorKind::BrokenPipe)));
        };
        stdin
            .write_all(format!("{command}\n").as_bytes())
            .map_err(|_| self.ended(&format!("`{command}` was read")))
    }

    fn line(&self, awaited: &str, deadline: Deadline) -> Result<String, LabError> {
        self.stdout
            .next(deadline)
            .map_err(|ended| if ended { self.ended(awaited) } else { self.late(awaited, deadline) })
    }

    fn signal(&self, signal: Signal) -> Result<(), LabError> {
        pidfd_send_signal(&self.process, signal).map_err(|error| self.failed(error.into()))
    }

    /// Blocks until the kernel reports the state that a signal brings about, or the end of the process.
    fn observe(&self, state: WaitIdOptions) -> Result<(), LabError> {
        let options = state | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::PidFd(self.process.as_fd()), options).map_err(|error| self.failed(error.into()))?;
        if self.is_alive() { Ok(()) } else { Err(self.ended("it changed its state")) }
    }

    fn kill_group(&self) {
        // Not reaped: the number still belongs to our child, so the group does too.
        if self.reaped.is_none() {
            if let Some(pid) = Pid::from_raw(self.pid() as i32) {
                let _ = kill_process_group(pid, Signal::KILL);
            }
            let _ = pidfd_send_signal(&self.process, Signal::KILL);
        }
    }

    fn failed(&self, source: io::Error) -> LabError {
        LabError::Spawn { component: self.name.clone(), source }
    }

    fn late(&self, awaited: &str, deadline: Deadline) -> LabError {
        LabError::Late {
            component: self.name.clone(),
            awaited: awaited.to_owned(),
            waited: deadline.span(),
            last_output: self.stderr_tail(),
        }
    }

    fn ended(&self, awaited: &str) -> LabError {
        // Its last words are read by another thread, and may come a moment after the end of its stdout.
        self.stderr.wait_for_end(Deadline::after(LAST_WORDS));
        LabError::Ended {
            component: self.name.clone(),
            awaited: awaited.to_owned(),
            status: if self.is_alive() { "it closed its output" } else { "it is dead" }.to_owned(),
            last_output: self.stderr_tail(),
        }
    }
}

impl Drop for App {
    fn drop(&mut self) {
        if self.reaped.is_none() {
            self.kill_group();
            let _ = self.child.wait();
        }
    }
}
