//! How a tree and its changes are told: as JSON for programs, as compact text for people and models (SPEC §10).

mod delta;
mod element;
mod emit;
mod reach;
mod snapshot;
mod text;
mod words;

pub use delta::{AddedElement, DeltaJson, MovedElement, TransientElement, delta_text, diff};
pub use element::{Element, ElementSelector};
pub use emit::{Emission, EmitOptions, Omitted, emit};
pub use snapshot::{SnapshotJson, SnapshotView, elements};
pub use text::{line, snapshot_text};
pub use words::{ChangeSummary, count, summarise};
