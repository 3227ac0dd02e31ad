//! JSON-RPC 2.0, one object on each line.

use crate::reply::Reply;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stillpoint_core::{Code, Error};

/// The longest line that a daemon reads: a flow of 50 steps is a few kilobytes.
pub(crate) const LONGEST_REQUEST: usize = 1 << 20;
/// The longest line that a client reads: snapshots can be large.
pub(crate) const LONGEST_REPLY: usize = 64 << 20;

/// Gives up a call: a notification with the call's `id`.
pub(crate) const CANCEL: &str = "$/cancel";

/// The JSON-RPC code of an error that is told in full in `data`.
const TOLD: i64 = -32000;
const PARSE: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;

/// What a client sends.
#[derive(Debug)]
pub(crate) struct Request {
    /// `None` for a notification, which is not answered.
    pub(crate) id: Option<Value>,
    pub(crate) method: String,
    pub(crate) params: Map<String, Value>,
    pub(crate) form: Form,
}

/// How a caller will tell the answer. What it will not tell is neither made nor sent: of a snapshot, each form is most
/// of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// As an object and in words.
    #[default]
    Both,
    /// As an object.
    Json,
    /// In words.
    Text,
}

/// Reads a line; what is no request is answered with what it gives back.
pub(crate) fn read(line: &str) -> Result<Request, String> {
    let message: Value =
        serde_json::from_str(line).map_err(|e| failed(&Value::Null, PARSE, &e.to_string()))?;
    let id = message.get("id").cloned();
    let reply_to = id.clone().unwrap_or(Value::Null);
    let wrong = |why: &str| failed(&reply_to, INVALID_REQUEST, why);
    if message["jsonrpc"] != "2.0" {
        return Err(wrong("jsonrpc must be \"2.0\""));
    }
    if !id.as_ref().is_none_or(|id| id.is_number() || id.is_string()) {
        return Err(failed(&Value::Null, INVALID_REQUEST, "id must be a number or a string"));
    }
    let Some(method) = message["method"].as_str() else { return Err(wrong("method must be a string")) };
    let params = match message.get("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => params.clone(),
        Some(_) => return Err(wrong("params must be an object")),
    };
    let form = match message.get("form") {
        None => Form::Both,
        Some(form) => Form::deserialize(form).map_err(|_| wrong("form must be both, json or text"))?,
    };
    Ok(Request { id, method: method.to_owned(), params, form })
}

/// The line of an answer, written without a copy of it.
pub(crate) fn answered(id: &Value, result: &impl Serialize) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Answered<'a, T> {
        jsonrpc: &'static str,
        id: &'a Value,
        result: &'a T,
    }
    serde_json::to_string(&Answered { jsonrpc: "2.0", id, result })
}

/// The line of an error of ours.
pub(crate) fn refused(id: &Value, error: &Error) -> String {
    let told = Failure::from(error.clone());
    json!({ "jsonrpc": "2.0", "id": id, "error": told }).to_string()
}

/// The line for a method that does not exist.
pub(crate) fn unknown(id: &Value, method: &str) -> String {
    failed(id, METHOD_NOT_FOUND, &format!("there is no method {method:?}"))
}

/// The line for a request that is too long to be read.
pub(crate) fn too_long() -> String {
    failed(&Value::Null, INVALID_REQUEST, &format!("a request is longer than {LONGEST_REQUEST} bytes"))
}

fn failed(id: &Value, code: i64, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
}

/// The line of a call.
pub(crate) fn call(id: u64, method: &str, params: &Value, form: Form) -> String {
    let mut line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    // A daemon of before forms gives both.
    if form != Form::Both {
        line["form"] = json!(form);
    }
    line.to_string()
}

/// The line that gives up a call.
pub(crate) fn cancel(id: u64) -> String {
    json!({ "jsonrpc": "2.0", "method": CANCEL, "params": { "id": id } }).to_string()
}

/// What a daemon sends.
#[derive(Debug, Deserialize)]
pub(crate) struct Response {
    pub(crate) id: Option<u64>,
    #[serde(default)]
    pub(crate) result: Option<Reply>,
    #[serde(default)]
    pub(crate) error: Option<Failure>,
}

/// An error as JSON-RPC has it.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Failure {
    pub(crate) code: i64,
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) data: Value,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure { code: TOLD, message: error.to_string(), data: json!(error) }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        serde_json::from_value(failure.data).unwrap_or_else(|_| match failure.code {
            METHOD_NOT_FOUND => Error::invalid(failure.message, "`stillpoint --help` lists what there is"),
            _ => Error::new(
                Code::Protocol,
                failure.message,
                "the daemon and its client disagree; `stillpoint serve --stop` ends it",
            ),
        })
    }
}
