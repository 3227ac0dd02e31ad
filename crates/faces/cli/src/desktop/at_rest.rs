//! When does the first window of a desktop stand still? Told by the display and by the app's accessibility tree.

use super::explain;
use serde_json::json;
use std::sync::Arc;
use stillpoint_atspi::AtspiConnector;
use stillpoint_core::{Code, Error, Target};
use stillpoint_engine::Engine;
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::verbs::{self, Call};
use stillpoint_lab::{Desktop, Window};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConnectionExt, EventMask};

/// How it was found.
pub(super) enum Rest {
    /// Its tree is at rest.
    Proven,
    /// A window is there, but its app does not tell; with the reason.
    Unknown(String),
}

/// Waits until a window is there and its app is at rest.
pub(super) async fn first_window(desktop: &Arc<Desktop>) -> anyhow::Result<Rest> {
    let looking = desktop.clone();
    let window = tokio::task::spawn_blocking(move || appears(&looking)).await??;
    Ok(match settled(desktop, &window).await {
        Ok(()) => Rest::Proven,
        Err(error) => Rest::Unknown(error.message),
    })
}

/// Blocks until the window manager lists a window. Every change of its list is an event, so nothing is polled.
fn appears(desktop: &Desktop) -> anyhow::Result<Window> {
    let (display, screen) = x11rb::connect(Some(&desktop.display()))?;
    let root = display.setup().roots[screen].root;
    let listen = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    display.change_window_attributes(root, &listen)?.check()?;
    loop {
        if let Some(window) = desktop.windows().map_err(|error| explain(&error))?.into_iter().next() {
            return Ok(window);
        }
        display.wait_for_event()?;
    }
}

async fn settled(desktop: &Desktop, window: &Window) -> stillpoint_core::Result<()> {
    let Some(pid) = window.pid else {
        let hint = "the picture is taken all the same";
        return Err(Error::new(Code::TargetNotFound, "the window does not say whose it is", hint));
    };
    let place = stillpoint_atspi::Desktop {
        accessibility_bus: Some(desktop.a11y_address().to_owned()),
        session_bus: Some(desktop.session_address()),
        display: Some(desktop.display()),
    };
    let engine = Engine::new().with(AtspiConnector::on(place));
    let target: Target = format!("app:pid={pid}").parse()?;
    let session = engine.open(&target, &AttachOptions::default()).await?;
    let verb = verbs::by_name("wait_for_idle").ok_or_else(|| Error::internal("the engine cannot wait"))?;
    let answer = (verb.run)(&session, json!({}), &Call::default()).await;
    engine.shut_down().await;
    answer?.error().map_or(Ok(()), Err)
}
