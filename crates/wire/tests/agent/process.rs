//! What tests need to start the echo agent and to see it end.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use stillpoint_wire::{AgentCommand, LifecycleOptions};
use tempfile::TempDir;

/// A folder and a port for one agent.
pub struct Workshop {
    folder: TempDir,
    port: u16,
}

impl Workshop {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), port: free_port() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The echo agent, logging into this workshop.
    pub fn agent(&self) -> AgentCommand {
        AgentCommand::new(env!("CARGO_BIN_EXE_wire-echo-agent"))
            .env("STILLPOINT_AGENT_PORT", self.port.to_string())
            .env("ECHO_AGENT_LOG", self.path("log"))
            .env("ECHO_AGENT_PLAN", self.path("plan"))
    }

    pub fn options(&self, command: AgentCommand) -> LifecycleOptions {
        LifecycleOptions {
            agent_port: self.port,
            heartbeat_every: Duration::from_millis(10),
            ..LifecycleOptions::new(command)
        }
    }

    /// What the agents of this workshop carried out.
    pub fn log(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

/// A port below the range from which the kernel takes the near ends of connections, so that no connection of another
/// test can sit on it. The process id keeps tests that run at the same time apart.
fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    loop {
        let step = NEXT.fetch_add(1, Ordering::Relaxed);
        let port = 10_000 + ((std::process::id() * 31 + step * 7) % 20_000) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Waits for the kernel's word that a process has ended; one that is gone already has.
pub async fn has_ended(pid: u32) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    let end = move || poll(&mut [PollFd::new(&handle, PollFlags::IN)], None).unwrap();
    tokio::task::spawn_blocking(end).await.unwrap();
}
