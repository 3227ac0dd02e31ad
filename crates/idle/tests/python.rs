//! The Python module, against the library of this build, in real interpreters with real event loops.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::path::Path;
use std::process::Command;

use common::{App, library, runtime_dir, until};
use stillpoint_idle::{IdleState, WaitOutcome};

/// Starts an interpreter with the module on its path.
fn python(interpreter: &str, code: &str, library: &Path) -> App {
    let dir = runtime_dir();
    let mut command = Command::new(interpreter);
    command.args(["-c", code]).env("STILLPOINT_IDLE_LIB", library).env("XDG_RUNTIME_DIR", dir.path());
    command.env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("python"));
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("QT_QPA_PLATFORM", "offscreen");
    App::spawn(command, dir)
}

#[test]
fn a_with_block_is_work_in_flight() {
    let code = "
import stillpoint_idle as idle
assert idle.start(), idle.why_not()
assert idle.why_not() is None and idle.path()
print('ready', flush=True); input()
with idle.busy('network'), idle.busy('disk'):
    print('in', flush=True); input()
print('out', flush=True); input()
@idle.busy('drawing')
def draw():
    print('in', flush=True); input()
draw()
print('out', flush=True); input()
";
    let mut app = python("python3", code, &library());
    assert_eq!(app.line(), "ready");
    let client = app.client();
    assert!(client.is_idle());
    assert_eq!(app.ask(""), "in");
    assert_eq!(client.busy_resources().len(), 2);
    assert_eq!(app.ask(""), "out");
    assert!(client.is_idle());
    assert_eq!(app.ask(""), "in");
    assert_eq!(client.busy_resources()[0].name, "drawing");
    assert_eq!(app.ask(""), "out");
    assert!(client.is_idle());
}

#[test]
fn a_tracked_coroutine_is_busy_until_it_is_done_or_cancelled() {
    let code = "
import asyncio, stillpoint_idle as idle
async def main():
    gate = asyncio.Event()
    done = asyncio.ensure_future(idle.track(gate.wait(), 'done'))
    dropped = asyncio.ensure_future(idle.track(asyncio.Event().wait(), 'cancelled'))
    await asyncio.sleep(0)
    print('in', flush=True); input()
    gate.set()
    assert await done is True
    print('one', flush=True); input()
    dropped.cancel()
    await asyncio.wait([dropped])
    print('out', flush=True); input()
asyncio.run(main())
";
    let mut app = python("python3", code, &library());
    assert_eq!(app.line(), "in");
    let client = app.client();
    assert_eq!(client.busy_resources().len(), 2);
    assert_eq!(app.ask(""), "one");
    assert_eq!(client.busy_resources()[0].name, "cancelled");
    assert_eq!(app.ask(""), "out");
    assert!(client.is_idle());
}

#[test]
fn without_the_library_nothing_happens_and_the_reason_is_told() {
    let code = "
import stillpoint_idle as idle
with idle.busy('network'): pass
idle.end(idle.begin('disk'))
assert not idle.start() and not idle.track_glib() and not idle.track_qt()
idle.stop()
print(idle.why_not(), flush=True)
";
    let answer = python("python3", code, Path::new("/nowhere/libstillpoint_idle.so")).line();
    assert!(answer.contains("STILLPOINT_IDLE_LIB"), "{answer}");
}

/// Both loops do the same: each line on stdin is an event, during whose handling the next line is awaited.
fn drive_a_loop(mut app: App, name: &str) {
    assert_eq!(app.line(), "ready");
    let client = app.client();
    assert_eq!(
        client.wait_for_idle(std::time::Duration::from_secs(600)),
        WaitOutcome::Idle,
        "the loop sleeps"
    );
    for round in 0..3 {
        assert_eq!(app.ask("event"), "handling");
        assert_eq!(client.state(), IdleState::Busy, "round {round}");
        assert_eq!(client.busy_resources()[0].name, name);
        assert_eq!(app.ask("go on"), "handled");
        assert_eq!(client.wait_for_idle(std::time::Duration::from_secs(600)), WaitOutcome::Idle);
    }
    app.kill();
    until(&client, IdleState::Lost);
}

#[test]
fn a_glib_loop_is_busy_while_it_dispatches() {
    let code = "
import os, gi
from gi.repository import GLib
import stillpoint_idle as idle
assert idle.track_glib(), 'no GLib'
def on_input(fd, condition):
    os.read(0, 100)
    print('handling', flush=True); os.read(0, 100)
    print('handled', flush=True)
    return True
GLib.unix_fd_add_full(0, 0, GLib.IOCondition.IN, on_input)
print('ready', flush=True)
GLib.MainLoop().run()
";
    drive_a_loop(python("/usr/bin/python3", code, &library()), "glib");
}

const IDLE_SOURCE: &str = "
import os, gi
from gi.repository import GLib
import stillpoint_idle as idle
assert idle.track_glib(), 'no GLib'
def for_ever():
    return True
def once():
    print('handling', flush=True); os.read(0, 100)
    print('handled', flush=True)
    return False
def on_input(fd, condition):
    os.read(0, 100)
    GLib.idle_add(once)
    return True
GLib.unix_fd_add_full(0, 0, GLib.IOCondition.IN, on_input)
print('ready', flush=True)
";

#[test]
fn work_handed_to_a_glib_loop_as_an_idle_source_counts() {
    let code = format!("{IDLE_SOURCE}GLib.MainLoop().run()");
    drive_a_loop(python("/usr/bin/python3", &code, &library()), "glib");
}

#[test]
fn an_idle_source_that_never_ends_does_not_keep_a_glib_loop_busy() {
    let code =
        format!("{IDLE_SOURCE}GLib.idle_add(for_ever, priority=GLib.PRIORITY_LOW)\nGLib.MainLoop().run()");
    drive_a_loop(python("/usr/bin/python3", &code, &library()), "glib");
}

const QT_LOOP: &str = "
import os
from PyQt5.QtCore import QCoreApplication, QSocketNotifier
import stillpoint_idle as idle
app = QCoreApplication([])
assert idle.track_qt(), 'not tracked'
def on_input(*_):
    os.read(0, 100)
    print('handling', flush=True); os.read(0, 100)
    print('handled', flush=True)
notifier = QSocketNotifier(0, QSocketNotifier.Read)
notifier.activated.connect(on_input)
print('ready', flush=True)
app.exec_()
";

#[test]
fn a_qt_loop_on_glib_is_busy_while_it_handles_events() {
    drive_a_loop(python("/usr/bin/python3", QT_LOOP, &library()), "glib");
}

#[test]
fn a_qt_loop_without_glib_is_busy_while_it_handles_events() {
    let code = format!("import os\nos.environ['QT_NO_GLIB'] = '1'\n{QT_LOOP}");
    drive_a_loop(python("/usr/bin/python3", &code, &library()), "qt");
}
