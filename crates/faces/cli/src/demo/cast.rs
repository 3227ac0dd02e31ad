//! Who plays in the demo: the simulated app, or a real one in a private desktop of its own.

use crate::engine::{Desk, open};
use serde_json::{Value, json};
use stillpoint_core::Result;
use stillpoint_engine::Session;
use stillpoint_engine::backend::AttachOptions;

/// An app that can be signed in to.
pub(super) struct Cast {
    /// The app.
    pub(super) session: Session,
    /// What it is, in words.
    pub(super) what: String,
    /// A password that it takes.
    pub(super) password: &'static str,
    /// What greets whoever signed in.
    pub(super) welcome: &'static str,
    /// What must be true in the end, as verbs with their parameters.
    pub(super) claims: Vec<(&'static str, Value)>,
    /// Whatever must live as long as the app.
    _stage: Option<Box<dyn std::any::Any + Send>>,
}

fn claims(welcome: &str) -> Vec<(&'static str, Value)> {
    let signed_in = json!({ "selector": "button \"Sign out\"", "property": "enabled", "expected": true });
    vec![("expect_element_visible", json!({ "selector": welcome })), ("expect_state", signed_in)]
}

/// The simulated app.
pub(super) async fn simulated(desk: &Desk) -> Result<Cast> {
    let target = "sim:login".parse()?;
    let session = open(&desk.engine, &target, &AttachOptions::default(), &desk.cancel).await?;
    let welcome = "heading \"Welcome, ada\"";
    let mut claims = claims(welcome);
    claims.push(("expect_screen", json!({ "title": "Orders" })));
    Ok(Cast {
        session,
        what: "sim:login · a simulated app in real time".to_owned(),
        password: "correct horse",
        welcome,
        claims,
        _stage: None,
    })
}

/// A real GTK app in a private desktop.
#[cfg(target_os = "linux")]
pub(super) async fn on_a_desktop(desk: &Desk) -> anyhow::Result<Cast> {
    use stillpoint_engine::Engine;
    use stillpoint_lab::{Desktop, Fixture};

    let started = tokio::task::spawn_blocking(|| {
        let desktop = Desktop::builder().size(900, 700).start()?;
        let app = desktop.fixture_with(Fixture::Gtk3, &["--delay-min", "350", "--delay-max", "450"])?;
        Ok::<_, stillpoint_lab::LabError>((desktop, app))
    });
    let (desktop, app) = started.await??;
    let place = stillpoint_atspi::Desktop {
        accessibility_bus: Some(desktop.a11y_address().to_owned()),
        session_bus: Some(desktop.session_address()),
        display: Some(desktop.display()),
    };
    let engine = Engine::new().with(stillpoint_atspi::AtspiConnector::on(place));
    let target = format!("app:pid={}", app.pid()).parse()?;
    let session = open(&engine, &target, &AttachOptions::default(), &desk.cancel).await?;
    let welcome = "\"Welcome, ada\"";
    Ok(Cast {
        session,
        what: format!("a real GTK 3 app in a private desktop ({})", desktop.display()),
        password: "secret",
        welcome,
        claims: claims(welcome),
        // The app goes before its desktop.
        _stage: Some(Box::new((app, desktop, engine))),
    })
}

/// A real app cannot be had here.
#[cfg(not(target_os = "linux"))]
pub(super) async fn on_a_desktop(_: &Desk) -> anyhow::Result<Cast> {
    anyhow::bail!("private desktops are there on Linux only; `stillpoint demo` plays on the simulator")
}
