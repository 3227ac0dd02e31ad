//! Web pages: a live mirror of Chromium over its debugging protocol.
//!
//! - `web:URL` starts a private browser; `cdp:PORT` and `cdp:ws://…` attach to one that runs.
//! - The browser's own accessibility tree is the truth; an observer in an isolated world, which the page cannot see,
//!   names what changed, and only that is read again.
//! - Barrier through the page's main thread and next frame; idle signal from requests, animations and timers.
//! - Acts through the browser's input pipeline; hit test, screenshots, dialogs, downloads, files, network log.
//! - Settings: `headless`, `instrument` (`full` | `none`), `browser`, `size`, `test_attributes`, `downloads` (a folder).
//! - It never sleeps to wait, never writes to the page's DOM by itself, and never reads a password.

mod act;
mod attach;
mod barrier;
mod dialogs;
mod events;
mod frames;
mod idle;
mod keys;
mod large;
mod launch;
mod network;
mod node;
mod pointer;
mod project;
mod read;
mod refresh;
mod role;
mod scripts;
mod socket;
mod targets;
mod window;

use async_trait::async_trait;
use frames::Shared;
use launch::Browser;
use network::Log;
use socket::Session;
use stillpoint_core::tree::{Change, NativeKey};
use stillpoint_core::{Result, Target};
use stillpoint_engine::backend::{
    Action, AttachOptions, Attached, Backend, Capabilities, Check, Connector, Deadline, EventSink,
    IdleReport, NetworkRequest, Performed, Refusal, Scope, TargetInfo,
};
use tokio::sync::watch;

/// Attaches to web pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chromium;

impl Chromium {
    /// The connector for `web:` and `cdp:`.
    pub fn new() -> Self {
        Chromium
    }
}

/// The port on which browsers listen for debuggers by custom.
const USUAL_PORT: u16 = 9222;

#[async_trait]
impl Connector for Chromium {
    fn schemes(&self) -> &'static [&'static str] {
        &["web", "cdp"]
    }

    async fn attach(
        &self,
        target: &Target,
        options: &AttachOptions,
        sink: EventSink,
        deadline: Deadline,
    ) -> Result<Attached> {
        attach::attach(target, options, sink, deadline).await
    }

    async fn list(&self, deadline: Deadline) -> Result<Vec<TargetInfo>> {
        // Nobody listening there is the usual case, not an error.
        let Ok(windows) = attach::pages_at(USUAL_PORT, deadline).await else { return Ok(Vec::new()) };
        Ok(vec![TargetInfo {
            target: format!("cdp:{USUAL_PORT}"),
            name: "Chromium".to_owned(),
            pid: None,
            toolkit: Some("chromium".to_owned()),
            windows,
        }])
    }

    async fn diagnose(&self, deadline: Deadline) -> Vec<Check> {
        let browser = match launch::find_program(&launch::Launch::default()) {
            Ok(path) => Check {
                name: "browser for web:".into(),
                ok: true,
                found: path.display().to_string(),
                fix: None,
            },
            Err(error) => Check {
                name: "browser for web:".into(),
                ok: false,
                found: error.message,
                fix: Some(error.hint),
            },
        };
        let found = match attach::pages_at(USUAL_PORT, deadline).await {
            Ok(pages) => format!("{} pages on port {USUAL_PORT}", pages.len()),
            Err(_) => format!("nobody on port {USUAL_PORT}; only needed for cdp:"),
        };
        vec![browser, Check { name: "running browser for cdp:".into(), ok: true, found, fix: None }]
    }
}

/// One attached browser.
pub(crate) struct ChromiumBackend {
    browser: Session,
    shared: Shared,
    log: Log,
    idle: Option<watch::Receiver<IdleReport>>,
    launched: tokio::sync::Mutex<Option<Browser>>,
}

#[async_trait]
impl Backend for ChromiumBackend {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            events: true,
            barrier: true,
            hit_test: true,
            screenshots: true,
            omits_events: false,
            native_actions: true,
            synthesised_input: true,
            network: true,
        }
    }

    async fn barrier(&self, deadline: Deadline) -> Result<()> {
        barrier::barrier(&self.browser, &self.shared, deadline).await
    }

    async fn perform(&self, action: &Action, deadline: Deadline) -> std::result::Result<Performed, Refusal> {
        act::perform(&self.browser, &self.shared, action, deadline).await
    }

    async fn refresh(&self, scope: Scope, deadline: Deadline) -> Result<Vec<Change>> {
        attach::reread(&self.browser, &self.shared, scope, deadline).await
    }

    async fn screenshot(&self, of: Option<NativeKey>, deadline: Deadline) -> Result<Vec<u8>> {
        pointer::screenshot(&self.shared, of, deadline).await
    }

    async fn hit_test(&self, x: i32, y: i32, deadline: Deadline) -> Result<Option<NativeKey>> {
        pointer::hit_test(&self.browser, &self.shared, (x, y), deadline).await
    }

    fn idle_signal(&self) -> Option<watch::Receiver<IdleReport>> {
        self.idle.clone()
    }

    async fn network(&self, since_ms: u64, _deadline: Deadline) -> Result<Vec<NetworkRequest>> {
        Ok(self.log.since(since_ms))
    }

    async fn close(&self) {
        let observers = self.shared.lock().observers.clone();
        for (session, context) in observers {
            session.post(
                "Runtime.evaluate",
                serde_json::json!({ "expression": "stillpoint.stop()", "contextId": context }),
            );
        }
        self.browser.hang_up();
        let launched = self.launched.lock().await.take();
        if let Some(launched) = launched {
            launched.end().await;
        }
    }
}

impl Drop for ChromiumBackend {
    fn drop(&mut self) {
        self.browser.hang_up();
    }
}
