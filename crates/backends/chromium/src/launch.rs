//! Starting a private browser: own profile, own process group, gone when we are.

use std::path::PathBuf;
use std::process::Stdio;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::Deadline;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The same engine without a browser around it: it starts in a third of the time and needs half of the memory. It has no window,
/// so it is looked for, first, where none is asked for.
const SHELLS: &[&str] = &["chromium-headless-shell", "chrome-headless-shell"];

/// Programs that speak the debugging protocol, in the order in which they are looked for.
const PROGRAMS: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "microsoft-edge",
    "brave-browser",
];

/// Starts the browser with the two pipes of its debugging protocol where it looks for them. Nothing is said through them, but it ends
/// when they close: so it goes with us even when we are killed.
const WITH_PIPES: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#;

const FLAGS: &[&str] = &[
    "--remote-debugging-port=0",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-gpu",
    "--disable-popup-blocking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-breakpad",
    "--password-store=basic",
    "--use-mock-keychain",
    "--hide-scrollbars",
    "--mute-audio",
];

/// A browser that we started, with its profile. Dropping it ends the whole process group and removes the profile.
pub(crate) struct Browser {
    child: Child,
    group: Option<rustix::process::Pid>,
    profile: tempfile::TempDir,
    url: String,
}

/// How to start it.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) program: Option<PathBuf>,
    pub(crate) headless: bool,
    pub(crate) size: (u32, u32),
}

impl Default for Launch {
    fn default() -> Launch {
        Launch { program: None, headless: true, size: (1280, 800) }
    }
}

/// The browser that would be started.
pub(crate) fn find_program(launch: &Launch) -> Result<PathBuf> {
    if let Some(path) = launch.program.as_deref() {
        if path.is_file() {
            return Ok(path.to_owned());
        }
        return Err(Error::new(
            Code::TargetNotFound,
            format!("there is no browser at {}", path.display()),
            "give the path of an installed Chromium or Chrome in the setting `browser`",
        ));
    }
    let dirs = std::env::var_os("PATH").unwrap_or_default();
    let shells = if launch.headless { SHELLS } else { &[] };
    shells
        .iter()
        .chain(PROGRAMS)
        .flat_map(|name| std::env::split_paths(&dirs).map(move |dir| dir.join(name)))
        .find(|path| path.is_file())
        .ok_or_else(|| {
            Error::new(
                Code::TargetNotFound,
                "no Chromium was found on PATH",
                "install it (Debian and Ubuntu: `apt install chromium`), or give its path in the setting `browser`",
            )
        })
}

impl Browser {
    /// Starts a browser and waits until it says where it listens.
    pub(crate) async fn start(launch: &Launch, deadline: Deadline) -> Result<Browser> {
        let program = find_program(launch)?;
        let profile = tempfile::Builder::new().prefix("stillpoint-web-").tempdir().map_err(|error| {
            Error::new(
                Code::PermissionDenied,
                format!("no directory for the browser's profile: {error}"),
                "make the directory for temporary files (TMPDIR) writable",
            )
        })?;
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(WITH_PIPES).arg(&program);
        command.args(FLAGS).arg(format!("--window-size={},{}", launch.size.0, launch.size.1));
        if launch.headless {
            command.arg("--headless");
        }
        if rustix::process::geteuid().is_root() {
            // Chromium refuses to run as root with its sandbox.
            command.arg("--no-sandbox");
        }
        let mut profile_flag = std::ffi::OsString::from("--user-data-dir=");
        profile_flag.push(profile.path());
        command.arg(profile_flag).arg("about:blank");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| {
            Error::new(
                Code::TargetNotFound,
                format!("{} could not be started: {error}", program.display()),
                "check that it is installed and may be executed",
            )
        })?;
        let group = child.id().and_then(|id| rustix::process::Pid::from_raw(id as i32));
        let stderr = child.stderr.take();
        let mut browser = Browser { child, group, profile, url: String::new() };
        let Some(stderr) = stderr else { return Err(Error::internal("the browser has no stderr")) };
        let mut lines = BufReader::new(stderr).lines();
        let listening = async {
            let mut last = Vec::new();
            while let Ok(Some(line)) = lines.next_line().await {
                if let Some(url) = line.strip_prefix("DevTools listening on ") {
                    return Ok(url.trim().to_owned());
                }
                last.push(line);
            }
            let said = last.split_off(last.len().saturating_sub(20)).join("\n");
            Err(Error::new(
                Code::TargetLost,
                format!("the browser ended before it was ready; it said:\n{said}"),
                "start it by hand with the same flags to see why",
            ))
        };
        browser.url = deadline.bound("the browser's start", listening).await?;
        // What it says later is read on, so that it never blocks on a full pipe.
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                tracing::trace!(target: "stillpoint_chromium::browser", "{line}");
            }
        });
        Ok(browser)
    }

    /// The address of its debugging socket.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Its process.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.group.map(|pid| pid.as_raw_nonzero().get() as u32)
    }

    /// Where downloads go.
    pub(crate) fn downloads(&self) -> PathBuf {
        self.profile.path().join("downloads")
    }

    /// Ends it and waits until it has gone.
    pub(crate) async fn end(mut self) {
        self.kill_group();
        // It was killed; all that is left is to take its exit status.
        let _ = self.child.wait().await;
    }

    fn kill_group(&mut self) {
        if let Some(group) = self.group.take() {
            // Fails only when nobody is left in it.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.kill_group();
    }
}
