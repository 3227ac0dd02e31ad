//! A snapshot as JSON.

use super::element::{Element, ElementSelector};
use super::emit::{Emission, EmitOptions, Emitted, Omitted, emit};
use crate::revise::{LayoutRevision, Revision, Snapshot};
use crate::select::Generator;
use crate::settle::{LoadingState, StabilityState};
use crate::tree::{ElementId, Node, Screen, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A snapshot with what is known about the moment at which it was taken.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotView<'a> {
    /// The target's URI.
    pub target: &'a str,
    /// The snapshot itself.
    pub snapshot: &'a Snapshot,
    /// How far rest was proven.
    pub stability: StabilityState,
    /// Whether something seems to be loading.
    pub loading: LoadingState,
    /// How much is told.
    pub options: EmitOptions,
}

/// A snapshot as a program reads it (SPEC §10).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotJson {
    /// The target's URI.
    pub target: String,
    /// The revision that it shows.
    pub snapshot_revision: Revision,
    /// The layout revision that it shows.
    pub layout_revision: LayoutRevision,
    /// When the read began, in milliseconds of the session.
    pub captured_at_ms: u64,
    /// How far rest was proven.
    pub stability_state: StabilityState,
    /// Whether something seems to be loading: advice, not proof.
    pub loading_state: LoadingState,
    /// Which screen is shown.
    pub screen: Screen,
    /// Whether anything was cut.
    pub truncated: bool,
    /// What was cut, and where.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omitted: Vec<Omitted>,
    /// The elements in document order.
    pub elements: Vec<Element>,
}

impl SnapshotView<'_> {
    /// The snapshot as a program reads it.
    pub fn to_json(&self) -> SnapshotJson {
        let (elements, truncated, omitted) = elements(&self.snapshot.tree, &self.options);
        SnapshotJson {
            target: self.target.to_owned(),
            snapshot_revision: self.snapshot.revision,
            layout_revision: self.snapshot.layout_revision,
            captured_at_ms: self.snapshot.captured_at.as_millis(),
            stability_state: self.stability,
            loading_state: self.loading,
            screen: self.snapshot.tree.screen().clone(),
            truncated,
            omitted,
            elements,
        }
    }
}

/// The elements of a tree as a program reads them, each with the selector that finds it again.
pub fn elements(view: &TreeView, options: &EmitOptions) -> (Vec<Element>, bool, Vec<Omitted>) {
    let telling = Telling::new(view, options);
    let told = telling.emission.elements.iter().filter_map(|e| telling.element(*e));
    (told.collect(), telling.emission.truncated, telling.emission.omitted)
}

/// What is told of a tree, and all that it takes to tell it, one element at a time.
pub(super) struct Telling<'t> {
    view: &'t TreeView,
    pub(super) emission: Emission,
    generator: Generator<'t>,
    /// How many elements bear each stable id.
    bearers: HashMap<&'t str, u32>,
}

impl<'t> Telling<'t> {
    pub(super) fn new(view: &'t TreeView, options: &EmitOptions) -> Self {
        let mut bearers: HashMap<&str, u32> = HashMap::new();
        for id in view.iter().filter_map(|(_, n)| n.stable_id()) {
            *bearers.entry(id).or_default() += 1;
        }
        Telling { view, emission: emit(view, options), generator: Generator::new(view), bearers }
    }

    /// One of them as a program reads it.
    pub(super) fn element(&self, emitted: Emitted) -> Option<Element> {
        let node = self.view.get(emitted.id)?;
        let mut element = Element::of(emitted.id, node, emitted.parent);
        element.stable_id_collision = self.collides(node);
        element.selector = self
            .generator
            .selector(emitted.id)
            .map(|g| ElementSelector { value: g.value, confidence: g.confidence });
        Some(element)
    }

    /// Whether both tell the same of an element but for its parent. Most elements of most changes are alike: to see that
    /// without writing them down is what makes a small change of a large screen cheap.
    pub(super) fn is_alike(&self, other: &Telling<'_>, id: ElementId) -> bool {
        let (Some(ours), Some(theirs)) = (self.view.get(id), other.view.get(id)) else { return false };
        let same_node = std::ptr::eq(ours, theirs)
            || (ours.window() == theirs.window() && ours.props() == theirs.props());
        same_node
            && self.collides(ours) == other.collides(theirs)
            && self.generator.choice(id) == other.generator.choice(id)
    }

    fn collides(&self, node: &Node) -> bool {
        node.stable_id().is_some_and(|id| self.bearers.get(id) > Some(&1))
    }
}
