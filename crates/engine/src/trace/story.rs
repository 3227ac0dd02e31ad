//! A trace for a person: what was awaited, what was seen, what to do.

use super::entry::{ActionRecord, Entry, ExpectationRecord, Observation, WaitRecord, What};
use crate::act::Lifecycle;
use std::fmt::Write;
use stillpoint_core::Error;

/// How far details stand in.
const INDENT: &str = "             ";

/// Tells entries in the order of time.
pub fn story(entries: &[Entry]) -> String {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| a.at_ms.total_cmp(&b.at_ms));
    let mut out = String::new();
    for entry in sorted {
        let _ = write!(out, "{:>9.0} ms ", entry.at_ms);
        match &entry.what {
            What::Recording { target, name, unix_ms } => {
                let _ = writeln!(out, "recording {target} ({name}), unix time {unix_ms} ms");
            }
            What::Revision { revision, mutations, changes } => {
                let _ = writeln!(out, "rev {revision}, {}", changes_in(*mutations));
                details(&mut out, changes);
            }
            What::Wait(wait) => tell_wait(&mut out, wait),
            What::Expectation(expectation) => tell_expectation(&mut out, expectation),
            What::Action(action) => tell_action(&mut out, action),
            What::Picture { of, file } => {
                let _ = writeln!(out, "picture of {of}: {file}");
            }
            What::Refused { verb, error } => {
                let _ = writeln!(out, "{verb} was refused: {error}");
                to_do(&mut out, error);
            }
            What::Ended { why } => {
                let _ = writeln!(out, "{why}");
            }
            What::Full => out.push_str("the file is full; nothing more was written\n"),
        }
    }
    out
}

fn changes_in(mutations: usize) -> String {
    if mutations == 1 { "1 change".to_owned() } else { format!("{mutations} changes") }
}

fn details(out: &mut String, lines: &[String]) {
    for line in lines {
        let _ = writeln!(out, "{INDENT}{line}");
    }
}

fn to_do(out: &mut String, error: &Error) {
    let _ = writeln!(out, "{INDENT}→ {}", error.hint);
}

fn times(list: &[u64]) -> String {
    let mut told: Vec<String> = list.iter().take(12).map(ToString::to_string).collect();
    if list.len() > told.len() {
        told.push(format!("… {} in all", list.len()));
    }
    told.join(", ")
}

/// When the window was restarted and barriers were asked for, where that happened.
fn tell_window(out: &mut String, resets: &[u64], barriers: &[u64]) {
    if !resets.is_empty() {
        let _ = writeln!(out, "{INDENT}window restarted at {} ms", times(resets));
    }
    if !barriers.is_empty() {
        let _ = writeln!(out, "{INDENT}barrier asked for at {} ms", times(barriers));
    }
}

fn tell_wait(out: &mut String, wait: &WaitRecord) {
    let _ = writeln!(out, "{} (rev {} → {})", wait.story, wait.base_revision, wait.revision);
    tell_window(out, &wait.resets_ms, &wait.barriers_ms);
    details(out, &wait.changes);
}

fn tell_expectation(out: &mut String, e: &ExpectationRecord) {
    let mark = if e.holds { "✓" } else { "✗" };
    let _ = writeln!(out, "{mark} expected {} for {} ms; seen: {}", e.expected, e.elapsed_ms, e.observed);
    if let Some(error) = &e.error {
        let _ = writeln!(out, "{INDENT}{error}");
        to_do(out, error);
    }
}

fn tell_action(out: &mut String, action: &ActionRecord) {
    let head = &action.envelope;
    let whom = head.target.as_ref().map_or(String::new(), |t| format!(" {}", t.selector));
    let came = match head.lifecycle_state {
        Lifecycle::Resolved => "could be done",
        Lifecycle::Dispatched | Lifecycle::PendingVerification => "done, not verified",
        Lifecycle::Verified => "verified",
        Lifecycle::Failed => "failed",
    };
    let _ = writeln!(
        out,
        "{} {}{whom}: {came}, rev {} → {} {}",
        head.action_id,
        head.action_type,
        head.revision_before,
        head.revision_after,
        head.stability_state.name()
    );
    for Observation { at_ms, seen } in &action.observed {
        let _ = writeln!(out, "{INDENT}at {at_ms} ms its target was {seen}");
    }
    if let Some(v) = &head.verification {
        let _ = writeln!(out, "{INDENT}{} {}", if v.holds { "✓" } else { "✗" }, v.expected);
    }
    if let Some(error) = &head.error {
        let _ = writeln!(out, "{INDENT}{error}");
        to_do(out, error);
    }
    let t = head.timing;
    let stages = [
        ("resolve", t.resolve),
        ("actionability", t.actionability),
        ("dispatch", t.dispatch),
        ("settle", t.settle),
        ("verify", t.verify),
    ];
    let stages: Vec<String> = stages.iter().map(|(name, ms)| format!("{name} {ms:.1}")).collect();
    let _ = writeln!(out, "{INDENT}{} ms", stages.join(" · "));
    tell_window(out, &action.resets_ms, &action.barriers_ms);
    details(out, &action.changes);
}
