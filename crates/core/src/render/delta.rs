//! The change between two snapshots, as a program and as a model reads it.
//!
//! The JSON form is the difference of two *emitted* snapshots, so that applying it to the first gives exactly the
//! second: take out what is in `removed` and in `moved`, set the fields in `changed`, then put in what is in `added` and
//! `moved`, lowest `index` first, each at its `index` among the children of its `parent`.

use super::element::Element;
use super::emit::{EmitOptions, Emitted};
use super::reach::Reach;
use super::snapshot::Telling;
use super::text::{line, quoted};
use super::words::field_words;
use crate::revise::{Delta, FieldChange, Revision};
use crate::tree::{ElementId, Prop, Role, Screen, State, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// An element that is new, and its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddedElement {
    /// Its place among the children of its parent.
    pub index: usize,
    /// The element.
    #[serde(flatten)]
    pub element: Element,
}

/// An element that has another place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MovedElement {
    /// Which one.
    pub element_id: ElementId,
    /// Where it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ElementId>,
    /// Its place there.
    pub index: usize,
}

/// An element that came and went in between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransientElement {
    /// The id that it had.
    pub element_id: ElementId,
    /// What it was.
    pub role: Role,
    /// What it said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The change from one snapshot to another (SPEC §10).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeltaJson {
    /// Where it starts.
    pub base_revision: Revision,
    /// Where it leads.
    pub snapshot_revision: Revision,
    /// What is new, in document order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<AddedElement>,
    /// What is gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<ElementId>,
    /// What has another place, in document order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<MovedElement>,
    /// What differs: the `element_id` and the fields with their new values, `null` for a field that is gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Map<String, Value>>,
    /// What came and went in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transient: Vec<TransientElement>,
    /// Which screen is shown now, if it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen: Option<Screen>,
}

/// The change that leads to `after`, as the difference of the two snapshots that are told with these options.
pub fn diff(delta: &Delta, after: &TreeView, options: &EmitOptions) -> DeltaJson {
    let before = delta.rewind(after);
    let (old, new) = (Telling::new(&before, options), Telling::new(after, options));
    let was: HashMap<ElementId, Emitted> = old.emission.elements.iter().map(|e| (e.id, *e)).collect();
    let is: HashSet<ElementId> = new.emission.elements.iter().map(|e| e.id).collect();
    let moved_away = moved(&old.emission.elements, &new.emission.elements);
    let mut reach = Reach::of(delta, &before, after);
    if let Some(top) = new.emission.elements.first() {
        reach.look_around(after, top.id);
    }
    let mut places: HashMap<Option<ElementId>, usize> = HashMap::new();
    let (mut added, mut moved, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    for now in &new.emission.elements {
        let place = places.entry(now.parent).or_default();
        let index = *place;
        *place += 1;
        let is_reached = reach.includes(after, now.id);
        let Some(then) = was.get(&now.id) else {
            added.extend(new.element(*now).map(|element| AddedElement { index, element }));
            continue;
        };
        if moved_away.contains(&now.id) {
            moved.push(MovedElement { element_id: now.id, parent: now.parent, index });
        }
        let versions = match (is_reached, delta.touches(now.id)) {
            (true, _) => old.element(*then).zip(new.element(*now)),
            (false, true) => old.element_alone(*then).zip(new.element_alone(*now)),
            (false, false) => None,
        };
        changed.extend(versions.and_then(|(then, now)| fields(&then, &now)));
    }
    let transient = delta.transient().map(|t| TransientElement {
        element_id: t.id,
        role: t.node.role(),
        text: t.node.label().or(t.node.text()).or(t.node.value()).map(Into::into),
    });
    DeltaJson {
        base_revision: delta.base(),
        snapshot_revision: delta.target(),
        added,
        removed: old.emission.elements.iter().map(|e| e.id).filter(|id| !is.contains(id)).collect(),
        moved,
        changed,
        transient: transient.collect(),
        screen: delta.screen_changed().then(|| after.screen().clone()),
    }
}

/// Elements that are in both and have another parent, or another place among those that stayed.
fn moved(before: &[Emitted], after: &[Emitted]) -> HashSet<ElementId> {
    let (old, new) = (by_parent(before), by_parent(after));
    let mut earlier = old.chunk_by(|a, b| a.parent == b.parent).peekable();
    let mut moved = HashSet::new();
    for list in new.chunk_by(|a, b| a.parent == b.parent) {
        while earlier.next_if(|other| other[0].parent < list[0].parent).is_some() {}
        let earlier = earlier.next_if(|other| other[0].parent == list[0].parent).unwrap_or_default();
        if earlier.iter().map(|e| e.id).eq(list.iter().map(|e| e.id)) {
            continue;
        }
        let rank: HashMap<ElementId, usize> = earlier.iter().enumerate().map(|(i, e)| (e.id, i)).collect();
        let common: Vec<(usize, ElementId)> =
            list.iter().filter_map(|e| rank.get(&e.id).map(|r| (*r, e.id))).collect();
        moved.extend(list.iter().map(|e| e.id));
        for id in longest_rising(&common) {
            moved.remove(&id);
        }
    }
    moved
}

/// The same, those with one parent together, in their order.
fn by_parent(elements: &[Emitted]) -> Vec<Emitted> {
    let mut sorted = elements.to_vec();
    sorted.sort_by_key(|e| e.parent);
    sorted
}

/// The longest run of ids whose earlier ranks rise: what need not be moved.
fn longest_rising(items: &[(usize, ElementId)]) -> Vec<ElementId> {
    let mut tails: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = vec![None; items.len()];
    for (i, (rank, _)) in items.iter().enumerate() {
        let at = tails.partition_point(|t| items[*t].0 < *rank);
        previous[i] = at.checked_sub(1).map(|p| tails[p]);
        if at == tails.len() {
            tails.push(i);
        } else {
            tails[at] = i;
        }
    }
    let mut run = Vec::new();
    let mut at = tails.last().copied();
    while let Some(i) = at {
        run.push(items[i].1);
        at = previous[i];
    }
    run
}

/// The fields in which two versions of an element differ; the parent is told by `moved`.
fn fields(before: &Element, after: &Element) -> Option<Map<String, Value>> {
    if before == after {
        return None;
    }
    let object = |e: &Element| match serde_json::to_value(e) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    };
    let (old, new) = (object(before), object(after));
    let mut changed = Map::new();
    for (name, value) in &new {
        if name != "parent" && old.get(name) != Some(value) {
            changed.insert(name.clone(), value.clone());
        }
    }
    for name in old.keys().filter(|n| *n != "parent" && !new.contains_key(*n)) {
        changed.insert(name.clone(), Value::Null);
    }
    if changed.is_empty() {
        return None;
    }
    let mut told = Map::new();
    told.insert("element_id".to_owned(), Value::String(after.element_id.to_string()));
    told.append(&mut changed);
    Some(told)
}

/// The change as compact text. Geometry is not told; an empty answer means that nothing worth telling changed.
pub fn delta_text(delta: &Delta, after: &TreeView) -> String {
    let mut out = String::new();
    for t in delta.transient() {
        if let Some(said) = t.node.label().or(t.node.text()) {
            let _ = writeln!(out, "! {} {} {} came and went", t.node.role(), quoted(said), t.id);
        }
    }
    if delta.screen_changed() {
        let screen = after.screen();
        let words =
            screen.title.as_deref().map(quoted).into_iter().chain(screen.url.as_deref().map(str::to_owned));
        let _ = writeln!(out, "@ {}", words.collect::<Vec<_>>().join(" "));
    }
    let went: HashSet<ElementId> = delta.removed().map(|(id, _)| id).collect();
    for (id, node) in delta.removed() {
        if node.parent().is_none_or(|p| !went.contains(&p)) {
            let _ = writeln!(out, "- {}", line(id, node));
        }
    }
    let came: HashSet<ElementId> = delta.added().map(|(id, _)| id).collect();
    for (id, node) in delta.added() {
        if node.parent().is_some_and(|p| came.contains(&p)) {
            continue;
        }
        let parent = node.parent().map_or(String::new(), |p| format!(" in {p}"));
        for (below, n) in after.walk_from(id).filter(|(_, n)| is_told(n)) {
            let depth =
                if below == id { 0 } else { after.ancestors(below).take_while(|a| *a != id).count() + 1 };
            let place = if below == id { parent.as_str() } else { "" };
            let _ = writeln!(out, "+ {:2$}{}{place}", "", line(below, n), depth.min(20) * 2);
        }
    }
    for (id, changes) in delta.changed() {
        let Some(node) = after.get(id) else { continue };
        let told: Vec<String> = changes.filter(is_news).filter_map(|c| field_words(node, c)).collect();
        if !told.is_empty() {
            let who = node.label().map_or(String::new(), |l| format!(" {}", quoted(l)));
            let _ = writeln!(out, "~ {}{who} {id}: {}", node.role(), told.join(", "));
        }
    }
    out
}

fn is_told(node: &crate::tree::Node) -> bool {
    node.label().is_some() || node.text().is_some() || node.value().is_some() || node.role().is_interactive()
}

/// What follows from the layout alone is no news.
fn is_news(change: &FieldChange<'_>) -> bool {
    !matches!(
        change,
        FieldChange::Prop(
            _,
            Prop::Bounds(_) | Prop::State(State::OnScreen | State::Focusable, _) | Prop::Actions(_)
        )
    )
}
