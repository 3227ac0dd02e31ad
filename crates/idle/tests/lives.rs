//! Fork, exec, crashes, missing directories, full disks: the reporter lives rightly, and the app lives on.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::Arc;

use common::{App, library, runtime_dir, until};
use stillpoint_idle::{IdleClient, IdleState};

/// The pid and "does it count" that a forked child says.
fn child(app: &mut App, command: &str) -> (u32, bool) {
    let answer = app.ask(command);
    let words: Vec<_> = answer.split(' ').collect();
    assert_eq!(words[0], "child", "{answer}");
    (words[1].parse().unwrap(), words[2] == "true")
}

#[test]
fn a_forked_child_has_a_page_of_its_own() {
    let mut app = App::start();
    app.ask("begin parent 1");
    let parent = app.client();
    let (pid, counts) = child(&mut app, "fork young");
    assert!(counts);
    assert_eq!(parent.busy_resources().len(), 1);
    let young = IdleClient::connect_in(app.dir.path(), pid).unwrap();
    let found = young.busy_resources();
    assert_eq!((found.len(), found[0].name.as_str()), (1, "young"));
    app.ask("end parent");
    assert!(parent.is_idle());
    assert!(!young.is_idle());
    app.kill();
    until(&young, IdleState::Lost);
    until(&parent, IdleState::Lost);
}

#[test]
fn a_guard_dropped_in_a_forked_child_still_counts_in_the_parent() {
    let mut app = App::start();
    app.ask("begin parent 2");
    let parent = app.client();
    let (pid, counts) = child(&mut app, "fork-held");
    assert!(!counts);
    assert_eq!(parent.busy_resources()[0].count, 2);
    assert!(IdleClient::connect_in(app.dir.path(), pid).is_err(), "it has not used the SDK yet");
}

#[test]
fn a_forked_child_does_not_keep_a_dead_parent_alive() {
    let mut app = App::start();
    app.ask("begin parent");
    let parent = app.client();
    // The grandchild holds the parent's descriptors beyond its end.
    child(&mut app, "fork young");
    app.kill();
    until(&parent, IdleState::Lost);
}

#[test]
fn a_process_that_becomes_another_program_is_lost() {
    let mut app = App::start();
    app.ask("begin work");
    let before = app.client();
    assert_eq!(app.ask("exec quiet"), "quiet");
    until(&before, IdleState::Lost);
    assert!(IdleClient::connect_in(app.dir.path(), app.pid()).is_err());
}

#[test]
fn a_program_that_reports_after_exec_has_a_new_page_under_the_same_name() {
    let mut app = App::start();
    app.ask("begin work");
    let page = app.page();
    let before = app.client();
    assert_eq!(app.ask("exec again"), "again");
    assert_eq!(app.page(), page);
    let after = app.client();
    until(&before, IdleState::Lost);
    assert!(after.is_idle());
    app.ask("begin work");
    assert!(!after.is_idle());
}

#[test]
fn what_a_dead_process_left_is_swept_by_the_next() {
    let dir = runtime_dir();
    let mut dead = App::start_in(Arc::clone(&dir));
    let left = dead.page();
    dead.kill();
    assert!(left.exists());
    let mut alive = App::start_in(Arc::clone(&dir));
    let kept = alive.page();
    assert!(!left.exists());
    let mut third = App::start_in(dir);
    third.page();
    assert!(kept.exists(), "the page of a live process stays");
    let names = fs::read_dir(kept.parent().unwrap()).unwrap().count();
    assert_eq!(names, 4, "two pages, two bells");
}

#[test]
fn without_a_runtime_directory_the_app_goes_on_and_says_why() {
    let dir = runtime_dir();
    let mut command = Command::new(env!("CARGO_BIN_EXE_stillpoint-idle-app"));
    command.env("XDG_RUNTIME_DIR", dir.path().join("missing"));
    let mut app = App::spawn(command, dir);
    let answer = app.ask("begin network");
    assert!(answer.starts_with("no cannot use") && answer.contains("XDG_RUNTIME_DIR"), "{answer}");
    assert!(app.ask("end network").starts_with("no"));
    assert!(IdleClient::connect(app.pid()).is_none());
}

#[test]
fn a_runtime_directory_that_cannot_be_written_is_named() {
    let dir = runtime_dir();
    // A file in the place of the directory: not even root can write below it.
    fs::write(dir.path().join("stillpoint"), "").unwrap();
    let answer = App::start_in(dir).ask("begin network");
    assert!(answer.starts_with("no cannot use") && answer.contains("stillpoint"), "{answer}");
}

#[test]
fn a_directory_that_others_may_enter_is_not_used() {
    let dir = runtime_dir();
    let inner = dir.path().join("stillpoint");
    fs::create_dir(&inner).unwrap();
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o777)).unwrap();
    let answer = App::start_in(dir).ask("begin network");
    assert!(answer.contains("mode 0700") && answer.contains("0777"), "{answer}");
}

#[test]
fn a_limit_on_file_sizes_does_not_kill_the_app() {
    let mut app = App::start();
    let answer = app.ask("limit 100");
    assert!(answer.starts_with("no") && answer.contains("RLIMIT_FSIZE"), "{answer}");
    assert!(app.ask("begin network").starts_with("no"));
}

#[test]
fn the_library_twice_in_one_process_counts_into_one_page() {
    // The Rust copy is linked, the C copy is loaded: as in a Rust app that embeds Python.
    let dir = runtime_dir();
    let code = "
import ctypes, shutil, sys
one = ctypes.CDLL(sys.argv[1])
two = ctypes.CDLL(shutil.copy(sys.argv[1], sys.argv[2]))
for library in (one, two):
    library.sp_idle_begin.restype = ctypes.c_uint64
    library.sp_idle_end.argtypes = [ctypes.c_uint64]
a = one.sp_idle_begin(b'first')
b = two.sp_idle_begin(b'second')
print('ok' if a and b else 'no', flush=True)
for line in sys.stdin:
    if 'first' in line: one.sp_idle_end(a)
    if 'second' in line: two.sp_idle_end(b)
    print('ok', flush=True)
";
    let copy = dir.path().join("copy.so");
    let mut command = Command::new("python3");
    command.args(["-c", code]).arg(library()).arg(copy).env("XDG_RUNTIME_DIR", dir.path());
    let mut app = App::spawn(command, dir);
    assert_eq!(app.line(), "ok");
    let client = app.client();
    let mut names: Vec<_> = client.busy_resources().into_iter().map(|one| one.name).collect();
    names.sort();
    assert_eq!(names, ["first", "second"]);
    app.ask("first");
    assert!(!client.is_idle());
    app.ask("second");
    assert!(client.is_idle());
}

/// A disk of 4 KiB: room for the bell, not for the page. Needs a mount namespace, which root has anywhere.
#[test]
fn a_full_disk_is_said_and_nothing_is_left_on_it() {
    let dir = runtime_dir();
    let script = "mount -t tmpfs -o size=4k,mode=700 tmpfs \"$XDG_RUNTIME_DIR\" && exec \"$0\"";
    let mut command = Command::new("unshare");
    command.args([
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        script,
        env!("CARGO_BIN_EXE_stillpoint-idle-app"),
    ]);
    command.env("XDG_RUNTIME_DIR", dir.path());
    let mut app = App::spawn(command, dir);
    let answer = app.ask("begin network");
    assert!(answer.starts_with("no cannot fill") && answer.contains("space"), "{answer}");
    assert!(app.ask("end network").starts_with("no cannot fill"));
    let inside = format!("/proc/{}/root{}/stillpoint/idle", app.pid(), app.dir.path().display());
    assert_eq!(fs::read_dir(inside).unwrap().count(), 0);
}

/// Two containers that share the runtime directory: the app has pid 1 in its own pid namespace.
#[test]
fn an_app_in_another_pid_namespace_is_read_and_lost_like_any_other() {
    let dir = runtime_dir();
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"]);
    command.arg(env!("CARGO_BIN_EXE_stillpoint-idle-app")).env("XDG_RUNTIME_DIR", dir.path());
    let mut app = App::spawn(command, dir);
    assert_eq!(app.ask("pid"), "ok 1");
    app.ask("begin network");
    let page = app.page();
    // By the pid that it has here …
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", app.pid())).unwrap();
    let client = IdleClient::connect_in(app.dir.path(), children.trim().parse().unwrap()).unwrap();
    assert_eq!(client.busy_resources()[0].name, "network");
    // … and by its page, as from a container that does not see it.
    let by_page = IdleClient::connect_to(&page).unwrap();
    assert!(!by_page.is_idle());
    assert_eq!(IdleClient::mapped_apps(), 1);
    app.kill();
    until(&client, IdleState::Lost);
    assert_eq!(by_page.state(), IdleState::Lost);
}
