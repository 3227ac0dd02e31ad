//! x
use crate::engine::Desk; use crate::exit::Exit; use clap::ArgMatches;
pub(crate) async fn run(_: &Desk, _: &ArgMatches) -> anyhow::Result<Exit> { Ok(Exit::Done) }
