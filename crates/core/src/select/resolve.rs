//! From a selector to elements (SPEC §7): the ladder, the step that matched, and how sure that is.

use super::collapse::collapse;
use super::infer::infer;
use super::matching::{Anchor, Query};
use super::order;
use super::selector::{Part, Selector, Words};
use crate::tree::{ElementId, Node, State, Tree, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Which step of the ladder matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The session's own handle; no search was needed.
    ElementId,
    /// 1: a stable id, unique or disambiguated.
    StableId,
    /// 2: role and exact label, or a test tag.
    RoleLabelTag,
    /// 3: words: exact, partial or by pattern.
    Selector,
    /// 4: role, states, place.
    Structure,
    /// 5: a text that says the same.
    TextInference,
}

/// Why a match can be trusted, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are those of SPEC §7
pub enum Reason {
    ElementId,
    UniqueStableId,
    UniqueRoleLabel,
    UniqueLabel,
    UniqueText,
    RoleLabelOfMany,
    PartialText,
    StableIdCollision,
    Structure,
    TextInference,
    NoMatch,
}

impl Reason {
    /// How sure it makes a match.
    pub const fn score(self) -> f64 {
        match self {
            Reason::ElementId | Reason::UniqueStableId => 1.0,
            Reason::UniqueRoleLabel => 0.95,
            Reason::UniqueLabel => 0.9,
            Reason::UniqueText => 0.8,
            Reason::RoleLabelOfMany => 0.6,
            Reason::PartialText | Reason::StableIdCollision => 0.5,
            Reason::Structure => 0.4,
            Reason::TextInference => 0.3,
            Reason::NoMatch => 0.0,
        }
    }

    /// Its name, and its name for an element without a stable id.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Reason::ElementId => ("element_id", "element_id,no_stable_id"),
            Reason::UniqueStableId => ("unique_stable_id", "unique_stable_id"),
            Reason::UniqueRoleLabel => ("unique_role_label", "unique_role_label,no_stable_id"),
            Reason::UniqueLabel => ("unique_label", "unique_label,no_stable_id"),
            Reason::UniqueText => ("unique_text", "unique_text,no_stable_id"),
            Reason::RoleLabelOfMany => ("role_label_of_many", "role_label_of_many,no_stable_id"),
            Reason::PartialText => ("partial_text", "partial_text,no_stable_id"),
            Reason::StableIdCollision => ("stable_id_collision", "stable_id_collision,no_stable_id"),
            Reason::Structure => ("structure", "structure,no_stable_id"),
            Reason::TextInference => ("text_inference", "text_inference,no_stable_id"),
            Reason::NoMatch => ("no_match", "no_match"),
        }
    }
}

/// How sure it is that a selector means what it matched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Confidence {
    /// From 0 to 1.
    pub score: f64,
    /// Why; `,no_stable_id` is added where the element has no stable id.
    pub reason: Cow<'static, str>,
}

impl Confidence {
    /// The confidence that `reason` gives.
    pub fn new(reason: Reason, has_stable_id: bool) -> Self {
        let (with, without) = reason.names();
        let name = if has_stable_id { with } else { without };
        Confidence { score: reason.score(), reason: Cow::Borrowed(name) }
    }
}

/// What a selector matched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Resolution {
    /// The elements, in document order.
    pub matches: Vec<ElementId>,
    /// The step of the ladder that matched.
    pub step: Step,
    /// How sure that is.
    pub confidence: Confidence,
}

impl Resolution {
    /// The one element that matched, if it is one.
    pub fn only(&self) -> Option<ElementId> {
        match self.matches[..] {
            [id] => Some(id),
            _ => None,
        }
    }
}

/// What becomes of hidden elements (themselves, or something around them, known not to be visible).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// They match like all others.
    Any,
    /// They match only where nothing else does: for actions.
    #[default]
    VisibleFirst,
}

/// Whether an element or something around it is known not to be visible.
pub fn is_hidden(tree: &TreeView, id: ElementId) -> bool {
    std::iter::once(id)
        .chain(tree.ancestors(id))
        .any(|id| tree.get(id).is_some_and(|n| n.states().is_not(State::Visible)))
}

/// The elements that a selector matches. An index counts all matches, hidden ones too, so that it means the same
/// whatever is shown. A dead element id matches nothing; [`resolve_one`](super::resolve_one) tells that apart.
pub fn resolve(tree: &Tree, selector: &Selector, visibility: Visibility) -> Resolution {
    let query = Query::new(selector.last());
    let (mut found, kin) = search(tree, selector, &query);
    if let Some(word) = plain_text(selector)
        && found.is_empty()
    {
        found = infer(tree, word);
        collapse(tree, &mut found);
        order::sort(tree, &mut found);
        prefer_visible(tree, visibility, &mut found);
        if !found.is_empty() {
            let confidence = Confidence::new(Reason::TextInference, have_stable_ids(tree, &found));
            return Resolution { matches: found, step: Step::TextInference, confidence };
        }
    }
    prefer_visible(tree, visibility, &mut found);
    let kin = || count_kin(tree, &query, kin, &found, visibility);
    let (step, reason) = judge(tree, &query, &found, kin);
    let confidence = Confidence::new(reason, have_stable_ids(tree, &found));
    Resolution { matches: found, step, confidence }
}

/// Elements with the identity that a part asks for, where the search saw them all.
type Kin = Option<Vec<ElementId>>;

/// All matches in document order, with the index applied.
fn search(tree: &Tree, selector: &Selector, query: &Query<'_>) -> (Vec<ElementId>, Kin) {
    let scope = Scope::new(tree, selector.scopes());
    let fits = |id: &ElementId| tree.get(*id).is_some_and(|n| query.fits(*id, n)) && scope.holds(tree, *id);
    let (mut found, kin) = if let Some(few) = scope.contents(tree) {
        (few.into_iter().filter(fits).collect(), None)
    } else {
        let mut all = query.candidates(tree);
        let plain = selector.scopes().is_empty() && query.part.filters.is_empty();
        if plain {
            all.retain(fits);
        }
        let found = if plain { all.clone() } else { all.iter().copied().filter(fits).collect() };
        (found, Some(all))
    };
    fold(tree, query.part, &mut found);
    order::sort(tree, &mut found);
    if let Some(index) = query.part.index {
        found = found.get(index).copied().into_iter().collect();
    }
    (found, kin)
}

/// A selector by words alone means the thing, not each of its captions.
fn fold(tree: &TreeView, part: &Part, found: &mut Vec<ElementId>) {
    if part.words.is_some() && part.role.is_none() && part.name.is_none() {
        collapse(tree, found);
    }
}

/// What must enclose the element that is meant.
struct Scope<'s> {
    /// Parts to be met by ancestors, from the outside in.
    around: Vec<Query<'s>>,
    /// What encloses those: the matches of the last part with an index, and all before it.
    within: Option<Vec<ElementId>>,
}

/// A scope with no more than this in it is walked; elsewhere the indices are quicker.
const SMALL: usize = 256;

impl<'s> Scope<'s> {
    fn new(tree: &Tree, scopes: &'s [Part]) -> Self {
        let counted = scopes.iter().rposition(|part| part.index.is_some());
        let within = counted.and_then(|last| {
            let outer = Selector::new(scopes[..=last].to_vec())?;
            Some(search(tree, &outer, &Query::new(outer.last())).0)
        });
        let around = scopes[counted.map_or(0, |c| c + 1)..].iter().map(Query::new).collect();
        Scope { around, within }
    }

    /// All that lies in the innermost scope, if that is one element and little: then no index is needed.
    fn contents(&self, tree: &Tree) -> Option<Vec<ElementId>> {
        let top = match (self.around.last(), &self.within) {
            (Some(query), _) if query.is_pointed() => {
                let mut tops = query.candidates(tree);
                tops.retain(|id| tree.get(*id).is_some_and(|n| query.fits(*id, n)));
                tops
            }
            (None, Some(within)) => within.clone(),
            _ => return None,
        };
        match top[..] {
            [] => Some(Vec::new()),
            [top] => {
                let inside: Vec<ElementId> =
                    tree.walk_from(top).map(|(id, _)| id).skip(1).take(SMALL + 1).collect();
                (inside.len() <= SMALL).then_some(inside)
            }
            _ => None,
        }
    }

    /// Whether `id` lies in the scope. Taking the nearest ancestor that fits leaves the most for the parts outside it,
    /// so no other choice needs to be tried.
    fn holds(&self, tree: &Tree, id: ElementId) -> bool {
        if self.around.is_empty() && self.within.is_none() {
            return true;
        }
        let mut wanted = self.around.iter().rev().peekable();
        for above in tree.ancestors(id) {
            if let Some(next) = wanted.peek() {
                if tree.get(above).is_some_and(|node| next.fits(above, node)) {
                    wanted.next();
                }
            } else {
                match &self.within {
                    Some(within) if !within.contains(&above) => {}
                    _ => return true,
                }
            }
        }
        wanted.peek().is_none() && self.within.is_none()
    }
}

/// The text of a selector that is nothing but a text: only there may be guessed.
fn plain_text(selector: &Selector) -> Option<&str> {
    match (selector.parts(), &selector.last().words) {
        ([part], Some(Words::Exact(word)))
            if part.role.is_none()
                && part.name.is_none()
                && part.filters.is_empty()
                && part.index.is_none() =>
        {
            Some(word)
        }
        _ => None,
    }
}

fn prefer_visible(tree: &TreeView, visibility: Visibility, found: &mut Vec<ElementId>) {
    if visibility == Visibility::VisibleFirst
        && found.len() > 1
        && found.iter().any(|id| !is_hidden(tree, *id))
    {
        found.retain(|id| !is_hidden(tree, *id));
    }
}

fn have_stable_ids(tree: &TreeView, found: &[ElementId]) -> bool {
    !found.is_empty() && found.iter().all(|id| tree.get(*id).is_some_and(|n| n.stable_id().is_some()))
}

/// The step and the reason. Uniqueness is that of the identity asked for (name, role, words) on the whole screen:
/// where only a scope, a state or an index tells several apart, the answer rests on those, and is less sure.
fn judge(tree: &Tree, query: &Query<'_>, found: &[ElementId], kin: impl FnOnce() -> usize) -> (Step, Reason) {
    let part = query.part;
    let Some(node) = found.first().and_then(|id| tree.get(*id)) else {
        return (step_of(part, None, query), Reason::NoMatch);
    };
    let step = step_of(part, Some(node), query);
    let reason = match query.anchor() {
        Anchor::Element(_) => Reason::ElementId,
        Anchor::Role(_) | Anchor::Everything if part.words.is_none() => Reason::Structure,
        Anchor::Role(_) | Anchor::Everything => Reason::PartialText,
        Anchor::Name(name) => match (tree.by_stable_id(name).len(), step) {
            (1, Step::StableId) => Reason::UniqueStableId,
            (1, _) => Reason::UniqueRoleLabel,
            _ => Reason::StableIdCollision,
        },
        Anchor::Word(word) => {
            if kin() > 1 {
                Reason::RoleLabelOfMany
            } else if node.label() != Some(word) {
                Reason::UniqueText
            } else if part.role.is_some() {
                Reason::UniqueRoleLabel
            } else {
                Reason::UniqueLabel
            }
        }
    };
    (step, reason)
}

fn step_of(part: &Part, node: Option<&Node>, query: &Query<'_>) -> Step {
    match query.anchor() {
        Anchor::Element(_) => Step::ElementId,
        Anchor::Name(name) if node.is_none_or(|n| n.stable_id() == Some(name)) => Step::StableId,
        Anchor::Name(_) => Step::RoleLabelTag,
        Anchor::Word(word) if part.role.is_some() && node.is_none_or(|n| n.label() == Some(word)) => {
            Step::RoleLabelTag
        }
        Anchor::Word(_) => Step::Selector,
        Anchor::Role(_) | Anchor::Everything if part.words.is_some() => Step::Selector,
        Anchor::Role(_) | Anchor::Everything => Step::Structure,
    }
}

/// How many elements on the whole screen have the identity that the last part asks for.
fn count_kin(
    tree: &Tree,
    query: &Query<'_>,
    seen: Kin,
    found: &[ElementId],
    visibility: Visibility,
) -> usize {
    let mut all = match seen {
        Some(all) if all.len() <= found.len() => return found.len(),
        Some(all) => all,
        None => query.candidates(tree),
    };
    all.retain(|id| tree.get(*id).is_some_and(|n| query.core_fits(*id, n)));
    fold(tree, query.part, &mut all);
    // More than one is all that matters, so the second ends the count.
    let shown = match visibility {
        Visibility::Any => 0,
        Visibility::VisibleFirst => all.iter().filter(|id| !is_hidden(tree, **id)).take(2).count(),
    };
    if shown > 0 { shown } else { all.len() }
}
