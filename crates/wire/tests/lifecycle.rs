//! The agent's process: started, reused, ended, reported.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]
#![allow(dead_code, unreachable_pub, reason = "shared with other tests")]

#[path = "agent/process.rs"]
mod process;

use std::time::Duration;

use process::{Workshop, has_ended};
use stillpoint_wire::{AgentCommand, AgentLifecycle, ErrorCode, LifecycleOptions, WireError};

fn shell(script: &str) -> AgentCommand {
    AgentCommand::new("sh").args(["-c", script])
}

fn eager(command: AgentCommand, workshop: &Workshop) -> LifecycleOptions {
    LifecycleOptions { max_retries: 0, ..workshop.options(command) }
}

#[tokio::test]
async fn ensure_running_always_starts_afresh() {
    let workshop = Workshop::new();
    let mut lifecycle = AgentLifecycle::new(workshop.options(workshop.agent()));
    lifecycle.ensure_running().await.unwrap().heartbeat().await.unwrap();
    let first = lifecycle.child_id().unwrap();
    lifecycle.ensure_running().await.unwrap().heartbeat().await.unwrap();
    assert_ne!(lifecycle.child_id().unwrap(), first);
    has_ended(first).await;
}

#[tokio::test]
async fn a_live_agent_of_the_right_device_is_reused_and_another_is_not() {
    let workshop = Workshop::new();
    let agent = workshop.agent().env("ECHO_AGENT_UDID", "A-1");
    let of_device = |udid: &str| LifecycleOptions {
        device_udid: Some(udid.to_owned()),
        terminate_grace: Duration::from_millis(100),
        ..workshop.options(agent.clone())
    };
    let mut owner = AgentLifecycle::new(of_device("A-1"));
    owner.ensure_agent_ready().await.unwrap();
    let pid = owner.child_id();
    assert!(pid.is_some());

    owner.ensure_agent_ready().await.unwrap();
    assert_eq!(owner.child_id(), pid, "its own agent is reused");

    let mut guest = AgentLifecycle::new(of_device("A-1"));
    guest.ensure_agent_ready().await.unwrap().heartbeat().await.unwrap();
    assert_eq!(guest.child_id(), None, "somebody else's agent of the same device is reused");

    let error = AgentLifecycle::new(of_device("B-2")).ensure_agent_ready().await.unwrap_err();
    assert!(matches!(error, WireError::PortTaken { .. }), "{error}");
    owner.terminate().await;
    let mut other = AgentLifecycle::new(of_device("B-2"));
    assert_eq!(
        other.ensure_agent_ready().await.unwrap().device_udid().await.unwrap().as_deref(),
        Some("A-1")
    );
}

#[tokio::test]
async fn terminate_and_drop_end_the_child_and_its_group() {
    for by_drop in [false, true] {
        let workshop = Workshop::new();
        let grandchild = workshop.path("grandchild");
        let agent = workshop.agent();
        let script = format!("sleep 600 & echo $! > '{}'; exec '{}'", grandchild.display(), agent.name());
        let command = AgentCommand { env: agent.env.clone(), ..shell(&script) };
        let mut lifecycle = AgentLifecycle::new(workshop.options(command));
        lifecycle.ensure_running().await.unwrap();
        let child = lifecycle.child_id().unwrap();
        let grandchild: u32 = std::fs::read_to_string(grandchild).unwrap().trim().parse().unwrap();
        if by_drop {
            drop(lifecycle);
        } else {
            lifecycle.terminate().await;
            assert_eq!(lifecycle.child_id(), None);
        }
        has_ended(child).await;
        has_ended(grandchild).await;
    }
}

#[tokio::test]
async fn a_child_that_ignores_the_request_to_end_is_killed() {
    let workshop = Workshop::new();
    let agent = workshop.agent();
    // The shell ignores TERM and so does what it starts.
    let script = format!("trap '' TERM; '{}' & wait; wait", agent.name());
    let command = AgentCommand { env: agent.env.clone(), ..shell(&script) };
    let mut options = workshop.options(command);
    options.terminate_grace = Duration::from_millis(50);
    let mut lifecycle = AgentLifecycle::new(options);
    lifecycle.ensure_running().await.unwrap();
    let child = lifecycle.child_id().unwrap();
    lifecycle.terminate().await;
    has_ended(child).await;
}

#[tokio::test]
async fn an_early_exit_is_told_with_the_last_twenty_lines() {
    let workshop = Workshop::new();
    let script = "i=1; while [ $i -le 25 ]; do echo line $i >&2; i=$((i+1)); done; exit 3";
    let error = AgentLifecycle::new(eager(shell(script), &workshop)).ensure_running().await.unwrap_err();
    let WireError::EarlyExit { status, stderr, .. } = &error else { panic!("{error}") };
    assert!(status.contains('3'), "{status}");
    let expected: Vec<String> = (6..=25).map(|n| format!("line {n}")).collect();
    assert_eq!(stderr, &expected);
    assert_eq!(error.code(), ErrorCode::AgentUnavailable);
    assert!(error.to_string().contains("line 25"));
}

#[tokio::test]
async fn a_failed_start_is_repeated_as_often_as_allowed() {
    let workshop = Workshop::new();
    let starts = workshop.path("starts");
    let script = format!("echo start >> '{}'; exit 1", starts.display());
    let options = LifecycleOptions { max_retries: 2, ..workshop.options(shell(&script)) };
    AgentLifecycle::new(options).ensure_running().await.unwrap_err();
    assert_eq!(std::fs::read_to_string(starts).unwrap().lines().count(), 3);
}

#[tokio::test]
async fn a_start_that_fails_once_succeeds_by_itself() {
    let workshop = Workshop::new();
    let mark = workshop.path("mark");
    let agent = workshop.agent();
    let script =
        format!("if [ -e '{0}' ]; then exec '{1}'; fi; : > '{0}'; exit 1", mark.display(), agent.name());
    let command = AgentCommand { env: agent.env.clone(), ..shell(&script) };
    AgentLifecycle::new(workshop.options(command)).ensure_running().await.unwrap();
}

#[tokio::test]
async fn an_agent_that_never_listens_is_not_ready_and_does_not_stay() {
    let workshop = Workshop::new();
    let pid_file = workshop.path("pid");
    let script = format!("echo $$ > '{}'; echo thinking >&2; exec sleep 600", pid_file.display());
    let options =
        LifecycleOptions { startup_timeout: Duration::from_millis(400), ..eager(shell(&script), &workshop) };
    let error = AgentLifecycle::new(options).ensure_running().await.unwrap_err();
    let WireError::NotReady { stderr, .. } = &error else { panic!("{error}") };
    assert_eq!(stderr, &["thinking"]);
    has_ended(std::fs::read_to_string(pid_file).unwrap().trim().parse().unwrap()).await;
}

#[tokio::test]
async fn a_program_that_is_not_there_is_not_tried_again() {
    let workshop = Workshop::new();
    let options = workshop.options(AgentCommand::new("no-such-program-anywhere"));
    let error = AgentLifecycle::new(options).ensure_running().await.unwrap_err();
    assert!(matches!(error, WireError::Spawn { .. }), "{error}");
}

#[tokio::test]
async fn preparing_runs_for_a_fresh_start_and_not_for_a_respawn() {
    let workshop = Workshop::new();
    let builds = workshop.path("builds");
    let mut options = workshop.options(workshop.agent());
    options.prepare = Some(shell(&format!("echo build >> '{}'", builds.display())));
    let mut lifecycle = AgentLifecycle::new(options);
    lifecycle.ensure_running().await.unwrap();
    lifecycle.respawn().await.unwrap();
    assert_eq!(std::fs::read_to_string(&builds).unwrap().lines().count(), 1);
    lifecycle.ensure_running().await.unwrap();
    assert_eq!(std::fs::read_to_string(&builds).unwrap().lines().count(), 2);

    let mut failing = workshop.options(workshop.agent());
    failing.prepare = Some(shell("echo cannot build >&2; exit 65"));
    lifecycle.terminate().await;
    let error = AgentLifecycle::new(failing).ensure_running().await.unwrap_err();
    assert!(error.to_string().contains("cannot build"), "{error}");
}
