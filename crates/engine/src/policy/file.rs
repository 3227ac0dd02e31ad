//! The policy file, with errors that name the line.

use super::audit::AuditLog;
use super::gate::Gate;
use super::rate::RateLimit;
use super::targets::Targets;
use super::words::Words;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use stillpoint_core::select::Selector;
use stillpoint_core::{Error, Result};

/// What may be done to which target.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(super) read_only: bool,
    pub(super) dry_run: bool,
    pub(super) targets: Targets,
    /// `None` if nothing needs a confirmation.
    pub(super) gate: Option<Gate>,
    pub(super) rate_limit: Option<RateLimit>,
    pub(super) audit: Option<Arc<AuditLog>>,
}

impl Default for Policy {
    /// Everything may be done, and what is destructive needs a confirmation.
    fn default() -> Self {
        let gate = Some(Gate { words: Words::usual(), elements: Vec::new() });
        Policy {
            read_only: false,
            dry_run: false,
            targets: Targets::default(),
            gate,
            rate_limit: None,
            audit: None,
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Written {
    read_only: bool,
    dry_run: bool,
    targets: WrittenTargets,
    destructive: WrittenGate,
    rate_limit: Option<WrittenRate>,
    audit: Option<WrittenAudit>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct WrittenTargets {
    allow: Option<Vec<String>>,
    deny: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenGate {
    gate: bool,
    words: Option<Vec<String>>,
    also: Vec<String>,
    elements: Vec<String>,
}

impl Default for WrittenGate {
    fn default() -> Self {
        WrittenGate { gate: true, words: None, also: Vec::new(), elements: Vec::new() }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRate {
    actions: u32,
    per_seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenAudit {
    file: PathBuf,
}

impl Policy {
    /// Reads a policy file, and opens its audit log.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::invalid(
                format!("the policy {} cannot be read: {error}", path.display()),
                "check the file's name and that you may read it; without it nothing is allowed to run",
            )
        })?;
        let beside = path.parent().unwrap_or(Path::new("."));
        Policy::parse(&text, beside).map_err(|mut error| {
            error.message = format!("in the policy {}: {}", path.display(), error.message);
            error
        })
    }

    /// Reads a policy from its text; files that it names lie `beside`.
    pub fn parse(text: &str, beside: &Path) -> Result<Self> {
        let written: Written = toml::from_str(text).map_err(|error| unreadable(text, &error))?;
        let gate = written.destructive.gate.then(|| gate(&written.destructive)).transpose()?;
        let audit = match &written.audit {
            Some(audit) => Some(Arc::new(AuditLog::open(&beside.join(&audit.file))?)),
            None => None,
        };
        Ok(Policy {
            read_only: written.read_only,
            dry_run: written.dry_run,
            targets: Targets::new(written.targets.allow, written.targets.deny)?,
            gate,
            rate_limit: written.rate_limit.as_ref().map(rate).transpose()?,
            audit,
        })
    }
}

fn gate(written: &WrittenGate) -> Result<Gate> {
    let mut words = match &written.words {
        Some(words) => Words::new(words)?,
        None => Words::usual(),
    };
    words.add(&written.also)?;
    let parse = |line: &String| {
        Selector::parse(line).map_err(|mut error| {
            error.message = format!("in elements of [destructive], {line:?}: {}", error.message);
            error
        })
    };
    let elements = written.elements.iter().map(parse).collect::<Result<_>>()?;
    Ok(Gate { words, elements })
}

fn rate(written: &WrittenRate) -> Result<RateLimit> {
    let fits = written.actions > 0 && written.per_seconds > 0.0 && written.per_seconds <= 86_400.0;
    if !fits {
        return Err(Error::invalid(
            format!("rate_limit allows {} actions per {} s", written.actions, written.per_seconds),
            "give at least one action, and a time of up to a day; read_only = true allows none at all",
        ));
    }
    let per = Duration::from_secs_f64(written.per_seconds);
    Ok(RateLimit { actions: written.actions, per })
}

/// Says in which line the file is wrong, and what could stand there.
fn unreadable(text: &str, error: &toml::de::Error) -> Error {
    let at = error.span().map(|span| {
        let before = text.get(..span.start).unwrap_or(text);
        before.matches('\n').count() + 1
    });
    let place = at.map_or(String::new(), |line| format!("line {line}: "));
    Error::invalid(
        format!("{place}{}", error.message()),
        "it has read_only, dry_run, [targets] allow deny, [destructive] gate words also elements, [rate_limit] actions \
         per_seconds, [audit] file",
    )
}
