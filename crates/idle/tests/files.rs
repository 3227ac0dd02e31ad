//! Which files a reader believes. Each test takes a live page (a real process holds its lock) and spoils one thing.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::sync::Arc;

use common::{App, runtime_dir};
use stillpoint_idle::{ConnectError, IdleClient};

fn connect(app: &App) -> Result<IdleClient, ConnectError> {
    IdleClient::connect_in(app.dir.path(), app.pid())
}

fn write_at(page: &Path, at: u64, bytes: &[u8]) {
    OpenOptions::new().write(true).open(page).unwrap().write_all_at(bytes, at).unwrap();
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn page_and_directories_are_for_this_user_alone() {
    let mut app = App::start();
    let page = app.page();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&page), 0o600);
    assert_eq!(mode(page.parent().unwrap()), 0o700);
    assert_eq!(mode(page.parent().unwrap().parent().unwrap()), 0o700);
    let bell = page.with_file_name(format!("{}.bell", page.file_name().unwrap().to_str().unwrap()));
    assert_eq!(mode(&bell), 0o600);
}

#[test]
fn a_process_that_does_not_report_gives_none_and_a_reason() {
    let mut app = App::start();
    app.ask("pid");
    let other = App::start();
    assert!(matches!(connect(&other), Err(ConnectError::NotReporting { .. })));
    assert!(IdleClient::connect(u32::MAX).is_none());
    assert!(IdleClient::connect(0).is_none());
}

#[test]
fn the_app_is_found_through_the_runtime_directory_it_was_started_with() {
    let mut app = App::start();
    app.ask("status");
    assert!(IdleClient::connect(app.pid()).is_some_and(|client| client.is_idle()));
}

#[test]
fn a_page_of_another_start_time_is_not_this_process() {
    let mut app = App::start();
    let page = app.page();
    let name = page.file_name().unwrap().to_str().unwrap();
    let [pid, start, pid_ns]: [&str; 3] = name.split('.').collect::<Vec<_>>().try_into().unwrap();
    let older = page.with_file_name(format!("{pid}.{}.{pid_ns}", start.parse::<u64>().unwrap() - 1));
    // The pid was reused: the page is the old process's, by its name.
    fs::rename(&page, &older).unwrap();
    assert!(matches!(connect(&app), Err(ConnectError::NotReporting { .. })));
    // Or by its content.
    fs::rename(&older, &page).unwrap();
    write_at(&page, 40, &1u64.to_ne_bytes());
    assert!(matches!(connect(&app), Err(ConnectError::OtherProcess(_))));
}

#[test]
fn a_page_that_another_process_holds_is_refused() {
    let dir = runtime_dir();
    let mut one = App::start_in(Arc::clone(&dir));
    let mut two = App::start_in(dir);
    let (first, second) = (one.page(), two.page());
    fs::rename(first, second).unwrap();
    assert!(matches!(connect(&two), Err(ConnectError::OtherProcess(_))));
}

#[test]
fn a_page_that_nobody_holds_is_left_over() {
    let mut app = App::start();
    let page = app.page();
    let copy = fs::read(&page).unwrap();
    fs::remove_file(&page).unwrap();
    fs::write(&page, copy).unwrap();
    set_mode(&page, 0o600);
    assert!(matches!(connect(&app), Err(ConnectError::LeftOver(_))));
}

#[test]
fn a_page_of_another_layout_version_is_refused_by_its_number() {
    let mut app = App::start();
    let page = app.page();
    for version in [0u32, 2, u32::MAX] {
        write_at(&page, 8, &version.to_ne_bytes());
        let error = connect(&app).unwrap_err();
        assert!(
            matches!(error, ConnectError::Version { found, known: 1, .. } if found == version),
            "{error}"
        );
    }
    write_at(&page, 8, &1u32.to_ne_bytes());
    write_at(&page, 12, &77u32.to_ne_bytes());
    assert!(connect(&app).unwrap().is_idle(), "a newer minor version is read");
}

#[test]
fn garbage_is_refused() {
    let mut app = App::start();
    let page = app.page();
    write_at(&page, 0, b"not what you think it is");
    assert!(matches!(connect(&app), Err(ConnectError::Garbage(_))));
}

#[test]
fn a_truncated_page_or_bell_is_refused() {
    let mut app = App::start();
    let page = app.page();
    let bell = page.with_file_name(format!("{}.bell", page.file_name().unwrap().to_str().unwrap()));
    for (file, size) in [(bell, 4096), (page, 8192)] {
        for length in [0, size - 1] {
            OpenOptions::new().write(true).open(&file).unwrap().set_len(length).unwrap();
            let error = connect(&app).unwrap_err();
            assert!(matches!(error, ConnectError::Unsafe { .. }), "{error}");
        }
        OpenOptions::new().write(true).open(&file).unwrap().set_len(size).unwrap();
    }
}

#[test]
fn a_file_or_directory_that_others_may_touch_is_refused() {
    let mut app = App::start();
    let page = app.page();
    let dir = page.parent().unwrap().to_owned();
    for (path, good, bad) in [(page, 0o600, 0o644), (dir, 0o700, 0o755)] {
        set_mode(&path, bad);
        let error = connect(&app).unwrap_err();
        assert!(matches!(error, ConnectError::Unsafe { .. }), "{error}");
        set_mode(&path, good);
    }
    assert!(connect(&app).is_ok());
}

#[test]
fn a_link_or_pipe_instead_of_a_page_is_refused() {
    let mut app = App::start();
    let page = app.page();
    let real = page.with_file_name("real");
    fs::rename(&page, &real).unwrap();
    symlink(&real, &page).unwrap();
    assert!(matches!(connect(&app), Err(ConnectError::File { .. })));
    fs::remove_file(&page).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &page,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert!(matches!(connect(&app), Err(ConnectError::Unsafe { .. })));
}

/// Giving a file away needs to be root, and root is told apart from the owner like anybody else. Another user is
/// played by a user namespace in which this one is somebody else.
#[test]
fn a_page_of_another_user_is_refused() {
    let mut app = App::start();
    let page = app.page();
    if rustix::process::geteuid().is_root() {
        chown(&page, Some(65534), Some(65534)).unwrap();
        let error = connect(&app).unwrap_err();
        assert!(error.to_string().contains("belongs to user 65534"), "{error}");
    } else {
        let system = fs::metadata("/proc/1").unwrap();
        assert!(std::os::unix::fs::MetadataExt::uid(&system) == 0);
        assert!(IdleClient::connect_to(Path::new("/proc/1/1.1.1")).is_err());
    }
}
