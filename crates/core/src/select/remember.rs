//! What is remembered of an element, so that it can be found again when its selector no longer finds it.

use super::matching::spoken;
use crate::tree::{ElementId, Node, Rect, Role, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An element that another is known by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Landmark {
    /// Its role.
    pub role: Role,
    /// Its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its stable id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stable_id: Option<String>,
}

/// An element's full record: who it is, what is around it, and where.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fingerprint {
    /// Its stable id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stable_id: Option<String>,
    /// Its test tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_tag: Option<String>,
    /// Its role.
    pub role: Role,
    /// Its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its text, where that is not the label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What encloses it and can be told from others, the nearest first.
    pub ancestors: Vec<Landmark>,
    /// What is said nearest to it: the names of the elements that it stands with.
    pub neighbours: Vec<String>,
    /// Its place among the elements of its role: how many come before, and how many there are.
    pub place: (usize, usize),
    /// Where it was on the screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Rect>,
    /// Whether no other element had its role and label.
    pub alone: bool,
}

/// More than these say nothing more.
const ANCESTORS: usize = 8;
const NEIGHBOURS: usize = 8;

impl Fingerprint {
    /// The record of a living element.
    pub fn of(tree: &TreeView, id: ElementId) -> Option<Self> {
        let node = tree.get(id)?;
        let kin = tree.walk().filter(|(_, n)| n.role() == node.role());
        let (mut before, mut all, mut twins, mut seen) = (0, 0, 0, false);
        for (other, twin) in kin {
            seen |= other == id;
            before += usize::from(!seen);
            all += 1;
            twins += usize::from(twin.label() == node.label());
        }
        let own = |text: Option<&str>| text.map(str::to_owned);
        Some(Fingerprint {
            stable_id: own(node.stable_id()),
            test_tag: own(node.test_tag()),
            role: node.role(),
            label: own(node.label()),
            text: own(node.text().filter(|t| Some(*t) != node.label() && !node.role().is_input())),
            ancestors: landmarks(tree, id),
            neighbours: neighbours(tree, id).into_iter().map(str::to_owned).collect(),
            place: (before, all),
            bounds: node.bounds(),
            alone: twins == 1 && node.label().is_some(),
        })
    }
}

impl Landmark {
    pub(super) fn of(node: &Node) -> Self {
        let own = |text: Option<&str>| text.map(str::to_owned);
        Landmark { role: node.role(), label: own(node.label()), stable_id: own(node.stable_id()) }
    }
}

/// What encloses an element and can be told from others: wrappers without a name come and go.
pub(super) fn landmarks(tree: &TreeView, id: ElementId) -> Vec<Landmark> {
    let around = tree.ancestors(id).filter_map(|id| tree.get(id));
    around.filter(|n| !is_wrapper(n)).take(ANCESTORS).map(Landmark::of).collect()
}

fn is_wrapper(node: &Node) -> bool {
    let shapeless = matches!(
        node.role(),
        Role::Generic
            | Role::Group
            | Role::Panel
            | Role::Unknown
            | Role::ScrollArea
            | Role::Region
            | Role::RowGroup
    );
    shapeless && node.label().is_none() && node.stable_id().is_none()
}

/// The names said nearest to an element, nearest first: those of its siblings, or of what stands beside the closest
/// enclosing element that has any beside it.
pub(super) fn neighbours(tree: &TreeView, id: ElementId) -> Vec<&str> {
    let own = tree.get(id).and_then(|n| n.label().or(n.text()));
    let mut near: Vec<&str> = Vec::new();
    let mut inner = id;
    for above in tree.ancestors(id) {
        let Some(node) = tree.get(above) else { break };
        let siblings = node.children();
        let place = siblings.iter().position(|c| *c == inner).unwrap_or_default();
        for step in 1..=NEIGHBOURS {
            let beside = [place.checked_sub(step), Some(place + step)];
            for sibling in beside.into_iter().flatten().filter_map(|at| siblings.get(at)) {
                let words = tree.walk_from(*sibling).take(WALKED).filter_map(|(_, n)| spoken(n).next());
                for word in words.filter(|w| Some(*w) != own).take(2) {
                    if !near.contains(&word) {
                        near.push(word);
                    }
                }
            }
            if near.len() >= NEIGHBOURS {
                near.truncate(NEIGHBOURS);
                return near;
            }
        }
        if !near.is_empty() {
            break;
        }
        inner = above;
    }
    near
}

/// How deep a neighbour is looked into for its name.
const WALKED: usize = 16;
