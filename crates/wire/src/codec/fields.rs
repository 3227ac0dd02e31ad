//! The protocol's primitive types, read from a payload and written to one.

use super::error::Malformation;

type Read<T> = Result<T, Malformation>;

/// Reads fields in order from one frame's payload. Every length is checked against the bytes that are there before
/// anything is copied, so a lying length costs nothing.
pub(super) struct FieldReader<'a> {
    rest: &'a [u8],
}

impl<'a> FieldReader<'a> {
    pub(super) fn new(payload: &'a [u8]) -> Self {
        Self { rest: payload }
    }

    fn take(&mut self, count: usize, field: &'static str) -> Read<&'a [u8]> {
        let (head, tail) = self.rest.split_at_checked(count).ok_or(Malformation::ShortPayload { field })?;
        self.rest = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Read<[u8; N]> {
        let (head, tail) = self.rest.split_first_chunk().ok_or(Malformation::ShortPayload { field })?;
        self.rest = tail;
        Ok(*head)
    }

    pub(super) fn u8(&mut self, field: &'static str) -> Read<u8> {
        Ok(self.array::<1>(field)?[0])
    }

    /// Any byte but zero is true.
    pub(super) fn bool(&mut self, field: &'static str) -> Read<bool> {
        Ok(self.u8(field)? != 0)
    }

    pub(super) fn i32(&mut self, field: &'static str) -> Read<i32> {
        self.array(field).map(i32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, field: &'static str) -> Read<u64> {
        self.array(field).map(u64::from_le_bytes)
    }

    pub(super) fn f64(&mut self, field: &'static str) -> Read<f64> {
        self.array(field).map(f64::from_le_bytes)
    }

    pub(super) fn bytes(&mut self, field: &'static str) -> Read<&'a [u8]> {
        let count = u32::from_le_bytes(self.array(field)?);
        let count = usize::try_from(count).map_err(|_| Malformation::ShortPayload { field })?;
        self.take(count, field)
    }

    pub(super) fn str(&mut self, field: &'static str) -> Read<String> {
        let raw = self.bytes(field)?;
        let text = std::str::from_utf8(raw).map_err(|_| Malformation::BadUtf8 { field })?;
        Ok(text.to_owned())
    }

    pub(super) fn opt_str(&mut self, field: &'static str) -> Read<Option<String>> {
        if self.bool(field)? { self.str(field).map(Some) } else { Ok(None) }
    }

    pub(super) fn opt_f64(&mut self, field: &'static str) -> Read<Option<f64>> {
        if self.bool(field)? { self.f64(field).map(Some) } else { Ok(None) }
    }

    /// The trailing `topt`: older peers leave the flag out, and that reads as none.
    pub(super) fn trailing_u64(&mut self, field: &'static str) -> Read<Option<u64>> {
        if self.rest.is_empty() || !self.bool(field)? { Ok(None) } else { self.u64(field).map(Some) }
    }
}

/// Appends fields to a frame that is being built.
pub(super) struct FieldWriter<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> FieldWriter<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }

    pub(super) fn u8(&mut self, value: u8) -> &mut Self {
        self.out.push(value);
        self
    }

    pub(super) fn bool(&mut self, value: bool) -> &mut Self {
        self.u8(u8::from(value))
    }

    pub(super) fn i32(&mut self, value: i32) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    pub(super) fn u64(&mut self, value: u64) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    pub(super) fn f64(&mut self, value: f64) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// A count beyond `u32` is cut here and refused by the frame limit, which is checked after the payload is built.
    pub(super) fn bytes(&mut self, value: &[u8]) -> &mut Self {
        let count = u32::try_from(value.len()).unwrap_or(u32::MAX);
        self.raw(&count.to_le_bytes()).raw(value)
    }

    pub(super) fn str(&mut self, value: &str) -> &mut Self {
        self.bytes(value.as_bytes())
    }

    pub(super) fn opt_str(&mut self, value: Option<&str>) -> &mut Self {
        match value {
            Some(text) => self.bool(true).str(text),
            None => self.bool(false),
        }
    }

    pub(super) fn opt_f64(&mut self, value: Option<f64>) -> &mut Self {
        match value {
            Some(number) => self.bool(true).f64(number),
            None => self.bool(false),
        }
    }

    pub(super) fn trailing_u64(&mut self, value: Option<u64>) -> &mut Self {
        match value {
            Some(number) => self.bool(true).u64(number),
            None => self.bool(false),
        }
    }

    fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.out.extend_from_slice(bytes);
        self
    }
}
