//! Scenes that are too large to be written down, on the same stage as the others.

mod churn;
mod table;

use super::Verb;
use super::library::Found;
use super::stage::Stage;
use std::time::Duration;
use stillpoint_core::tree::{Change, Limits, NativeKey};
use stillpoint_core::{Error, Result};

pub(crate) use churn::churn;
pub(crate) use table::table;

/// Behaviour that is computed instead of written.
pub(crate) trait Machine: Send {
    /// The scene begins to play.
    fn begin(&mut self, stage: &mut Stage) {
        let _ = stage;
    }

    /// How long after the beginning it has something to do next.
    fn due(&self) -> Option<Duration> {
        None
    }

    /// Does what is due, so long after the beginning.
    fn tick(&mut self, since_start: Duration, stage: &mut Stage, batches: &mut Vec<Vec<Change>>) {
        let _ = (since_start, stage, batches);
    }

    /// Something was done to an element; `amount` is how far was scrolled.
    fn happened(&mut self, verb: Verb, key: NativeKey, amount: i32, stage: &mut Stage) {
        let _ = (verb, key, amount, stage);
    }
}

fn whole(text: &str, what: &str, most: usize, example: &str) -> Result<usize> {
    text.trim().parse::<usize>().ok().filter(|n| *n <= most).ok_or_else(|| {
        Error::invalid(
            format!("{text:?} is not a number of {what}"),
            format!("write a whole number up to {most}, as in {example}"),
        )
    })
}

/// The limits decide what is mirrored; scenes that have to know them are few.
fn shown_rows(rows: usize, limits: Limits, window: usize) -> usize {
    if rows > limits.max_children { window.min(rows) } else { rows }
}

type Made = Result<Found>;
