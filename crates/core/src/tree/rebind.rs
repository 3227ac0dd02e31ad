//! An element id outlives its platform object when the platform puts an equal object in its place (SPEC §2).

use super::net::{Field, NodeChange};
use super::{ElementId, Node, Tree};
use std::collections::HashMap;

impl Tree {
    /// Looks, at the end of a batch, for removed elements whose successor was added in the same batch.
    pub(super) fn rebind(&mut self) {
        let mut orphans: HashMap<Option<ElementId>, Vec<ElementId>> = HashMap::new();
        for (id, node) in self.removed_in_batch() {
            orphans.entry(node.parent()).or_default().push(id);
        }
        if orphans.is_empty() {
            return;
        }
        let mut parents: Vec<Option<ElementId>> =
            orphans.keys().copied().filter(|p| p.is_none_or(|p| self.get(p).is_some())).collect();
        parents.sort_unstable();
        while let Some(parent) = parents.pop() {
            let Some(gone) = orphans.get(&parent) else { continue };
            for (old, new) in self.successors(parent, gone) {
                self.rename(new, old);
                parents.push(Some(old));
            }
        }
    }

    /// Pairs of a removed child of `parent` and the one new child that stands in for it.
    fn successors(&self, parent: Option<ElementId>, gone: &[ElementId]) -> Vec<(ElementId, ElementId)> {
        let siblings: Vec<ElementId> = match parent {
            Some(parent) => self.get(parent).map(|n| n.children().to_vec()).unwrap_or_default(),
            None => self.view.root.into_iter().collect(),
        };
        let fresh: Vec<(usize, ElementId)> =
            siblings.iter().copied().enumerate().filter(|(_, id)| self.is_new(*id)).collect();
        let places = self.places_before(parent);
        let mut pairs = Vec::new();
        for (place, new) in &fresh {
            let Some(node) = self.get(*new) else { continue };
            let by_id = |a: &Node| node.stable_id().is_some() && a.stable_id() == node.stable_id();
            let twin = |a: &Node| a.role() == node.role() && a.label() == node.label();
            let stand_in = |old: &&ElementId| {
                self.removed(**old).is_some_and(|before| {
                    by_id(before)
                        || (before.stable_id() == node.stable_id()
                            && twin(before)
                            && places.get(*old) == Some(place))
                })
            };
            let candidates: Vec<ElementId> = gone.iter().filter(stand_in).copied().collect();
            // A stable id that several new siblings carry proves nothing about any of them.
            let collides = node.stable_id().is_some()
                && fresh.iter().any(|(_, other)| {
                    other != new && self.get(*other).is_some_and(|o| o.stable_id() == node.stable_id())
                });
            if let [only] = candidates[..]
                && !collides
                && !pairs.iter().any(|(old, _)| *old == only)
            {
                pairs.push((only, *new));
            }
        }
        pairs
    }

    fn removed(&self, id: ElementId) -> Option<&Node> {
        match self.net.nodes.get(&id) {
            Some(NodeChange::Removed(node)) => Some(node),
            _ => None,
        }
    }

    /// Where each child of `parent` stood before the batch.
    fn places_before(&self, parent: Option<ElementId>) -> HashMap<ElementId, usize> {
        let Some(parent) = parent else {
            return self
                .removed_in_batch()
                .filter(|(_, n)| n.parent().is_none())
                .map(|(id, _)| (id, 0))
                .collect();
        };
        let before = match self.net.nodes.get(&parent) {
            Some(NodeChange::Changed(fields)) => fields.iter().find_map(|f| match f {
                Field::Children { old, .. } => Some(old.as_slice()),
                _ => None,
            }),
            Some(NodeChange::Removed(node)) => Some(node.children()),
            _ => None,
        };
        before.unwrap_or_default().iter().enumerate().map(|(i, id)| (*id, i)).collect()
    }
}
