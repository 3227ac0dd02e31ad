//! The command line as clap knows it: made from the table of words, the engine's verbs, and the commands of our own.

use crate::help;
use crate::params::{Param, flag};
use crate::words::{self, Use, Word};
use clap::builder::Styles;
use clap::builder::styling::AnsiColor;
use clap::{Arg, ArgAction, Command, value_parser};
use stillpoint_engine::verbs;

/// The id of the target's place; parameters of verbs have ids without a slash.
pub(crate) const TARGET: &str = "/target";

/// The id of the flag for settings of the backend.
pub(crate) const SETTING: &str = "/setting";
/// The id of the flag that says how rest is to be known.
pub(crate) const SYNC: &str = "/sync";
/// The id of the flag that uses the daemon.
pub(crate) const DAEMON: &str = "/daemon";
/// The id of the flag that does not.
pub(crate) const NO_DAEMON: &str = "/no-daemon";
/// The id of the flag for the place of a picture.
pub(crate) const FILE: &str = "/file";

/// The id of the place with this number after the target.
pub(crate) fn place(number: usize) -> String {
    format!("/{number}")
}

/// The whole command line.
pub(crate) fn command() -> Command {
    let styles = Styles::styled()
        .header(AnsiColor::Cyan.on_default().bold())
        .usage(AnsiColor::Cyan.on_default().bold())
        .literal(AnsiColor::Green.on_default())
        .placeholder(AnsiColor::Yellow.on_default());
    let mut command = Command::new("stillpoint")
        .version(env!("CARGO_PKG_VERSION"))
        .about("UI automation without sleeps: looks, acts, waits until the app is at rest, and proves what happened.")
        .styles(styles)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .max_term_width(110)
        .help_template("{about}\n\n{usage-heading} {usage}\n{after-help}\n\n{options}")
        .after_help(help::overview())
        .args(global());
    for word in words::known() {
        command = command.subcommand(typed(word.name, word.about, &words::uses(word.name), Some(word)));
    }
    for verb in verbs::table() {
        if words::known().any(|w| w.name == verb.name) {
            continue;
        }
        let dashed = flag(verb.name);
        let mut by_name = typed(verb.name, verb.about, &words::uses(verb.name), None);
        if dashed != verb.name && !words::known().any(|w| w.name == dashed) {
            by_name = by_name.alias(dashed);
        }
        command = command.subcommand(by_name);
    }
    command.subcommands(own())
}

fn global() -> [Arg; 2] {
    [
        Arg::new("json")
            .long("json")
            .global(true)
            .action(ArgAction::SetTrue)
            .help("Print the answer as one JSON object on stdout; an error as {\"error\": {code, message, hint, …}}"),
        Arg::new("color")
            .long("color")
            .global(true)
            .value_name("WHEN")
            .value_parser(["auto", "always", "never"])
            .default_value("auto")
            .hide_possible_values(true)
            .help("auto, always or never; NO_COLOR is honoured"),
    ]
}

/// The target and how to attach to it.
fn target() -> [Arg; 5] {
    let sync = Arg::new(SYNC)
        .long("sync")
        .value_name("MODE")
        .value_parser(["auto", "sdk", "events", "heuristic"])
        .help("How to know that the app is at rest; the same as --attach-option sync=MODE");
    let target = Arg::new(TARGET)
        .value_name("TARGET")
        .required(true)
        .help("What to drive: sim:login, app:gedit, app:pid=42, web:http://…; `stillpoint apps` lists what is there");
    let daemon = Arg::new(DAEMON)
        .long("daemon")
        .action(ArgAction::SetTrue)
        .help("Use the session that the daemon holds, so that revisions carry over between calls; usual but for sim:");
    let no_daemon = Arg::new(NO_DAEMON)
        .long("no-daemon")
        .action(ArgAction::SetTrue)
        .conflicts_with(DAEMON)
        .help("Attach for this call alone");
    [target, setting(), sync, daemon, no_daemon]
}

/// The flag for settings of the backend.
pub(crate) fn setting() -> Arg {
    Arg::new(SETTING)
        .long("attach-option")
        .value_name("NAME=VALUE")
        .action(ArgAction::Append)
        .help("A setting of the backend, such as headless=false; may be repeated")
}

/// A word that means one verb, or one of several.
fn typed(name: &'static str, about: &str, uses: &[Use], word: Option<&Word>) -> Command {
    let mut command = Command::new(name)
        .about(about.to_owned())
        .args(target())
        .override_usage(uses.iter().map(|u| u.usage(name)).collect::<Vec<_>>().join("\n       "));
    if let Some(verb) = uses.first().filter(|_| uses.len() == 1).map(|u| u.verb) {
        command = command.long_about(if word.is_some() {
            format!("{about}.\n\n{}", verb.about)
        } else {
            about.to_owned()
        });
    }
    for (number, (name, help)) in places(uses).into_iter().enumerate() {
        command =
            command.arg(Arg::new(place(number)).value_name(name).help(help).allow_negative_numbers(true));
    }
    for param in flags(uses) {
        let placed = uses.iter().any(|u| u.form.places.contains(&param.name.as_str()));
        command = command.arg(param.flag().hide(placed));
    }
    if uses.iter().any(|u| u.verb.name == "screenshot") {
        let file =
            Arg::new(FILE).long("file").value_name("FILE").value_parser(value_parser!(std::path::PathBuf));
        command = command.arg(file.help("Put the picture (PNG) there; else it goes to standard output"));
    }
    command.after_help(help::examples(name))
}

/// The places after the target: their names and what they are for.
fn places(uses: &[Use]) -> Vec<(String, String)> {
    let keywords: Vec<&str> = uses.iter().filter_map(|u| u.form.keyword).collect();
    let widest =
        uses.iter().map(|u| u.places().len() + usize::from(u.form.keyword.is_some())).max().unwrap_or(0);
    let at = |number: usize| {
        let named =
            uses.iter().filter(|u| u.form.keyword.is_none()).find_map(|u| u.places().get(number).copied());
        let (name, help) = named.map_or(("WORD".to_owned(), String::new()), |p| (p.place(), p.doc.clone()));
        if number == 0 && !keywords.is_empty() {
            (format!("{}|{name}", keywords.join("|")), "What is meant".to_owned())
        } else {
            (name, help)
        }
    };
    (0..widest).map(at).collect()
}

/// The flags of all forms; where two forms share one, it is listed once.
fn flags(uses: &[Use]) -> Vec<Param> {
    let mut found: Vec<Param> = Vec::new();
    for one in uses {
        for param in &one.params {
            if found.iter().any(|p| p.name == param.name) {
                continue;
            }
            let mut param = param.clone();
            let holders: Vec<&str> =
                uses.iter().filter(|u| u.params.iter().any(|p| p.name == param.name)).map(keyword).collect();
            if holders.len() < uses.len() {
                param.doc = format!("{} ({})", param.doc, holders.join(", "));
            }
            found.push(param);
        }
    }
    found
}

fn keyword(one: &Use) -> &'static str {
    one.form.keyword.unwrap_or("SELECTOR")
}

/// The commands that are no verbs.
fn own() -> Vec<Command> {
    let number = |id: &'static str, help: &'static str| {
        Arg::new(id).long(flag(id)).value_name("N").allow_hyphen_values(true).help(help)
    };
    let [to_open, setting, ..] = target();
    let [to_close, ..] = target();
    vec![
        Command::new("open")
            .about("Attach to a target and keep following it, in the daemon; tells the first snapshot")
            .args([to_open, setting])
            .after_help(help::examples("open")),
        Command::new("close").about("Let go of a target that the daemon holds").arg(to_close),
        crate::flow::command(),
        Command::new("apps").about("What can be driven now"),
        Command::new("doctor")
            .about("What each kind of target needs on this machine, and whether it is there"),
        Command::new("watch")
            .about("Live revisions: one line for each, with what changed")
            .args(target())
            .arg(number("for_ms", "End after this many milliseconds"))
            .arg(number("count", "End after this many revisions"))
            .after_help(help::examples("watch")),
        Command::new("demo")
            .about("Sign in to a simulated app: act, wait, look at the delta, verify; with a timeline")
            .arg(
                Arg::new("desktop")
                    .long("desktop")
                    .action(clap::ArgAction::SetTrue)
                    .help("Play on a real GTK app in a private desktop, not on the simulator"),
            )
            .arg(
                Arg::new("screenshot")
                    .long("screenshot")
                    .value_name("FILE")
                    .value_parser(value_parser!(std::path::PathBuf))
                    .help("Leave a picture (PNG) of the last screen there"),
            ),
        crate::agent::command(),
        crate::desktop::command(),
        crate::trace::command(),
        Command::new("completions")
            .about("Shell completions, to be sourced or put where the shell looks")
            .arg(
                Arg::new("shell")
                    .value_name("SHELL")
                    .required(true)
                    .value_parser(value_parser!(clap_complete::Shell)),
            )
            .after_help(help::examples("completions")),
        Command::new("man").about("The manual page, in roff"),
    ]
    .into_iter()
    .chain(crate::serve::commands())
    .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        super::command().debug_assert();
    }
}
