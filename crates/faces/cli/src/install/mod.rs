//! `stillpoint mcp install CLIENT`: writes the server into a client's configuration, after asking.

mod clients;
mod merge;

use crate::engine::Desk;
use crate::exit::Exit;
use crate::paint::{BOLD, DIM, RESET};
use crate::program;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use clients::{CLIENTS, Client};
use serde_json::json;
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use stillpoint_core::{Error, Result};

/// The command of this room.
pub(crate) fn command() -> Command {
    let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
    let switch =
        |id: &'static str, help: &'static str| Arg::new(id).long(id).action(ArgAction::SetTrue).help(help);
    Command::new("install")
        .about("Write the server into the configuration of an MCP client; asks first")
        .arg(Arg::new("client").value_name("CLIENT").required(true).help(names.join(", ")))
        .arg(switch("print", "Only show what the configuration would be"))
        .arg(switch("yes", "Do not ask"))
        .arg(
            Arg::new("file")
                .long("file")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Another file than the client's own"),
        )
}

/// Shows it, or asks and writes.
pub(crate) fn run(desk: &Desk, matches: &ArgMatches) -> anyhow::Result<Exit> {
    let client = Client::named(matches.get_one::<String>("client").map_or("", String::as_str))?;
    let named = match matches.get_one::<PathBuf>("file") {
        Some(file) => file.clone(),
        None => client.path()?,
    };
    // A link stays a link: what it leads to is written.
    let path = std::fs::canonicalize(&named).unwrap_or(named);
    let before = match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(unwritable(&path, &error).into()),
    };
    let program = program::path()?.to_string_lossy().into_owned();
    let after = merge::with_server(before.as_deref().unwrap_or_default(), client.form, &program)?;
    if matches.get_flag("print") {
        desk.out.note(&format!("{DIM}{}{RESET}", path.display()));
        desk.out.text(&after)?;
        return Ok(Exit::Done);
    }
    let changed = before.as_deref() != Some(after.as_str());
    let mut backup = None;
    if changed {
        if !matches.get_flag("yes") && !permitted(&path, before.is_some())? {
            desk.out.note("nothing was written");
            return Ok(Exit::No);
        }
        backup = before.is_some().then(|| keep(&path)).transpose()?;
        write(&path, &after)?;
    }
    if desk.out.json {
        desk.out
            .value(&json!({ "client": client.name, "file": path, "changed": changed, "backup": backup }))?;
        return Ok(Exit::Done);
    }
    let (name, path) = (client.name, path.display());
    let kept = backup.map_or(String::new(), |b| format!("; what was there is in {}", b.display()));
    desk.out.text(&if changed {
        format!("{BOLD}{name}{RESET} has it, in {path}{kept}. Start {name} anew to use it.\n")
    } else {
        format!("{BOLD}{name}{RESET} had it already, in {path}\n")
    })?;
    Ok(Exit::Done)
}

/// Asks the person at the terminal.
fn permitted(path: &Path, exists: bool) -> Result<bool> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return Err(Error::invalid(
            format!("{} is not written without being asked for, and nobody is there to ask", path.display()),
            "give --yes to write it, or --print to see it",
        ));
    }
    let what = if exists { "Add Stillpoint to" } else { "Make" };
    let asked = write!(std::io::stderr(), "{what} {}? [y/N] ", path.display());
    let mut said = String::new();
    let heard =
        asked.and_then(|()| std::io::stderr().flush()).and_then(|()| stdin.lock().read_line(&mut said));
    heard.map_err(|error| unwritable(path, &error))?;
    Ok(matches!(said.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Copies what is there to the first name that is free.
fn keep(path: &Path) -> Result<PathBuf> {
    let mut number = 0;
    loop {
        let ending = if number == 0 {
            ".before-stillpoint".to_owned()
        } else {
            format!(".before-stillpoint-{number}")
        };
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        let backup = PathBuf::from(name);
        match std::fs::OpenOptions::new().write(true).create_new(true).open(&backup) {
            Ok(_) => {
                // The permissions come along: a configuration may hold tokens.
                std::fs::copy(path, &backup).map_err(|error| unwritable(&backup, &error))?;
                return Ok(backup);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(unwritable(&backup, &error)),
        }
    }
}

/// Writes all of it or nothing: a file beside it takes its place once it is whole.
fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let mut whole = tempfile::NamedTempFile::new_in(folder)?;
        whole.write_all(text.as_bytes())?;
        if let Ok(there) = std::fs::metadata(path) {
            whole.as_file().set_permissions(there.permissions())?;
        }
        whole.as_file().sync_all()?;
        whole.persist(path)?;
        Ok(())
    };
    write().map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::invalid(
        format!("{}: {error}", path.display()),
        "`--print` shows what would be written; `--file` names another file",
    )
}
