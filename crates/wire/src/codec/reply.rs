//! The seven replies of v1.

use serde::Serialize;

use super::error::Malformation;
use super::fields::{FieldReader, FieldWriter};

/// Opcode of every v1 reply.
pub(super) const REPLY: u8 = 0xA0;
/// Opcode of an error reply without a type byte, as some agents send it.
pub(super) const BARE_ERROR: u8 = 0x99;

/// A v1 reply. JSON stays text here, so that decoding and encoding are inverse to each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "reply", content = "value", rename_all = "snake_case")]
pub enum Reply {
    /// Done.
    Ok,
    /// Not done, and why.
    Error(String),
    /// A JSON array of elements.
    Tree(String),
    /// PNG bytes.
    Screenshot(Vec<u8>),
    /// A text, or the knowledge that there is none.
    Value(Option<String>),
    /// A JSON object, or `null`.
    Element(String),
    /// JSON about the target.
    TargetInfo(String),
}

impl Reply {
    /// The reply's name, as in SPEC §11.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ok => "Ok",
            Self::Error(_) => "Error",
            Self::Tree(_) => "Tree",
            Self::Screenshot(_) => "Screenshot",
            Self::Value(_) => "Value",
            Self::Element(_) => "Element",
            Self::TargetInfo(_) => "TargetInfo",
        }
    }

    pub(super) fn decode(payload: &[u8]) -> Result<Self, Malformation> {
        let mut fields = FieldReader::new(payload);
        Ok(match fields.u8("reply type")? {
            0x00 => Self::Ok,
            0x01 => Self::Error(fields.str("message")?),
            0x02 => Self::Tree(fields.str("tree")?),
            0x03 => Self::Screenshot(fields.bytes("png")?.to_vec()),
            0x04 => Self::Value(fields.opt_str("value")?),
            0x05 => Self::Element(fields.str("element")?),
            0x06 => Self::TargetInfo(fields.str("target info")?),
            kind => return Err(Malformation::UnknownReplyType { kind }),
        })
    }

    pub(super) fn decode_bare_error(payload: &[u8]) -> Result<Self, Malformation> {
        FieldReader::new(payload).str("message").map(Self::Error)
    }

    pub(super) fn write_payload(&self, out: &mut Vec<u8>) {
        let mut fields = FieldWriter::new(out);
        match self {
            Self::Ok => fields.u8(0x00),
            Self::Error(message) => fields.u8(0x01).str(message),
            Self::Tree(json) => fields.u8(0x02).str(json),
            Self::Screenshot(png) => fields.u8(0x03).bytes(png),
            Self::Value(value) => fields.u8(0x04).opt_str(value.as_deref()),
            Self::Element(json) => fields.u8(0x05).str(json),
            Self::TargetInfo(json) => fields.u8(0x06).str(json),
        };
    }
}
