//! A snapshot as JSON.

use super::element::{Element, ElementSelector};
use super::emit::{EmitOptions, Omitted, emit};
use crate::revise::{LayoutRevision, Revision, Snapshot};
use crate::select::Generator;
use crate::settle::{LoadingState, StabilityState};
use crate::tree::{Screen, TreeView};
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
    let emission = emit(view, options);
    let generator = Generator::new(view);
    let mut bearers: HashMap<&str, u32> = HashMap::new();
    for id in view.iter().filter_map(|(_, n)| n.stable_id()) {
        *bearers.entry(id).or_default() += 1;
    }
    let told = emission.elements.iter().filter_map(|e| {
        let mut element = Element::of(e.id, view.get(e.id)?, e.parent);
        element.stable_id_collision =
            element.stable_id.as_deref().is_some_and(|id| bearers.get(id) > Some(&1));
        element.selector =
            generator.selector(e.id).map(|g| ElementSelector { value: g.value, confidence: g.confidence });
        Some(element)
    });
    (told.collect(), emission.truncated, emission.omitted)
}
