//! The tools that are no verbs: which targets there are, opening and closing one, and its picture.

use crate::outcome::Outcome;
use crate::tools::{APP, app, tool};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{ContentBlock, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use stillpoint_core::select::{SelectorInput, Visibility, resolve_one};
use stillpoint_core::{Error, Result};
use stillpoint_daemon::{Targets, cancelled, sessions};
use stillpoint_engine::backend::{Deadline, unsupported};
use tokio_util::sync::CancellationToken;

/// How long taking a picture may take.
const PICTURE: Duration = Duration::from_secs(10);

/// The tools that are no verbs; the screenshot is the last.
pub(crate) fn list() -> Vec<Tool> {
    let object = |properties: Value, required: Value| {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), properties);
        if required != json!([]) {
            schema.insert("required".to_owned(), required);
        }
        schema
    };
    let looks = || ToolAnnotations::new().read_only(true);
    let harmless = || ToolAnnotations::new().destructive(false).idempotent(true);
    vec![
        tool(
            "list_targets",
            "Lists what can be opened now, and what is open. Use it when you do not know a target's URI; not to see a \
             UI, that is snapshot.",
            object(json!({}), json!([])),
            object(json!({ "open": { "type": "array" }, "targets": { "type": "array" } }), json!([])),
            looks(),
        ),
        tool(
            "open_target",
            "Opens a target and keeps following it. Other tools open theirs on first use; use this to pass settings, or \
             to open a lost target again.",
            object(
                json!({
                    APP: { "type": "string", "description": "URI such as app:gedit, app:pid=4242, web:http://…, sim:login" },
                    "settings": { "type": "object", "description": "Settings of the backend, by name" },
                }),
                json!([APP]),
            ),
            object(
                json!({ APP: { "type": "string" }, "snapshot_revision": { "type": "integer" } }),
                json!([]),
            ),
            harmless(),
        ),
        tool(
            "close_target",
            "Lets go of a target; what Stillpoint started itself is ended. Not needed between steps.",
            object(json!({ APP: app() }), json!([])),
            object(json!({ "closed": { "type": "string" } }), json!([])),
            harmless(),
        ),
        tool(
            "screenshot",
            "Takes a picture (PNG) of the target or of one element. Use it for what only eyes can judge; to find, read \
             or verify elements, snapshot and expect_state are cheaper and exact.",
            object(json!({ "selector": { "type": ["string", "object"] }, APP: app() }), json!([])),
            object(json!({ "bytes": { "type": "integer" } }), json!([])),
            looks(),
        ),
    ]
}

/// What these tools take, all together.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Params {
    settings: BTreeMap<String, String>,
    selector: Option<SelectorInput>,
}

/// Runs the tool, if it is one of these.
pub(crate) async fn run(
    name: &str,
    named: Option<&str>,
    params: Map<String, Value>,
    targets: &Targets,
    cancel: &CancellationToken,
) -> Option<Result<Outcome>> {
    if !["list_targets", "open_target", "close_target", "screenshot"].contains(&name) {
        return None;
    }
    let params: Params = match serde_json::from_value(Value::Object(params)) {
        Ok(params) => params,
        Err(error) => return Some(Err(misfit(name, &error))),
    };
    Some(match name {
        "list_targets" => sessions::list(targets, cancel).await.map(Outcome::from),
        "open_target" => open_target(targets, named, &params.settings, cancel).await,
        "close_target" => sessions::close(targets, named).await.map(Outcome::from),
        _ => screenshot(targets, named, params.selector.as_ref(), cancel).await,
    })
}

fn misfit(name: &str, error: &serde_json::Error) -> Error {
    let takes = match name {
        "open_target" => "app and settings",
        "close_target" => "app",
        "screenshot" => "app and selector",
        _ => "nothing",
    };
    Error::invalid(format!("the parameters of {name} do not fit: {error}"), format!("it takes {takes}"))
}

async fn open_target(
    targets: &Targets,
    named: Option<&str>,
    settings: &BTreeMap<String, String>,
    cancel: &CancellationToken,
) -> Result<Outcome> {
    let app = named.ok_or_else(|| Error::invalid("open_target needs app", "list_targets tells the URIs"))?;
    Ok(sessions::open(targets, app, settings, cancel).await?.into())
}

async fn screenshot(
    targets: &Targets,
    named: Option<&str>,
    selector: Option<&SelectorInput>,
    cancel: &CancellationToken,
) -> Result<Outcome> {
    let session = targets.session(named, cancel).await?;
    if !session.capabilities().screenshots {
        return Err(unsupported("pictures"));
    }
    let of = match selector.map(SelectorInput::selector).transpose()? {
        None => None,
        Some(selector) => session.read(|tree| {
            let found = resolve_one(tree, &selector, Visibility::Any)?;
            Ok::<_, Error>(tree.get(found.id).map(stillpoint_core::tree::Node::key))
        })?,
    };
    let deadline = Deadline::after(PICTURE);
    let png = tokio::select! {
        png = deadline.bound("taking a picture", session.backend().screenshot(of, deadline)) => png?,
        () = cancel.cancelled() => return Err(cancelled()),
    };
    let json = json!({ "bytes": png.len(), "snapshot_revision": session.revision() });
    let picture = ContentBlock::image(STANDARD.encode(&png), "image/png");
    Ok(Outcome::told(json, format!("a picture at rev {}\n", session.revision())).with(picture))
}
