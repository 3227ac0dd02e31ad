//! Finding a recorded element again after the screen has changed (SPEC §7, "Healing").

use crate::tree::{ElementId, Role, TreeView};
use serde::{Deserialize, Serialize};

/// What is remembered of an element.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Its role.
    pub role: Role,
}

/// Where a recorded element went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Healed {
    /// The element.
    pub id: ElementId,
}

/// The element that a fingerprint was taken from, if one candidate stands out.
pub fn heal(_tree: &TreeView, _recorded: &Fingerprint) -> Option<Healed> {
    None
}
