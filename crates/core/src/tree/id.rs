//! Names of things: who a node is to us, and who it is to the platform.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// A session's handle for one element, written `e12`. Given out once and never reused in that session.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId(NonZeroU32);

impl ElementId {
    /// The handle with this number; `None` for zero, which names nothing.
    pub const fn new(number: u32) -> Option<Self> {
        match NonZeroU32::new(number) {
            Some(n) => Some(ElementId(n)),
            None => None,
        }
    }

    /// The number behind the `e`.
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

impl fmt::Display for ElementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

impl fmt::Debug for ElementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text was not an element id such as `e12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an element id; element ids look like e12")]
pub struct NotAnElementId;

impl FromStr for ElementId {
    type Err = NotAnElementId;
    fn from_str(text: &str) -> Result<Self, NotAnElementId> {
        let digits = text.strip_prefix('e').ok_or(NotAnElementId)?;
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(NotAnElementId);
        }
        digits.parse().ok().and_then(ElementId::new).ok_or(NotAnElementId)
    }
}

impl Serialize for ElementId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ElementId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for ElementId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ElementId".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^e[0-9]+$" })
    }
    fn inline_schema() -> bool {
        true
    }
}

/// The backend's own name for one platform object. It lives exactly as long as that object:
/// a backend gives a new key to a new object, even where the platform reuses its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NativeKey(pub u64);
