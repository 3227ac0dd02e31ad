//! `mcp install`: asks first, loses nothing, and writes all or nothing.
#![allow(clippy::unwrap_used)] // a test may panic

mod support;

use std::path::PathBuf;
use support::{InTerminal, Piped, stillpoint};
use tempfile::TempDir;

const THEIRS: &str =
    "{\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }\n  }\n}\n";

struct Home(TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut all = vec!["mcp", "install"];
        all.extend(arguments);
        let mut command = stillpoint(&all);
        command.env("HOME", self.0.path()).env_remove("XDG_CONFIG_HOME");
        command
    }

    fn run(&self, arguments: &[&str]) -> Piped {
        self.command(arguments).output().unwrap().into()
    }
}

#[test]
fn every_known_client_gets_the_server_and_keeps_it() {
    for client in ["claude-desktop", "claude-code", "codex", "cursor", "gemini", "vscode", "windsurf", "zed"]
    {
        let home = Home::new();
        let first = home.run(&[client, "--yes", "--json"]).json();
        assert_eq!(first["changed"], true, "{first}");
        let file = PathBuf::from(first["file"].as_str().unwrap());
        assert!(
            file.starts_with(home.0.path().canonicalize().unwrap()) || file.starts_with(home.0.path()),
            "{first}"
        );
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains("stillpoint") && text.contains("mcp"), "{client}: {text}");
        let again = home.run(&[client, "--yes", "--json"]).json();
        assert_eq!(again["changed"], false, "{again}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn what_was_there_stays_and_is_kept_beside() {
    let home = Home::new();
    let file = home.file(".cursor/mcp.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, THEIRS).unwrap();
    let told = home.run(&["cursor", "--yes", "--json"]).json();
    let after: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(after["theme"], "dark");
    assert_eq!(after["mcpServers"]["other"]["command"], "x");
    assert_eq!(after["mcpServers"]["stillpoint"]["args"][0], "mcp");
    assert_eq!(std::fs::read_to_string(told["backup"].as_str().unwrap()).unwrap(), THEIRS);
    let names = std::fs::read_dir(file.parent().unwrap()).unwrap().count();
    assert_eq!(names, 2, "the configuration and what was there before, and nothing else");
}

#[test]
fn nothing_is_written_unasked() {
    let home = Home::new();
    let shown = home.run(&["cursor", "--print"]);
    assert_eq!(shown.code, Some(0));
    assert!(shown.stdout.contains("\"mcpServers\""), "{}", shown.stdout);
    home.run(&["cursor", "--json"]).error("INVALID_ARGUMENT");
    home.run(&["nobody", "--json"]).error("INVALID_ARGUMENT");
    let broken = home.file("broken.json");
    std::fs::write(&broken, "{ not json").unwrap();
    home.run(&["cursor", "--yes", "--json", "--file", broken.to_str().unwrap()]).error("INVALID_ARGUMENT");
    assert_eq!(std::fs::read_to_string(&broken).unwrap(), "{ not json");
    assert!(!home.file(".cursor").exists());
}

#[test]
fn a_person_is_asked_and_may_say_no() {
    let home = Home::new();
    for (said, code) in [(b'n', 1), (b'y', 0)] {
        let mut terminal = InTerminal::start_command(&home.command(&["cursor"]), 100);
        terminal.until("[y/N]");
        terminal.press(said);
        terminal.press(b'\n');
        let (ended, shown) = terminal.end();
        assert_eq!(ended, Some(code), "{shown}");
        assert_eq!(home.file(".cursor/mcp.json").exists(), said == b'y', "{shown}");
    }
}
