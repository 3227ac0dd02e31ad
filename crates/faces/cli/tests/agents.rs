//! Agents on real apps: the official Python SDK plays a whole session against a GTK app and a page in Chromium, with
//! the server as users start it, over both transports.
#![cfg(target_os = "linux")]
#![allow(unreachable_pub)] // what is shared with the server's own tests is public there
#![allow(clippy::unwrap_used)] // a test may panic

#[path = "../../mcp/tests/support/python.rs"]
mod python;
mod support;

use python::{done, python};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use stillpoint_lab::{Desktop, Fixture};
use support::{pages::Pages, stillpoint};

const TOKEN: &str = "open-sesame-open-sesame";

/// `stillpoint mcp --http`, told to end when dropped.
struct Http {
    child: Child,
    url: String,
}

impl Http {
    fn start(prepare: impl Fn(&mut Command)) -> Http {
        let mut command = stillpoint(&["mcp", "--http", "127.0.0.1:0"]);
        prepare(&mut command);
        let mut child =
            command.env("STILLPOINT_TOKEN", TOKEN).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = lines.next().expect("it says where it listens").unwrap();
        let url = line.strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).to_owned();
        // What it says later is read, so that it never waits for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Http { child, url }
    }

    /// Tells it to end as a supervisor would, and gives its exit code.
    fn end(mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        // Only after a panic is it still there.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn play(session: &Value) -> String {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp/tests/python");
    let script: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/real_apps.py");
    let mut child = Command::new(python())
        .arg("-B")
        .arg(script)
        .env("PYTHONPATH", shared)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(session.to_string().as_bytes()).unwrap();
    done(&child.wait_with_output().unwrap())
}

/// The variables that a client hands on to the server that it starts.
fn environment(command: &Command) -> HashMap<String, String> {
    let mut all: HashMap<String, String> = std::env::vars().collect();
    for (name, value) in command.get_envs() {
        let name = name.to_string_lossy().into_owned();
        match value {
            Some(value) => drop(all.insert(name, value.to_string_lossy().into_owned())),
            None => drop(all.remove(&name)),
        }
    }
    all
}

fn over_stdio(app: &str, prepare: &dyn Fn(&mut Command)) {
    let mut command = stillpoint(&["mcp"]);
    prepare(&mut command);
    let what = json!([command.get_program().to_string_lossy(), "mcp"]);
    let session = json!({
        "kind": "stdio", "what": what, "token": null, "mode": "auto", "app": app,
        "environment": environment(&command),
    });
    assert_eq!(play(&session).trim(), "played 2026-07-28");
}

fn over_http(app: &str, prepare: &dyn Fn(&mut Command)) {
    let server = Http::start(prepare);
    let session = json!({
        "kind": "http", "what": server.url, "token": TOKEN, "mode": "legacy", "app": app, "environment": null,
    });
    assert!(play(&session).starts_with("played 2025-"));
    assert_eq!(server.end(), Some(130), "it is told to end, and says so");
}

#[test]
fn a_gtk_app_over_stdio_and_http() {
    let desktop = Desktop::start().unwrap();
    let on_desktop = |command: &mut Command| desktop.apply_env(command);
    for over in [over_stdio as fn(&str, &dyn Fn(&mut Command)), over_http] {
        let app = desktop.fixture(Fixture::Gtk3).unwrap();
        over(&format!("app:pid={}", app.pid()), &on_desktop);
    }
}

#[test]
fn a_page_in_chromium_over_stdio_and_http() {
    let pages = Pages::start();
    for over in [over_stdio as fn(&str, &dyn Fn(&mut Command)), over_http] {
        over(&format!("web:{}", pages.url("toast.html")), &|_| {});
    }
}
