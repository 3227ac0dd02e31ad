//! `churn:N,M`: a tree of N elements in which M changes a second happen, of every class, the same for the same seed.

use super::{Machine, Made, whole};
use crate::scene::choices::Random;
use crate::scene::expr::Wording;
use crate::scene::library::Found;
use crate::scene::stage::Stage;
use crate::scene::{Element, parse};
use std::collections::BTreeMap;
use std::time::Duration;
use stillpoint_core::Error;
use stillpoint_core::tree::{Change, Limits, NativeKey, Prop, Rect, Role, State, StateValue, ValueRange};

const FRAME: &str = "// churn:N,M: N elements of which M a second change: text, state, structure, geometry.
title \"Churn\"
application \"Churn\" #app
  window \"Churn\" #window
";

/// Elements in one group.
const GROUP: usize = 50;
/// The platform's timer is no finer than this.
const TICK: Duration = Duration::from_millis(5);

/// The scene for `N,M`.
pub(crate) fn churn(load: &str, limits: Limits, seed: u64) -> Made {
    let Some((nodes, rate)) = load.split_once(',') else {
        return Err(Error::invalid(
            format!("{load:?} is not a load: there is no comma"),
            "write how many elements and how many changes a second, as in sim:churn:1000,200",
        ));
    };
    let nodes = whole(nodes, "elements", limits.max_nodes, "sim:churn:1000,200")?;
    let rate = whole(rate, "changes a second", 1_000_000, "sim:churn:1000,200")?;
    let mut scene = parse(FRAME)?;
    // The application and its window count as well.
    let mut left = nodes.saturating_sub(2);
    let mut made = 0;
    while left > 0 {
        let inside = (left - 1).min(GROUP - 1);
        let children = (0..inside).map(|i| leaf(made + i)).collect();
        let group = Element { role: Role::Group, place: Some(cell(made)), children, ..Element::default() };
        if let Some(window) = scene.root.children.first_mut() {
            window.children.push(group);
        }
        made += inside;
        left -= inside + 1;
    }
    let machine = Churn { rate: rate as f64, done: 0, made, leaves: Vec::new(), random: Random::new(seed) };
    Ok(Found { scene, machine: Some(Box::new(machine)) })
}

fn cell(number: usize) -> Rect {
    Rect::new((number % 40 * 20) as i32, (number / 40 % 30 * 20) as i32, 20, 20)
}

fn leaf(number: usize) -> Element {
    let role = [Role::Text, Role::Button, Role::Checkbox, Role::Progressbar, Role::Textbox][number % 5];
    let is_text = role == Role::Text;
    Element {
        role,
        label: Wording(if is_text { String::new() } else { format!("Item {number}") }),
        text: is_text.then(|| Wording(format!("Line {number}"))),
        value: (role == Role::Progressbar).then(|| "0".into()),
        range: (role == Role::Progressbar).then_some(ValueRange { min: 0.0, max: 100.0, step: None }),
        place: Some(cell(number)),
        ..Element::default()
    }
}

struct Churn {
    rate: f64,
    /// Changes made so far.
    done: u64,
    /// Elements made so far.
    made: usize,
    leaves: Vec<NativeKey>,
    random: Random,
}

impl Churn {
    fn change(&mut self, stage: &mut Stage) {
        let place = self.random.below(self.leaves.len());
        let Some(&key) = self.leaves.get(place) else { return };
        let role = stage.role(key);
        match self.random.below(10) {
            0..=3 => {
                let words = format!("Change {}", self.done);
                let prop = if role == Role::Text {
                    Prop::Text(Some(words.into()))
                } else {
                    Prop::Label(Some(words.into()))
                };
                stage.set(key, prop);
            }
            4..=5 => {
                let state = if role == Role::Checkbox { State::Checked } else { State::Enabled };
                let on = !stage.is(key, state);
                stage.set(key, Prop::State(state, Some(StateValue::from(on))));
            }
            6..=7 => self.swap_element(place, key, stage),
            8 => {
                let at = Rect::new(self.random.below(780) as i32, self.random.below(580) as i32, 20, 20);
                stage.move_on_screen(key, at);
            }
            _ => {
                if role == Role::Progressbar {
                    stage.set_value(key, &self.random.below(101).to_string());
                } else {
                    let words = format!("Note {}", self.done);
                    stage.set(key, Prop::Description(Some(words.into())));
                }
            }
        }
    }

    /// One element goes, another comes: the number stays.
    fn swap_element(&mut self, place: usize, key: NativeKey, stage: &mut Stage) {
        let Some(group) = stage.get(key).and_then(|item| item.parent) else { return };
        let at = self.random.below(stage.children(group).len());
        stage.remove(key);
        self.made += 1;
        if let Some(new) = stage.insert(group, Some(at), &leaf(self.made), &BTreeMap::new()) {
            self.leaves[place] = new;
        }
    }
}

impl Machine for Churn {
    fn begin(&mut self, stage: &mut Stage) {
        let all = stage.root().into_iter().flat_map(|root| stage.walk(root));
        let inner = [Role::Application, Role::Window, Role::Group];
        self.leaves =
            all.filter(|(_, item)| !inner.contains(&item.props.role())).map(|(key, _)| key).collect();
    }

    fn due(&self) -> Option<Duration> {
        if self.rate <= 0.0 || self.leaves.is_empty() {
            return None;
        }
        let exact = Duration::from_secs_f64((self.done + 1) as f64 / self.rate);
        let ticks = exact.as_micros().div_ceil(TICK.as_micros()) as u64;
        Some(Duration::from_micros(ticks.saturating_mul(TICK.as_micros() as u64)))
    }

    fn tick(&mut self, since_start: Duration, stage: &mut Stage, batches: &mut Vec<Vec<Change>>) {
        if self.leaves.is_empty() {
            return;
        }
        // The small addend keeps a rounding error from leaving a due change undone for ever.
        let due = (since_start.as_secs_f64() * self.rate + 1e-6) as u64;
        // Whoever was held up for long does not flood the reader afterwards.
        let most = ((self.rate * 0.1) as u64).max(16);
        if due > self.done + most {
            self.done = due - most;
        }
        while self.done < due {
            self.done += 1;
            self.change(stage);
            batches.push(stage.flush());
        }
    }
}
