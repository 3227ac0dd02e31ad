//! `stillpoint mcp` and `stillpoint serve`: the engine for agents, and sessions that live on between calls.

use crate::engine::{Desk, engine};
use crate::exit::Exit;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::net::SocketAddr;
use std::sync::Arc;
use stillpoint_core::{Error, Result};
use stillpoint_daemon::{Client, Place, ServeOptions};
use stillpoint_mcp::{HttpOptions, Options, ToolSet};

/// The token's variable, so that it need not stand on a command line that others can read.
const TOKEN: &str = "STILLPOINT_TOKEN";

/// The commands of this room.
pub(crate) fn commands() -> [Command; 2] {
    let mcp = Command::new("mcp")
        .about("A Model Context Protocol server over standard input and output, or over HTTP")
        .arg(
            Arg::new("http").long("http").value_name("ADDR").value_parser(value_parser!(SocketAddr)).help(
                format!("Listen there instead, such as 127.0.0.1:8931; the token is taken from {TOKEN}"),
            ),
        )
        .arg(
            Arg::new("tools")
                .long("tools")
                .value_name("SET")
                .default_value("usual")
                .help("Which tools are listed: usual, or all"),
        )
        .args_conflicts_with_subcommands(true)
        .subcommand(crate::install::command());
    let serve = Command::new("serve")
        .about("Hold sessions between calls; started by itself for every target but the simulator's")
        .arg(
            Arg::new("status")
                .long("status")
                .action(ArgAction::SetTrue)
                .help("Say what the running one holds"),
        )
        .arg(
            Arg::new("stop")
                .long("stop")
                .action(ArgAction::SetTrue)
                .help("End the running one")
                .conflicts_with("status"),
        )
        .arg(
            Arg::new("metrics_listen")
                .long("metrics-listen")
                .value_name("ADDR")
                .value_parser(value_parser!(SocketAddr))
                .help(format!("Tell Prometheus metrics there; the token is taken from {TOKEN}")),
        );
    [mcp, serve]
}

fn token() -> Result<String> {
    std::env::var(TOKEN).map_err(|_| {
        Error::invalid(
            format!("listening needs a token, and {TOKEN} is not set"),
            format!("set {TOKEN} to at least 16 characters that only your clients know"),
        )
    })
}

/// Serves agents until they are gone, or writes down for a client how to start that.
pub(crate) async fn mcp(desk: &Desk, matches: &ArgMatches) -> anyhow::Result<Exit> {
    if let Some(("install", matches)) = matches.subcommand() {
        return crate::install::run(desk, matches);
    }
    let tools: ToolSet = matches.get_one::<String>("tools").map_or("usual", String::as_str).parse()?;
    let options = Options { tools };
    let engine = Arc::new(engine(crate::policy::load()?));
    match matches.get_one::<SocketAddr>("http") {
        None => stillpoint_mcp::serve_stdio(engine.clone(), options, desk.cancel.clone()).await?,
        Some(addr) => {
            let http = HttpOptions { addr: *addr, token: token()?, hosts: Vec::new(), options };
            let server = stillpoint_mcp::HttpServer::bind(engine.clone(), http).await?;
            desk.out.note(&format!("listening on {}", server.url()));
            server.run(desk.cancel.clone()).await?;
        }
    }
    engine.shut_down().await;
    Ok(if desk.cancel.is_cancelled() { Exit::Interrupted } else { Exit::Done })
}

/// Holds sessions, or asks the one that does.
pub(crate) async fn serve(desk: &Desk, matches: &ArgMatches) -> anyhow::Result<Exit> {
    let asked = [("status", "status"), ("stop", "stop")].into_iter().find(|(flag, _)| matches.get_flag(flag));
    if let Some((_, method)) = asked {
        let Some(client) = Client::connect(&Place::of_user()).await? else {
            desk.out.note("no daemon is running");
            return Ok(Exit::Done);
        };
        let reply = client.call(method, serde_json::Value::Null, &desk.cancel).await?;
        return desk.out.answer(&reply);
    }
    let metrics = match matches.get_one::<SocketAddr>("metrics_listen") {
        None => None,
        Some(addr) => Some(stillpoint_daemon::MetricsOptions { addr: *addr, token: token()? }),
    };
    let options = ServeOptions { metrics, ..ServeOptions::default() };
    stillpoint_daemon::serve(Arc::new(engine(crate::policy::load()?)), options, desk.cancel.clone()).await?;
    Ok(Exit::Done)
}
