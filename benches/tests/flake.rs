//! The flake lab judges and the tasks count by rules of their own, which are tested where they are written.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::process::Command;

/// Runs a test program of Python's.
fn holds(rules: &str) {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join(rules);
    let tested = Command::new("/usr/bin/python3").arg("-B").arg(rules).output().unwrap();
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stderr));
}

#[test]
fn the_lab_judges_by_its_rules() {
    holds("flake/test_judging.py");
}

#[test]
fn the_passes_of_a_task_are_compared_round_by_round() {
    holds("tasks/test_joining.py");
}
