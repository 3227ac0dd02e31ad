//! The flake lab judges by rules of its own, which are tested where they are written.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;
use std::process::Command;

#[test]
fn the_lab_judges_by_its_rules() {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("flake/test_judging.py");
    let tested = Command::new("/usr/bin/python3").arg("-B").arg(rules).output().unwrap();
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stderr));
}
