//! Snapshots as resources: one for each open target, with an update for each revision at which the UI came to rest.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};
use std::future::Future;
use stillpoint_core::{Code, Result};
use stillpoint_daemon::Targets;
use stillpoint_engine::Session;
use stillpoint_engine::verbs::{Call, Verdict, by_name};
use tokio_util::sync::CancellationToken;

const SCHEME: &str = "stillpoint://";
const SNAPSHOT: &str = "/snapshot";
const TEXT: &str = "text/plain";
/// What stays readable in a URI.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// How long one wait of a subscription lasts before it is begun anew, in milliseconds.
const ROUND: u64 = 600_000;

/// The resource of a target's snapshot.
pub(crate) fn uri(target: &str) -> String {
    format!("{SCHEME}{}{SNAPSHOT}", utf8_percent_encode(target, ESCAPED))
}

/// The target whose snapshot a resource is.
pub(crate) fn target(uri: &str) -> Option<String> {
    let encoded = uri.strip_prefix(SCHEME)?.strip_suffix(SNAPSHOT)?;
    let target = percent_decode_str(encoded).decode_utf8().ok()?;
    (!target.is_empty()).then(|| target.into_owned())
}

/// The snapshots of what is open.
pub(crate) fn list(targets: &Targets) -> Vec<Resource> {
    let of = |(target, session): (String, Session)| {
        Resource::new(uri(&target), format!("{target} snapshot"))
            .with_description(format!(
                "What {} shows now; subscribe to hear when it came to rest anew",
                session.info().name
            ))
            .with_mime_type(TEXT)
    };
    targets.sessions().into_iter().map(of).collect()
}

/// How to name the snapshot of any target.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let about = "What a target shows now, as compact text. The target's URI is percent-encoded.";
    vec![
        ResourceTemplate::new(format!("{SCHEME}{{target}}{SNAPSHOT}"), "snapshot")
            .with_description(about)
            .with_mime_type(TEXT),
    ]
}

/// The error for what is no resource of ours, or cannot be read.
pub(crate) fn not_found(uri: &str, why: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("{uri}: {why}"), Some(json!({ "uri": uri })))
}

/// The session behind a resource.
pub(crate) async fn session(
    targets: &Targets,
    uri: &str,
    cancel: &CancellationToken,
) -> Result<Session, ErrorData> {
    let target = target(uri).ok_or_else(|| {
        not_found(uri, "resources are stillpoint://TARGET/snapshot, with the target's URI percent-encoded")
    })?;
    let opened = targets.session(Some(&target), cancel).await;
    opened.map_err(|error| not_found(uri, &format!("{error}; {}", error.hint)))
}

/// Reads a snapshot.
pub(crate) async fn read(session: &Session, uri: &str, call: &Call) -> Result<ReadResourceResult, ErrorData> {
    let answer = ask(session, "snapshot", json!({}), call).await;
    let (text, _, _) = answer.map_err(|error| not_found(uri, &format!("{error}; {}", error.hint)))?;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(TEXT)]))
}

async fn ask(session: &Session, verb: &str, params: Value, call: &Call) -> Result<(String, Value, Verdict)> {
    let verb =
        by_name(verb).ok_or_else(|| stillpoint_core::Error::internal("a verb vanished from the table"))?;
    let answer = (verb.run)(session, params, call).await?;
    Ok((answer.text(), answer.json()?, answer.verdict()))
}

/// Calls `tell` whenever the UI changed and came to rest, and once more when the target is gone; ends then, when it is
/// cancelled, or when `tell` says that nobody hears it.
pub(crate) async fn follow<F: Future<Output = bool>>(session: Session, call: Call, tell: impl Fn() -> F) {
    let mut since = json!(session.revision());
    while !call.cancel.is_cancelled() {
        let params = json!({ "timeout_ms": ROUND, "since_revision": since });
        let answer = ask(&session, "wait_for_ui_change", params, &call).await;
        if call.cancel.is_cancelled() {
            return;
        }
        let heard = match answer {
            Ok((_, json, Verdict::Done)) => {
                since = json["snapshot_revision"].clone();
                tell().await
            }
            // A target that was closed ends its waits as cancelled, one that was lost as unavailable: both are news.
            _ if session.end().is_some() => {
                tell().await;
                return;
            }
            // Nothing changed, or the app does not answer: the round took its time, and the next begins.
            Ok(_) => true,
            // The baseline fell out of the history: what came since is news.
            Err(error) if error.code == Code::BaseRevisionUnavailable => {
                since = json!(session.revision());
                tell().await
            }
            Err(error) => {
                tracing::warn!(%error, target = %session.target(), "a subscription ends");
                return;
            }
        };
        if !heard {
            return;
        }
    }
}
