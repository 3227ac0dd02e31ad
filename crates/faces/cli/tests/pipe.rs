//! For programs: one object on stdout, everything else on stderr, and the exit codes of SPEC §12.

mod support;

use serde_json::{Value, json};
use support::{piped, stillpoint};

fn first_words(answer: &Value) -> String {
    let told = answer["change_summary"]["first"].as_array().cloned().unwrap_or_default();
    told.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_wait_settles_although_geometry_never_rests() {
    let ran = piped(&["wait", "sim:pulse", "change", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let answer = ran.json();
    assert_eq!(answer["stability_state"], "stable");
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_clock_is_passed_over_and_listed() {
    let ran = piped(&["wait", "sim:clock", "change", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.json()["masked"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_toast_that_came_and_went_is_told() {
    let answer = piped(&["wait", "sim:toast", "change", "--json"]).json();
    assert!(first_words(&answer).contains("\"Saved\""), "{answer}");
    assert_eq!(answer["change_summary"]["transient"], 1);
}

#[test]
fn an_action_tells_the_toast_in_its_delta() {
    let ran = piped(&["tap", "sim:toast", "button \"Save\"", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let transient = ran.json()["delta"]["transient"].clone();
    assert!(transient.as_array().is_some_and(|t| t.iter().any(|t| t["text"] == "Saved")), "{transient}");
}

#[test]
fn an_app_that_hangs_is_unresponsive() {
    let ran = piped(&["wait", "sim:hang", "change", "--timeout-ms", "1000", "--json"]);
    assert_eq!(ran.code, Some(3));
    assert_eq!(ran.json()["error"]["code"], "TARGET_UNRESPONSIVE");
}

#[test]
fn an_app_that_dies_is_lost() {
    let ran = piped(&["wait", "sim:crash", "change", "--json"]);
    assert_eq!(ran.code, Some(3));
    assert_eq!(ran.json()["error"]["code"], "TARGET_LOST");
}

#[test]
fn a_flood_ends_with_all_that_the_scene_says() {
    for last in ["status \"Imported 20000 lines\"", "text \"Run 1, line 20000\"", "listitem \"Entry 20\""] {
        let ran = piped(&["wait", "sim:flood", last, "--json"]);
        assert_eq!(ran.code, Some(0), "{last}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn time_that_is_over_is_a_timeout() {
    let ran = piped(&["wait", "sim:noop", "change", "--timeout-ms", "300", "--json"]);
    assert_eq!(ran.code, Some(4), "{}", ran.stdout);
    assert_eq!(ran.json()["error"]["code"], "TIMEOUT");
}

#[test]
fn mistakes_of_the_caller_are_explained() {
    let cases: &[(&[&str], &str, i32)] = &[
        (&["snapshot", "sim:nope"], "TARGET_NOT_FOUND", 3),
        (&["snapshot", "nonsense"], "INVALID_ARGUMENT", 2),
        (&["snapshot", "sim:"], "INVALID_ARGUMENT", 2),
        (&["snapshot", "app:pid=-4"], "INVALID_ARGUMENT", 2),
        (&["wait", "sim:login", "change", "--timeout-ms", "-5"], "INVALID_ARGUMENT", 2),
        (&["wait", "sim:login", "change", "--timeout-ms=-5"], "INVALID_ARGUMENT", 2),
        (&["wait", "sim:login", "change", "--timeout-ms", "1e9"], "INVALID_ARGUMENT", 2),
        (&["wait", "sim:login", "change", "--timeout-ms", "99999999999"], "INVALID_ARGUMENT", 2),
        (
            &["wait", "sim:login", "change", "--timeout-ms", "99999999999999999999999999"],
            "INVALID_ARGUMENT",
            2,
        ),
        (&["wait", "sim:login", "change", "--scope", "everywhere"], "INVALID_ARGUMENT", 2),
        (&["wait", "sim:login", "change", "--condition", "visible"], "INVALID_ARGUMENT", 2),
        (&["wait", "sim:login", "change", "--no-such-flag"], "INVALID_ARGUMENT", 2),
        (&["wait", "sim:login"], "INVALID_ARGUMENT", 2),
        (&["wait", "sim:login", "screen"], "INVALID_ARGUMENT", 2),
        (&["snapshot", "sim:login", "--since", "999"], "BASE_REVISION_UNAVAILABLE", 1),
        (&["find", "sim:login", "button ["], "INVALID_SELECTOR", 2),
        (&["find", "sim:login", "button \"No such\""], "ELEMENT_NOT_FOUND", 1),
        (&["find", "sim:login", "button", "one", "too many"], "INVALID_ARGUMENT", 2),
        (&["dance", "sim:login"], "INVALID_ARGUMENT", 2),
        (&["watch", "sim:login", "--count", "0"], "INVALID_ARGUMENT", 2),
        (&["desktop", "run", "--size", "0x0", "--", "true"], "INVALID_ARGUMENT", 2),
        (&[], "INVALID_ARGUMENT", 2),
    ];
    for (arguments, code, exit) in cases {
        let mut with_json = arguments.to_vec();
        let before_dashes = with_json.iter().position(|a| *a == "--").unwrap_or(with_json.len());
        with_json.insert(before_dashes, "--json");
        let ran = piped(&with_json);
        assert_eq!(ran.code, Some(*exit), "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        ran.error(code);
    }
}

#[test]
fn an_error_in_words_goes_to_stderr() {
    let ran = piped(&["snapshot", "sim:nope"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
    assert!(ran.stderr.starts_with("TARGET_NOT_FOUND "), "{}", ran.stderr);
    assert!(ran.stderr.contains("\nhint: "), "{}", ran.stderr);
}

#[test]
fn what_is_expected_is_verified_or_not() {
    let ran = piped(&["expect", "sim:login", "button \"Sign in\"", "enabled", "false", "--json"]);
    assert_eq!((ran.code, &ran.json()["holds"]), (Some(0), &json!(true)));
    let ran = piped(&[
        "expect",
        "sim:login",
        "button \"Sign in\"",
        "enabled",
        "true",
        "--timeout-ms",
        "200",
        "--json",
    ]);
    assert_eq!((ran.code, &ran.json()["holds"]), (Some(1), &json!(false)));
    assert_eq!(ran.json()["error"]["code"], "VERIFICATION_FAILED");
}

#[test]
fn words_and_full_names_mean_the_same_verb() {
    let short = piped(&["find", "sim:login", "button", "--json"]).json();
    assert_eq!(short, piped(&["find_element", "sim:login", "button", "--json"]).json());
    assert_eq!(short, piped(&["find-element", "sim:login", "--selector", "button", "--json"]).json());
    assert_eq!(short, piped(&["find", "sim:login", r#"{"role": "button"}"#, "--json"]).json());
}

#[test]
fn the_key_is_the_last_word_and_the_element_may_be_left_out() {
    let ran = piped(&["press", "sim:login", "Enter", "--dry-run", "--json"]);
    assert_eq!(ran.json()["action_type"], "press_key", "{}", ran.stdout);
    let ran = piped(&["press", "sim:login", "#username", "Enter", "--dry-run", "--json"]);
    assert_eq!(ran.json()["target"]["selector"], "#username", "{}", ran.stdout);
}

#[test]
fn what_is_destructive_needs_the_callers_own_word() {
    let refused = piped(&["tap", "sim:dialog", "#delete", "--json"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    assert!(refused.stdout.contains("POLICY_DENIED"), "{}", refused.stdout);
    assert!(!refused.stdout.contains("\"delivered\""), "nothing reached the app: {}", refused.stdout);
    let confirmed = piped(&["tap", "sim:dialog", "#delete", "--confirm", "--json"]);
    assert_eq!(confirmed.code, Some(0), "{}", confirmed.stdout);
    assert_eq!(confirmed.json()["delivery_status"], "delivered");
}

#[test]
fn a_pipe_gets_no_colour_unless_asked() {
    let colour = "\u{1b}[";
    assert!(!piped(&["snapshot", "sim:login"]).stdout.contains(colour));
    assert!(piped(&["snapshot", "sim:login", "--color", "always"]).stdout.contains(colour));
    assert!(!piped(&["snapshot", "sim:login", "--color=always", "--json"]).stdout.contains(colour));
}

#[test]
fn log_lines_in_a_pipe_have_no_colour() {
    let ran: support::Piped =
        stillpoint(&["snapshot", "sim:login"]).env("STILLPOINT_LOG", "debug").output().unwrap().into();
    assert!(ran.stderr.contains("DEBUG"), "there is something to look at: {:?}", ran.stderr);
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
}

#[test]
fn watch_tells_one_object_per_revision() {
    let ran = piped(&["watch", "sim:feed", "--count", "3", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let told: Vec<Value> = ran.stdout.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(told.len(), 3);
    for pair in told.windows(2) {
        assert_eq!(pair[1]["base_revision"], pair[0]["revision"]);
    }
    assert!(first_words(&told[0]).contains("Story 1"), "{}", told[0]);
}

#[test]
fn watch_tells_the_end_of_its_app() {
    let ran = piped(&["watch", "sim:crash"]);
    assert_eq!(ran.code, Some(3));
    assert!(ran.stdout.contains("Something is wrong"), "{}", ran.stdout);
    assert!(ran.stderr.contains("TARGET_LOST"), "{}", ran.stderr);
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let mut child = stillpoint(&["watch", "sim:clock"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ran: support::Piped = child.wait_with_output().unwrap().into();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

#[test]
fn apps_lists_the_scenes() {
    let targets = piped(&["apps", "--json"]).json()["targets"].clone();
    assert!(targets.as_array().unwrap().iter().any(|t| t["target"] == "sim:login"), "{targets}");
    assert!(piped(&["apps"]).stdout.contains("sim:login"));
}

#[test]
fn doctor_says_of_each_backend_what_is_there() {
    let ran = piped(&["doctor", "--json"]);
    let answer = ran.json();
    assert_eq!(ran.code, Some(if answer["ok"] == true { 0 } else { 3 }));
    for backend in answer["backends"].as_array().unwrap() {
        for check in backend["checks"].as_array().unwrap() {
            assert!(check["ok"] == true || check["fix"].is_string(), "what to do is missing: {check}");
        }
    }
}

#[test]
fn the_demo_proves_what_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("new/demo.png");
    let ran = piped(&["demo", "--json", "--screenshot", picture.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let told = ran.json();
    assert_eq!(told["verified"], true);
    assert!(told["proof"].as_array().unwrap().iter().all(|p| p["holds"] == true), "{told}");
    for wait in told["timeline"]["waits"].as_array().unwrap() {
        assert_eq!(wait["at_rest"], true, "{wait}");
        assert!(!wait["barriers_ms"].as_array().unwrap().is_empty(), "{wait}");
        assert!(!wait["resets_ms"].as_array().unwrap().is_empty(), "{wait}");
    }
    let file = std::io::BufReader::new(std::fs::File::open(&picture).unwrap());
    assert!(png::Decoder::new(file).read_info().unwrap().info().width > 0);
}

#[test]
fn the_manual_and_completions_are_made() {
    assert!(piped(&["man"]).stdout.contains(".TH stillpoint"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(piped(&["completions", shell]).stdout.contains("stillpoint"), "{shell}");
    }
    assert!(piped(&["--version"]).stdout.starts_with("stillpoint "));
    assert!(piped(&["wait", "--help"]).stdout.contains("--timeout-ms"));
}

#[test]
fn rest_is_known_by_sampling_where_that_is_asked_for() {
    let ran = piped(&["wait", "sim:login", "change", "--sync", "heuristic", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.json()["sync_mode"], "heuristic");
    assert_eq!(piped(&["wait", "sim:login", "change", "--sync", "guess"]).code, Some(2));
}
