//! One element or none: what an action needs. Ambiguity fails closed, and a miss says what was near.

use super::generate::Generator;
use super::near::nearest;
use super::resolve::{Confidence, Resolution, Step, Visibility, is_hidden, resolve};
use super::selector::Selector;
use crate::tree::{ElementId, Role, Tree};
use crate::{Code, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The one element that a selector means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Resolved {
    /// Which one.
    pub id: ElementId,
    /// The step of the ladder that matched.
    pub step: Step,
    /// How sure that is.
    pub confidence: Confidence,
}

/// An element as an error shows it: enough to choose, and the selector that means it alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    /// Which one.
    pub element_id: ElementId,
    /// Its role.
    pub role: Role,
    /// Its label, or what it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The selector that matches only this element.
    pub selector: String,
    /// Whether it is known not to be visible.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// How many candidates an error shows.
const SHOWN: usize = 5;

/// The one element that a selector means, or an error that helps to name it.
///
/// - several match: `AMBIGUOUS_TARGET`, with candidates that have a unique selector each;
/// - none matches: `ELEMENT_NOT_FOUND`, with the nearest by name; the same if several match and all are hidden,
///   for one of them may be about to show;
/// - an element id whose element is gone: `STALE_REFERENCE`.
///
/// Finding near misses takes a look at every element; a caller that waits asks [`resolve`] on each change, and this
/// function when it gives up.
pub fn resolve_one(tree: &Tree, selector: &Selector, visibility: Visibility) -> crate::Result<Resolved> {
    let Resolution { matches, step, confidence } = resolve(tree, selector, visibility);
    match matches[..] {
        [id] => Ok(Resolved { id, step, confidence }),
        [] => Err(missing(tree, selector)),
        _ => Err(ambiguous(tree, selector, &matches, visibility)),
    }
}

/// The element as an error or a list shows it.
pub fn candidate(generator: &Generator<'_>, id: ElementId) -> Option<Candidate> {
    let selector = generator.selector(id)?.value;
    let tree = generator.view();
    let node = tree.get(id)?;
    let label = node.label().or(node.text()).map(short);
    Some(Candidate { element_id: id, role: node.role(), label, selector, hidden: is_hidden(tree, id) })
}

fn short(text: &str) -> String {
    let mut shown: String = text.chars().take(80).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

fn candidates(tree: &Tree, ids: impl Iterator<Item = ElementId>) -> Vec<Candidate> {
    let generator = Generator::living(tree);
    ids.take(SHOWN).filter_map(|id| candidate(&generator, id)).collect()
}

fn ambiguous(tree: &Tree, selector: &Selector, matches: &[ElementId], visibility: Visibility) -> Error {
    let shown = candidates(tree, matches.iter().copied());
    let count = matches.len();
    let details = json!({ "selector": selector, "count": count, "candidates": shown });
    let example = shown.first().map_or(String::new(), |c| format!(", for example {}", c.selector));
    if visibility == Visibility::VisibleFirst && matches.iter().all(|id| is_hidden(tree, *id)) {
        let message = format!("{selector} matches {count} elements, and none of them is visible");
        let hint = format!("wait until one is shown, or name the one that is meant{example}");
        return Error::new(Code::ElementNotFound, message, hint).with_details(details);
    }
    let message = format!("{selector} matches {count} elements; nothing was done to any of them");
    let hint = format!("use a selector that means one of them{example}");
    Error::new(Code::AmbiguousTarget, message, hint).with_details(details)
}

fn missing(tree: &Tree, selector: &Selector) -> Error {
    if let Some(id) = selector.parts().iter().find_map(|p| p.element.filter(|id| tree.get(*id).is_none())) {
        return missing_element(tree, id);
    }
    if let Some(outer) = missing_scope(tree, selector) {
        let mut error = missing(tree, &outer);
        error.message = format!("{}, so {selector} cannot be found in it", error.message);
        return error;
    }
    let near = nearest(tree, selector, SHOWN);
    let shown = candidates(tree, near.iter().map(|n| n.id));
    let hint = match shown.first() {
        Some(best) => format!("did you mean {}? If it should appear later, wait for it", best.selector),
        None => {
            "take a snapshot to see what is there; if it should appear later, wait for it with wait_for_ui"
                .into()
        }
    };
    let nearest: Vec<_> = shown
        .iter()
        .zip(&near)
        .filter_map(|(c, n)| {
            let mut value = serde_json::to_value(c).ok()?;
            value.as_object_mut()?.insert("distance".into(), n.distance.into());
            Some(value)
        })
        .collect();
    Error::new(Code::ElementNotFound, format!("nothing matches {selector}"), hint)
        .with_details(json!({ "selector": selector, "nearest": nearest }))
}

/// The shortest beginning of a selector that matches nothing by itself.
fn missing_scope(tree: &Tree, selector: &Selector) -> Option<Selector> {
    let scopes = selector.scopes();
    (1..=scopes.len()).find_map(|n| {
        let outer = Selector::new(scopes[..n].to_vec())?;
        resolve(tree, &outer, Visibility::Any).matches.is_empty().then_some(outer)
    })
}

fn missing_element(tree: &Tree, id: ElementId) -> Error {
    let details = json!({ "element_id": id });
    if tree.is_dead(id) {
        let hint = "take a new snapshot, and use its ids or, better, its selectors";
        return Error::new(Code::StaleReference, format!("the element {id} is gone"), hint)
            .with_details(details);
    }
    let hint = "element ids come from a snapshot of this session; take one, or use a selector";
    Error::new(Code::ElementNotFound, format!("this session never had an element {id}"), hint)
        .with_details(details)
        .retryable(false)
}
