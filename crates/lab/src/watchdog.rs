//! The last resort: a small shell that outlives us and cleans up when we were killed ourselves.
//!
//! It reads from a pipe of which only this process holds the writing end. The end of the pipe without a
//! farewell means that this process died without a teardown.

use crate::cookie::{COOKIE_VARIABLE, Cookie};
use crate::error::LabError;
use crate::places::Places;
use crate::xserver::{Server, socket_path};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// Arguments: the pattern that finds the cookie in an environment, the directory to remove.
const SCRIPT: &str = r#"
trap '' HUP INT TERM QUIT
socket=
while read -r word path identity; do
  case $word in
    farewell) exit 0 ;;
    socket) socket=$path; known=$identity ;;
  esac
done
round=0
while [ $round -lt 20 ]; do
  found=$(grep -lzsE "$1" /proc/[0-9]*/environ)
  [ -n "$found" ] || break
  for file in $found; do
    pid=${file#/proc/}
    kill -KILL "${pid%/environ}"
  done
  round=$((round + 1))
done
if [ -n "$socket" ] && [ "$(stat --format '%i %.9Z' "$socket")" = "$known" ]; then rm -f "$socket"; fi
rm -rf "$2"
"#;

/// A watchdog that is on duty until it is dismissed.
#[derive(Debug)]
pub(crate) struct Watchdog {
    child: Child,
}

impl Watchdog {
    pub(crate) fn start(cookie: &Cookie, places: &Places) -> Result<Self, LabError> {
        let pattern = format!("^{COOKIE_VARIABLE}=([^:]*:)*{}(:|$)", cookie.as_str());
        let child = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "stillpoint-watchdog", &pattern])
            .arg(&places.root)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Its own group: what ends the test runner's group must not end its watchdog.
            .process_group(0)
            .spawn()
            .map_err(|source| LabError::Spawn { component: "the watchdog (sh)".to_owned(), source })?;
        Ok(Self { child })
    }

    /// Tells it which socket to remove.
    pub(crate) fn learn(&mut self, server: &Server) {
        if let (Some(stdin), Some(identity)) = (&mut self.child.stdin, &server.socket) {
            let path = socket_path(server.display);
            let _ = stdin.write_all(format!("socket {} {identity}\n", path.display()).as_bytes());
        }
    }

    /// Sends it home without cleaning up: the teardown was done, or the desktop is meant to last.
    pub(crate) fn dismiss(mut self) {
        if let Some(mut stdin) = self.child.stdin.take() {
            let _ = stdin.write_all(b"farewell\n");
        }
        let _ = self.child.wait();
    }
}
