//! Cells of a huge table whose objects do not last: `LibreOffice` makes a cell's object when it is asked for, lets go of it
//! some time later, and makes another at the next question. A cell is what stands at one place of its table.

use crate::object::Object;
use crate::read::Facet;
use crate::shadow::{Shadow, Stage};
use std::collections::HashSet;
use stillpoint_core::tree::NativeKey;

impl Shadow {
    /// Cells that have other objects by now keep their keys; what may have changed in between is asked for.
    pub(crate) fn know_cells_again(&mut self, table: NativeKey, found: &[(usize, Object)]) {
        let Some(before) = self.nodes.get(&table).map(|e| e.cells.clone()) else { return };
        let known = |object: &Object| self.keys.get(&object.name, &object.path);
        let still: HashSet<NativeKey> = found.iter().filter_map(|(_, object)| known(object)).collect();
        for (index, object) in found {
            let Some(cell) = before.get(index).copied().filter(|cell| !still.contains(cell)) else {
                continue;
            };
            if self.keys.get(&object.name, &object.path).is_some() {
                continue;
            }
            let lives = |e: &&mut crate::shadow::Entry| !e.dead && e.stage == Stage::Complete;
            let Some(entry) = self.nodes.get_mut(&cell).filter(lives) else { continue };
            let old = std::mem::replace(&mut entry.facts.object, object.clone());
            self.keys.forget(&old);
            self.keys.give(object, cell);
            self.ask(cell, Facet::States);
            self.ask_text(cell);
        }
    }

    /// Remembers which cell stands where.
    pub(crate) fn note_cells(&mut self, table: NativeKey, found: &[(usize, Object)]) {
        let key_of = |object: &Object| self.keys.get(&object.name, &object.path);
        let cells = found.iter().filter_map(|(index, object)| Some((*index, key_of(object)?))).collect();
        if let Some(entry) = self.nodes.get_mut(&table) {
            entry.cells = cells;
        }
    }

    /// The table of a cell whose object is gone, though the cell need not be.
    pub(crate) fn table_of_cell(&self, key: NativeKey) -> Option<NativeKey> {
        let parent = self.nodes.get(&key)?.facts.parent?;
        self.nodes.get(&parent).is_some_and(|e| e.cells.values().any(|cell| *cell == key)).then_some(parent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Dialect;
    use stillpoint_core::tree::Limits;

    fn object(path: &str) -> Object {
        Object::new(":1.1", path)
    }

    #[test]
    fn a_cell_with_another_object_at_the_same_place_is_the_same_cell() {
        let mut shadow = Shadow::new(object("/root"), Dialect::default(), Limits::default());
        let table = shadow.root;
        let first = [(1025, object("/1")), (1026, object("/2"))];
        shadow.set_children(table, first.iter().map(|(_, o)| o.clone()).collect(), 1_000_000);
        for entry in shadow.nodes.values_mut() {
            (entry.stage, entry.in_flight) = (Stage::Complete, 0);
        }
        shadow.note_cells(table, &first);
        let before = shadow.nodes[&table].facts.children.clone();

        // One has another object, one has gone out of sight, one is new.
        let then = [(1025, object("/3")), (2049, object("/4"))];
        shadow.know_cells_again(table, &then);
        shadow.set_children(table, then.iter().map(|(_, o)| o.clone()).collect(), 1_000_000);
        shadow.note_cells(table, &then);
        let after = &shadow.nodes[&table].facts.children;
        assert_eq!(after[0], before[0]);
        assert!(!before.contains(&after[1]));
        assert_eq!(shadow.nodes[&before[0]].facts.object, object("/3"));
        assert!(shadow.waiting.iter().any(|q| q.key == before[0] && q.facet == Facet::States));
        assert_eq!(shadow.keys.get(":1.1", "/1"), None);
        assert_eq!(shadow.table_of_cell(after[1]), Some(table));
    }
}
