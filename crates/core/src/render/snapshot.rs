//! A snapshot as JSON.

use super::element::{Element, ElementSelector};
use super::emit::{Emission, EmitOptions, Emitted, Omitted, emit};
use crate::revise::{LayoutRevision, Revision, Snapshot};
use crate::select::Generator;
use crate::settle::{LoadingState, StabilityState};
use crate::tree::{Screen, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
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

/// What is told of a tree, one element at a time.
pub(super) struct Telling<'t> {
    view: &'t TreeView,
    pub(super) emission: Emission,
    generator: OnceCell<Generator<'t>>,
    /// How many elements bear each stable id.
    bearers: OnceCell<HashMap<&'t str, u32>>,
}

impl<'t> Telling<'t> {
    pub(super) fn new(view: &'t TreeView, options: &EmitOptions) -> Self {
        let emission = emit(view, options);
        Telling { view, emission, generator: OnceCell::new(), bearers: OnceCell::new() }
    }

    /// All that is told of one of them.
    pub(super) fn element(&self, emitted: Emitted) -> Option<Element> {
        let mut element = self.element_alone(emitted)?;
        let generator = self.generator.get_or_init(|| Generator::new(self.view));
        element.stable_id_collision = element.stable_id.as_deref().is_some_and(|id| self.is_shared(id));
        element.selector = generator
            .selector(emitted.id)
            .map(|g| ElementSelector { value: g.value, confidence: g.confidence });
        Some(element)
    }

    /// What is told of one of them that does not depend on any other.
    pub(super) fn element_alone(&self, emitted: Emitted) -> Option<Element> {
        Some(Element::of(emitted.id, self.view.get(emitted.id)?, emitted.parent))
    }

    fn is_shared(&self, stable_id: &str) -> bool {
        let bearers = self.bearers.get_or_init(|| {
            let mut bearers: HashMap<&str, u32> = HashMap::new();
            for id in self.view.iter().filter_map(|(_, n)| n.stable_id()) {
                *bearers.entry(id).or_default() += 1;
            }
            bearers
        });
        bearers.get(stable_id) > Some(&1)
    }
}
