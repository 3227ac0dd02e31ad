//! A slider that the page draws itself: moved by its keys through the browser's input, and read back after each move.

use super::{Hand, Outcome, by_keyboard, strokes};
use crate::scripts::DRAWN_VALUE;
use serde_json::Value;
use stillpoint_core::tree::NativeKey;
use stillpoint_core::{Code, Error};
use stillpoint_engine::backend::{Key, Refusal, SetTo};

/// How many keys are pressed at most, at once or one by one.
const PRESSES: usize = 400;

/// Keys that raise a value; the ones that lower it are their opposites.
const RAISING: [(&str, &str); 2] = [("ArrowRight", "ArrowLeft"), ("ArrowUp", "ArrowDown")];

/// What the control says.
struct Reading {
    now: f64,
    least: Option<f64>,
    most: Option<f64>,
}

impl Hand<'_> {
    pub(super) async fn set_drawn(&self, on: NativeKey, to: &SetTo) -> Outcome {
        let wanted = match to {
            SetTo::Number(number) => Some(*number),
            SetTo::Text(text) => text.trim().parse::<f64>().ok(),
        };
        let reading = self.reading(on).await?;
        let (Some(wanted), Some(reading)) = (wanted.filter(|n| n.is_finite()), reading) else {
            return Err(Refusal::before_dispatch(Error::new(
                Code::Unsupported,
                "this control is drawn by the page and does not tell a value that could be set",
                "focus it and press its keys (ArrowRight, Home, …), or drag it",
            )));
        };
        let below = reading.least.is_some_and(|least| wanted < least);
        if below || reading.most.is_some_and(|most| wanted > most) {
            return Err(Refusal::before_dispatch(Error::invalid(
                format!("{wanted} is outside of what the control takes"),
                "its value_range in the snapshot tells from where to where it goes",
            )));
        }
        self.focus(on).await?;
        self.walk(on, wanted, reading).await
    }

    /// Learns from one key how far it goes, then presses as many as are needed, until nothing brings it nearer. A page
    /// that loses keys which come faster than it draws gets them one by one.
    async fn walk(&self, on: NativeKey, wanted: f64, mut at: Reading) -> Outcome {
        if (wanted - at.now).abs() < f64::EPSILON {
            return by_keyboard();
        }
        let up = wanted > at.now;
        let Some((keys, step)) = self.learn(on, &mut at, up).await? else {
            return Err(Refusal::after_dispatch(unmoved(wanted, at.now)));
        };
        let mut one_by_one = false;
        for _ in 0..PRESSES {
            let left = wanted - at.now;
            let presses = ((left / step).abs().round() as usize).min(PRESSES);
            if presses == 0 {
                break;
            }
            let presses = if one_by_one { 1 } else { presses };
            self.press_times(on, if left > 0.0 { keys.0 } else { keys.1 }, presses).await?;
            let Some(after) = self.reading(on).await? else { break };
            one_by_one |= (after.now - at.now).abs() < step * presses as f64;
            if (wanted - after.now).abs() >= left.abs() {
                break;
            }
            at = after;
        }
        // The caller reads it back, and says how near it came.
        by_keyboard()
    }

    /// Presses one key towards the value; gives the keys that work and how far one goes.
    async fn learn(
        &self,
        on: NativeKey,
        at: &mut Reading,
        up: bool,
    ) -> Result<Option<((&'static str, &'static str), f64)>, Refusal> {
        for pair in RAISING {
            self.press_times(on, if up { pair.0 } else { pair.1 }, 1).await?;
            let Some(after) = self.reading(on).await? else { return Ok(None) };
            let step = (after.now - at.now).abs();
            if step > 0.0 {
                *at = after;
                return Ok(Some((pair, step)));
            }
        }
        Ok(None)
    }

    async fn press_times(&self, on: NativeKey, name: &str, times: usize) -> Result<(), Refusal> {
        let key = Key { name: name.to_owned(), ctrl: false, shift: false, alt: false, meta: false };
        let window = self.shared.locate(on)?.reach.window;
        let mut events = Vec::new();
        for _ in 0..times {
            events.extend(strokes(&key)?);
        }
        self.dispatch(&window, events).await
    }

    async fn reading(&self, on: NativeKey) -> Result<Option<Reading>, Refusal> {
        let told: Value = self.run(on, DRAWN_VALUE, &[]).await?;
        Ok(told[0].as_f64().map(|now| Reading { now, least: told[1].as_f64(), most: told[2].as_f64() }))
    }
}

fn unmoved(wanted: f64, now: f64) -> Error {
    Error::new(
        Code::ControlNotConverged,
        format!("the control stayed at {now} when its arrow keys were pressed; {wanted} was wanted"),
        "it may be moved by the pointer only: drag it",
    )
}
