//! Desktops that last: start, stop, list, env.

use super::{blocking, size};
use crate::exit::Exit;
use crate::output::{self, Out};
use crate::paint::{BOLD, DIM, RESET};
use crate::table;
use clap::ArgMatches;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use stillpoint_core::Error;
use stillpoint_lab::{Desktop, DetachedDesktop};

/// Does what was asked for.
pub(super) async fn run(out: Out, what: &str, matches: &ArgMatches) -> anyhow::Result<Exit> {
    match what {
        "start" => start(out, matches).await?,
        "stop" => {
            let name = name(matches);
            let ended = name.clone();
            blocking(move || stillpoint_lab::stop(&ended)).await?;
            if out.json {
                out.value(&json!({ "stopped": name }))?;
            } else {
                out.text(&format!("{name} is stopped\n"))?;
            }
        }
        "list" => list(out).await?,
        "env" => {
            let name = name(matches);
            let desktop = blocking(move || stillpoint_lab::find(&name)).await?;
            if out.json {
                out.value(&json!({ "env": variables(&desktop) }))?;
            } else {
                let lines = desktop
                    .env()
                    .into_iter()
                    .map(|(name, value)| format!("export {name}={}\n", quoted(&value)));
                out.text(&lines.collect::<String>())?;
            }
        }
        other => {
            return Err(Error::invalid(
                format!("desktop does not know {other:?}"),
                "run, start, stop, list or env",
            )
            .into());
        }
    }
    Ok(Exit::Done)
}

fn name(matches: &ArgMatches) -> String {
    matches.get_one::<String>("name").cloned().unwrap_or_default()
}

async fn start(out: Out, matches: &ArgMatches) -> anyhow::Result<()> {
    let (name, (width, height), home) = (name(matches), size(matches)?, matches.get_flag("inherit_home"));
    let desktop = blocking(move || {
        let builder = Desktop::builder().size(width, height);
        let builder = if home { builder.inherit_home() } else { builder };
        builder.start_detached(&name)
    })
    .await?;
    if out.json {
        out.value(&described(&desktop))?;
    } else {
        let (name, display) = (desktop.name(), desktop.display());
        out.text(&format!("{BOLD}{name}{RESET} runs on display {display}\n"))?;
        out.note(&format!(
            "{DIM}to use it: eval \"$(stillpoint desktop env {name})\"   to end it: stillpoint desktop stop {name}{RESET}"
        ));
    }
    Ok(())
}

async fn list(out: Out) -> anyhow::Result<()> {
    let desktops = blocking(stillpoint_lab::list).await?;
    if out.json {
        out.value(&json!({ "desktops": desktops.iter().map(described).collect::<Vec<_>>() }))?;
        return Ok(());
    }
    if desktops.is_empty() {
        out.note("There are none; `stillpoint desktop start NAME` starts one.");
        return Ok(());
    }
    let row = |d: &DetachedDesktop| {
        let state = if d.is_alive() { format!("{} processes", d.pids().len()) } else { "dead".to_owned() };
        vec![d.name().to_owned(), d.display(), state, d.root().display().to_string()]
    };
    let rows: Vec<Vec<String>> = desktops.iter().map(row).collect();
    out.text(&table::columns(&["NAME", "DISPLAY", "STATE", "FILES"], &rows, output::width()))?;
    Ok(())
}

fn described(desktop: &DetachedDesktop) -> Value {
    json!({
        "name": desktop.name(),
        "display": desktop.display(),
        "alive": desktop.is_alive(),
        "pids": desktop.pids(),
        "files": desktop.root(),
        "env": variables(desktop),
    })
}

fn variables(desktop: &DetachedDesktop) -> BTreeMap<String, String> {
    desktop.env().into_iter().collect()
}

/// A word that a POSIX shell reads as it is.
fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_quote_in_a_value_does_not_end_it() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
