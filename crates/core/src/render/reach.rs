//! Whom a change reaches beyond the elements that it touches. What is told of an element includes the selector that finds
//! it, and a selector goes by what other elements are called. Most changes reach nobody else: to know that spares
//! making the selectors of a whole screen twice.

use crate::revise::{Delta, FieldChange};
use crate::tree::{ElementId, Node, Prop, Role, TreeView};
use std::collections::HashSet;

/// What the elements that came, went or are called otherwise are and were called.
#[derive(Default)]
pub(super) struct Reach<'t> {
    /// Elements that stayed and are called otherwise now.
    renamed: HashSet<ElementId>,
    /// Stable ids and test tags.
    names: HashSet<&'t str>,
    /// Labels and texts.
    words: HashSet<&'t str>,
    roles: HashSet<Role>,
    /// Something that stayed has another place, and so may have everything that is counted.
    everybody: bool,
    /// Who was found to be reached so far.
    reached: HashSet<ElementId>,
}

impl<'t> Reach<'t> {
    pub(super) fn of(delta: &'t Delta, before: &'t TreeView, after: &'t TreeView) -> Self {
        let mut reach = Reach::default();
        for (_, node) in delta.added().chain(delta.removed()) {
            reach.take_note(node);
        }
        for (id, fields) in delta.changed() {
            let mut renamed = false;
            for field in fields {
                match field {
                    FieldChange::Prop(prop, _) => renamed |= is_part_of_a_name(prop),
                    FieldChange::Moved(..) => reach.everybody = true,
                    FieldChange::Children(old, new) => reach.everybody |= !keeps_order(old, new),
                    FieldChange::Secret => {}
                }
            }
            if renamed {
                reach.renamed.insert(id);
                before.get(id).into_iter().chain(after.get(id)).for_each(|node| reach.take_note(node));
            }
        }
        reach
    }

    fn take_note(&mut self, node: &'t Node) {
        self.names.extend(names(node));
        self.words.extend(words(node));
        self.roles.insert(node.role());
    }

    /// Whether what finds this element may be another than before. Ask in document order: an element can be found by
    /// where it lies, so whoever lies in one that is reached is reached too.
    pub(super) fn includes(&mut self, tree: &TreeView, id: ElementId) -> bool {
        if self.everybody {
            return true;
        }
        let Some(node) = tree.get(id) else { return false };
        let above = match node.parent() {
            Some(parent) => self.reached.contains(&parent),
            None => false,
        };
        let is_reached = above || self.is_about(id, node);
        if is_reached {
            self.reached.insert(id);
        }
        is_reached
    }

    /// Takes note of what lies around the first element that is told.
    pub(super) fn look_around(&mut self, tree: &TreeView, top: ElementId) {
        let around: Vec<ElementId> = tree.ancestors(top).collect();
        for id in around.into_iter().rev() {
            self.includes(tree, id);
        }
    }

    fn is_about(&self, id: ElementId, node: &Node) -> bool {
        self.renamed.contains(&id)
            || names(node).any(|name| self.names.contains(name))
            || words(node).any(|word| self.words.contains(word))
            || self.roles.contains(&node.role()) && goes_by_its_role(node)
    }
}

fn names(node: &Node) -> impl Iterator<Item = &str> {
    node.stable_id().into_iter().chain(node.test_tag())
}

fn words(node: &Node) -> impl Iterator<Item = &str> {
    node.label().into_iter().chain(node.text())
}

/// Whether nothing better than its role can be said of it. A long label is no name either.
fn goes_by_its_role(node: &Node) -> bool {
    names(node).next().is_none() && words(node).next().is_none_or(crate::select::is_too_long)
}

fn is_part_of_a_name(prop: &Prop) -> bool {
    matches!(prop, Prop::Role(_) | Prop::StableId(_) | Prop::TestTag(_) | Prop::Label(_) | Prop::Text(_))
}

/// Whether those that are in both lists follow each other as before.
fn keeps_order(old: &[ElementId], new: &[ElementId]) -> bool {
    let (was, is): (HashSet<ElementId>, HashSet<ElementId>) =
        (old.iter().copied().collect(), new.iter().copied().collect());
    old.iter().filter(|id| is.contains(id)).eq(new.iter().filter(|id| was.contains(id)))
}
