//! The sixteen requests of v1.

use std::time::Duration;

use serde::Serialize;

use super::error::Malformation;
use super::fields::{FieldReader, FieldWriter};

/// A v1 request. Field names are those of SPEC §11.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum Request {
    /// Is anybody there?
    Heartbeat,
    /// Tap a point of the screen.
    TapCoord {
        /// Points from the left.
        x: i32,
        /// Points from the top.
        y: i32,
    },
    /// Tap the element with this identifier.
    TapElement {
        /// The stable identifier.
        id: String,
        /// How long to look for it; none looks once.
        timeout_ms: Option<u64>,
    },
    /// Tap the element with this label.
    TapByLabel {
        /// The visible or spoken label.
        label: String,
        /// How long to look for it; none looks once.
        timeout_ms: Option<u64>,
    },
    /// Tap the element of a type, by identifier or label.
    TapWithType {
        /// Identifier or label.
        selector: String,
        /// Whether `selector` is a label.
        by_label: bool,
        /// The element type, such as `Button`.
        element_type: String,
        /// How long to look for it; none looks once.
        timeout_ms: Option<u64>,
    },
    /// Type into the focused field.
    TypeText {
        /// What to type.
        text: String,
    },
    /// Drag from one point to another.
    Swipe {
        /// Start, from the left.
        start_x: i32,
        /// Start, from the top.
        start_y: i32,
        /// End, from the left.
        end_x: i32,
        /// End, from the top.
        end_y: i32,
        /// How long the drag takes, in seconds; none leaves it to the agent.
        duration_s: Option<f64>,
    },
    /// Read an element's value.
    GetValue {
        /// Identifier or label.
        selector: String,
        /// Whether `selector` is a label.
        by_label: bool,
        /// The element type, where it matters.
        element_type: Option<String>,
        /// How long to look for it; none looks once.
        timeout_ms: Option<u64>,
    },
    /// Press a point and hold it.
    LongPress {
        /// Points from the left.
        x: i32,
        /// Points from the top.
        y: i32,
        /// How long to hold, in seconds.
        duration_s: f64,
    },
    /// The whole tree.
    DumpTree,
    /// The screen as PNG.
    Screenshot,
    /// Switch to another application.
    SetTarget {
        /// Bundle identifier or target name.
        target: String,
    },
    /// Look once for an element, with its live `hittable`.
    FindElement {
        /// Identifier or label.
        selector: String,
        /// Whether `selector` is a label.
        by_label: bool,
        /// The element type, where it matters.
        element_type: Option<String>,
    },
    /// What is the target?
    GetTargetInfo,
    /// Does whatever stands between agent and app work?
    BridgeHealth,
    /// Which device is this?
    DeviceUdid,
}

impl Request {
    /// The request's opcode.
    pub fn opcode(&self) -> u8 {
        match self {
            Self::Heartbeat => 0x01,
            Self::TapCoord { .. } => 0x02,
            Self::TapElement { .. } => 0x03,
            Self::TapByLabel { .. } => 0x04,
            Self::TapWithType { .. } => 0x05,
            Self::TypeText { .. } => 0x06,
            Self::Swipe { .. } => 0x07,
            Self::GetValue { .. } => 0x08,
            Self::LongPress { .. } => 0x09,
            Self::DumpTree => 0x10,
            Self::Screenshot => 0x11,
            Self::SetTarget { .. } => 0x12,
            Self::FindElement { .. } => 0x13,
            Self::GetTargetInfo => 0x14,
            Self::BridgeHealth => 0x15,
            Self::DeviceUdid => 0x16,
        }
    }

    /// The request's name, as in SPEC §11.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Heartbeat => "Heartbeat",
            Self::TapCoord { .. } => "TapCoord",
            Self::TapElement { .. } => "TapElement",
            Self::TapByLabel { .. } => "TapByLabel",
            Self::TapWithType { .. } => "TapWithType",
            Self::TypeText { .. } => "TypeText",
            Self::Swipe { .. } => "Swipe",
            Self::GetValue { .. } => "GetValue",
            Self::LongPress { .. } => "LongPress",
            Self::DumpTree => "DumpTree",
            Self::Screenshot => "Screenshot",
            Self::SetTarget { .. } => "SetTarget",
            Self::FindElement { .. } => "FindElement",
            Self::GetTargetInfo => "GetTargetInfo",
            Self::BridgeHealth => "BridgeHealth",
            Self::DeviceUdid => "DeviceUdid",
        }
    }

    /// Whether doing it twice leaves the app as doing it once. Reads are; so is setting the target. Whatever touches
    /// the app (a tap, a swipe, a press, typing) is not, and must never be sent again on a guess.
    pub fn is_idempotent(&self) -> bool {
        match self {
            Self::Heartbeat
            | Self::GetValue { .. }
            | Self::DumpTree
            | Self::Screenshot
            | Self::SetTarget { .. }
            | Self::FindElement { .. }
            | Self::GetTargetInfo
            | Self::BridgeHealth
            | Self::DeviceUdid => true,
            Self::TapCoord { .. }
            | Self::TapElement { .. }
            | Self::TapByLabel { .. }
            | Self::TapWithType { .. }
            | Self::TypeText { .. }
            | Self::Swipe { .. }
            | Self::LongPress { .. } => false,
        }
    }

    /// How long the far side may look for an element, for the commands that do.
    pub fn lookup_timeout(&self) -> Option<Duration> {
        match self {
            Self::TapElement { timeout_ms, .. }
            | Self::TapByLabel { timeout_ms, .. }
            | Self::TapWithType { timeout_ms, .. }
            | Self::GetValue { timeout_ms, .. } => timeout_ms.map(Duration::from_millis),
            _ => None,
        }
    }

    pub(super) fn is_opcode(opcode: u8) -> bool {
        matches!(opcode, 0x01..=0x09 | 0x10..=0x16)
    }

    pub(super) fn decode(opcode: u8, payload: &[u8]) -> Result<Self, Malformation> {
        let mut fields = FieldReader::new(payload);
        Ok(match opcode {
            0x01 => Self::Heartbeat,
            0x02 => Self::TapCoord { x: fields.i32("x")?, y: fields.i32("y")? },
            0x03 => {
                Self::TapElement { id: fields.str("id")?, timeout_ms: fields.trailing_u64("timeout_ms")? }
            }
            0x04 => Self::TapByLabel {
                label: fields.str("label")?,
                timeout_ms: fields.trailing_u64("timeout_ms")?,
            },
            0x05 => Self::TapWithType {
                selector: fields.str("selector")?,
                by_label: fields.bool("by_label")?,
                element_type: fields.str("type")?,
                timeout_ms: fields.trailing_u64("timeout_ms")?,
            },
            0x06 => Self::TypeText { text: fields.str("text")? },
            0x07 => Self::Swipe {
                start_x: fields.i32("start_x")?,
                start_y: fields.i32("start_y")?,
                end_x: fields.i32("end_x")?,
                end_y: fields.i32("end_y")?,
                duration_s: fields.opt_f64("duration_s")?,
            },
            0x08 => Self::GetValue {
                selector: fields.str("selector")?,
                by_label: fields.bool("by_label")?,
                element_type: fields.opt_str("type")?,
                timeout_ms: fields.trailing_u64("timeout_ms")?,
            },
            0x09 => Self::LongPress {
                x: fields.i32("x")?,
                y: fields.i32("y")?,
                duration_s: fields.f64("duration_s")?,
            },
            0x10 => Self::DumpTree,
            0x11 => Self::Screenshot,
            0x12 => Self::SetTarget { target: fields.str("target")? },
            0x13 => Self::FindElement {
                selector: fields.str("selector")?,
                by_label: fields.bool("by_label")?,
                element_type: fields.opt_str("type")?,
            },
            0x14 => Self::GetTargetInfo,
            0x15 => Self::BridgeHealth,
            0x16 => Self::DeviceUdid,
            _ => return Err(Malformation::UnknownOpcode { opcode }),
        })
    }

    pub(super) fn write_payload(&self, out: &mut Vec<u8>) {
        let mut fields = FieldWriter::new(out);
        match self {
            Self::Heartbeat
            | Self::DumpTree
            | Self::Screenshot
            | Self::GetTargetInfo
            | Self::BridgeHealth
            | Self::DeviceUdid => {}
            Self::TapCoord { x, y } => {
                fields.i32(*x).i32(*y);
            }
            Self::TapElement { id: selector, timeout_ms }
            | Self::TapByLabel { label: selector, timeout_ms } => {
                fields.str(selector).trailing_u64(*timeout_ms);
            }
            Self::TapWithType { selector, by_label, element_type, timeout_ms } => {
                fields.str(selector).bool(*by_label).str(element_type).trailing_u64(*timeout_ms);
            }
            Self::TypeText { text } => {
                fields.str(text);
            }
            Self::Swipe { start_x, start_y, end_x, end_y, duration_s } => {
                fields.i32(*start_x).i32(*start_y).i32(*end_x).i32(*end_y).opt_f64(*duration_s);
            }
            Self::GetValue { selector, by_label, element_type, timeout_ms } => {
                fields
                    .str(selector)
                    .bool(*by_label)
                    .opt_str(element_type.as_deref())
                    .trailing_u64(*timeout_ms);
            }
            Self::LongPress { x, y, duration_s } => {
                fields.i32(*x).i32(*y).f64(*duration_s);
            }
            Self::SetTarget { target } => {
                fields.str(target);
            }
            Self::FindElement { selector, by_label, element_type } => {
                fields.str(selector).bool(*by_label).opt_str(element_type.as_deref());
            }
        }
    }
}
