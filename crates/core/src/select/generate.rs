//! From an element to the selector that finds it again: the shortest rung of the ladder on which it stands alone.

use super::census::Census;
use super::order::{self, IdMap, QuickMap};
use super::resolve::{Confidence, Reason};
use super::selector::{Part, Selector, Words};
use crate::tree::{ElementId, Node, Role, State, Tree, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;

/// A selector that matches exactly one element, hidden ones counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Generated {
    /// The selector, as it is written.
    pub value: String,
    /// How sure it is.
    pub confidence: Confidence,
}

/// Makes selectors for the elements of one tree or view. What it learns about one element serves the next: take one
/// generator for a whole snapshot.
pub struct Generator<'t> {
    census: Census<'t>,
    families: RefCell<QuickMap<Family<'t>, Rc<Kin>>>,
    landmarks: RefCell<IdMap<Option<Part>>>,
}

/// Elements that one part of a selector cannot tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Family<'t> {
    Labelled(Role, &'t str),
    Named(&'t str),
    Role(Role),
}

/// Who belongs to a family, and where.
enum Kin {
    Only,
    Many {
        /// The place of each in document order.
        places: IdMap<usize>,
        /// For everything that encloses some of them: how many, and the place of the first.
        inside: IdMap<(usize, usize)>,
    },
}

/// Longer labels make no good selectors.
const LONGEST_LABEL: usize = 120;

/// Whether a label or text is too long to go by.
pub(crate) fn is_too_long(words: &str) -> bool {
    words.len() > LONGEST_LABEL
}

impl<'t> Generator<'t> {
    /// A generator for the elements of a view. It looks at all of them first.
    pub fn new(view: &'t TreeView) -> Self {
        Generator::with(Census::of_view(view))
    }

    /// A generator for a few elements of the living tree, whose indices it uses.
    pub fn living(tree: &'t Tree) -> Self {
        Generator::with(Census::Living(tree))
    }

    fn with(census: Census<'t>) -> Self {
        Generator { census, families: RefCell::default(), landmarks: RefCell::default() }
    }

    /// What it works on.
    pub fn view(&self) -> &'t TreeView {
        self.census.view()
    }

    /// The selector that matches this element and no other; `None` if there is no such element.
    pub fn selector(&self, id: ElementId) -> Option<Generated> {
        let node = self.view().get(id)?;
        let (selector, reason) = self.find(id, node)?;
        let confidence = Confidence::new(reason, node.stable_id().is_some());
        Some(Generated { value: selector.to_string(), confidence })
    }

    fn find(&self, id: ElementId, node: &'t Node) -> Option<(Selector, Reason)> {
        if let Some((part, reason)) = self.alone(node) {
            return Some((Selector::new(vec![part])?, reason));
        }
        if let Some(text) = self.telling_text(node) {
            let part = Part { words: Some(Words::Exact(text.to_owned())), ..Part::default() };
            return Some((Selector::new(vec![part])?, Reason::UniqueText));
        }
        let family = Family::of(node);
        let (part, reason) = match family {
            Family::Labelled(role, label) => (Part::labelled(role, label), Reason::RoleLabelOfMany),
            Family::Named(name) => (named(name), Reason::StableIdCollision),
            Family::Role(role) => (Part { role: Some(role), ..Part::default() }, Reason::Structure),
        };
        Some((self.placed(id, family, part)?, reason))
    }

    /// The part that means this element on the whole screen: its id, or its role and label.
    fn alone(&self, node: &'t Node) -> Option<(Part, Reason)> {
        let ids = [(node.stable_id(), Reason::UniqueStableId), (node.test_tag(), Reason::UniqueRoleLabel)];
        for (name, reason) in ids {
            if let Some(name) = name
                && self.census.named(name).nth(1).is_none()
            {
                return Some((named(name), reason));
            }
        }
        let label = spoken_name(node)?;
        let family = Family::Labelled(node.role(), label);
        let reason = if node.label().is_some() { Reason::UniqueRoleLabel } else { Reason::UniqueText };
        matches!(*self.kin(family), Kin::Only).then(|| (Part::labelled(node.role(), label), reason))
    }

    /// A text beside the label that no other element shows. What a person types is not such a text.
    fn telling_text(&self, node: &'t Node) -> Option<&'t str> {
        let text =
            node.text().filter(|t| node.label().is_some_and(|l| l != *t) && t.len() <= LONGEST_LABEL)?;
        let typed = node.role().is_input() || node.states().is(State::Editable);
        (!typed && self.census.speaking(text).nth(1).is_none()).then_some(text)
    }

    /// The part made unique by where the element lies: inside the nearest landmark that holds no other of its family,
    /// or counted inside the nearest that holds fewer than all, or counted on the whole screen.
    fn placed(&self, id: ElementId, family: Family<'t>, mut part: Part) -> Option<Selector> {
        let kin = self.kin(family);
        let Kin::Many { places, inside } = &*kin else { return Selector::new(vec![part]) };
        let place = *places.get(&id)?;
        let total = places.len();
        for above in self.view().ancestors(id) {
            let Some((count, first)) = inside.get(&above).copied().filter(|(count, _)| *count < total) else {
                break;
            };
            if let Some(landmark) = self.landmark(above) {
                if count > 1 {
                    part.index = Some(place - first);
                }
                return Selector::new(vec![landmark, part]);
            }
        }
        part.index = Some(place);
        Selector::new(vec![part])
    }

    /// The part that means an enclosing element on the whole screen, if there is one.
    fn landmark(&self, id: ElementId) -> Option<Part> {
        if let Some(known) = self.landmarks.borrow().get(&id) {
            return known.clone();
        }
        let part = self.alone(self.view().get(id)?).map(|(part, _)| part);
        self.landmarks.borrow_mut().insert(id, part.clone());
        part
    }

    fn kin(&self, family: Family<'t>) -> Rc<Kin> {
        let mut families = self.families.borrow_mut();
        Rc::clone(families.entry(family).or_insert_with(|| Rc::new(Kin::of(&self.census, family))))
    }
}

impl<'t> Family<'t> {
    /// The closest family of an element that does not stand alone.
    fn of(node: &'t Node) -> Self {
        if let Some(label) = spoken_name(node) {
            Family::Labelled(node.role(), label)
        } else if let Some(name) = node.stable_id().or(node.test_tag()) {
            Family::Named(name)
        } else {
            Family::Role(node.role())
        }
    }
}

impl Kin {
    fn of(census: &Census<'_>, family: Family<'_>) -> Self {
        let tree = census.view();
        let mut ids: Vec<ElementId> = match family {
            Family::Labelled(role, label) => {
                let same = |n: &Node| n.role() == role && n.label().or(n.text()) == Some(label);
                census.speaking(label).filter(|id| tree.get(*id).is_some_and(same)).collect()
            }
            Family::Named(name) => census.named(name).collect(),
            Family::Role(role) => census.of_role(role).collect(),
        };
        if ids.len() < 2 {
            return Kin::Only;
        }
        order::sort(tree, &mut ids);
        let mut places = IdMap::default();
        let mut inside: IdMap<(usize, usize)> = IdMap::default();
        for (place, id) in ids.iter().enumerate() {
            places.insert(*id, place);
            for above in tree.ancestors(*id) {
                inside.entry(above).or_insert((0, place)).0 += 1;
            }
        }
        Kin::Many { places, inside }
    }
}

/// What `role "…"` compares with: the label, or what an unlabelled element shows.
fn spoken_name(node: &Node) -> Option<&str> {
    node.label().or(node.text()).filter(|name| name.len() <= LONGEST_LABEL)
}

fn named(name: &str) -> Part {
    Part { name: Some(name.to_owned()), ..Part::default() }
}
