//! Flows from a file: the report for people, for programs and for CI, and mistakes that name their line.
#![allow(clippy::unwrap_used)] // a test may panic

mod support;

use serde_json::Value;
use std::path::Path;
use support::{Piped, piped, stillpoint};

const SIGN_IN: &str = r#"name: Sign in
target: sim:login
steps:
  - wait_for_ui: '"Ready"'
  - type: ['#username', ada]
  - type_text: {selector: '#password', text: secret}
  - tap: 'button "Sign in"'
    expect: 'heading "Welcome, ada"'
  - verb: expect_state
    selector: 'button "Sign out"'
    property: enabled
    expected: true
"#;

const TWO: &str = r#"target: sim:two_buttons
flows:
  - name: wrong & <odd>
    steps:
      - tap: button
      - wait_for_idle
  - name: fine
    target: sim:login
    steps:
      - wait: '"Ready"'
"#;

fn flow(text: &str, more: &[&str]) -> Piped {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("flow.yaml");
    std::fs::write(&file, text).unwrap();
    let mut arguments = vec!["flow", file.to_str().unwrap()];
    arguments.extend(more);
    piped(&arguments)
}

#[test]
fn a_flow_that_passes_says_so_step_by_step() {
    let ran = flow(SIGN_IN, &["--json"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let report = ran.json();
    assert_eq!(report["passed"], true, "{report}");
    let steps = report["flows"][0]["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 5);
    assert!(steps.iter().all(|s| s["status"] == "passed"), "{report}");
    assert_eq!(steps[3]["line"], 7);
    assert!(!ran.stdout.contains("secret"), "what was typed into a protected field is told");
    let words = flow(SIGN_IN, &[]).stdout;
    assert!(words.contains("Sign in") && words.contains("1 flow passed"), "{words}");
}

#[test]
fn a_flow_that_fails_stops_and_the_next_runs() {
    let ran = flow(TWO, &["--json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let report = ran.json();
    let statuses: Vec<&Value> =
        report["flows"][0]["steps"].as_array().unwrap().iter().map(|s| &s["status"]).collect();
    assert_eq!(statuses, ["failed", "not_run"]);
    assert_eq!(report["flows"][0]["steps"][0]["error"]["code"], "AMBIGUOUS_TARGET");
    assert_eq!(report["flows"][1]["passed"], true);
}

#[test]
fn ci_gets_junit_xml_that_parses() {
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("report.xml");
    let ran = flow(TWO, &["--junit", junit.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1));
    let told = read_junit(&junit);
    assert_eq!(told, "testsuites 3 1 0|wrong & <odd> 2 1 1|fine 1 0 0|AMBIGUOUS_TARGET");
}

/// The figures of the file as a parser of XML reads them.
fn read_junit(file: &Path) -> String {
    let script = "import sys, xml.etree.ElementTree as x\nr = x.parse(sys.argv[1]).getroot()\n\
        print('|'.join([' '.join([r.tag, r.get('tests'), r.get('failures'), r.get('errors')])]\
        + [' '.join([s.get('name'), s.get('tests'), s.get('failures'), s.get('skipped')]) for s in r]\
        + [f.get('type') for f in r.iter('failure')]))";
    let out = std::process::Command::new("python3").args(["-c", script]).arg(file).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

#[test]
fn exit_codes_are_those_of_the_step_that_failed() {
    let lost = "target: sim:nowhere\nsteps: [wait_for_idle]\n";
    assert_eq!(flow(lost, &[]).code, Some(3));
    assert_eq!(flow(lost, &["--target", "sim:noop"]).code, Some(0));
    let late = "target: sim:noop\nsteps:\n  - wait: change\n    timeout_ms: 400\n";
    assert_eq!(flow(late, &[]).code, Some(4));
    assert_eq!(stillpoint(&["flow", "/nonexistent.yaml"]).status().unwrap().code(), Some(2));
}

#[test]
fn a_mistake_names_its_line_and_nothing_is_done() {
    for (text, line, expected) in [
        ("target: sim:toast\nsteps:\n  - tap: '#save'\n  - tup: '#save'\n", "line 4", "verb"),
        ("target: sim:toast\nsteps:\n  - tap: '#save'\n    colour: red\n", "line 3", "expect"),
        ("target: sim:toast\nsteps:\n  - tap: '#save'\n  - [1]\n", "line 4", "steps"),
        ("target: nonsense\nsteps: [wait_for_idle]\n", "line 1", "sim:login"),
        ("steps: [wait_for_idle]\n", "no target", "--target"),
    ] {
        let ran = flow(text, &["--json"]);
        assert_eq!(ran.code, Some(2), "{text}");
        let error = ran.error("INVALID_ARGUMENT");
        let (message, hint) = (error["message"].as_str().unwrap(), error["hint"].as_str().unwrap());
        assert!(message.contains(line) && hint.contains(expected), "{text}: {message} / {hint}");
    }
}
