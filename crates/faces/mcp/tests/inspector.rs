//! Another client that is not ours: the MCP Inspector's command line lists tools, resources and prompts and calls tools,
//! without a complaint.
#![allow(clippy::unwrap_used)] // a test may panic

mod support;

use serde_json::Value;
use std::fs::File;
use std::path::PathBuf;
use std::process::Command;
use support::python::{beside_the_build, done};

/// The last release of the inspector's command line alone that runs on Debian's Node.
const INSPECTOR: &str = "@modelcontextprotocol/inspector-cli@0.15.0";

/// The inspector. Of several test processes that find none, one installs it and the others wait for it.
fn inspector() -> PathBuf {
    let home = beside_the_build("mcp-inspector");
    std::fs::create_dir_all(&home).unwrap();
    let lock = File::create(home.join("lock")).unwrap();
    lock.lock().unwrap();
    let program = home.join("node_modules/.bin/mcp-inspector-cli");
    if !program.exists() {
        let npm = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
        done(&Command::new("npm").args(npm).arg(&home).arg(INSPECTOR).output().unwrap());
    }
    program
}

/// What the inspector prints for a method; anything on its standard error is a complaint.
fn inspect(arguments: &[&str]) -> Value {
    let output = Command::new(inspector())
        .arg("--cli")
        .arg(support::example())
        .arg("--method")
        .args(arguments)
        .output()
        .unwrap();
    let told = done(&output);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    serde_json::from_str(&told).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {told}"))
}

#[test]
fn the_inspector_lists_and_calls_without_a_complaint() {
    let tools = inspect(&["tools/list"]);
    assert_eq!(tools["tools"].as_array().unwrap().len(), stillpoint_mcp::USUAL_TOOLS.len());
    assert_eq!(inspect(&["prompts/list"])["prompts"].as_array().unwrap().len(), 3);
    assert_eq!(inspect(&["resources/templates/list"])["resourceTemplates"].as_array().unwrap().len(), 1);
    let call = |arguments: &[&str]| {
        let mut all = vec!["tools/call", "--tool-name"];
        all.extend(arguments);
        inspect(&all)
    };
    let looked = call(&["snapshot", "--tool-arg", "app=sim:login"]);
    assert!(looked["content"][0]["text"].as_str().unwrap().starts_with("rev "), "{looked}");
    let tapped = call(&["tap", "--tool-arg", "app=sim:toast", "--tool-arg", "selector=#save"]);
    assert_eq!(tapped["structuredContent"]["success"], true, "{tapped}");
    let refused = call(&["tap", "--tool-arg", "app=sim:two_buttons", "--tool-arg", "selector=button"]);
    assert_eq!(refused["structuredContent"]["error"]["code"], "AMBIGUOUS_TARGET", "{refused}");
}
