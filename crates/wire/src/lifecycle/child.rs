//! A child process in a group of its own, with the last lines that it wrote to stderr.

use std::collections::VecDeque;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use super::command::AgentCommand;
use crate::error::WireError;

/// Lines of stderr that are kept.
const LAST_LINES: usize = 20;
/// A line longer than this is cut.
const LINE_LIMIT: usize = 4096;
/// How long to wait for stderr to end after the process did: another process may hold it open.
const STDERR_GRACE: Duration = Duration::from_secs(1);

/// A running agent. Dropping it kills its whole group.
#[derive(Debug)]
pub(super) struct AgentChild {
    name: String,
    child: Child,
    group: Pid,
    stderr: LastLines,
    stderr_reader: Option<JoinHandle<()>>,
}

impl AgentChild {
    pub(super) fn spawn(command: &AgentCommand) -> Result<Self, WireError> {
        let name = command.name();
        let failed = |source| WireError::Spawn { program: name.clone(), source };
        let mut spawned = Command::new(&command.program);
        spawned
            .args(&command.args)
            .envs(command.env.iter().map(|(key, value)| (key, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if let Some(dir) = &command.current_dir {
            spawned.current_dir(dir);
        }
        let mut child = spawned.spawn().map_err(failed)?;
        // A child that was just spawned has an id, and ids fit.
        let group = child.id().and_then(|id| Pid::from_raw(id as i32));
        let group = group.ok_or_else(|| failed(std::io::Error::other("the child has no process id")))?;
        let stderr = LastLines::default();
        let stderr_reader =
            child.stderr.take().map(|pipe| tokio::spawn(keep_last_lines(pipe, stderr.clone())));
        Ok(Self { name, child, group, stderr, stderr_reader })
    }

    pub(super) fn id(&self) -> u32 {
        self.group.as_raw_nonzero().get().unsigned_abs()
    }

    /// Resolves when the child has ended by itself, with the error that tells its last words.
    pub(super) async fn early_exit(&mut self) -> WireError {
        let status = self.child.wait().await;
        self.kill_group();
        let status = status.map_or_else(|error| error.to_string(), |status: ExitStatus| status.to_string());
        WireError::EarlyExit { program: self.name.clone(), status, stderr: self.last_words().await }
    }

    /// What was written to stderr last; waits a little for what is still in the pipe of a process that has ended.
    async fn last_words(&mut self) -> Vec<String> {
        if let Some(reader) = &mut self.stderr_reader
            && tokio::time::timeout(STDERR_GRACE, reader).await.is_ok()
        {
            self.stderr_reader = None;
        }
        self.stderr.lines()
    }

    /// What was written to stderr last, so far.
    pub(super) fn stderr_so_far(&self) -> Vec<String> {
        self.stderr.lines()
    }

    /// Asks the group to end, waits for the child, then kills what is left.
    pub(super) async fn terminate(mut self, grace: Duration) {
        self.signal_group(Signal::TERM);
        if tokio::time::timeout(grace, self.child.wait()).await.is_err() {
            tracing::debug!(name = self.name, "the agent did not end when asked");
        }
        self.kill_group();
        if let Err(error) = self.child.wait().await {
            tracing::warn!(%error, name = self.name, "cannot wait for the agent's end");
        }
    }

    fn kill_group(&self) {
        self.signal_group(Signal::KILL);
    }

    fn signal_group(&self, signal: Signal) {
        match kill_process_group(self.group, signal) {
            // An empty group is what was wanted.
            Ok(()) | Err(rustix::io::Errno::SRCH) => {}
            Err(error) => tracing::warn!(%error, name = self.name, "cannot signal the agent's group"),
        }
    }
}

impl Drop for AgentChild {
    fn drop(&mut self) {
        // Once the child was waited for, its id may belong to somebody else; whoever waited has killed the group.
        if self.child.id().is_some() {
            self.kill_group();
        }
        if let Some(reader) = &self.stderr_reader {
            reader.abort();
        }
    }
}

/// Runs a command to its end; failure is told with its last words.
pub(super) async fn run_to_end(command: &AgentCommand) -> Result<(), WireError> {
    let mut child = AgentChild::spawn(command)?;
    let status = child
        .child
        .wait()
        .await
        .map_err(|source| WireError::Spawn { program: child.name.clone(), source })?;
    if status.success() {
        return Ok(());
    }
    let stderr = child.last_words().await;
    Err(WireError::EarlyExit { program: child.name.clone(), status: status.to_string(), stderr })
}

/// A ring of lines that two tasks share.
#[derive(Debug, Clone, Default)]
struct LastLines(Arc<Mutex<VecDeque<String>>>);

impl LastLines {
    fn push(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(line).trim_end_matches('\r').to_owned();
        tracing::debug!(target: "stillpoint_wire::agent", "{text}");
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LAST_LINES {
            lines.pop_front();
        }
        lines.push_back(text);
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

async fn keep_last_lines(mut pipe: impl AsyncRead + Unpin, kept: LastLines) {
    let mut chunk = [0; 4096];
    let mut line = Vec::new();
    // An error means the same as the end: nothing more will come.
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        for &byte in &chunk[..count] {
            if byte == b'\n' {
                kept.push(&line);
                line.clear();
            } else if line.len() < LINE_LIMIT {
                line.push(byte);
            }
        }
    }
    if !line.is_empty() {
        kept.push(&line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_last_twenty_lines_are_kept_and_long_ones_are_cut() {
        let mut text: Vec<u8> = (1..=30).flat_map(|n| format!("line {n}\r\n").into_bytes()).collect();
        text.extend(vec![b'x'; 10_000]);
        let kept = LastLines::default();
        keep_last_lines(text.as_slice(), kept.clone()).await;
        let lines = kept.lines();
        assert_eq!(lines.len(), LAST_LINES);
        assert_eq!(lines[0], "line 12");
        assert_eq!(lines[18], "line 30");
        assert_eq!(lines[19].len(), LINE_LIMIT);
    }
}
