//! The tools that are no verbs: which targets there are, opening and closing one.

use crate::outcome::Outcome;
use crate::schema::any_object;
use crate::tools::{APP, app, tool};
use rmcp::model::{Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use stillpoint_core::{Error, Result};
use stillpoint_daemon::{Targets, sessions};
use tokio_util::sync::CancellationToken;

/// Their names, in the order in which they are listed.
pub(crate) const NAMES: [&str; 3] = ["list_targets", "open_target", "close_target"];

/// The tools that are no verbs.
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
            any_object(),
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
            any_object(),
            harmless(),
        ),
        tool(
            "close_target",
            "Lets go of a target; what Stillpoint started itself is ended. Not needed between steps.",
            object(json!({ APP: app() }), json!([])),
            any_object(),
            harmless(),
        ),
    ]
}

/// What these tools take, all together.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Params {
    settings: BTreeMap<String, String>,
}

/// Runs the tool, if it is one of these.
pub(crate) async fn run(
    name: &str,
    named: Option<&str>,
    params: Map<String, Value>,
    targets: &Targets,
    cancel: &CancellationToken,
) -> Option<Result<Outcome>> {
    if !NAMES.contains(&name) {
        return None;
    }
    let params: Params = match serde_json::from_value(Value::Object(params)) {
        Ok(params) => params,
        Err(error) => return Some(Err(misfit(name, &error))),
    };
    Some(match name {
        "list_targets" => sessions::list(targets, cancel).await.map(Outcome::from),
        "open_target" => open_target(targets, named, &params.settings, cancel).await,
        _ => sessions::close(targets, named).await.map(Outcome::from),
    })
}

fn misfit(name: &str, error: &serde_json::Error) -> Error {
    let takes = match name {
        "open_target" => "app and settings",
        "close_target" => "app",
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
