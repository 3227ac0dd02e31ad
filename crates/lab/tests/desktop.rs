//! A desktop starts, answers, shows pictures, and leaves nothing behind.

mod witness;

use std::collections::BTreeSet;
use std::io::Read;
use std::process::Command;
use std::time::Duration;
use stillpoint_lab::{Desktop, Fixture, LabError};
use witness::Footprint;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask, WindowClass};

#[test]
fn a_desktop_starts_and_its_accessibility_bus_answers() {
    let desktop = Desktop::start().unwrap();
    let mut ask = desktop.command("gdbus");
    ask.args(["call", "--address", desktop.a11y_address(), "--dest", "org.a11y.atspi.Registry"]);
    ask.args(["--object-path", "/org/a11y/atspi/accessible/root"]);
    ask.args(["--method", "org.a11y.atspi.Accessible.GetChildren"]);
    let answer = ask.output().unwrap();
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    assert_eq!(String::from_utf8_lossy(&answer.stdout).trim(), "(@a(so) [],)");
}

/// The window manager throws away what it is asked while it starts, and so windows that are mapped then never show. It takes its time
/// where several start at once.
#[test]
fn the_window_manager_answers_as_soon_as_the_desktop_is_there() {
    std::thread::scope(|desktops| {
        let asked: Vec<_> = (0..6).map(|_| desktops.spawn(ask_the_window_manager_at_once)).collect();
        for answer in asked {
            let answer = answer.join().unwrap().unwrap();
            assert!(matches!(answer, Event::PropertyNotify(_)), "{answer:?}");
        }
    });
}

/// The first event after it was asked for the frame of a window.
fn ask_the_window_manager_at_once() -> Result<Event, Box<dyn std::error::Error + Send + Sync>> {
    let desktop = Desktop::start()?;
    let (x, screen) = x11rb::connect(Some(&desktop.display()))?;
    let (root, window) = (x.setup().roots[screen].root, x.generate_id()?);
    let settings = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    let (depth, visual) = (x11rb::COPY_DEPTH_FROM_PARENT, x11rb::COPY_FROM_PARENT);
    x.create_window(depth, window, root, 0, 0, 9, 9, 0, WindowClass::INPUT_OUTPUT, visual, &settings)?;
    let request = x.intern_atom(false, b"_NET_REQUEST_FRAME_EXTENTS")?.reply()?.atom;
    let to = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
    x.send_event(false, root, to, ClientMessageEvent::new(32, window, request, [0; 5]))?;
    x.flush()?;
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || send.send(x.wait_for_event()));
    Ok(receive.recv_timeout(Duration::from_secs(30))??)
}

#[test]
fn a_desktop_is_closed_to_the_surrounding_session() {
    let desktop = Desktop::builder().env("LANG", "de_DE.UTF-8").start().unwrap();
    let output = desktop.command("env").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let pairs: BTreeSet<&str> = text.lines().collect();
    let root = desktop.root().to_str().unwrap();
    assert!(pairs.contains(format!("DISPLAY={}", desktop.display()).as_str()));
    assert!(pairs.contains(format!("HOME={root}/home").as_str()));
    assert!(pairs.contains(format!("XDG_RUNTIME_DIR={root}/run").as_str()));
    assert!(pairs.contains(format!("DBUS_SESSION_BUS_ADDRESS={}", desktop.session_address()).as_str()));
    assert!(pairs.contains("LANG=de_DE.UTF-8"), "the caller's choice wins");
    for name in desktop.env_removed() {
        assert!(!pairs.iter().any(|pair| pair.starts_with(&format!("{name}="))), "{name}");
    }
}

#[test]
fn teardown_leaves_no_process_socket_or_file() {
    let desktop = Desktop::start().unwrap();
    // A program that leaves its group and its parent, and one that stands still.
    let escaped =
        desktop.command("setsid").args(["--fork", "cat", "/dev/zero"]).stdout(witness::null()).status();
    assert!(escaped.unwrap().success());
    let stopped = desktop.spawn(desktop.command("cat")).unwrap();
    stopped.stop().unwrap();

    let footprint = Footprint::of(&desktop);
    assert!(footprint.remains().iter().any(|it| it.contains("at-spi")), "{:?}", footprint.remains());
    desktop.close().unwrap();
    assert_eq!(footprint.remains(), Vec::<String>::new());
}

#[test]
fn teardown_happens_after_a_panic_too() {
    let (send, receive) = std::sync::mpsc::channel();
    let panicked = std::thread::spawn(move || {
        let desktop = Desktop::start().unwrap();
        let _app = desktop.spawn(desktop.command("cat")).unwrap();
        send.send(Footprint::of(&desktop)).unwrap();
        panic!("on purpose");
    })
    .join();
    assert!(panicked.is_err());
    assert_eq!(receive.recv().unwrap().remains(), Vec::<String>::new());
}

#[test]
fn a_killed_owner_leaves_nothing_either() {
    // This very test again, in a process of its own that is killed while its desktop runs.
    const ROLE: &str = "STILLPOINT_LAB_TEST_OWNER";
    if std::env::var_os(ROLE).is_some() {
        let desktop = Desktop::start().unwrap();
        println!("\nfootprint {}", serde_json::to_string(&Footprint::of(&desktop)).unwrap());
        std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
        unreachable!("this process is killed while it reads");
    }
    let mut owner = Command::new(std::env::current_exe().unwrap())
        .args(["a_killed_owner_leaves_nothing_either", "--exact", "--nocapture"])
        .env(ROLE, "1")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = std::io::BufReader::new(owner.stdout.take().unwrap());
    let footprint: Footprint = loop {
        let mut line = String::new();
        assert!(std::io::BufRead::read_line(&mut output, &mut line).unwrap() > 0, "it ended early");
        if let Some(text) = line.strip_prefix("footprint ") {
            break serde_json::from_str(text).unwrap();
        }
    };
    owner.kill().unwrap();
    owner.wait().unwrap();
    footprint.wait_until_gone(Duration::from_secs(30));
    assert_eq!(footprint.remains(), Vec::<String>::new());
}

#[test]
fn twenty_desktops_at_once_do_not_clash_and_leave_nothing() {
    let starting: Vec<_> = (0..20)
        .map(|_| {
            std::thread::spawn(|| {
                let desktop = Desktop::builder().size(800, 700).start().unwrap();
                let app = desktop.fixture(Fixture::Gtk3).unwrap();
                (desktop, app)
            })
        })
        .collect();
    let running: Vec<_> = starting.into_iter().map(|thread| thread.join().unwrap()).collect();
    let displays: BTreeSet<String> = running.iter().map(|(desktop, _)| desktop.display()).collect();
    let buses: BTreeSet<&str> = running.iter().map(|(desktop, _)| desktop.a11y_address()).collect();
    assert_eq!((displays.len(), buses.len()), (20, 20));
    for (desktop, app) in &running {
        assert_eq!(desktop.screen().unwrap().size(), (800, 700), "each display answers for itself");
        assert_eq!(app.control("mutate 5 1").unwrap(), "done 5");
    }
    let footprints: Vec<Footprint> = running.iter().map(|(desktop, _)| Footprint::of(desktop)).collect();
    let ending: Vec<_> = running.into_iter().map(|it| std::thread::spawn(move || drop(it))).collect();
    for thread in ending {
        thread.join().unwrap();
    }
    for footprint in footprints {
        assert_eq!(footprint.remains(), Vec::<String>::new());
    }
}

#[test]
fn a_start_that_fails_tells_why_and_leaves_nothing() {
    let late = Desktop::builder().deadline(Duration::ZERO).start().unwrap_err();
    assert!(matches!(&late, LabError::Late { component, .. } if component.contains("Xvfb")), "{late}");
    let missing = Desktop::builder().env("PATH", "/nowhere").start().unwrap_err();
    assert!(matches!(missing, LabError::Missing { package: "xvfb", .. }), "{missing}");
    let bad = Desktop::builder().size(0, 0).start().unwrap_err();
    assert!(matches!(&bad, LabError::Ended { component, .. } if component.contains("Xvfb")), "{bad}");
}

#[test]
fn a_screenshot_is_a_png_of_the_right_size() {
    let desktop = Desktop::builder().size(640, 480).start().unwrap();
    let picture = witness::decode(&desktop.screenshot().unwrap());
    assert_eq!((picture.width, picture.height), (640, 480));
}
