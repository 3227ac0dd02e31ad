//! From an element to the selector that finds it again: the shortest rung of the ladder on which it stands alone.

use super::census::Census;
use super::order::{self, IdMap, QuickMap};
use super::resolve::{Confidence, Reason};
use super::selector::{Part, Selector, Words};
use crate::tree::{ElementId, Node, Role, State, TreeView};
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
    landmarks: RefCell<IdMap<Option<Mark<'t>>>>,
}

/// How an element is told from all others; the selector is only its spelling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice<'t> {
    landmark: Option<Mark<'t>>,
    mark: Mark<'t>,
    index: Option<usize>,
    reason: Reason,
    has_stable_id: bool,
}

/// What one part of a selector goes by.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark<'t> {
    Named(&'t str),
    Labelled(Role, &'t str),
    Shows(&'t str),
    Role(Role),
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

impl<'t> Generator<'t> {
    /// A generator for the elements as they are now.
    pub fn new(view: &'t TreeView) -> Self {
        Generator { census: Census::new(view), families: RefCell::default(), landmarks: RefCell::default() }
    }

    /// What it works on.
    pub fn view(&self) -> &'t TreeView {
        self.census.view()
    }

    /// The selector that matches this element and no other; `None` if there is no such element.
    pub fn selector(&self, id: ElementId) -> Option<Generated> {
        let choice = self.choice(id)?;
        let part = Part { index: choice.index, ..choice.mark.part() };
        let landmark = choice.landmark.map(Mark::part);
        let selector = Selector::new(landmark.into_iter().chain([part]).collect())?;
        Some(Generated {
            value: selector.to_string(),
            confidence: Confidence::new(choice.reason, choice.has_stable_id),
        })
    }

    /// By what that selector finds it: cheaper to compare than to write down.
    pub(crate) fn choice(&self, id: ElementId) -> Option<Choice<'t>> {
        let node = self.view().get(id)?;
        let has_stable_id = node.stable_id().is_some();
        let alone = self
            .alone(node)
            .or_else(|| self.telling_text(node).map(|text| (Mark::Shows(text), Reason::UniqueText)));
        if let Some((mark, reason)) = alone {
            return Some(Choice { landmark: None, mark, index: None, reason, has_stable_id });
        }
        let family = Family::of(node);
        let (mark, reason) = match family {
            Family::Labelled(role, label) => (Mark::Labelled(role, label), Reason::RoleLabelOfMany),
            Family::Named(name) => (Mark::Named(name), Reason::StableIdCollision),
            Family::Role(role) => (Mark::Role(role), Reason::Structure),
        };
        let (landmark, index) = self.placed(id, family)?;
        Some(Choice { landmark, mark, index, reason, has_stable_id })
    }

    /// The mark that means this element on the whole screen: its id, or its role and label.
    fn alone(&self, node: &'t Node) -> Option<(Mark<'t>, Reason)> {
        let ids = [(node.stable_id(), Reason::UniqueStableId), (node.test_tag(), Reason::UniqueRoleLabel)];
        for (name, reason) in ids {
            if let Some(name) = name
                && self.census.named(name).nth(1).is_none()
            {
                return Some((Mark::Named(name), reason));
            }
        }
        let label = spoken_name(node)?;
        let family = Family::Labelled(node.role(), label);
        let reason = if node.label().is_some() { Reason::UniqueRoleLabel } else { Reason::UniqueText };
        matches!(*self.kin(family), Kin::Only).then(|| (Mark::Labelled(node.role(), label), reason))
    }

    /// A text beside the label that no other element shows. What a person types is not such a text.
    fn telling_text(&self, node: &'t Node) -> Option<&'t str> {
        let text =
            node.text().filter(|t| node.label().is_some_and(|l| l != *t) && t.len() <= LONGEST_LABEL)?;
        let typed = node.role().is_input() || node.states().is(State::Editable);
        (!typed && self.census.speaking(text).nth(1).is_none()).then_some(text)
    }

    /// Where an element lies among its family: inside the nearest landmark that holds no other of it, or counted inside
    /// the nearest that holds fewer than all, or counted on the whole screen.
    fn placed(&self, id: ElementId, family: Family<'t>) -> Option<(Option<Mark<'t>>, Option<usize>)> {
        let kin = self.kin(family);
        let Kin::Many { places, inside } = &*kin else { return Some((None, None)) };
        let place = *places.get(&id)?;
        let total = places.len();
        for above in self.view().ancestors(id) {
            let Some((count, first)) = inside.get(&above).copied().filter(|(count, _)| *count < total) else {
                break;
            };
            if let Some(landmark) = self.landmark(above) {
                return Some((Some(landmark), (count > 1).then(|| place - first)));
            }
        }
        Some((None, Some(place)))
    }

    /// The mark that means an enclosing element on the whole screen, if there is one.
    fn landmark(&self, id: ElementId) -> Option<Mark<'t>> {
        if let Some(known) = self.landmarks.borrow().get(&id) {
            return *known;
        }
        let mark = self.alone(self.view().get(id)?).map(|(mark, _)| mark);
        self.landmarks.borrow_mut().insert(id, mark);
        mark
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
            Family::Role(role) => census.of_role(role).to_vec(),
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

impl Mark<'_> {
    fn part(self) -> Part {
        match self {
            Mark::Named(name) => Part { name: Some(name.to_owned()), ..Part::default() },
            Mark::Labelled(role, label) => Part::labelled(role, label),
            Mark::Shows(text) => Part { words: Some(Words::Exact(text.to_owned())), ..Part::default() },
            Mark::Role(role) => Part { role: Some(role), ..Part::default() },
        }
    }
}
