//! Who was asked to do what, for whoever has to know later. Appended, one JSON object on a line; what was typed is
//! recorded by its length only.

use crate::backend::{Action, Key, SetTo};
use serde::Serialize;
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use stillpoint_core::{Code, Error, Result};

/// The log.
#[derive(Debug)]
pub(super) struct AuditLog {
    file: Mutex<File>,
    path: PathBuf,
    broken: AtomicBool,
}

/// One line of it.
#[derive(Debug, Serialize)]
pub(crate) struct Audited<'a> {
    /// The target's URI.
    pub(crate) target: &'a str,
    /// What was asked for.
    pub(crate) verb: &'a str,
    /// The action's name in its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) action_id: Option<&'a str>,
    /// Whom it was for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) selector: Option<&'a str>,
    /// What it brought along, nothing of it secret.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(crate) given: Value,
    /// `verified`, `done`, `failed`, `denied`, `dry_run`.
    pub(crate) outcome: &'a str,
    /// Why it failed or was denied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<Code>,
    /// What was dangerous about it and was confirmed.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(crate) confirmed: &'a [String],
}

#[derive(Serialize)]
struct Line<'a> {
    time: String,
    #[serde(flatten)]
    audited: &'a Audited<'a>,
}

impl AuditLog {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| {
            Error::invalid(
                format!("the audit log {} cannot be written: {error}", path.display()),
                "give a file in a directory that exists and that you may write to",
            )
        })?;
        Ok(AuditLog { file: Mutex::new(file), path: path.to_owned(), broken: AtomicBool::new(false) })
    }

    /// Refuses if what is done could not be recorded.
    pub(super) fn works(&self) -> Result<()> {
        if self.broken.load(Ordering::Acquire) {
            let message = format!("the audit log {} could not be written", self.path.display());
            return Err(Error::new(Code::PolicyDenied, message, "make room for it, and start again"));
        }
        Ok(())
    }

    pub(super) fn write(&self, audited: &Audited<'_>) {
        let line = Line { time: timestamp(SystemTime::now()), audited };
        let written = serde_json::to_vec(&line).map_err(std::io::Error::from).and_then(|mut bytes| {
            bytes.push(b'\n');
            self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(&bytes)
        });
        if let Err(error) = written {
            tracing::error!(path = %self.path.display(), %error, "the audit log cannot be written");
            self.broken.store(true, Ordering::Release);
        }
    }
}

/// What an action brings along besides its target. Texts and characters may be secrets: only their length is told.
pub(crate) fn given(action: &Action) -> Value {
    match action {
        Action::TypeText { text, .. } => json!({ "text_length": text.chars().count() }),
        Action::SetValue { to: SetTo::Text(text), .. } => json!({ "text_length": text.chars().count() }),
        Action::SetValue { to: SetTo::Number(number), .. } => json!({ "value": number }),
        Action::PressKey { key, .. } if is_character(key) => json!({ "text_length": 1 }),
        Action::PressKey { key, .. } => json!({ "key": key }),
        Action::Scroll { dx, dy, .. } => json!({ "dx": dx, "dy": dy }),
        Action::Tap { on: crate::backend::Place::Point(x, y), .. } => json!({ "x": x, "y": y }),
        _ => Value::Null,
    }
}

fn is_character(key: &Key) -> bool {
    key.name.chars().count() == 1 && !(key.ctrl || key.alt || key.meta)
}

/// A time as `2026-03-01T12:00:00.250Z`.
fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", since.subsec_millis())
}

/// The date that lies so many days after 1970-01-01.
fn date(mut days: u64) -> (u64, u64, u64) {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let february = 28 + u64::from(leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::timestamp;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn times_are_told_as_people_write_them() {
        for (seconds, told) in [
            (0, "1970-01-01T00:00:00.250Z"),
            (951_782_400, "2000-02-29T00:00:00.250Z"),
            (1_772_366_400, "2026-03-01T12:00:00.250Z"),
            (4_107_542_399, "2100-02-28T23:59:59.250Z"),
        ] {
            assert_eq!(timestamp(UNIX_EPOCH + Duration::from_millis(seconds * 1000 + 250)), told);
        }
    }
}
