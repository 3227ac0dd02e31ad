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

    /// Pairs of a removed child of `parent` and the one new child that stands in for it: the bearer of its stable id, or, where there is
    /// none, the one of its role and label in its place. What is looked up is counted first, for a list may be drawn anew as a whole.
    fn successors(&self, parent: Option<ElementId>, gone: &[ElementId]) -> Vec<(ElementId, ElementId)> {
        let siblings: Vec<ElementId> = match parent {
            Some(parent) => self.get(parent).map(|n| n.children().to_vec()).unwrap_or_default(),
            None => self.view.root.into_iter().collect(),
        };
        let fresh: Vec<(usize, ElementId, &Node)> = siblings
            .into_iter()
            .enumerate()
            .filter(|(_, id)| self.is_new(*id))
            .filter_map(|(place, id)| Some((place, id, self.get(id)?)))
            .collect();
        let mut bearers: HashMap<&str, usize> = HashMap::new();
        for id in fresh.iter().filter_map(|(_, _, node)| node.stable_id()) {
            *bearers.entry(id).or_default() += 1;
        }
        let places = self.places_before(parent);
        let mut by_id: HashMap<&str, Vec<ElementId>> = HashMap::new();
        let mut by_place: HashMap<usize, Vec<(ElementId, &Node)>> = HashMap::new();
        for (old, before) in gone.iter().filter_map(|old| Some((*old, self.removed(*old)?))) {
            match (before.stable_id(), places.get(&old)) {
                (Some(id), _) => by_id.entry(id).or_default().push(old),
                (None, Some(place)) => by_place.entry(*place).or_default().push((old, before)),
                (None, None) => {}
            }
        }
        let stand_ins = |place: usize, node: &Node| -> Vec<ElementId> {
            match node.stable_id() {
                // A stable id that several new siblings carry proves nothing about any of them.
                Some(id) if bearers[id] > 1 => Vec::new(),
                Some(id) => by_id.get(id).cloned().unwrap_or_default(),
                None => by_place
                    .get(&place)
                    .into_iter()
                    .flatten()
                    .filter(|(_, before)| before.role() == node.role() && before.label() == node.label())
                    .map(|(old, _)| *old)
                    .collect(),
            }
        };
        fresh
            .iter()
            .filter_map(|(place, new, node)| match stand_ins(*place, node)[..] {
                [only] => Some((only, *new)),
                _ => None,
            })
            .collect()
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
