//! Looking for an element where only a part is mirrored: a list of thousands of rows, or one that makes its rows as they
//! come into view. The list is scrolled through, and never further at once than what was seen before remains in sight.

use super::pipeline::Run;
use crate::backend::{Action, Place};
use std::collections::HashSet;
use std::time::Duration;
use stillpoint_core::judge::called;
use stillpoint_core::select::{Resolved, Selector, Visibility, resolve_one};
use stillpoint_core::tree::{ElementId, Node, Rect, Role, State, StateValue, TreeView};
use stillpoint_core::{Code, Error, Result};

/// And by which at most. GTK 4.8 crashes in a list that is scrolled by several screens at once.
const LONGEST_STEP: f64 = 0.9;
/// How long a list that did not move at once may take to begin: a few frames of an animated wheel.
const BEGINS: Duration = Duration::from_millis(120);
/// The part of the view by which a list is scrolled at first.
const FIRST_STEP: f64 = 0.6;
/// After so many tries to bring a row into view, whoever asked has to look for themselves.
const MOST_APPROACHES: usize = 40;
/// At most so many screens of one list, however far it goes.
const MOST_STEPS: usize = 5_000;

/// A list that can be scrolled, and the part of it that can be seen.
#[derive(Clone, Debug)]
struct Shelf {
    id: ElementId,
    name: String,
    visible: Rect,
}

/// What of a list is mirrored now: what its rows say, and where they are.
#[derive(PartialEq)]
struct View {
    rows: HashSet<String>,
    places: Vec<Option<Rect>>,
}

impl Run<'_> {
    /// Scrolls through every list on the screen until the element is there; `miss` is what was said without that.
    pub(super) async fn reach(&mut self, selector: &Selector, miss: Error) -> Result<Resolved> {
        let shelves = self.session.read(|tree| shelves(tree));
        let mut searched = Vec::new();
        for shelf in shelves {
            for down in [true, false] {
                if let Some(found) = self.sweep(&shelf, selector, down).await? {
                    return Ok(found);
                }
            }
            searched.push(shelf.name);
        }
        if searched.is_empty() {
            return Err(miss);
        }
        let message = format!("{}; {} was scrolled from end to end", miss.message, searched.join(", "));
        Err(Error { message, ..miss })
    }

    /// Scrolls one list in one direction to its end.
    async fn sweep(&mut self, shelf: &Shelf, selector: &Selector, down: bool) -> Result<Option<Resolved>> {
        let sign = if down { 1.0 } else { -1.0 };
        let longest = f64::from(shelf.visible.height) * LONGEST_STEP;
        let mut step = longest.min(f64::from(shelf.visible.height) * FIRST_STEP);
        let mut before = self.session.read(|tree| view(tree, shelf.id));
        for _ in 0..MOST_STEPS {
            self.turn_wheel(shelf, sign * step).await?;
            let mut after = self.look_at(shelf, &before).await?;
            if after == before {
                return Ok(None);
            }
            let kept = after.rows.intersection(&before.rows).count();
            let was = before.rows.len().max(1);
            if kept == 0 && step > 1.0 {
                // Too far: what lies between may hold it. Back, and on with smaller steps.
                self.turn_wheel(shelf, -sign * step).await?;
                after = self.look_at(shelf, &after).await?;
                step /= 2.0;
            } else if kept * 2 > was {
                step = (step * 1.6).min(longest);
            }
            if let Some(found) = self.approach(shelf, selector).await? {
                return Ok(Some(found));
            }
            before = after;
        }
        Ok(None)
    }

    /// Some lists make rows before they show, or keep those that were scrolled out: goes the rest of the way. Looked for
    /// anew after each step, for a row that leaves the view may be used again for another.
    async fn approach(&mut self, shelf: &Shelf, selector: &Selector) -> Result<Option<Resolved>> {
        let mut last = None;
        for _ in 0..MOST_APPROACHES {
            let found = self.session.read(|tree| resolve_one(tree, selector, Visibility::VisibleFirst));
            last = match found {
                Err(error) if error.code == Code::ElementNotFound => return Ok(None),
                found => Some(found?),
            };
            let id = last.as_ref().map(|found| found.id);
            let Some(way) = self.way(shelf, id).await? else { break };
            let before = self.session.read(|tree| view(tree, shelf.id));
            let longest = f64::from(shelf.visible.height) * LONGEST_STEP;
            self.turn_wheel(shelf, way.clamp(-longest, longest)).await?;
            if self.look_at(shelf, &before).await? == before {
                break;
            }
        }
        Ok(last)
    }

    /// How far it is to an element of the list, counted from the row in the middle of the view. That row is asked for:
    /// GTK 4 leaves rows that were scrolled out with the place that they had.
    async fn way(&self, shelf: &Shelf, to: Option<ElementId>) -> Result<Option<f64>> {
        let (x, y) = shelf.visible.center();
        let hit = match self.session.backend().hit_test(x, y, self.deadline).await {
            Err(error) if error.code == Code::Unsupported => None,
            hit => hit?,
        };
        Ok(self.session.read(|tree| way_to(tree, shelf, to?, tree.by_key(hit?)?)))
    }

    async fn turn_wheel(&mut self, shelf: &Shelf, by: f64) -> Result<()> {
        let (x, y) = shelf.visible.center();
        let action = Action::Scroll { on: Place::Point(x, y), dx: 0, dy: by.round() as i32 };
        self.permit(&action).await?;
        if self.deadline.has_passed() {
            return Err(Error::new(
                Code::Timeout,
                format!("the time was over while {} was scrolled through for the element", shelf.name),
                "give a longer timeout_ms, or scroll nearer to it first",
            ));
        }
        if self.call.cancel.is_cancelled() {
            let hint = "the list stays where it was scrolled to; call again if it is still wanted";
            return Err(Error::new(Code::Cancelled, "cancelled by the caller", hint));
        }
        self.session.backend().perform(&action, self.deadline).await.map_err(|refusal| refusal.error)?;
        Ok(())
    }

    /// What the list shows now. One that has not moved yet is given a few frames.
    async fn look_at(&self, shelf: &Shelf, before: &View) -> Result<View> {
        let mut changes = self.session.changes();
        loop {
            changes.borrow_and_update();
            self.session.barrier(self.deadline).await?;
            let now = self.session.read(|tree| view(tree, shelf.id));
            if now != *before {
                return Ok(now);
            }
            if tokio::time::timeout(BEGINS, changes.changed()).await.is_err() {
                self.session.barrier(self.deadline).await?;
                return Ok(self.session.read(|tree| view(tree, shelf.id)));
            }
        }
    }
}

/// The lists that can be seen, those that say that they left something out first; never one inside of another.
fn shelves(tree: &TreeView) -> Vec<Shelf> {
    let mut found: Vec<(bool, ElementId, Rect)> = Vec::new();
    for (id, node) in tree.walk() {
        let Some(visible) = visible_part(tree, id, node).filter(|_| is_list(node)) else { continue };
        // The innermost is what the wheel turns.
        found.retain(|(_, outer, _)| {
            !tree.is_within(id, *outer) || tree.get(*outer).is_some_and(|n| n.omitted() > 0)
        });
        if !found.iter().any(|(_, outer, _)| tree.is_within(id, *outer)) {
            found.push((node.omitted() > 0, id, visible));
        }
    }
    found.sort_by_key(|(omits, _, visible)| (!omits, -visible.height));
    found.into_iter().map(|(_, id, visible)| Shelf { id, name: called(tree, id), visible }).collect()
}

/// How far the list has to be scrolled until a row of it shows; `None` if it does, or if nobody can say. `middle` is
/// what lies in the middle of the view.
fn way_to(tree: &TreeView, shelf: &Shelf, id: ElementId, middle: ElementId) -> Option<f64> {
    let rows = tree.get(shelf.id)?.children();
    let place_of = |id: ElementId| rows.iter().position(|row| tree.is_within(id, *row));
    let (place, middle) = (place_of(id)?, place_of(middle)?);
    let height = tree.get(*rows.get(middle)?)?.bounds()?.height.max(1);
    let way = (place as f64 - middle as f64) * f64::from(height);
    let reach = f64::from(shelf.visible.height) / 2.0 - f64::from(height);
    (way.abs() > reach).then_some(way)
}

fn is_list(node: &Node) -> bool {
    let by_role = matches!(
        node.role(),
        Role::List | Role::Listbox | Role::Table | Role::Grid | Role::Tree | Role::ScrollArea | Role::Log
    );
    by_role || node.omitted() > 0
}

/// The part of an element that lies within everything that it lies in.
fn visible_part(tree: &TreeView, id: ElementId, node: &Node) -> Option<Rect> {
    if node.states().get(State::Visible) == Some(StateValue::Off) {
        return None;
    }
    let own = node.bounds().filter(|r| r.has_area())?;
    let mut around = tree.ancestors(id).filter_map(|a| tree.get(a)?.bounds()).filter(|r| r.has_area());
    around.try_fold(own, Rect::intersection)
}

fn view(tree: &TreeView, shelf: ElementId) -> View {
    let children = tree.get(shelf).map(Node::children).unwrap_or_default();
    let said = |id: &ElementId| {
        let words = |n: &Node| n.label().or(n.text()).map(str::to_owned);
        tree.walk_from(*id).find_map(|(_, n)| words(n)).unwrap_or_else(|| id.to_string())
    };
    View {
        rows: children.iter().map(said).collect(),
        places: children.iter().map(|id| tree.get(*id).and_then(|n| n.bounds())).collect(),
    }
}
