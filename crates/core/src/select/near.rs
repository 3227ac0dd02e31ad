//! What a caller may have meant, when nothing matched.

use super::matching::spoken;
use super::resolve::is_hidden;
use super::selector::{Attribute, Filter, Part, Selector, Words};
use super::similar::distance;
use crate::tree::{ElementId, Node, TreeView};

/// An element that nearly matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Which one.
    pub id: ElementId,
    /// How many typing mistakes its name is away from the one that was asked for.
    pub distance: usize,
}

/// The elements nearest to what a selector asks for, the nearest first, at most `most`.
pub fn nearest(tree: &TreeView, selector: &Selector, most: usize) -> Vec<Near> {
    let part = selector.last();
    let Some(wanted) = wanted(part) else { return Vec::new() };
    let wanted = wanted.to_lowercase();
    let allowed = (wanted.chars().count() / 3).clamp(1, 8);
    let mut found: Vec<(usize, bool, bool, ElementId)> = Vec::new();
    for (id, node) in tree.iter() {
        let names = names(part, node);
        if let Some(distance) = names.filter_map(|n| how_far(&wanted, n, allowed)).min() {
            let other_role = part.role.is_some_and(|r| r != node.role());
            found.push((distance, other_role, is_hidden(tree, id), id));
        }
    }
    found.sort_unstable();
    found.into_iter().take(most).map(|(distance, _, _, id)| Near { id, distance }).collect()
}

/// The name that was asked for; a pattern has none.
fn wanted(part: &Part) -> Option<&str> {
    let by_words = match &part.words {
        Some(Words::Exact(text) | Words::Contains(text)) => Some(text.as_str()),
        _ => None,
    };
    by_words.or(part.name.as_deref()).or_else(|| {
        part.filters.iter().find_map(|f| match f {
            Filter::Attribute(Attribute::Label | Attribute::Text | Attribute::Id, text) => {
                Some(text.as_str())
            }
            _ => None,
        })
    })
}

/// The names of an element of the kind that was asked for.
fn names<'n>(part: &Part, node: &'n Node) -> impl Iterator<Item = &'n str> {
    let by_id = part.words.is_none() && part.name.is_some();
    let ids = node.stable_id().into_iter().chain(node.test_tag()).filter(move |_| by_id);
    ids.chain(spoken(node).filter(move |_| !by_id))
}

/// The distance between two names; one that holds the other whole is near, however long it is.
fn how_far(wanted: &str, name: &str, allowed: usize) -> Option<usize> {
    let name = name.to_lowercase();
    let spread = name.chars().count().abs_diff(wanted.chars().count());
    if spread <= allowed
        && let Some(distance) = distance(wanted, &name, allowed)
    {
        return Some(distance);
    }
    let whole = wanted.chars().count() >= 3 && name.contains(wanted);
    whole.then(|| allowed + 1 + spread.min(64))
}
