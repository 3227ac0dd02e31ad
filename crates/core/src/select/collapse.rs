//! One thing, said twice. A button "Save" often holds a text "Save", and a field stands beside the label that names
//! it: a selector by words alone means the control, not its caption.
//!
//! Of two matches that share a word, one gives way:
//! 1. a caption (a passive piece of text) gives way to a match around it that is not a window, and to a control
//!    beside it, under the same parent;
//! 2. what cannot be acted on gives way to a control inside it;
//! 3. a window gives way to whatever is inside it: its title repeats the heading.
//!
//! Everything else stays, and is ambiguous.

use super::matching::spoken;
use super::order::{IdMap, IdSet};
use crate::tree::{ElementId, Node, Role, TreeView};

/// Drops the matches that only repeat another.
pub(super) fn collapse(tree: &TreeView, matches: &mut Vec<ElementId>) {
    if matches.len() < 2 {
        return;
    }
    let all: IdSet = matches.iter().copied().collect();
    let mut controls: IdMap<ElementId> = IdMap::default();
    for id in matches.iter() {
        if let Some(node) = tree.get(*id)
            && node.role().is_interactive()
            && let Some(parent) = node.parent()
        {
            controls.entry(parent).or_insert(*id);
        }
    }
    let mut gone = IdSet::default();
    for id in matches.iter() {
        let Some(inner) = tree.get(*id) else { continue };
        for above in tree.ancestors(*id).filter(|a| all.contains(*a)) {
            let Some(outer) = tree.get(above) else { continue };
            match loser(outer, inner) {
                Some(Side::Outer) => gone.insert(above),
                Some(Side::Inner) => gone.insert(*id),
                None => false,
            };
        }
        let beside = inner.parent().and_then(|p| controls.get(&p)).and_then(|c| tree.get(*c));
        if is_caption(inner.role()) && beside.is_some_and(|control| share_a_word(control, inner)) {
            gone.insert(*id);
        }
    }
    matches.retain(|id| !gone.contains(*id));
}

enum Side {
    Outer,
    Inner,
}

fn loser(outer: &Node, inner: &Node) -> Option<Side> {
    if !share_a_word(outer, inner) {
        return None;
    }
    let window = outer.role().is_window() || outer.role() == Role::Application;
    let control = inner.role().is_interactive() && !outer.role().is_interactive();
    if window || control {
        Some(Side::Outer)
    } else if is_caption(inner.role()) {
        Some(Side::Inner)
    } else {
        None
    }
}

/// Roles that only show words.
fn is_caption(role: Role) -> bool {
    matches!(role, Role::Text | Role::Label | Role::Generic | Role::Paragraph | Role::Emphasis | Role::Image)
}

fn share_a_word(a: &Node, b: &Node) -> bool {
    spoken(a).any(|word| spoken(b).any(|other| other == word))
}
