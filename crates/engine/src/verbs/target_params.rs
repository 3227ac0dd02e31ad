//! What an action on one element takes, and the element's key once it is found.

use crate::act::ActOptions;
use schemars::JsonSchema;
use serde::Deserialize;
use stillpoint_core::select::SelectorInput;
use stillpoint_core::tree::NativeKey;
use stillpoint_core::{Error, Result};

/// An element to act on.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct TargetParams {
    /// The element.
    pub selector: SelectorInput,
    /// How to go about it.
    #[serde(flatten)]
    pub options: ActOptions,
}

/// The key of a target that the pipeline has found, for it finds every target before it asks for the action.
pub(super) fn found(key: Option<NativeKey>) -> Result<NativeKey> {
    key.ok_or_else(|| Error::internal("an action on an element was made without one"))
}
