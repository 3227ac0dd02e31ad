//! What can be asked about sessions rather than of one: which targets there are, opening one, closing one.

use crate::targets::{Targets, cancelled};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use stillpoint_core::Result;
use stillpoint_engine::Session;
use stillpoint_engine::backend::TargetInfo;
use tokio_util::sync::CancellationToken;

/// Something to tell, for programs and for people.
#[derive(Clone, Debug)]
pub struct Told {
    /// For programs.
    pub json: Value,
    /// For people, as compact text.
    pub text: String,
}

/// What can be opened now, and what is open.
pub async fn list(targets: &Targets, cancel: &CancellationToken) -> Result<Told> {
    let found = tokio::select! {
        found = targets.engine().list() => found,
        () = cancel.cancelled() => return Err(cancelled()),
    };
    let open = targets.sessions();
    let mut text = String::new();
    for (uri, session) in &open {
        line(&mut text, &format!("open {uri} rev {}", session.revision()), session.info());
    }
    for info in found.iter().filter(|info| !open.contains_key(&info.target)) {
        line(&mut text, &format!("{} {}", info.target, info.name), info);
    }
    Ok(Told { json: json!({ "open": described(targets), "targets": found }), text })
}

/// Opens a target, or finds it open.
pub async fn open(
    targets: &Targets,
    app: &str,
    settings: &BTreeMap<String, String>,
    cancel: &CancellationToken,
) -> Result<Told> {
    let session = targets.open(app, settings, cancel).await?;
    let uri = session.target().to_string();
    let mut text = String::new();
    line(&mut text, &format!("open {uri} rev {}", session.revision()), session.info());
    Ok(Told { json: describe(&uri, &session), text })
}

/// Closes a target: the named one, or the only one.
pub async fn close(targets: &Targets, app: Option<&str>) -> Result<Told> {
    let closed = targets.close(app).await?;
    let text = format!("closed {closed}\n");
    Ok(Told { json: json!({ "closed": closed }), text })
}

/// The open sessions, for programs.
pub(crate) fn described(targets: &Targets) -> Vec<Value> {
    targets.sessions().iter().map(|(uri, session)| describe(uri, session)).collect()
}

fn describe(uri: &str, session: &Session) -> Value {
    json!({
        "app": uri,
        "name": session.info().name,
        "windows": session.info().windows,
        "snapshot_revision": session.revision(),
        "capabilities": session.capabilities(),
    })
}

fn line(out: &mut String, head: &str, info: &TargetInfo) {
    out.push_str(head);
    for window in &info.windows {
        let _ = write!(out, " {window:?}");
    }
    out.push('\n');
}
