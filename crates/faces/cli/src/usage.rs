//! Mistakes on the command line, told like every other error.

use clap::error::{Error as ClapError, ErrorKind};
use stillpoint_core::Error;

/// Whether clap's "error" is what was asked for: help, or the version.
pub(crate) fn is_help(error: &ClapError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    )
}

/// What clap found wrong, as a message and a hint.
pub(crate) fn explain(error: &ClapError) -> Error {
    let said = error.to_string();
    let mut paragraphs = said.split("\n\n").map(str::trim).filter(|p| !p.is_empty());
    let message = paragraphs.next().unwrap_or("the command line makes no sense");
    let message = message.strip_prefix("error: ").unwrap_or(message).replace('\n', " ");
    let rest: Vec<&str> = paragraphs.filter(|p| !p.starts_with("For more information")).collect();
    let hint = rest.iter().map(|p| p.strip_prefix("tip: ").unwrap_or(p)).collect::<Vec<_>>().join("\n");
    let hint = if hint.is_empty() { "`stillpoint --help` lists what can be done".to_owned() } else { hint };
    Error::invalid(message.split_whitespace().collect::<Vec<_>>().join(" "), hint)
}
