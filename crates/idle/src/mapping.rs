//! A file mapped as one typed value.
#![allow(unsafe_code, reason = "mmap")]

use std::marker::PhantomData;
use std::ops::Deref;
use std::os::fd::AsFd;
use std::ptr::{self, NonNull};

use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use crate::layout::{BELL_SIZE, Bell, PAGE_SIZE, Page};

/// What may be mapped: types that consist of atomics only, so that any bytes are valid and may change under us.
///
/// # Safety
/// Every bit pattern is a value, every field is an atomic, and `SIZE` is at least the type's size.
pub(crate) unsafe trait Shared: Sync {
    /// Bytes to map.
    const SIZE: usize;
}

// SAFETY: atomics only; the size is asserted in `layout`.
unsafe impl Shared for Page {
    const SIZE: usize = PAGE_SIZE;
}
// SAFETY: atomics only; the size is asserted in `layout`.
unsafe impl Shared for Bell {
    const SIZE: usize = BELL_SIZE;
}

/// A shared mapping, unmapped when dropped.
pub(crate) struct Mapping<T: Shared> {
    at: NonNull<T>,
    kind: PhantomData<T>,
}

// SAFETY: a mapping is not tied to a thread, and `T` is shared atomics.
unsafe impl<T: Shared> Send for Mapping<T> {}
// SAFETY: as above; `T: Sync` through `Shared`.
unsafe impl<T: Shared> Sync for Mapping<T> {}

impl<T: Shared> Mapping<T> {
    /// Maps `file` to be read. Writing through it would fault, and nothing here does.
    pub(crate) fn to_read(file: impl AsFd) -> Result<Self, Errno> {
        Self::map(file, ProtFlags::READ, MapFlags::SHARED)
    }

    /// Maps `file` to be read and written, with its pages brought in, so that a full disk shows now.
    pub(crate) fn to_write(file: impl AsFd) -> Result<Self, Errno> {
        Self::map(file, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED | MapFlags::POPULATE)
    }

    fn map(file: impl AsFd, prot: ProtFlags, flags: MapFlags) -> Result<Self, Errno> {
        // SAFETY: a new mapping at an address of the kernel's choice aliases nothing of ours.
        let at = unsafe { mmap(ptr::null_mut(), T::SIZE, prot, flags, file, 0)? };
        let at = NonNull::new(at.cast()).ok_or(Errno::FAULT)?;
        Ok(Self { at, kind: PhantomData })
    }

    /// The value for the rest of the process; the mapping stays.
    pub(crate) fn leak(self) -> &'static T {
        let at = self.at;
        std::mem::forget(self);
        // SAFETY: the mapping is never undone from here on, is large enough and aligned to a page.
        unsafe { at.as_ref() }
    }
}

impl<T: Shared> Deref for Mapping<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: mapped as long as `self` lives, large enough, aligned to a page, and all atomics (`Shared`).
        unsafe { self.at.as_ref() }
    }
}

impl<T: Shared> Drop for Mapping<T> {
    fn drop(&mut self) {
        // SAFETY: this range came from `mmap` in `map`, and `self` was its only owner. The call cannot fail for such
        // a range; if it did, the mapping would merely stay.
        let _ = unsafe { munmap(self.at.as_ptr().cast(), T::SIZE) };
    }
}
