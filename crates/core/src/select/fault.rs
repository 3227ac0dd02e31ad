//! What was wrong with a selector, told so that it can be put right: where, what was expected, what was found.

use super::grammar::role_named;
use super::selector::invalid;
use super::similar::distance;
use crate::Error;
use crate::tree::{Role, State};
use serde_json::json;
use winnow::error::ParserError;

/// Where reading stopped, counted from the end of the text, and what would have been right there.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    left: usize,
    expected: &'static str,
    problem: Option<Problem>,
}

/// A fault that deserves its own words.
#[derive(Clone, Debug)]
pub(super) enum Problem {
    UnknownWord(String),
    UnknownFilter(String),
    BadPattern(String),
}

impl Fault {
    pub(super) fn at(rest: &str, expected: &'static str) -> Self {
        Fault { left: rest.len(), expected, problem: None }
    }

    pub(super) fn because(mut self, problem: Problem) -> Self {
        self.problem = Some(problem);
        self
    }

    /// The error for the caller who wrote `text`.
    pub(super) fn into_error(self, text: &str) -> Error {
        let offset = text.len().saturating_sub(self.left);
        let position = text.get(..offset).map_or(0, |before| before.chars().count());
        let found = found_at(text.get(offset..).unwrap_or_default());
        let what = match &self.problem {
            None => format!("expected {}, found {found}", self.expected),
            Some(Problem::UnknownWord(word)) => format!("`{word}` is not a role"),
            Some(Problem::UnknownFilter(word)) => format!("`{word}` is no state or property"),
            Some(Problem::BadPattern(why)) => format!("the regular expression is not valid: {why}"),
        };
        let message = format!("the selector is wrong at character {}: {what}", position + 1);
        invalid(message, self.hint()).with_details(json!({
            "selector": text,
            "position": position,
            "expected": self.expected,
            "found": found,
            "caret": caret(text, position),
        }))
    }

    fn hint(&self) -> String {
        match &self.problem {
            Some(Problem::UnknownWord(word)) => match nearest_role(word) {
                Some(role) => format!(
                    "did you mean the role `{role}`? To look for the text, put it in double quotes: \"{word}\""
                ),
                None => format!("to look for a text, put it in double quotes: \"{word}\""),
            },
            Some(Problem::UnknownFilter(word)) => match nearest_state(word) {
                Some(state) => format!("did you mean [{state}]?"),
                None => "for example button[enabled], checkbox[checked=false] or textbox[value=\"x\"]".into(),
            },
            Some(Problem::BadPattern(_)) => {
                r"for example /^Order \d+$/ or /save/i; write \/ for a slash".into()
            }
            None => r#"for example button "Save", "Save", ~"sav", #save_button, checkbox[checked=false] or dialog "Settings" >> button "OK""#.into(),
        }
    }
}

impl ParserError<&str> for Fault {
    type Inner = Self;
    fn from_input(input: &&str) -> Self {
        Fault::at(input, "something else")
    }
    fn into_inner(self) -> Result<Self::Inner, Self> {
        Ok(self)
    }
}

fn found_at(rest: &str) -> String {
    let shown: String = rest.trim_start().chars().take(12).collect();
    let word: String = shown.chars().take_while(|c| c.is_alphanumeric() || "_-".contains(*c)).collect();
    match (word.is_empty(), shown.chars().next()) {
        (_, None) => "the end".into(),
        (true, Some(c)) => format!("`{c}`"),
        (false, _) => format!("`{word}`"),
    }
}

/// The text with a mark under the place; long texts are cut around it.
fn caret(text: &str, position: usize) -> String {
    let from = position.saturating_sub(60);
    let line: String =
        text.chars().skip(from).take(90).map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("{line}\n{}^", " ".repeat(position - from))
}

fn nearest_role(word: &str) -> Option<Role> {
    let word = word.to_lowercase();
    let close = |r: &Role| distance(&word, r.name(), 2).map(|d| (d, *r));
    let best = Role::ALL.iter().filter_map(close).min_by_key(|(d, r)| (*d, r.name().len()));
    best.filter(|(d, _)| *d < word.chars().count()).map(|(_, role)| role).or_else(|| {
        // Plural: `buttons`.
        word.strip_suffix('s').and_then(role_named)
    })
}

fn nearest_state(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    let opposite = match word.as_str() {
        "disabled" => Some("enabled=false"),
        "hidden" | "invisible" => Some("visible=false"),
        "unchecked" => Some("checked=false"),
        "collapsed" => Some("expanded=false"),
        "readonly" => Some("editable=false"),
        "name" => Some("label=\"…\""),
        _ => None,
    };
    opposite.or_else(|| {
        let close = State::ALL.iter().filter_map(|s| distance(&word, s.name(), 2).map(|d| (d, s.name())));
        close.min().map(|(_, name)| name)
    })
}
