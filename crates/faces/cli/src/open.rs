//! `stillpoint open` and `stillpoint close`: a session that the daemon holds from now on, and its end.

use crate::call;
use crate::engine::Desk;
use crate::exit::Exit;
use crate::paint::{self, BOLD, DIM, RESET};
use crate::progress;
use crate::route;
use clap::ArgMatches;
use serde_json::json;
use stillpoint_daemon::Form;
use stillpoint_engine::verbs::Answer;

/// Attaches in the daemon, and tells what is there.
pub(crate) async fn open(desk: &Desk, matches: &ArgMatches) -> anyhow::Result<Exit> {
    let target = call::target(matches)?.to_string();
    let settings = call::options(matches)?.settings;
    let asked = json!({ "app": target, "settings": settings });
    let opening = route::call(Form::Json, "open", asked, &desk.cancel);
    let session = progress::during(None, &format!("open {target}"), opening).await?.into_json();
    let looking = route::call(desk.out.form(), "snapshot", json!({ "app": target }), &desk.cancel).await?;
    if desk.out.json {
        desk.out.value(&json!({ "session": session, "snapshot": looking.json()? }))?;
        return Ok(Exit::Done);
    }
    desk.out.text(&paint::answer(&looking.text()))?;
    desk.out.note(&format!(
        "{BOLD}{target}{RESET} is open: later calls name it so. {DIM}`stillpoint close {target}` lets go of it.{RESET}"
    ));
    Ok(Exit::Done)
}

/// Lets go of a session that the daemon holds.
pub(crate) async fn close(desk: &Desk, matches: &ArgMatches) -> anyhow::Result<Exit> {
    let target = call::target(matches)?.to_string();
    let reply = route::call(desk.out.form(), "close", json!({ "app": target }), &desk.cancel).await?;
    desk.out.answer(&reply)
}
