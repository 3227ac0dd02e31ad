//! What is dangerous about what an action would reach.

use super::reach::{Reach, holds_value};
use super::words::Words;
use stillpoint_core::judge::called;
use stillpoint_core::select::{Selector, Visibility, is_hidden, resolve};
use stillpoint_core::tree::{ElementId, Node, Role, Tree};

/// What needs a confirmation.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    pub(super) words: Words,
    pub(super) elements: Vec<Selector>,
}

/// So much of what lies in a control is looked at.
const INSIDE: usize = 32;

impl Gate {
    /// What is dangerous about it, in words.
    pub(super) fn danger(&self, tree: &Tree, reach: &Reach) -> Option<String> {
        match reach {
            Reach::Uses(id) => self.of_element(tree, *id),
            Reach::Chooses(name) => {
                let word = self.words.said_in(name)?;
                Some(format!("it chooses {name:?}, which says {word:?}"))
            }
            Reach::Submits(field) => {
                let button = self.submitted_by(tree, *field)?;
                Some(format!("Enter may press {button}"))
            }
            Reach::Erases => Some("the Delete key deletes what is selected".to_owned()),
            Reach::Elsewhere(x, y) => Some(format!("nothing of the target is at {x},{y}")),
        }
    }

    fn of_element(&self, tree: &Tree, id: ElementId) -> Option<String> {
        let control = control(tree, id);
        if let Some(named) = self.is_named(tree, id).or_else(|| self.is_named(tree, control)) {
            return Some(format!("{} is {named}, which the policy names", called(tree, id)));
        }
        let own = std::iter::once(id).chain((control != id).then_some(control));
        let inside = tree.walk_from(control).skip(1).take(INSIDE);
        let inside = inside.filter(|(_, n)| !n.role().is_interactive()).map(|(id, _)| id);
        let inside: Vec<ElementId> = if is_control(tree, control) { inside.collect() } else { Vec::new() };
        own.chain(inside).find_map(|id| {
            let word = self.said_by(tree.get(id)?)?;
            Some(format!("{} says {word:?}", called(tree, id)))
        })
    }

    fn is_named(&self, tree: &Tree, id: ElementId) -> Option<String> {
        let means = |selector: &&Selector| {
            resolve(tree, selector, Visibility::Any).matches.iter().any(|m| tree.is_within(id, *m))
        };
        self.elements.iter().find(means).map(ToString::to_string)
    }

    /// The destructive word of an element. A field's label tells what is put in, not what it does.
    fn said_by(&self, node: &Node) -> Option<String> {
        if holds_value(node.role()) {
            return None;
        }
        let said = [node.label(), node.text(), node.description()];
        let word = said.into_iter().flatten().find_map(|text| self.words.said_in(text));
        // A button that says nothing is known by its name in the code.
        let silent = node.label().is_none() && node.text().is_none() && node.role().is_interactive();
        word.or_else(|| node.stable_id().filter(|_| silent).and_then(|id| self.words.said_in_id(id)))
    }

    /// The destructive button that Enter may press: in the form or dialog around a field, or anywhere.
    fn submitted_by(&self, tree: &Tree, field: Option<ElementId>) -> Option<String> {
        let scope = match field {
            Some(field) => tree.ancestors(field).find(|id| {
                let role = tree.get(*id).map(|n| n.role());
                matches!(role, Some(Role::Form | Role::Dialog | Role::AlertDialog))
            })?,
            None => tree.root()?,
        };
        let buttons = tree.walk_from(scope).filter(|(_, n)| matches!(n.role(), Role::Button | Role::Link));
        let mut shown = buttons.filter(|(id, _)| !is_hidden(tree, *id));
        shown.find_map(|(id, _)| self.of_element(tree, id))
    }
}

/// The control that an element belongs to: itself, or what is pressed when the text or icon in it is.
fn control(tree: &Tree, id: ElementId) -> ElementId {
    if is_control(tree, id) {
        return id;
    }
    tree.ancestors(id).take(8).find(|around| is_control(tree, *around)).unwrap_or(id)
}

fn is_control(tree: &Tree, id: ElementId) -> bool {
    tree.get(id).is_some_and(|n| n.role().is_interactive())
}
