//! What can be wrong with bytes, and whether the stream survives it.

use thiserror::Error;

use super::MAX_FRAME;

/// Whether the bytes after a bad frame can still be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The frame's end is known: answer with an error and go on with the next frame.
    Recoverable,
    /// The stream has lost its meaning: close.
    Fatal,
}

/// What is wrong with a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Malformation {
    /// The length field is zero, so there is not even an opcode.
    #[error("a frame of length 0 has no opcode; the length counts opcode and payload")]
    ZeroLength,
    /// The length field is beyond [`MAX_FRAME`].
    #[error("a frame of {length} bytes is over the limit of {MAX_FRAME}")]
    TooLarge {
        /// What the length field said.
        length: u32,
    },
    /// Nothing in the protocol has this opcode in this direction.
    #[error("opcode 0x{opcode:02x} is not known")]
    UnknownOpcode {
        /// The opcode as received.
        opcode: u8,
    },
    /// The type byte of a reply is not one of the seven.
    #[error("reply type 0x{kind:02x} is not known")]
    UnknownReplyType {
        /// The type byte as received.
        kind: u8,
    },
    /// The payload ends before `field` does.
    #[error("the payload ends inside `{field}`")]
    ShortPayload {
        /// The field that was being read.
        field: &'static str,
    },
    /// `field` is not UTF-8.
    #[error("`{field}` is not valid UTF-8")]
    BadUtf8 {
        /// The field that was being read.
        field: &'static str,
    },
    /// `field` should hold JSON of a certain shape, and does not.
    #[error("`{field}` is not the JSON that is expected there")]
    BadJson {
        /// The field that was being read.
        field: &'static str,
    },
}

impl Malformation {
    /// A short stable name, as used in the test vectors.
    pub fn name(self) -> &'static str {
        match self {
            Self::ZeroLength => "zero_length",
            Self::TooLarge { .. } => "too_large",
            Self::UnknownOpcode { .. } => "unknown_opcode",
            Self::UnknownReplyType { .. } => "unknown_reply_type",
            Self::ShortPayload { .. } => "short_payload",
            Self::BadUtf8 { .. } => "bad_utf8",
            Self::BadJson { .. } => "bad_json",
        }
    }

    /// Only a length that cannot be skipped ends a stream; every other frame has a known end.
    pub fn severity(self) -> Severity {
        match self {
            Self::TooLarge { .. } => Severity::Fatal,
            _ => Severity::Recoverable,
        }
    }
}

/// A frame that could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct DecodeError {
    /// What is wrong.
    pub reason: Malformation,
    /// The frame's opcode, where it had one.
    pub opcode: Option<u8>,
    /// The id of the v2 call that the frame carried, where that much could be read: the error can be its answer.
    pub call_id: Option<u64>,
}

impl DecodeError {
    pub(super) fn without_opcode(reason: Malformation) -> Self {
        Self { reason, opcode: None, call_id: None }
    }

    /// Whether the stream survives.
    pub fn severity(&self) -> Severity {
        self.reason.severity()
    }

    /// Whether the stream must be closed.
    pub fn is_fatal(&self) -> bool {
        self.severity() == Severity::Fatal
    }
}

/// A frame that may not be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a frame of {length} bytes is over the limit of {MAX_FRAME}; send less at once")]
pub struct EncodeError {
    /// Opcode and payload, in bytes.
    pub length: usize,
}
