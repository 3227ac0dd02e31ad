//! Sessions that live on between calls: which calls use the daemon by themselves, and what they find there.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // a test may panic

mod support;

use serde_json::Value;
use support::{InTerminal, house::House, pages::Pages};

const CTRL_C: u8 = 3;

#[test]
fn a_page_is_opened_once_and_its_revisions_carry_over() {
    let (house, pages) = (House::new(), Pages::start());
    let page = format!("web:{}", pages.url("toast.html"));
    let tapped = house.run(&["tap", &page, "button \"Save\"", "--expect", "\"Saved 1 times\"", "--json"]);
    assert_eq!(tapped.code, Some(0), "{}{}", tapped.stdout, tapped.stderr);
    let revision = tapped.json()["revision_after"].as_u64().unwrap();
    // The session is the same, so nothing is told whole. What moves when the message goes is told late, and makes no revision.
    let since = house.run(&["snapshot", &page, "--since", &revision.to_string(), "--json"]).json();
    assert!(matches!(since["kind"].as_str(), Some("unchanged" | "delta")), "{since}");
    assert_eq!(since["snapshot_revision"], revision, "{since}");
    let again =
        house.run(&["tap", &page, "button \"Save\"", "--expect", "\"Saved 2 times\"", "--json"]).json();
    assert_eq!(again["lifecycle_state"], "verified", "the page is the same one: {again}");
    let status = house.run(&["serve", "--status", "--json"]).json();
    assert_eq!(status["sessions"][0]["app"], page.as_str(), "{status}");

    // Another page of its own, whose counter is at nought.
    let alone = house.run(&["find", &page, "\"Saved 0 times\"", "--no-daemon", "--json"]).json();
    assert_eq!(alone["count"], 1, "{alone}");
    assert_eq!(house.run(&["close", &page]).code, Some(0));
    house.run(&["close", &page, "--json"]).error("TARGET_NOT_FOUND");
}

#[test]
fn a_scene_plays_anew_for_each_call_unless_the_daemon_is_asked_for() {
    let house = House::new();
    assert_eq!(house.run(&["snapshot", "sim:login", "--json"]).code, Some(0));
    let status = house.run(&["serve", "--status"]);
    assert!(status.stderr.contains("no daemon is running"), "{}", status.stderr);
    let held = house.run(&["snapshot", "sim:noop", "--daemon", "--json"]);
    assert_eq!(held.code, Some(0), "{}", held.stderr);
    let status = house.run(&["serve", "--status", "--json"]).json();
    assert_eq!(status["sessions"][0]["app"], "sim:noop", "{status}");
}

#[test]
fn open_tells_the_first_snapshot_and_holds_the_session() {
    let house = House::new();
    let opened = house.run(&["open", "sim:noop", "--json"]).json();
    assert_eq!(opened["session"]["app"], "sim:noop", "{opened}");
    assert!(opened["snapshot"]["elements"].as_array().is_some_and(|e| !e.is_empty()), "{opened}");
    let words = house.run(&["open", "sim:noop"]);
    assert!(words.stdout.starts_with("rev ") && words.stderr.contains("is open"), "{}", words.stderr);
    house.run(&["open", "sim:nowhere", "--json"]).error("TARGET_NOT_FOUND");
    assert_eq!(house.run(&["open", "sim:nowhere"]).code, Some(3));
}

#[test]
fn a_picture_comes_through_the_daemon_as_it_was_taken() {
    let house = House::new();
    let folder = tempfile::tempdir().unwrap();
    let mut taken: Vec<Vec<u8>> = Vec::new();
    for route in ["--daemon", "--no-daemon"] {
        let file = folder.path().join(route);
        let told = house.run(&["screenshot", "sim:noop", route, "--json", "--file", file.to_str().unwrap()]);
        let png = std::fs::read(&file).unwrap();
        assert!(png.starts_with(b"\x89PNG"), "{}", told.stdout);
        assert_eq!(told.json()["bytes"].as_u64(), Some(png.len() as u64));
        taken.push(png);
    }
    let piped = house.command(&["screenshot", "sim:noop", "--no-daemon"]).output().unwrap();
    assert!(piped.stdout.starts_with(b"\x89PNG"), "a pipe gets the picture itself");
    house.run(&["screenshot", "sim:noop", "--json"]).error("INVALID_ARGUMENT");
}

#[test]
fn ctrl_c_gives_up_a_wait_at_the_daemon_and_exits_130() {
    let house = House::new();
    assert_eq!(house.run(&["open", "sim:noop"]).code, Some(0));
    let wait = house.command(&["wait", "sim:noop", "change", "--daemon", "--timeout-ms", "600000"]);
    let mut terminal = InTerminal::start_command(&wait, 100);
    terminal.until("wait sim:noop");
    terminal.press(CTRL_C);
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(130), "{shown}");
    let status: Value = house.run(&["serve", "--status", "--json"]).json();
    assert_eq!(status["running"], 0, "the wait itself ended: {status}");
}

#[test]
fn a_policy_file_holds_for_every_call_and_a_bad_one_lets_nothing_run() {
    let house = House::new();
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("policy.toml");
    let run = |arguments: &[&str]| -> support::Piped {
        house.command(arguments).env("STILLPOINT_POLICY", &policy).output().unwrap().into()
    };
    run(&["snapshot", "sim:noop", "--json"]).error("INVALID_ARGUMENT");
    std::fs::write(&policy, "read_only = true\n").unwrap();
    assert_eq!(run(&["snapshot", "sim:toast", "--json"]).code, Some(0));
    let refused = run(&["tap", "sim:toast", "#save", "--json"]);
    assert_eq!((refused.code, &refused.json()["error"]["code"]), (Some(1), &Value::from("POLICY_DENIED")));
    let told = run(&["doctor"]).stdout;
    assert!(told.contains(policy.to_str().unwrap()), "{told}");
    std::fs::write(&policy, "red_only = true\n").unwrap();
    assert_eq!(run(&["snapshot", "sim:toast"]).code, Some(2));
    assert!(run(&["doctor"]).stdout.contains("line 1"));
}

#[test]
fn a_browser_ends_with_the_daemon_that_started_it_even_when_that_is_killed() {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
    let (house, pages) = (House::new(), Pages::start());
    let page = format!("web:{}", pages.url("toast.html"));
    assert_eq!(house.run(&["open", &page, "--json"]).code, Some(0));
    let status = house.run(&["serve", "--status", "--json"]).json();
    let daemon = Pid::from_raw(status["pid"].as_i64().unwrap() as i32).unwrap();
    let [browser] = children(daemon)[..] else { panic!("not one browser: {:?}", children(daemon)) };
    let end = pidfd_open(browser, PidfdFlags::empty()).unwrap();
    kill_process(daemon, Signal::KILL).unwrap();
    let patience = rustix::time::Timespec { tv_sec: 60, tv_nsec: 0 };
    let ended = poll(&mut [PollFd::new(&end, PollFlags::IN)], Some(&patience)).unwrap();
    assert_eq!(ended, 1, "the browser {browser:?} lives on");
}

fn children(of: rustix::process::Pid) -> Vec<rustix::process::Pid> {
    let threads = std::fs::read_dir(format!("/proc/{}/task", of.as_raw_nonzero())).unwrap();
    let started_by =
        |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("children")).unwrap();
    let listed: Vec<String> = threads.map(|thread| started_by(thread.unwrap())).collect();
    let pids = listed.iter().flat_map(|line| line.split_whitespace());
    pids.filter_map(|pid| rustix::process::Pid::from_raw(pid.parse().ok()?)).collect()
}
