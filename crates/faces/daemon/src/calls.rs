//! The methods: every verb by its name, and what concerns sessions and the daemon itself.

use crate::desk::Desk;
use crate::reply::Reply;
use crate::sessions::{self, Told};
use crate::targets::{call_until, cancelled};
use crate::wire::{Form, Request, answered, refused, unknown};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use stillpoint_core::{Error, Result};
use stillpoint_engine::verbs::{VerbSpec, by_name};
use tokio_util::sync::CancellationToken;

/// How long a cancelled verb may take to say what it saw.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The line that answers a request.
pub(crate) async fn answer(desk: &Arc<Desk>, request: Request, cancel: &CancellationToken) -> String {
    let Request { id, method, params, form } = request;
    let id = id.unwrap_or(Value::Null);
    let outcome = match method.as_str() {
        "hello" => Ok(told(desk.hello(params.get("version").and_then(Value::as_str)).await, String::new())),
        "status" => Ok(status(desk)),
        "metrics" => Ok(told(json!({}), desk.metrics())),
        "stop" => {
            desk.stop();
            Ok(told(json!({ "stopping": true }), "stopping\n".to_owned()))
        }
        "list" | "open" | "close" => about_sessions(desk, &method, params, cancel).await,
        verb => match by_name(verb) {
            Some(verb) => run(desk, verb, params, form, cancel).await,
            None => return unknown(&id, &method),
        },
    };
    let line = outcome.and_then(|reply| {
        answered(&id, &reply).map_err(|e| Error::internal(format!("an answer could not be written: {e}")))
    });
    line.unwrap_or_else(|error| refused(&id, &error))
}

fn told(json: Value, text: String) -> Reply {
    Told { json, text }.into()
}

async fn about_sessions(
    desk: &Arc<Desk>,
    method: &str,
    mut params: Map<String, Value>,
    cancel: &CancellationToken,
) -> Result<Reply> {
    let _running = desk.begin()?;
    let app = app(&mut params)?;
    let settings = match params.remove("settings") {
        None | Some(Value::Null) => BTreeMap::new(),
        Some(settings) => serde_json::from_value(settings).map_err(|e| {
            Error::invalid(format!("settings do not fit: {e}"), "give an object of names and texts")
        })?,
    };
    if let Some(stray) = params.keys().next() {
        return Err(Error::invalid(format!("{method} does not take {stray:?}"), "it takes app and settings"));
    }
    let done = match method {
        "list" => sessions::list(&desk.targets, cancel).await,
        "close" => sessions::close(&desk.targets, app.as_deref()).await,
        _ => {
            let app =
                app.ok_or_else(|| Error::invalid("open needs app", "give a target's URI such as sim:login"))?;
            sessions::open(&desk.targets, &app, &settings, cancel).await
        }
    };
    done.map(Reply::from)
}

async fn run(
    desk: &Arc<Desk>,
    verb: &VerbSpec,
    mut params: Map<String, Value>,
    form: Form,
    cancel: &CancellationToken,
) -> Result<Reply> {
    let _running = desk.begin()?;
    let app = app(&mut params)?;
    let session = desk.targets.session(app.as_deref(), cancel).await?;
    let call = call_until(cancel.clone());
    let answer = tokio::select! {
        answer = (verb.run)(&session, Value::Object(params), &call) => answer?,
        () = given_up(cancel) => return Err(cancelled()),
    };
    Reply::of(&*answer, form)
}

async fn given_up(cancel: &CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(LAST_WORDS).await;
}

/// Takes `app` out of the parameters.
fn app(params: &mut Map<String, Value>) -> Result<Option<String>> {
    match params.remove("app") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(app)) => Ok(Some(app)),
        Some(other) => Err(Error::invalid(
            format!("app is {other}, which is not a target's URI"),
            "give a string such as sim:login",
        )),
    }
}

fn status(desk: &Desk) -> Reply {
    let status = desk.status();
    let mut text = String::new();
    let seconds = status["uptime_ms"].as_u64().unwrap_or_default() / 1000;
    let _ = writeln!(
        text,
        "stillpoint {} · pid {} · up {} · {} calls, {} running{}",
        status["version"].as_str().unwrap_or_default(),
        status["pid"],
        duration(seconds),
        status["calls"],
        status["running"],
        if status["finishing"] == true { " · finishing" } else { "" }
    );
    let sessions = status["sessions"].as_array();
    for session in sessions.into_iter().flatten() {
        let app = session["app"].as_str().unwrap_or_default();
        let _ = writeln!(text, "  {app} rev {}", session["snapshot_revision"]);
    }
    told(status, text)
}

fn duration(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}
