//! Frames and bytes, fully deterministic: no sockets, no clock, no tasks.
//!
//! The two types that matter are [`Decoder`], which is fed bytes in any chunks and yields frames, and the pair
//! [`ClientFrame`] / [`ServerFrame`], which say what each side may send. A frame is
//! `u32 length | u8 opcode | payload`, little-endian, and `length` counts the opcode and the payload.
//!
//! ```
//! use stillpoint_wire::codec::{ClientFrame, Decoder, Frame, Request};
//!
//! let bytes = ClientFrame::from(Request::TapCoord { x: 3, y: -1 }).encode().unwrap();
//! let mut decoder = Decoder::<ClientFrame>::new();
//! for byte in bytes {
//!     decoder.feed(&[byte]);
//! }
//! let frame = decoder.next_frame().unwrap();
//! assert_eq!(frame, Some(ClientFrame::Request(Request::TapCoord { x: 3, y: -1 })));
//! ```

mod decoder;
mod element;
mod error;
mod extension;
mod fields;
mod frame;
mod prune;
mod reply;
mod request;
mod token;

pub use decoder::Decoder;
pub use element::{Element, ElementError, MAX_TREE_DEPTH, Rect};
pub use error::{DecodeError, EncodeError, Malformation, Severity};
pub use extension::{ClientHello, ServerHello};
pub use frame::{ClientFrame, Frame, ServerFrame};
pub use prune::MAX_TREE_NODES;
pub use reply::Reply;
pub use request::Request;
pub use token::Token;

/// The most that a frame's length field may say: 64 MiB for opcode and payload together.
pub const MAX_FRAME: usize = 64 * 1024 * 1024;

/// Bytes of the length field in front of every frame.
pub const HEADER: usize = 4;
