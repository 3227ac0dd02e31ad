//! Which engine a call goes to: the daemon's, whose sessions live on, or one of this process.

use crate::grammar::{DAEMON, NO_DAEMON, SETTING, SYNC};
use crate::program;
use clap::ArgMatches;
use serde_json::Value;
use stillpoint_core::{Code, Result, Target};
use stillpoint_daemon::{Client, Form, Place, Reply};
use tokio_util::sync::CancellationToken;

/// `1` sends every call to the daemon, `0` none.
const VARIABLE: &str = "STILLPOINT_DAEMON";

/// Whether a call for this target goes to the daemon.
///
/// Apps, pages and agents do: their mirrors stay warm and revisions carry over. A scene of the simulator plays from
/// the moment of attachment, so each call gets one of its own; so does a call that says how to attach, for a session
/// that is open already could not heed it.
pub(crate) fn to_daemon(matches: &ArgMatches, target: &Target) -> bool {
    if matches.get_flag(NO_DAEMON) {
        return false;
    }
    if matches.get_flag(DAEMON) {
        return true;
    }
    match std::env::var(VARIABLE).as_deref() {
        Ok("1" | "true" | "yes" | "on") => true,
        Ok("0" | "false" | "no" | "off") => false,
        _ => {
            target.scheme() != "sim"
                && !matches.contains_id(SETTING)
                && !matches.try_contains_id(SYNC).unwrap_or(false)
        }
    }
}

/// The daemon, started if none runs.
async fn daemon() -> Result<Client> {
    Client::connect_or_start(&Place::of_user(), program::path()?, &["serve"]).await
}

/// Calls the daemon for an answer in this form. One that was just coming to its end took nothing, so another one is asked.
pub(crate) async fn call(
    form: Form,
    method: &str,
    params: Value,
    cancel: &CancellationToken,
) -> Result<Reply> {
    match daemon().await?.call_for(form, method, params.clone(), cancel).await {
        Err(error) if error.code == Code::AgentUnavailable && error.details["taken"] == false => {
            daemon().await?.call_for(form, method, params, cancel).await
        }
        answered => answered,
    }
}
