//! How many bytes the heap holds: the system's allocator with a counter before it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static HELD: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counted. A binary that wants to know makes it its global allocator.
#[derive(Debug)]
pub struct Counted;

/// The bytes that were asked for and not given back; what the allocator adds for its own books is not in it.
pub fn held() -> usize {
    HELD.load(Ordering::Relaxed)
}

#[allow(unsafe_code)]
// SAFETY: every call goes to the system's allocator unchanged; the counter touches no memory that is handed out.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises about `layout` are passed on as they are.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `block` came from `alloc` or `realloc` above, thus from the system, with this `layout`.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        HELD.fetch_add(size, Ordering::Relaxed);
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as for `dealloc`, and the caller's promises about `size` are passed on.
        unsafe { System.realloc(block, layout, size) }
    }
}
