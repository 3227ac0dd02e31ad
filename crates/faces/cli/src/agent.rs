//! `stillpoint agent serve`: a target of this machine, for whoever drives it from another one.

use crate::engine::Desk;
use crate::exit::Exit;
use crate::grammar::{SETTING, setting};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use stillpoint_agent::{AgentBuilder, DEFAULT_PORT, ServerOptions, ServerTls, Token};
use stillpoint_chromium::Chromium;
use stillpoint_core::{Error, Result, Target};
use stillpoint_sim::Sim;

/// The fewest characters that are worth to be called a token.
const SHORTEST: usize = 16;

/// The command.
pub(crate) fn command() -> Command {
    let file = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
    };
    let serve = Command::new("serve")
        .about("Serve a target of this machine, to be driven as agent:HOST:PORT")
        .arg(
            Arg::new("target")
                .long("target")
                .value_name("TARGET")
                .required(true)
                .help("What to serve: sim:login, app:gedit, web:http://…"),
        )
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDR")
                .value_parser(value_parser!(SocketAddr))
                .default_value(format!("127.0.0.1:{DEFAULT_PORT}"))
                .help("Where to listen; anything but loopback needs a token and TLS"),
        )
        .arg(file("token-file", "The secret that clients must show, alone in a file"))
        .arg(file("tls-cert", "The certificate with its chain, in PEM").requires("tls-key"))
        .arg(file("tls-key", "The certificate's private key, in PEM").requires("tls-cert"))
        .arg(
            Arg::new("allow-plaintext")
                .long("allow-plaintext")
                .action(ArgAction::SetTrue)
                .help("Listen beyond loopback without TLS, behind a tunnel of your own"),
        )
        .arg(setting())
        .after_help(crate::help::examples("agent"));
    Command::new("agent")
        .about("Drive this machine's targets from another one")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(serve)
}

/// Serves until it is interrupted.
pub(crate) async fn run(desk: &Desk, matches: &ArgMatches) -> anyhow::Result<Exit> {
    // The grammar requires the one subcommand that there is.
    let matches = matches.subcommand_matches("serve").unwrap_or(matches);
    let target: Target = matches.get_one::<String>("target").map_or("", String::as_str).parse()?;
    let listen =
        matches.get_one::<SocketAddr>("listen").copied().ok_or_else(|| Error::internal("no address"))?;
    let attach = crate::call::settings(matches.get_many::<String>(SETTING).into_iter().flatten())?;
    let options = ServerOptions {
        token: matches.get_one::<PathBuf>("token-file").map(|file| token(file)).transpose()?,
        tls: tls(matches)?,
        allow_plaintext: matches.get_flag("allow-plaintext"),
        ..ServerOptions::default()
    };
    let builder = AgentBuilder::new().under(crate::policy::load()?).with(Sim::new()).with(Chromium::new());
    #[cfg(target_os = "linux")]
    let builder = builder.with(stillpoint_atspi::AtspiConnector::from_env());
    let secret = if options.tls.is_some() { ", TLS" } else { "" };
    let server = tokio::select! {
        server = builder.serve(&target, attach, listen, options) => server?,
        () = desk.cancel.cancelled() => return Err(crate::engine::interrupted().into()),
    };
    let addr = server.local_addr();
    if desk.out.json {
        desk.out
            .value(&serde_json::json!({ "listening": addr.to_string(), "target": target.to_string() }))?;
    }
    desk.out.note(&format!("serving {target} on {addr}{secret}"));
    server.run(desk.cancel.clone()).await;
    Ok(Exit::Interrupted)
}

fn tls(matches: &ArgMatches) -> Result<Option<ServerTls>> {
    let file = |name: &str| matches.get_one::<PathBuf>(name);
    match (file("tls-cert"), file("tls-key")) {
        (Some(certificate), Some(key)) => Ok(Some(ServerTls::from_pem_files(certificate, key)?)),
        _ => Ok(None),
    }
}

fn token(file: &Path) -> Result<Token> {
    let refused = |why: &str| {
        let hint = format!("put at least {SHORTEST} characters that only your clients know into the file");
        Error::invalid(format!("the token in {} {why}", file.display()), hint)
    };
    let text = std::fs::read_to_string(file).map_err(|why| refused(&format!("cannot be read: {why}")))?;
    let text = text.trim();
    if text.chars().count() < SHORTEST {
        return Err(refused("is too short"));
    }
    Ok(Token::new(text))
}
