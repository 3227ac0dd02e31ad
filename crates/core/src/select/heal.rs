//! Finding a recorded element again after the screen has changed (SPEC §7, "Healing"): every candidate is weighed, and
//! the best is taken only if it is good and stands out.

use super::matching::spoken;
use super::remember::{Fingerprint, Landmark, landmarks, neighbours};
use super::similar::likeness;
use crate::tree::{ElementId, Node, Role, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A recorded element, found again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Healed {
    /// The element.
    pub id: ElementId,
    /// How well it fits the record, from 0 to 1.
    pub score: f64,
    /// How well the next best fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<f64>,
    /// What is no longer as it was recorded, in words.
    pub changes: Vec<String>,
}

/// A candidate below this is not good enough.
const GOOD: f64 = 0.8;
/// A candidate nearer than this to the next does not stand out.
const MARGIN: f64 = 0.1;

/// The element that was recorded, if one candidate is good and stands out.
pub fn heal(tree: &TreeView, recorded: &Fingerprint) -> Option<Healed> {
    let census = Census::new(tree, recorded);
    let mut best: Option<(f64, ElementId)> = None;
    let mut second: Option<f64> = None;
    for (place, (id, node)) in census.candidates.iter().enumerate() {
        let score = census.score(*id, node, place);
        if best.is_none_or(|(top, _)| score > top) {
            second = best.map(|(top, _)| top);
            best = Some((score, *id));
        } else if second.is_none_or(|s| score > s) {
            second = Some(score);
        }
    }
    let (score, id) = best?;
    // Both limits are inclusive; the slack is for the last bits of the sum.
    let stands_out = second.is_none_or(|s| score - s >= MARGIN - 1e-9);
    if score <= GOOD || !stands_out {
        return None;
    }
    Some(Healed { id, score, runner_up: second, changes: changes(tree, recorded, id) })
}

/// Everything on the screen that could be the recorded element.
struct Census<'a> {
    tree: &'a TreeView,
    recorded: &'a Fingerprint,
    candidates: Vec<(ElementId, &'a Node)>,
    /// How many carry the recorded stable id, and how many the recorded role and label.
    same_id: usize,
    same_name: usize,
    /// How often each recorded neighbour's name is said on the screen.
    said: Vec<usize>,
}

impl<'a> Census<'a> {
    fn new(tree: &'a TreeView, recorded: &'a Fingerprint) -> Self {
        let said = vec![0; recorded.neighbours.len()];
        let mut census = Census { tree, recorded, candidates: Vec::new(), same_id: 0, same_name: 0, said };
        for (_, node) in tree.iter() {
            let named = |name: &String| spoken(node).any(|word| word == name);
            if let Some(at) = recorded.neighbours.iter().position(named) {
                census.said[at] += 1;
            }
        }
        for (id, node) in tree.walk().filter(|(_, n)| alike(n.role(), recorded.role) > 0.0) {
            census.same_id += usize::from(carries_id(recorded, node));
            census.same_name += usize::from(carries_name(recorded, node));
            census.candidates.push((id, node));
        }
        census
    }

    /// How well a candidate fits: the weighted mean of what can be compared. An id that is gone speaks neither for
    /// nor against; proof of identity (a unique id, a name that was and is unique in its window) sets a floor.
    fn score(&self, id: ElementId, node: &Node, place: usize) -> f64 {
        let r = self.recorded;
        let around = landmarks(self.tree, id);
        let mut sum = Mean::default();
        if let (Some(was), Some(is)) = (&r.stable_id, node.stable_id()) {
            // Frameworks make new ids up for old elements more often than they give an old id away.
            if was == is { sum.add(4.0, 1.0) } else { sum.add(2.0, 0.0) }
        }
        if let (Some(was), Some(is)) = (&r.test_tag, node.test_tag()) {
            sum.add(2.0, f64::from(u8::from(was == is)));
        }
        sum.add(1.5, alike(node.role(), r.role));
        match (&r.label, node.label()) {
            (Some(was), Some(is)) => sum.add(3.0, likeness(was, is)),
            (None, None) => {}
            _ => sum.add(3.0, 0.0),
        }
        if let (Some(was), Some(is)) = (&r.text, node.text()) {
            sum.add(0.5, likeness(was, is));
        }
        sum.add(1.5, same_line(&r.ancestors, &around));
        sum.add(0.5, same_place(r.place, (place, self.candidates.len())));
        if let (Some(was), Some(is)) = (r.bounds, node.bounds()) {
            let (a, b) = (was.center(), is.center());
            let apart = f64::from(a.0.abs_diff(b.0)) + f64::from(a.1.abs_diff(b.1));
            sum.add(0.5, 1.0 / (1.0 + apart / 200.0));
        }
        let floor = self.floor(node, &around).unwrap_or(0.0);
        let lifted = |mean: &Mean| floor + (1.0 - floor) * mean.value();
        if !r.neighbours.is_empty() {
            // Its company is dear to find out; where the best would not help, the worst is assumed.
            let hopeful = lifted(&sum.with(2.0, 1.0));
            let company =
                if hopeful < GOOD - MARGIN { 0.0 } else { self.same_company(&neighbours(self.tree, id)) };
            sum.add(2.0, company);
        }
        lifted(&sum)
    }

    /// The share of recorded neighbours that still stand with it. The nearest count more, and so do those that are
    /// said only once on the screen: a cell "Open" tells no row from another.
    fn same_company(&self, is: &[&str]) -> f64 {
        let mut mean = Mean::default();
        for (i, (name, said)) in self.recorded.neighbours.iter().zip(&self.said).enumerate() {
            let said = (*said).max(1) as f64;
            let weight = 1.0 / (1.0 + 0.25 * i as f64) / (said * said);
            mean.add(weight, f64::from(u8::from(is.contains(&name.as_str()))));
        }
        mean.value()
    }

    fn floor(&self, node: &Node, around: &[Landmark]) -> Option<f64> {
        let r = self.recorded;
        let here = window(&r.ancestors).zip(window(around)).is_none_or(|(was, is)| was == is);
        if carries_id(r, node) && self.same_id == 1 && node.role() == r.role {
            Some(0.7)
        } else if r.alone && carries_name(r, node) && self.same_name == 1 && here && !contradicts(r, node) {
            Some(0.6)
        } else {
            None
        }
    }
}

#[derive(Clone, Default)]
struct Mean {
    weight: f64,
    sum: f64,
}

impl Mean {
    fn add(&mut self, weight: f64, value: f64) {
        self.weight += weight;
        self.sum += weight * value;
    }

    fn with(&self, weight: f64, value: f64) -> Mean {
        let mut mean = self.clone();
        mean.add(weight, value);
        mean
    }

    fn value(&self) -> f64 {
        if self.weight > 0.0 { self.sum / self.weight } else { 0.0 }
    }
}

fn carries_id(recorded: &Fingerprint, node: &Node) -> bool {
    recorded.stable_id.is_some() && recorded.stable_id.as_deref() == node.stable_id()
}

fn carries_name(recorded: &Fingerprint, node: &Node) -> bool {
    recorded.role == node.role() && recorded.label.as_deref() == node.label()
}

/// Another stable id means another element, whatever its name.
fn contradicts(recorded: &Fingerprint, node: &Node) -> bool {
    matches!((&recorded.stable_id, node.stable_id()), (Some(was), Some(is)) if was != is)
}

/// The innermost window around an element, if it has a name.
fn window(line: &[Landmark]) -> Option<&Landmark> {
    line.iter().find(|l| l.role.is_window() && l.label.is_some())
}

/// How near two roles are: toolkits change a button into a link, not into a slider.
fn alike(a: Role, b: Role) -> f64 {
    const KINDS: [&[Role]; 6] = [
        &[Role::Button, Role::Link, Role::MenuItem, Role::ToggleButton, Role::Disclosure],
        &[Role::Textbox, Role::Searchbox, Role::Combobox, Role::Spinbutton, Role::DateField],
        &[Role::Checkbox, Role::Switch, Role::ToggleButton, Role::MenuItemCheckbox, Role::Radio],
        &[Role::ListItem, Role::Option, Role::TreeItem, Role::Row, Role::Cell],
        &[Role::Text, Role::Label, Role::Paragraph, Role::Heading],
        &[Role::Dialog, Role::AlertDialog, Role::Window, Role::Popover],
    ];
    if a == b {
        1.0
    } else if KINDS.iter().any(|kind| kind.contains(&a) && kind.contains(&b)) {
        0.5
    } else {
        0.0
    }
}

/// The share of recorded ancestors that still enclose it.
fn same_line(was: &[Landmark], is: &[Landmark]) -> f64 {
    if was.is_empty() {
        return if is.is_empty() { 1.0 } else { 0.5 };
    }
    let found = |l: &Landmark| is.iter().map(|o| same_landmark(l, o)).fold(0.0, f64::max);
    was.iter().map(found).sum::<f64>() / was.len() as f64
}

fn same_landmark(a: &Landmark, b: &Landmark) -> f64 {
    if a.stable_id.is_some() && a.stable_id == b.stable_id || a == b {
        1.0
    } else if a.role == b.role {
        if a.label.is_some() && a.label == b.label { 1.0 } else { 0.3 }
    } else {
        0.0
    }
}

fn same_place(was: (usize, usize), is: (usize, usize)) -> f64 {
    let share = |(before, all): (usize, usize)| (before as f64 + 0.5) / all.max(1) as f64;
    let from_start = 1.0 / (1.0 + was.0.abs_diff(is.0) as f64);
    from_start.max(1.0 - 2.0 * (share(was) - share(is)).abs()).max(0.0)
}

/// What differs from the record, in words.
fn changes(tree: &TreeView, recorded: &Fingerprint, id: ElementId) -> Vec<String> {
    let Some(node) = tree.get(id) else { return Vec::new() };
    let mut said = Vec::new();
    let mut compare = |what: &str, was: Option<&str>, is: Option<&str>| match (was, is) {
        (Some(was), None) => said.push(format!("its {what} {was:?} is gone")),
        (None, Some(is)) => said.push(format!("it has the {what} {is:?} now")),
        (Some(was), Some(is)) if was != is => said.push(format!("its {what} was {was:?} and is {is:?}")),
        _ => {}
    };
    compare("stable id", recorded.stable_id.as_deref(), node.stable_id());
    compare("test tag", recorded.test_tag.as_deref(), node.test_tag());
    compare("role", Some(recorded.role.name()), Some(node.role().name()));
    compare("label", recorded.label.as_deref(), node.label());
    let now = landmarks(tree, id);
    if let (Some(was), false) = (recorded.ancestors.first(), recorded.ancestors == now) {
        let inside = now.first().map_or_else(|| "nothing".to_owned(), told);
        if now.first() == Some(was) {
            said.push("what encloses it has changed further out".to_owned());
        } else {
            said.push(format!("it was in {} and is in {inside}", told(was)));
        }
    }
    let company = neighbours(tree, id);
    if said.is_empty() && company != recorded.neighbours {
        said.push("what stands beside it has changed".to_owned());
    }
    said
}

fn told(landmark: &Landmark) -> String {
    match (&landmark.label, &landmark.stable_id) {
        (Some(label), _) => format!("{} {label:?}", landmark.role),
        (None, Some(id)) => format!("{}#{id}", landmark.role),
        (None, None) => landmark.role.to_string(),
    }
}
