//! Children read one by one: where the list that an object gives is not what its children say, and where there are so
//! many of them that only those on the screen are mirrored.

use crate::bus::{ACCESSIBLE, PROPERTIES, message};
use crate::object::{Object, is_null};
use crate::read::{Facet, SCREEN};
use crate::shadow::Shadow;
use stillpoint_core::tree::{NativeKey, Rect};
use zbus::{Message, ObjectPath};

const COMPONENT: &str = "org.a11y.atspi.Component";
const TABLE: &str = "org.a11y.atspi.Table";
/// At most this many children of a huge list are mirrored at once, and of a huge table.
const WINDOW_LIMIT: usize = 400;
const CELL_LIMIT: usize = 1000;
/// How many unknown objects are looked after at once, and how far up.
const MAX_STRAYS: usize = 4096;
const MAX_CLIMB: u8 = 24;
/// How far inside its edge a container is asked for what it shows there.
const INSET: i32 = 4;

/// A reading of single children under way.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    /// The number of children is being asked for; the reading begins with the answer.
    pub(crate) wanted: bool,
    /// The children found so far, in the order of the places that are asked for.
    found: Vec<Option<Object>>,
    places: Vec<usize>,
    /// How many answers are still to come.
    left: usize,
    total: usize,
    /// The places of the first and the last child on the screen.
    corners: [Option<usize>; 2],
    /// How many columns a table has.
    columns: Option<usize>,
}

/// A question of a gathering: which child, or which corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The child at this place, which becomes the one in this slot.
    Child { index: usize, slot: usize },
    /// How many columns a table has.
    Columns,
    /// What a corner of the container shows.
    AtCorner(usize),
    /// Where that object stands among its siblings.
    IndexOf(usize, Object),
    /// What an object lies in that nobody has named yet; asked at most so many times upwards.
    ParentOf(Object, u8),
}

impl Step {
    pub(crate) fn question(&self, object: &Object, extents: Option<Rect>) -> zbus::Result<Message> {
        match self {
            Step::Child { index, .. } => message(object, ACCESSIBLE, "GetChildAtIndex", &(*index as i32)),
            Step::AtCorner(corner) => {
                let area = extents.unwrap_or_default();
                let (x, y) = if *corner == 0 {
                    (area.x + INSET, area.y + INSET)
                } else {
                    (area.x + area.width - INSET, area.y + area.height - INSET)
                };
                message(object, COMPONENT, "GetAccessibleAtPoint", &(x, y, SCREEN))
            }
            Step::Columns => message(object, PROPERTIES, "Get", &(TABLE, "NColumns")),
            Step::IndexOf(_, child) => message(child, ACCESSIBLE, "GetIndexInParent", &()),
            Step::ParentOf(child, _) => message(child, PROPERTIES, "Get", &(ACCESSIBLE, "Parent")),
        }
    }
}

impl Shadow {
    /// Whether an object's children have to be read one by one.
    pub(crate) fn needs_gathering(&self, key: NativeKey) -> bool {
        self.nodes.get(&key).is_some_and(|e| e.by_index || e.facts.child_count > self.limits.max_children)
    }

    /// Asks for the number of children; the rest follows from the answer.
    pub(crate) fn gather(&mut self, key: NativeKey) {
        if let Some(entry) = self.nodes.get_mut(&key) {
            entry.gathering.get_or_insert_default().wanted = true;
        }
        if self.nodes.get(&key).is_some_and(|e| e.facts.has_place()) {
            // Answered before the number: what is on the screen is looked for where it is now.
            self.ask(key, Facet::Extents);
        }
        let question = if self.dialect.get_all { Facet::Identity } else { Facet::ChildCount };
        self.ask(key, question);
    }

    /// The number of children is known.
    pub(crate) fn counted(&mut self, key: NativeKey) {
        let max = self.limits.max_children;
        let Some(entry) = self.nodes.get_mut(&key) else { return };
        let total = entry.facts.child_count;
        let by_index = entry.by_index;
        let Some(gathering) = entry.gathering.as_mut().filter(|g| g.wanted && g.left == 0) else { return };
        gathering.wanted = false;
        if total <= max && !by_index {
            entry.gathering = None;
            self.ask(key, Facet::Children);
        } else if total <= max {
            self.gather_places(key, (0..total).collect(), total);
        } else if entry.facts.has_place() {
            let is_table = entry.facts.role.is_table();
            *gathering = Gathering { left: if is_table { 3 } else { 2 }, total, ..Gathering::default() };
            for corner in 0..2 {
                self.ask_step(key, Step::AtCorner(corner));
            }
            if is_table {
                self.ask_step(key, Step::Columns);
            }
        } else {
            // Nothing of it is on the screen.
            self.gather_places(key, Vec::new(), total);
        }
    }

    fn gather_places(&mut self, key: NativeKey, places: Vec<usize>, total: usize) {
        let Some(entry) = self.nodes.get_mut(&key) else { return };
        let (found, left) = (vec![None; places.len()], places.len());
        entry.gathering =
            Some(Gathering { found, places: places.clone(), left, total, ..Gathering::default() });
        if places.is_empty() {
            self.gathered(key);
        }
        for (slot, index) in places.into_iter().enumerate() {
            self.ask_step(key, Step::Child { index, slot });
        }
    }

    /// Takes the answer to one step; `None` if it was an error.
    pub(crate) fn stepped(&mut self, key: NativeKey, step: Step, reply: Option<&Message>) {
        if let Step::ParentOf(child, left) = step {
            self.placed_stray(&child, left, reply);
            return;
        }
        let Some(gathering) = self.nodes.get_mut(&key).and_then(|e| e.gathering.as_mut()) else { return };
        match step {
            Step::Child { slot, .. } => {
                gathering.left = gathering.left.saturating_sub(1);
                if let Some(slot) = gathering.found.get_mut(slot) {
                    *slot = reply.and_then(reference);
                }
                if gathering.left == 0 {
                    self.gathered(key);
                }
            }
            Step::AtCorner(corner) => match reply.and_then(reference) {
                Some(child) => self.ask_step(key, Step::IndexOf(corner, child)),
                None => self.cornered(key),
            },
            Step::Columns => {
                let body = reply.map(Message::body);
                let columns = body.as_ref().and_then(|b| b.deserialize::<zbus::Variant<'_>>().ok());
                gathering.columns = columns.as_ref().map(crate::read::count);
                self.cornered(key);
            }
            Step::IndexOf(corner, _) => {
                let index = reply.and_then(|r| r.body().deserialize::<i32>().ok());
                gathering.corners[corner] = index.and_then(|i| usize::try_from(i).ok());
                self.cornered(key);
            }
            Step::ParentOf(..) => {}
        }
    }

    /// An object spoke that nobody has named: Qt 5 says of a new widget only that it is showing. Its parent is asked
    /// for, until one is known; that one's children are read again.
    pub(crate) fn heard_from_stray(&mut self, object: Object) {
        if self.strays.len() < MAX_STRAYS && self.strays.insert(object.clone()) {
            self.ask_step(self.root, Step::ParentOf(object, MAX_CLIMB));
        }
    }

    fn placed_stray(&mut self, child: &Object, left: u8, reply: Option<&Message>) {
        self.strays.remove(child);
        let body = reply.map(Message::body);
        let parent = body.as_ref().and_then(|b| b.deserialize::<zbus::Variant<'_>>().ok());
        let Some(parent) = parent.as_ref().and_then(crate::read::reference).filter(|p| !p.is_null()) else {
            return;
        };
        match self.keys.get(&parent.name, &parent.path) {
            Some(known) => {
                self.ask_children(known);
                // It may also be the hidden label that gives its parent the name.
                self.ask_all(known, self.dialect.name_question());
            }
            None if left > 0 && self.strays.insert(parent.clone()) => {
                self.ask_step(self.root, Step::ParentOf(parent, left - 1));
            }
            None => {}
        }
    }

    /// One more thing is known of which children are on the screen; when all is, they are asked for.
    fn cornered(&mut self, key: NativeKey) {
        let Some(gathering) = self.nodes.get_mut(&key).and_then(|e| e.gathering.as_mut()) else { return };
        gathering.left = gathering.left.saturating_sub(1);
        if gathering.left > 0 {
            return;
        }
        let (total, corners, columns) = (gathering.total, gathering.corners, gathering.columns);
        if let (Some(first), Some(last), Some(columns)) =
            (corners[0], corners[1], columns.filter(|columns| *columns > 1))
        {
            self.gather_places(key, cells(first, last, columns, total), total);
            return;
        }
        // Below the last row there is nothing: then the list ends on the screen.
        let first = corners[0].or(corners[1]).unwrap_or(0).min(total);
        let last = corners[1].map_or(first + WINDOW_LIMIT / 4, |last| last.max(first) + 1);
        self.gather_places(key, (first..last.min(total).min(first + WINDOW_LIMIT)).collect(), total);
    }

    fn gathered(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get_mut(&key) else { return };
        let Some(gathering) = entry.gathering.take() else { return };
        let found = gathering.places.into_iter().zip(gathering.found);
        let found: Vec<(usize, Object)> =
            found.filter_map(|(place, object)| Some((place, object?))).collect();
        let before = entry.facts.children.clone();
        let are_cells = entry.facts.role.is_table() && gathering.total > self.limits.max_children;
        if are_cells {
            self.know_cells_again(key, &found);
        }
        self.set_children(key, found.iter().map(|(_, object)| object.clone()).collect(), gathering.total);
        if are_cells {
            self.note_cells(key, &found);
        }
        let now = self.nodes.get(&key).map(|e| e.facts.children.clone()).unwrap_or_default();
        if now != before {
            // The window has moved: of what was in it before, too, Qt does not tell that it shows now.
            for child in now.into_iter().filter(|child| before.contains(child)) {
                self.ask(child, Facet::States);
                self.ask(child, Facet::Extents);
            }
        }
        if gathering.wanted {
            self.gather(key);
        }
    }
}

/// The places of the cells between two corners of what a table shows, row by row.
fn cells(first: usize, last: usize, columns: usize, total: usize) -> Vec<usize> {
    let (top, left) = (first / columns, first % columns);
    let (bottom, right) = (last / columns, last % columns);
    let rows = top..=bottom.max(top);
    let cells = rows.flat_map(|row| (left..=right.max(left)).map(move |column| row * columns + column));
    cells.filter(|cell| *cell < total).take(CELL_LIMIT).collect()
}

fn reference(reply: &Message) -> Option<Object> {
    let body = reply.body();
    let (name, path): (&str, ObjectPath<'_>) =
        body.deserialize().or_else(|_| body.deserialize::<((&str, ObjectPath<'_>),)>().map(|(r,)| r)).ok()?;
    (!is_null(name, path.as_str())).then(|| Object::new(name, path.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_table_the_cells_between_two_corners_are_asked_for_and_no_more_than_the_limit() {
        // B2 to C4 of a sheet with 1024 columns.
        assert_eq!(cells(1025, 3074, 1024, usize::MAX), [1025, 1026, 2049, 2050, 3073, 3074]);
        assert_eq!(cells(0, 5, 3, 5), [0, 1, 2, 3, 4]);
        assert_eq!(cells(0, 1_000_000, 1000, usize::MAX).len(), CELL_LIMIT.min(1001));
        assert_eq!(cells(0, 99_999, 1000, usize::MAX).len(), CELL_LIMIT);
    }
}
