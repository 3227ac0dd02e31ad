//! Where words go: answers to stdout, everything else to stderr; colour only where somebody sees it.

use crate::exit::Exit;
use crate::paint;
use anstream::{AutoStream, ColorChoice};
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};
use stillpoint_core::Error;
use stillpoint_daemon::Form;
use stillpoint_engine::verbs::Answer;

/// How to speak to the caller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Out {
    /// One JSON object on stdout instead of text.
    pub(crate) json: bool,
    /// When to use colour.
    pub(crate) color: ColorChoice,
}

impl Out {
    /// What the command line asks for, read before it is parsed, so that errors in it are told in the same way.
    pub(crate) fn of(arguments: &[String]) -> Self {
        let ours = || arguments.iter().take_while(|a| *a != "--");
        let mut color = ColorChoice::Auto;
        for (at, argument) in ours().enumerate() {
            let next = || arguments.get(at + 1).map(String::as_str);
            let said = argument.strip_prefix("--color=").or_else(|| next().filter(|_| argument == "--color"));
            match said {
                Some("always") => color = ColorChoice::Always,
                Some("never") => color = ColorChoice::Never,
                _ => {}
            }
        }
        Out { json: ours().any(|a| a == "--json"), color }
    }

    /// The form of an answer that will be told.
    pub(crate) fn form(self) -> Form {
        if self.json { Form::Json } else { Form::Text }
    }

    /// Prints text, which may be styled, to stdout.
    pub(crate) fn text(self, text: &str) -> io::Result<()> {
        let choice = match self.color {
            ColorChoice::Auto => AutoStream::choice(&io::stdout()),
            said => said,
        };
        // Written at once: a write for each line took longer than all else of a warm snapshot.
        let mut whole = AutoStream::new(Vec::with_capacity(text.len()), choice);
        whole.write_all(text.as_bytes())?;
        let mut stdout = io::stdout().lock();
        stdout.write_all(&whole.into_inner())?;
        stdout.flush()
    }

    /// Prints one JSON value to stdout: indented for people, on one line for programs.
    pub(crate) fn value(self, value: &Value) -> io::Result<()> {
        let text = if io::stdout().is_terminal() { format!("{value:#}") } else { value.to_string() };
        self.line(&text)
    }

    /// Prints one line to stdout as it is.
    #[allow(clippy::unused_self)] // spoken like everything else
    pub(crate) fn line(self, line: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{line}")?;
        stdout.flush()
    }

    /// Says something beside the answer, on stderr.
    pub(crate) fn note(self, note: &str) {
        let mut stderr = AutoStream::new(io::stderr(), self.color).lock();
        // Where stderr is closed nobody can be told.
        let _ = writeln!(stderr, "{note}");
    }

    /// Tells a verb's answer, and says how it went.
    pub(crate) fn answer(self, answer: &dyn Answer) -> anyhow::Result<Exit> {
        if self.json {
            self.value(&answer.json()?)?;
        } else {
            let text = answer.text();
            self.text(&paint::answer(&text))?;
            // Some answers tell their error themselves, all of it or only what went wrong.
            if let Some(error) = answer.error().filter(|e| !text.contains(&e.hint)) {
                self.failure(&error, text.contains(&error.message));
            }
        }
        Ok(answer.verdict().into())
    }

    /// Tells an error: as an object on stdout with `--json`, in words on stderr without.
    pub(crate) fn error(self, error: &Error) -> io::Result<()> {
        if self.json {
            return self.value(&json!({ "error": error }));
        }
        self.failure(error, false);
        Ok(())
    }

    fn failure(self, error: &Error, told_already: bool) {
        let (bad, dim, reset) = (paint::BAD, paint::DIM, paint::RESET);
        let message = if told_already { String::new() } else { format!(" {}", error.message) };
        let code = error.code;
        self.note(&format!("{bad}{code}{reset}{message}\n{dim}hint:{reset} {}", error.hint));
    }
}

/// The columns of the terminal that stdout is, or 80 where it is none.
pub(crate) fn width() -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let seen = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    seen().or(asked).filter(|columns| *columns > 0).unwrap_or(80)
}
