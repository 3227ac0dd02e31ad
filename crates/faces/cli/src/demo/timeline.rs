//! The demo's timeline, drawn with characters: one lane for each kind of event, all on one scale.

use super::record::Record;
use crate::paint::{BOLD, CALM, DIM, FLEETING, GOOD, NEWS, RESET};
use anstyle::Style;
use std::fmt::Write;
use std::time::Duration;
use stillpoint_core::Moment;

/// Room for the lanes' names.
const NAMES: usize = 11;
/// Distances between marks on the scale that people can read, in milliseconds.
const STEPS: [u64; 8] = [50, 100, 200, 250, 500, 1000, 2000, 5000];

/// A row of cells, each a character in a style.
struct Lane {
    cells: Vec<(char, Style)>,
}

impl Lane {
    fn new(columns: usize) -> Self {
        Lane { cells: vec![(' ', Style::new()); columns] }
    }

    fn put(&mut self, column: usize, mark: char, style: Style) {
        if let Some(cell) = self.cells.get_mut(column) {
            *cell = (mark, style);
        }
    }

    fn write(&self, out: &mut String, name: &str) {
        let _ = write!(out, "  {DIM}{name:<width$}{RESET}", width = NAMES - 2);
        let last = self.cells.iter().rposition(|(mark, _)| *mark != ' ').map_or(0, |at| at + 1);
        let mut style = Style::new();
        for (mark, wanted) in &self.cells[..last] {
            if *wanted != style {
                let _ = write!(out, "{RESET}{wanted}");
                style = *wanted;
            }
            out.push(*mark);
        }
        let _ = writeln!(out, "{RESET}");
    }
}

/// Moments to columns.
struct Scale {
    columns: usize,
    end: Moment,
}

impl Scale {
    fn column(&self, at: Moment) -> usize {
        let share = at.as_micros() as f64 / self.end.as_micros().max(1) as f64;
        ((share * (self.columns - 1) as f64).round() as usize).min(self.columns - 1)
    }
}

/// Draws it, as wide as the terminal allows.
pub(super) fn draw(record: &Record, width: usize) -> String {
    let ended = record.waits.iter().map(|w| w.watched.ended).max().unwrap_or_default();
    let columns = width.clamp(60, 130) - NAMES - 3;
    let scale = Scale { columns, end: ended + Duration::from_millis(1) };
    let mut out = format!("{BOLD}Timeline{RESET}\n");
    ruler(&mut out, &scale);
    acts(record, &scale).write(&mut out, "act");
    changes(record, &scale).write(&mut out, "changes");
    windows(record, &scale).write(&mut out, "window");
    let (barrier, rest) = proofs(record, &scale);
    barrier.write(&mut out, "barrier");
    rest.write(&mut out, "rest");
    legend(&mut out);
    out
}

fn ruler(out: &mut String, scale: &Scale) {
    let end = scale.end.as_millis().max(1);
    let fits = |step: &&u64| (**step as f64 / end as f64) * scale.columns as f64 >= 9.0;
    let step = STEPS.iter().find(fits).copied().unwrap_or(STEPS[STEPS.len() - 1]);
    let mut numbers = vec![' '; scale.columns + 8];
    let mut line = Lane::new(scale.columns);
    for column in 0..scale.columns {
        line.put(column, '─', DIM);
    }
    for at in (0..=end).step_by(step as usize) {
        let column = scale.column(Moment::from_millis(at));
        line.put(column, '┬', DIM);
        let label = if at == 0 { "0 ms".to_owned() } else { at.to_string() };
        for (offset, c) in label.chars().enumerate() {
            if let Some(cell) = numbers.get_mut(column + offset) {
                *cell = c;
            }
        }
    }
    let numbers: String = numbers.into_iter().collect();
    let _ = writeln!(out, "{}{DIM}{}{RESET}", " ".repeat(NAMES), numbers.trim_end());
    line.write(out, "");
}

fn acts(record: &Record, scale: &Scale) -> Lane {
    let mut lane = Lane::new(scale.columns);
    for (number, wait) in record.waits.iter().enumerate() {
        let at = wait.act.unwrap_or(wait.watched.began);
        // Attaching was the first step.
        let digit = char::from_digit(number as u32 + 2, 10).unwrap_or('*');
        lane.put(scale.column(at), digit, if wait.act.is_some() { FLEETING.bold() } else { CALM });
    }
    lane
}

fn changes(record: &Record, scale: &Scale) -> Lane {
    let mut lane = Lane::new(scale.columns);
    for at in &record.minor {
        lane.put(scale.column(*at), '○', DIM);
    }
    for mutation in record.mutations.iter().filter(|m| m.class.qualifies()) {
        lane.put(scale.column(mutation.at), '●', NEWS);
    }
    lane
}

/// A window that was broken off is thin, the one that passed is thick.
fn windows(record: &Record, scale: &Scale) -> Lane {
    let mut lane = Lane::new(scale.columns);
    for wait in &record.waits {
        let seen = &wait.watched;
        let last = seen.resets.last().copied().unwrap_or(seen.began);
        for column in scale.column(seen.began)..scale.column(last) {
            lane.put(column, '╌', DIM);
        }
        let whole = if wait.at_rest() { ('━', CALM.bold()) } else { ('╌', DIM) };
        for column in scale.column(last)..scale.column(seen.ended) {
            lane.put(column, whole.0, whole.1);
        }
        for reset in &seen.resets {
            lane.put(scale.column(*reset), '↻', NEWS);
        }
    }
    lane
}

fn proofs(record: &Record, scale: &Scale) -> (Lane, Lane) {
    let (mut barrier, mut rest) = (Lane::new(scale.columns), Lane::new(scale.columns));
    for wait in &record.waits {
        for at in &wait.watched.barriers {
            barrier.put(scale.column(*at), '◆', CALM);
        }
        if wait.at_rest() {
            rest.put(scale.column(wait.watched.ended), '★', GOOD.bold());
        }
    }
    (barrier, rest)
}

fn legend(out: &mut String) {
    let marks = [
        (NEWS, "●", "a change that counts"),
        (DIM, "○", "one that does not (progress, focus)"),
        (NEWS, "↻", "the window begins anew"),
        (CALM, "━", "a whole window of quiet"),
        (CALM, "◆", "a round trip: nothing is on its way"),
        (GOOD, "★", "rest, proven"),
    ];
    for pair in marks.chunks(2) {
        out.push_str(&" ".repeat(NAMES));
        for (at, (style, mark, meaning)) in pair.iter().enumerate() {
            let padding = if at == 0 { 40 - meaning.chars().count() } else { 0 };
            let _ = write!(out, "{style}{mark}{RESET} {DIM}{meaning}{RESET}{}", " ".repeat(padding));
        }
        out.push('\n');
    }
}
