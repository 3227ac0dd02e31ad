//! `stillpoint trace show FILE`: the story of a session that was recorded.

use crate::engine::Desk;
use crate::exit::Exit;
use clap::{Arg, ArgMatches, Command, value_parser};
use std::path::PathBuf;
use stillpoint_engine::trace;

/// The command of this room.
pub(crate) fn command() -> Command {
    let file = Arg::new("file").value_name("FILE").required(true).value_parser(value_parser!(PathBuf));
    Command::new("trace")
        .about("What happened in a session that was recorded with --attach-option trace=FILE")
        .subcommand_required(true)
        .subcommand(Command::new("show").about("Tell it as a story").arg(file))
}

/// Tells the story.
pub(crate) fn run(desk: &Desk, matches: &ArgMatches) -> anyhow::Result<Exit> {
    let Some(("show", matches)) = matches.subcommand() else { return Ok(Exit::Usage) };
    let Some(file) = matches.get_one::<PathBuf>("file") else { return Ok(Exit::Usage) };
    let entries = trace::read(file)?;
    if desk.out.json {
        desk.out.value(&serde_json::to_value(&entries)?)?;
    } else {
        desk.out.text(&trace::story(&entries))?;
    }
    Ok(Exit::Done)
}
