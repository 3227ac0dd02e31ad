//! `stillpoint watch`: live revisions, one line for each, with what changed.

use crate::call;
use crate::engine::{Desk, open};
use crate::exit::Exit;
use crate::kind::Kind;
use crate::output;
use crate::paint::{self, DIM, FLEETING, NEWS, RESET};
use crate::table;
use clap::ArgMatches;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;
use stillpoint_core::render::{ChangeSummary, count, summarise};
use stillpoint_core::revise::{Class, Revision};
use stillpoint_core::{Error, Result};
use stillpoint_engine::Session;
use tokio::time::Instant;

/// One revision as it is told.
#[derive(Serialize)]
struct Told {
    /// The revision.
    revision: Revision,
    /// The revision before it; further back where some were too many to be kept.
    base_revision: Revision,
    /// When it was made, in milliseconds of the session.
    at_ms: u64,
    /// What changed.
    change_summary: ChangeSummary,
    /// Revisions before this one that can no longer be told apart.
    #[serde(skip_serializing_if = "is_zero")]
    skipped: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes a reference
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Tells revisions until the time or the count is over, the target is gone, or Ctrl-C.
pub(crate) async fn run(desk: &Desk, matches: &ArgMatches) -> anyhow::Result<Exit> {
    let target = call::target(matches)?;
    let until = number(matches, "for_ms")?.map(Duration::from_millis);
    let mut left = number(matches, "count")?;
    let session = open(&desk.engine, &target, &call::options(matches)?, &desk.cancel).await?;
    let mut changes = session.changes();
    let mut told = session.revision();
    if !desk.out.json {
        desk.out.note(&format!("{DIM}watching {target} from revision {told}; Ctrl-C ends it{RESET}"));
    }
    let end = until
        .map(|d| Instant::now().checked_add(d).unwrap_or_else(|| Instant::now() + Duration::from_hours(1)));
    loop {
        changes.borrow_and_update();
        for revision in news(&session, told)? {
            told = revision.revision;
            tell(desk, &revision)?;
            left = left.map(|n| n.saturating_sub(1));
            if left == Some(0) {
                return Ok(Exit::Done);
            }
        }
        session.alive()?;
        tokio::select! {
            _ = changes.changed() => {}
            () = reached(end) => return Ok(Exit::Done),
            () = desk.cancel.cancelled() => return Ok(Exit::Interrupted),
        }
    }
}

async fn reached(end: Option<Instant>) {
    match end {
        Some(end) => tokio::time::sleep_until(end).await,
        None => std::future::pending().await,
    }
}

fn number(matches: &ArgMatches, name: &str) -> Result<Option<u64>> {
    let Some(word) = matches.get_one::<String>(name) else { return Ok(None) };
    let flag = format!("--{}", crate::params::flag(name));
    let value = Kind::Whole { min: Some(1), max: None }.value(&flag, word)?;
    value
        .as_u64()
        .map(Some)
        .ok_or_else(|| Error::invalid(format!("{flag} is not a whole number"), "give one"))
}

/// Every revision after `told`.
fn news(session: &Session, told: Revision) -> Result<Vec<Told>> {
    session.read_mirror(|mirror| {
        let latest = mirror.revision();
        let now = mirror.tree().view();
        let mut found = Vec::new();
        let mut base = told;
        while base < latest {
            // Where the history does not reach back so far, the oldest that it keeps is the next.
            let mut next = base.next();
            let mut skipped = 0;
            while mirror.delta_between(base, next).is_err() && next < latest {
                next = next.next();
                base = base.next();
                skipped += 1;
            }
            let delta = mirror.delta_between(base, next)?;
            let at = mirror.made_at(next);
            let after = mirror.delta_since(next)?.rewind(&now);
            let mut counts: BTreeMap<Class, u32> = BTreeMap::new();
            let mut mutations = mirror.mutations_since(base)?;
            mutations.retain(|m| Some(m.at) == at);
            count(&mut counts, &mutations);
            let change_summary = summarise(&delta, &after, &counts);
            let at_ms = at.unwrap_or_default().as_millis();
            found.push(Told { revision: next, base_revision: base, at_ms, change_summary, skipped });
            base = next;
        }
        Ok(found)
    })
}

fn tell(desk: &Desk, told: &Told) -> anyhow::Result<()> {
    if desk.out.json {
        desk.out.line(&serde_json::to_string(told)?)?;
        return Ok(());
    }
    let summary = &told.change_summary;
    let mut words = summary.first.join(" · ");
    let all = (summary.added + summary.removed + summary.changed + summary.transient) as usize;
    if words.is_empty() {
        words = format!("{all} changes");
    } else if all > summary.first.len() && summary.first.len() == 10 {
        words = format!("{words} · …");
    }
    if told.skipped > 0 {
        words = format!("({} more before it) {words}", told.skipped);
    }
    let head = format!("{:>7} ms  rev {:<5}", told.at_ms, told.revision.to_string());
    let words = table::cut(&words, output::width().saturating_sub(head.len() + 3).max(20));
    let mark = if summary.transient > 0 { format!("{FLEETING}!{RESET}") } else { format!("{NEWS}~{RESET}") };
    desk.out.text(&format!("{DIM}{head}{RESET} {mark} {}\n", paint::words(&words)))?;
    Ok(())
}
