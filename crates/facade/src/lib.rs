//! UI automation without sleeps.
//!
//! Stillpoint keeps a live mirror of an app's accessibility tree, numbers every meaningful change, knows when the UI has
//! come to rest, acts only on what it is sure of, and proves what the action did.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> stillpoint::Result<()> {
//! use serde_json::json;
//!
//! let app = stillpoint::open("sim:login").await?;
//! app.ask("type_text", json!({ "selector": "textbox \"Username\"", "text": "ada" })).await?;
//! app.ask("type_text", json!({ "selector": "textbox \"Password\"", "text": "engine" })).await?;
//! let done = app.ask("tap", json!({ "selector": "button \"Sign in\"", "expect": "heading \"Welcome, ada\"" })).await?;
//! assert_eq!(done.json()?["lifecycle_state"], "verified");
//! println!("{}", app.ask("snapshot", json!({})).await?.text());
//! # app.close().await; Ok(()) }
//! ```
//!
//! [`open`] attaches to a target: `sim:login`, `app:gedit`, `app:pid=4242`, `web:https://…`, `cdp:9222`,
//! `agent:HOST:PORT`. [`App::ask`] does a
//! verb of [`verbs`] with parameters as JSON, as every other face does; a verb can be called with its own types too, as
//! in `verbs::TakeSnapshot::run`.

pub use stillpoint_core::{Code, Error, Result, Target, judge, render, revise, select, settle, tree};
pub use stillpoint_engine::{Engine, Session, act, backend, telemetry, verbs};

use backend::AttachOptions;
use serde_json::Value;
use verbs::{Answer, Call};

/// An engine that can open every kind of target of this build.
pub fn engine() -> Engine {
    let engine = Engine::new()
        .with(stillpoint_sim::Sim::new())
        .with(stillpoint_chromium::Chromium::new())
        .with(stillpoint_agent::Agent::new());
    #[cfg(target_os = "linux")]
    let engine = engine.with(stillpoint_atspi::AtspiConnector::from_env());
    engine
}

/// Attaches to a target.
pub async fn open(target: &str) -> Result<App> {
    let target: Target = target.parse()?;
    let session = engine().open(&target, &AttachOptions::default()).await?;
    Ok(App { session })
}

/// An app that is attached to. Clones share it.
#[derive(Clone)]
pub struct App {
    session: Session,
}

impl App {
    /// Does a verb with its parameters as JSON.
    pub async fn ask(&self, verb: &str, params: Value) -> Result<Box<dyn Answer>> {
        let spec = verbs::by_name(verb).ok_or_else(|| {
            let names: Vec<&str> = verbs::table().iter().map(|v| v.name).collect();
            Error::invalid(
                format!("there is no verb {verb:?}"),
                format!("the verbs are {}", names.join(", ")),
            )
        })?;
        (spec.run)(&self.session, params, &Call::default()).await
    }

    /// The session behind it: snapshots, deltas, waits and the backend.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Lets go of the app.
    pub async fn close(&self) {
        self.session.close().await;
    }
}
