//! Private desktops as users have them. They need Xvfb and the rest of what `script/bootstrap` installs.
#![cfg(target_os = "linux")]

mod support;

use support::{piped, stillpoint};

#[test]
fn a_command_runs_on_a_display_of_its_own_and_its_code_is_passed_on() {
    let ran = piped(&["desktop", "run", "--", "sh", "-c", "echo $DISPLAY $DBUS_SESSION_BUS_ADDRESS; exit 7"]);
    assert_eq!(ran.code, Some(7), "{}", ran.stderr);
    assert!(ran.stdout.starts_with(':'), "{}", ran.stdout);
    assert!(ran.stdout.contains("unix:"), "{}", ran.stdout);
}

#[test]
fn a_picture_is_taken_once_the_window_is_at_rest() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shot.png");
    let app = stillpoint_lab::Fixture::Gtk3.path();
    let ran: support::Piped =
        stillpoint(&["desktop", "run", "--size", "640x480", "--stop-at-rest", "--screenshot"])
            .arg(&file)
            .args(["--", stillpoint_lab::DEBIAN_PYTHON, "-B"])
            .arg(app)
            // The app ends with its input, so it gets one that stays open.
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .and_then(keep_input_open)
            .unwrap()
            .into();
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(!ran.stderr.contains("rest is not known"), "{}", ran.stderr);
    let info =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&file).unwrap())).read_info().unwrap();
    assert_eq!((info.info().width, info.info().height), (640, 480));
}

fn keep_input_open(mut child: std::process::Child) -> std::io::Result<std::process::Output> {
    let input = child.stdin.take();
    let output = child.wait_with_output();
    drop(input);
    output
}

#[test]
fn a_lasting_desktop_is_listed_until_it_is_stopped() {
    let runtime = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| -> support::Piped {
        stillpoint(arguments).env("XDG_RUNTIME_DIR", runtime.path()).output().unwrap().into()
    };
    let started = run(&["desktop", "start", "cli-test", "--json"]);
    assert_eq!(started.code, Some(0), "{}", started.stderr);
    let display = started.json()["display"].as_str().unwrap().to_owned();
    let listed = run(&["desktop", "list", "--json"]).json();
    assert_eq!(listed["desktops"][0]["alive"], true, "{listed}");
    assert!(run(&["desktop", "env", "cli-test"]).stdout.contains(&format!("export DISPLAY='{display}'\n")));
    assert_eq!(run(&["desktop", "start", "cli-test"]).code, Some(2));
    assert_eq!(run(&["desktop", "stop", "cli-test"]).code, Some(0));
    assert_eq!(run(&["desktop", "list", "--json"]).json()["desktops"].as_array().map(Vec::len), Some(0));
    run(&["desktop", "stop", "cli-test", "--json"]).error("TARGET_NOT_FOUND");
}

/// Starts an unmodified app with the preloaded library, and waits for its rest as anybody would.
fn waited_for_with_idle(app: &str) -> serde_json::Value {
    // An app takes a moment until it can be attached to; until then the wait says that there is no such target.
    let script = format!(
        "{app} >/dev/null 2>&1 & pid=$!; answer=''; \
         while kill -0 $pid && [ -z \"$answer\" ]; do \
           answer=$(\"$STILLPOINT\" wait app:pid=$pid idle --timeout-ms 60000 --json); \
           case \"$answer\" in *TARGET_NOT_FOUND*|*HIERARCHY_EMPTY*) answer='';; esac; \
         done; kill $pid; printf '%s' \"$answer\""
    );
    let ran: support::Piped = stillpoint(&["desktop", "run", "--with-idle", "--", "sh", "-c", &script])
        .env("STILLPOINT", env!("CARGO_BIN_EXE_stillpoint"))
        .output()
        .expect("the binary runs")
        .into();
    assert_eq!(ran.code, Some(0), "{app}: {}{}", ran.stdout, ran.stderr);
    ran.json()
}

#[test]
fn an_unmodified_app_gives_its_own_word_with_idle() {
    for app in ["gtk3-widget-factory", "gtk4-demo", "kcalc"] {
        let waited = waited_for_with_idle(app);
        assert_eq!(waited["sync_mode"], "sdk", "{app}: {waited}");
        assert_eq!(waited["status"], "success", "{app}: {waited}");
    }
}

#[test]
fn with_idle_leaves_programs_without_a_main_loop_alone() {
    let script = "ls $XDG_RUNTIME_DIR/stillpoint 2>/dev/null; printf '%s' \"$LD_PRELOAD\" | grep -c idle_preload; exit 5";
    let ran = piped(&["desktop", "run", "--with-idle", "--", "sh", "-c", script]);
    assert_eq!((ran.code, ran.stdout.trim(), ran.stderr.as_str()), (Some(5), "1", ""));
}
