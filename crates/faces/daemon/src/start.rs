//! Starting a daemon and waiting until it is ready: by the line that it prints, not by looking again and again.

use crate::place::Place;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use stillpoint_core::{Code, Error, Result};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

/// How the line begins that a daemon prints once it listens.
pub(crate) const READY: &str = "stillpoint ready";
/// How long a daemon may take to start.
const PATIENCE: Duration = Duration::from_secs(30);
/// So many of the log's last lines are told when a daemon does not start.
const TAIL: usize = 20;

/// Starts `exe args…` in a process group of its own, and returns once it says that it is ready.
pub(crate) async fn start<A: AsRef<OsStr>>(place: &Place, exe: &Path, args: &[A]) -> Result<()> {
    let failed = |why: String| {
        Error::new(
            Code::AgentUnavailable,
            format!("the daemon {} did not start: {why}", exe.display()),
            "`stillpoint serve` in a terminal shows what is wrong",
        )
    };
    let mut child = Command::new(exe)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(place.fresh_log()?)
        .process_group(0)
        .spawn()
        .map_err(|e| failed(e.to_string()))?;
    let Some(stdout) = child.stdout.take() else {
        return Err(failed("it has no standard output".to_owned()));
    };
    let mut lines = BufReader::new(stdout).lines();
    let ready = async {
        while let Some(line) = lines.next_line().await? {
            if line.starts_with(READY) {
                return Ok(true);
            }
        }
        Ok::<_, std::io::Error>(false)
    };
    match tokio::time::timeout(PATIENCE, ready).await {
        Ok(Ok(true)) => Ok(()),
        Ok(Ok(false)) => {
            let status = child.wait().await.map_err(|e| failed(e.to_string()))?;
            Err(failed(format!("{status}{}", last_words(place))))
        }
        Ok(Err(error)) => Err(failed(error.to_string())),
        Err(_) => {
            let killed = child.start_kill();
            Err(failed(format!("it was not ready in time ({killed:?}){}", last_words(place))))
        }
    }
}

fn last_words(place: &Place) -> String {
    let log = std::fs::read_to_string(place.log()).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    let tail = lines[lines.len().saturating_sub(TAIL)..].join("\n");
    if tail.is_empty() { String::new() } else { format!("\n{tail}") }
}
