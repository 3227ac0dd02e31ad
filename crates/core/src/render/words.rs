//! Changes in words: what a person or a model reads first.

use super::text::{line, quoted};
use crate::revise::{Class, Delta, FieldChange, Mutation};
use crate::tree::{ElementId, Node, Prop, StateValue, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// Counts by kind, and the first changes in words (SPEC §6).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeSummary {
    /// How many mutations there were of each class.
    #[schemars(with = "BTreeMap<String, u32>")]
    pub counts: BTreeMap<String, u32>,
    /// Elements that came.
    pub added: u32,
    /// Elements that went.
    pub removed: u32,
    /// Elements that differ.
    pub changed: u32,
    /// Elements that came and went in between.
    pub transient: u32,
    /// The first changes, in words.
    pub first: Vec<String>,
}

/// So many changes are told in words.
const TOLD: usize = 10;

/// Sums up a delta. `after` is the tree that it leads to; `mutations` count the classes, where they are known.
pub fn summarise(delta: &Delta, after: &TreeView, mutations: &BTreeMap<Class, u32>) -> ChangeSummary {
    let told = sentences(delta, after);
    ChangeSummary {
        counts: mutations.iter().map(|(class, n)| (class.name().to_owned(), *n)).collect(),
        added: delta.added().count() as u32,
        removed: delta.removed().count() as u32,
        changed: delta.changed().count() as u32,
        transient: delta.transient().count() as u32,
        first: told.take(TOLD).collect(),
    }
}

/// Every change in words, what matters most first: transients, then the tops of what came and went, then changes.
fn sentences<'a>(delta: &'a Delta, after: &'a TreeView) -> impl Iterator<Item = String> + 'a {
    let transient = delta
        .transient()
        .filter(|t| t.node.label().or(t.node.text()).is_some())
        .map(|t| format!("{} came and went", line(t.id, t.node)));
    let came: HashSet<ElementId> = delta.added().map(|(id, _)| id).collect();
    let added = delta.added().filter(move |(_, n)| n.parent().is_none_or(|p| !came.contains(&p)));
    let added = added.map(|(id, n)| format!("{} appeared{}", line(id, n), under(n)));
    let went: HashSet<ElementId> = delta.removed().map(|(id, _)| id).collect();
    let removed = delta.removed().filter(move |(_, n)| n.parent().is_none_or(|p| !went.contains(&p)));
    let removed = removed.map(|(id, n)| format!("{} vanished", line(id, n)));
    let changed = delta.changed().flat_map(move |(id, fields)| {
        let node = after.get(id);
        fields.filter_map(move |f| node.and_then(|n| sentence(id, n, f))).collect::<Vec<_>>()
    });
    transient.chain(added).chain(removed).chain(changed)
}

fn under(node: &Node) -> String {
    node.parent().map_or(String::new(), |p| format!(" in {p}"))
}

/// One field's change in words; `None` if nobody would want to read it.
fn sentence(id: ElementId, node: &Node, change: FieldChange<'_>) -> Option<String> {
    let who = match node.label() {
        Some(label) => format!("{} {} {id}", node.role(), quoted(label)),
        None => format!("{} {id}", node.role()),
    };
    let told = field_words(node, change)?;
    Some(format!("{who}: {told}"))
}

/// What a field's change is called, without saying whose it is.
pub(super) fn field_words(node: &Node, change: FieldChange<'_>) -> Option<String> {
    let from_to = |what: &str, old: Option<&str>, new: Option<&str>| {
        let say = |s: Option<&str>| s.map_or("none".to_owned(), quoted);
        format!("{what} {} → {}", say(old), say(new))
    };
    Some(match change {
        FieldChange::Secret => "its protected content changed".to_owned(),
        FieldChange::Moved(_, new) => {
            format!("moved to {}", new.map_or("the top".to_owned(), |p| p.to_string()))
        }
        FieldChange::Children(old, new) if old.len() == new.len() && old.iter().all(|c| new.contains(c)) => {
            "its children are in another order".to_owned()
        }
        FieldChange::Children(..) => return None,
        FieldChange::Prop(old, new) => match (old, new) {
            // What a field held before it was protected is not repeated.
            (Prop::Text(_) | Prop::Value(_) | Prop::RawValue(_), _) if node.is_protected() => return None,
            (Prop::Label(a), Prop::Label(b)) => from_to("label", a.as_deref(), b.as_deref()),
            (Prop::Text(a), Prop::Text(b)) => from_to("text", a.as_deref(), b.as_deref()),
            (Prop::Value(a), Prop::Value(b)) => from_to("value", a.as_deref(), b.as_deref()),
            (Prop::Description(a), Prop::Description(b)) => {
                from_to("description", a.as_deref(), b.as_deref())
            }
            (Prop::StableId(a), Prop::StableId(b)) => from_to("id", a.as_deref(), b.as_deref()),
            (Prop::Role(a), Prop::Role(_)) => format!("was a {a}"),
            (Prop::RawValue(a), Prop::RawValue(b)) if node.value().is_none() => {
                let say = |n: &Option<f64>| n.map(|n| n.to_string());
                format!("value {} → {}", say(a).unwrap_or("none".into()), say(b).unwrap_or("none".into()))
            }
            (Prop::State(state, a), Prop::State(_, b)) => {
                let say = |v: &Option<StateValue>| v.map_or("unknown".to_owned(), |v| v.to_string());
                format!("{} {} → {}", state.name(), say(a), say(b))
            }
            _ => return None,
        },
    })
}

/// Counts mutations by class, for [`summarise`].
pub fn count(counts: &mut BTreeMap<Class, u32>, mutations: &[Mutation]) {
    for m in mutations {
        *counts.entry(m.class).or_default() += 1;
    }
}
