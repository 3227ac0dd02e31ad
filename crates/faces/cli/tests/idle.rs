//! `stillpoint idle PID`, with this very process as the app that embeds the SDK.

mod support;

use std::process::{Child, Command, Stdio};
use support::{InTerminal, piped};

const CTRL_C: u8 = 3;

fn me() -> String {
    std::process::id().to_string()
}

/// A process without the SDK, ended with the test.
struct Quiet(Child);

impl Quiet {
    fn start() -> Self {
        Quiet(Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("cat runs"))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        self.0.kill().expect("it is ours");
        self.0.wait().expect("it ends");
    }
}

#[test]
fn a_program_gets_one_object_that_says_who_is_busy() {
    let network = [stillpoint_idle::busy("network"), stillpoint_idle::busy("network")];
    let ran = piped(&["idle", &me(), "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let told = ran.json();
    assert_eq!((&told["idle"], &told["pid"]), (&false.into(), &std::process::id().into()));
    let busy = &told["busy_resources"][0];
    assert_eq!((busy["name"].as_str(), busy["count"].as_u64()), (Some("network"), Some(2)), "{told}");
    assert!(busy["age_ms"].is_u64() && busy["stuck"] == false, "{told}");
    drop(network);
    let told = piped(&["idle", &me(), "--json"]).json();
    assert_eq!((&told["idle"], told["busy_resources"].as_array().map(Vec::len)), (&true.into(), Some(0)));
}

#[test]
fn a_pipe_gets_one_look_in_words() {
    let work = stillpoint_idle::busy("printing");
    let ran = piped(&["idle", &me()]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("busy") && ran.stdout.contains("printing ×1"), "{}", ran.stdout);
    assert!(!ran.stdout.contains('\u{1b}'), "{:?}", ran.stdout);
    drop(work);
}

#[test]
fn a_terminal_sees_work_come_and_go_until_ctrl_c() {
    let work = stillpoint_idle::busy("network");
    let mut terminal = InTerminal::start(&["idle", &me(), "--color", "never"], 80);
    terminal.until("busy");
    terminal.until("network ×1");
    drop(work);
    terminal.until("idle for");
    let more = stillpoint_idle::busy("disk");
    terminal.until("disk ×1");
    terminal.press(CTRL_C);
    assert_eq!(terminal.end().0, Some(130));
    drop(more);
}

#[test]
fn an_app_that_drops_its_sdk_ends_the_view() {
    let work = stillpoint_idle::busy("network");
    let mut terminal = InTerminal::start(&["idle", &me(), "--color", "never"], 80);
    terminal.until("network ×1");
    drop(work);
    stillpoint_idle::Reporter::start().stop();
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(3), "{shown}");
    assert!(shown.contains("TARGET_LOST") && shown.contains("hint:"), "{shown}");
}

#[test]
fn a_process_without_the_sdk_is_told_with_what_to_do() {
    let quiet = Quiet::start();
    let ran = piped(&["idle", &quiet.0.id().to_string(), "--json"]);
    let error = ran.error("UNSUPPORTED");
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("docs/idle.md")), "{error}");
    assert_eq!(ran.code, Some(3), "{error}");
}

#[test]
fn a_process_that_is_not_there_is_not_found() {
    // Above the kernel's largest pid.
    let ran = piped(&["idle", "4194305", "--json"]);
    ran.error("TARGET_NOT_FOUND");
    assert_eq!(ran.code, Some(3));
}
