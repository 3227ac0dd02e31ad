//! Whom an action would reach: whatever way it takes, in the end an element is used.

use crate::backend::{Action, Deadline, Key, Place, SetTo};
use crate::session::Session;
use stillpoint_core::tree::{ElementId, NativeKey, Node, Role, State, Tree};
use stillpoint_core::{Code, Result};

/// What an action does, as far as danger goes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reach {
    /// Uses an element, as a press does.
    Uses(ElementId),
    /// Chooses something by its name.
    Chooses(String),
    /// Uses whatever takes Enter in the form or dialog around an element, or anywhere.
    Submits(Option<ElementId>),
    /// Deletes what is selected.
    Erases,
    /// Happens at a point where the target has nothing.
    Elsewhere(i32, i32),
}

/// Everything that an action would do.
pub(super) async fn of(session: &Session, action: &Action, deadline: Deadline) -> Result<Vec<Reach>> {
    let by_key = |key| session.read(|tree| tree.by_key(key));
    Ok(match action {
        Action::Tap { on, .. } => at(session, *on, deadline).await?,
        Action::Drag { from, to, .. } => {
            let mut both = at(session, *from, deadline).await?;
            both.extend(at(session, *to, deadline).await?);
            both
        }
        Action::Toggle { on } | Action::Select { on } | Action::Expand { on, .. } => {
            by_key(*on).map(Reach::Uses).into_iter().collect()
        }
        Action::SetValue { on, to } => session.read(|tree| setting(tree, tree.by_key(*on), to)),
        Action::TypeText { on, text, .. } => session.read(|tree| typing(tree, &receivers(tree, *on), text)),
        Action::PressKey { on, key } => session.read(|tree| pressing(tree, &receivers(tree, *on), key)),
        // These show, and do nothing else.
        Action::Hover { .. } | Action::Focus { .. } | Action::Scroll { .. } | Action::ScrollTo { .. } => {
            Vec::new()
        }
    })
}

/// Who gets keys: the element that was named, or all that say they have the focus.
fn receivers(tree: &Tree, on: Option<NativeKey>) -> Vec<ElementId> {
    match on {
        Some(key) => tree.by_key(key).into_iter().collect(),
        None => tree.iter().filter(|(_, n)| n.states().is(State::Focused)).map(|(id, _)| id).collect(),
    }
}

async fn at(session: &Session, place: Place, deadline: Deadline) -> Result<Vec<Reach>> {
    match place {
        Place::Element(key) => Ok(session.read(|tree| {
            let Some(id) = tree.by_key(key) else { return Vec::new() };
            // A press on something large lands on what lies in its middle.
            let middle = tree.get(id).and_then(|n| n.bounds()).map(stillpoint_core::tree::Rect::center);
            let middle = middle.and_then(|(x, y)| deepest(tree, id, x, y)).filter(|hit| *hit != id);
            std::iter::once(id).chain(middle).map(Reach::Uses).collect()
        })),
        Place::Point(x, y) => {
            let asked = session.backend().hit_test(x, y, deadline);
            let hit = match deadline.bound("what lies at the point", asked).await {
                Ok(Some(key)) => session.read(|tree| tree.by_key(key)),
                Ok(None) => None,
                Err(error) if error.code == Code::Unsupported => session.read(|tree| {
                    let root = tree.root()?;
                    deepest(tree, root, x, y)
                }),
                Err(error) => return Err(error),
            };
            Ok(vec![hit.map_or(Reach::Elsewhere(x, y), Reach::Uses)])
        }
    }
}

/// The innermost element below `top` that lies at a point; of several, the one that is drawn last.
fn deepest(tree: &Tree, top: ElementId, x: i32, y: i32) -> Option<ElementId> {
    let there = |(_, node): &(ElementId, &Node)| {
        !node.states().is_not(State::Visible)
            && node.bounds().is_some_and(|b| {
                b.has_area() && x >= b.x && y >= b.y && x < b.x + b.width && y < b.y + b.height
            })
    };
    tree.walk_from(top).filter(there).max_by_key(|(id, _)| tree.ancestors(*id).count()).map(|(id, _)| id)
}

/// Whether something holds a value that a person puts in: setting it destroys nothing.
pub(super) fn holds_value(role: Role) -> bool {
    is_text(role)
        || matches!(role, Role::Spinbutton | Role::Slider | Role::Scrollbar | Role::Splitter)
        || matches!(role, Role::DateField | Role::ColorWell | Role::FileField)
}

fn is_text(role: Role) -> bool {
    matches!(role, Role::Textbox | Role::Searchbox | Role::Document | Role::Terminal)
}

fn takes_text(tree: &Tree, id: ElementId) -> bool {
    tree.get(id).is_some_and(|n| holds_value(n.role()) || n.states().is(State::Editable))
}

fn setting(tree: &Tree, on: Option<ElementId>, to: &SetTo) -> Vec<Reach> {
    let Some(id) = on.filter(|id| !takes_text(tree, *id)) else { return Vec::new() };
    match to {
        SetTo::Text(text) => vec![Reach::Uses(id), Reach::Chooses(text.clone())],
        SetTo::Number(_) => vec![Reach::Uses(id)],
    }
}

fn typing(tree: &Tree, on: &[ElementId], text: &str) -> Vec<Reach> {
    let enters = text.contains(['\n', '\r']);
    let mut reached = if enters { submitting(tree, on) } else { Vec::new() };
    if enters || text.contains(' ') {
        // Typed at a button, a space or a line's end presses it.
        reached.extend(on.iter().filter(|id| !takes_text(tree, **id)).map(|id| Reach::Uses(*id)));
    }
    reached
}

fn pressing(tree: &Tree, on: &[ElementId], key: &Key) -> Vec<Reach> {
    let in_text = !on.is_empty() && on.iter().any(|id| takes_text(tree, *id));
    let used = || on.iter().filter(|id| !takes_text(tree, **id)).map(|id| Reach::Uses(*id));
    match key.name.as_str() {
        "Enter" | "Return" | "NumpadEnter" | "KP_Enter" | "\n" | "\r" => {
            submitting(tree, on).into_iter().chain(used()).collect()
        }
        "Space" | " " | "KP_Space" => used().collect(),
        "Delete" | "Del" | "KP_Delete" | "NumpadDelete" if !in_text => vec![Reach::Erases],
        "Backspace" if key.meta && !in_text => vec![Reach::Erases],
        _ => Vec::new(),
    }
}

/// Enter in a field submits what the field stands in; where nobody knows who gets it, it may be any button.
fn submitting(tree: &Tree, on: &[ElementId]) -> Vec<Reach> {
    if on.is_empty() {
        return vec![Reach::Submits(None)];
    }
    let fields = on.iter().filter(|id| takes_text(tree, **id));
    fields.map(|id| Reach::Submits(Some(*id))).collect()
}
