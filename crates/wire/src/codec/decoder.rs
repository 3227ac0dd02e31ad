//! Bytes in any chunks to frames.

use std::marker::PhantomData;

use super::error::{DecodeError, Malformation};
use super::frame::Frame;
use super::{HEADER, MAX_FRAME};

/// Turns a byte stream into frames of one direction.
///
/// It holds exactly the bytes it was fed and has not yielded: nothing is reserved because a length field says so, and
/// a length over the limit ends the stream before its payload is looked at.
#[derive(Debug)]
pub struct Decoder<F> {
    buffer: Vec<u8>,
    /// Bytes of `buffer` that were already yielded.
    consumed: usize,
    ended: Option<DecodeError>,
    frames: PhantomData<fn() -> F>,
}

impl<F> Default for Decoder<F> {
    fn default() -> Self {
        Self { buffer: Vec::new(), consumed: 0, ended: None, frames: PhantomData }
    }
}

impl<F: Frame> Decoder<F> {
    /// An empty decoder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds received bytes. After a fatal error they are dropped.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.ended.is_none() {
            self.forget_consumed();
            self.buffer.extend_from_slice(bytes);
        }
    }

    /// The next whole frame; `None` when more bytes are needed. A recoverable error consumes the bad frame, so the
    /// next call goes on behind it; a fatal error is repeated for ever.
    pub fn next_frame(&mut self) -> Result<Option<F>, DecodeError> {
        if let Some(error) = self.ended {
            return Err(error);
        }
        let pending = &self.buffer[self.consumed..];
        let Some((header, rest)) = pending.split_first_chunk::<HEADER>() else { return Ok(None) };
        let length = u32::from_le_bytes(*header);
        if length as usize > MAX_FRAME {
            return Err(self.end(Malformation::TooLarge { length }));
        }
        if length == 0 {
            self.consumed += HEADER;
            return Err(DecodeError::without_opcode(Malformation::ZeroLength));
        }
        let Some(body) = rest.get(..length as usize) else { return Ok(None) };
        let decoded = F::decode(body[0], &body[1..]);
        self.consumed += HEADER + length as usize;
        decoded.map(Some)
    }

    /// Whether the stream may end here without cutting a frame in two.
    pub fn is_between_frames(&self) -> bool {
        self.buffered() == 0
    }

    /// Bytes received and not yet yielded.
    pub fn buffered(&self) -> usize {
        self.buffer.len() - self.consumed
    }

    fn end(&mut self, reason: Malformation) -> DecodeError {
        let error = DecodeError::without_opcode(reason);
        self.ended = Some(error);
        self.buffer = Vec::new();
        self.consumed = 0;
        error
    }

    /// Moves what is left to the front. Large buffers are given back once they are empty.
    fn forget_consumed(&mut self) {
        const KEEP: usize = 256 * 1024;
        if self.consumed == 0 {
            return;
        }
        self.buffer.drain(..self.consumed);
        self.consumed = 0;
        if self.buffer.is_empty() && self.buffer.capacity() > KEEP {
            self.buffer = Vec::new();
        }
    }
}
