//! The C ABI. `include/stillpoint_idle.h` is generated from this file (`tests/c_abi.rs` keeps the two equal).
#![allow(unsafe_code, reason = "a C ABI")]
#![allow(clippy::doc_markdown, reason = "the comments go into a C header, where backticks are noise")]

use std::ffi::{CStr, c_char};

use crate::error::StartError;
use crate::reporter::{Reporter, Ticket, begin_named, end};
use crate::trackers::track_glib;

/// Starts reporting. Returns 0, or -1 if nothing can be reported (see sp_idle_why_not). Never needed, since the first
/// begin starts by itself; but an app that has not been busy yet can only be seen after this.
#[unsafe(no_mangle)]
pub extern "C" fn sp_idle_start() -> i32 {
    if Reporter::start().status().is_ok() { 0 } else { -1 }
}

/// Stops reporting for good: readers see the app as lost.
#[unsafe(no_mangle)]
pub extern "C" fn sp_idle_stop() {
    Reporter::start().stop();
}

/// Says that work called `name` (UTF-8) is in flight. Returns a ticket for sp_idle_end, or 0 if it counts nowhere;
/// ending 0 does nothing. Lock-free; may be called in a signal handler once sp_idle_start has returned.
///
/// # Safety
/// `name` must be null or a string that ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sp_idle_begin(name: *const c_char) -> u64 {
    if name.is_null() {
        return begin_named("").map_or(0, Ticket::to_raw);
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    // Cut instead of refused: what is in flight matters more than how it is called.
    let name = match std::str::from_utf8(name) {
        Ok(name) => name,
        Err(error) => std::str::from_utf8(&name[..error.valid_up_to()]).unwrap_or_default(),
    };
    begin_named(name).map_or(0, Ticket::to_raw)
}

/// Says that the work with this ticket has ended. Each ticket is ended once, on any thread. A ticket from before a fork
/// is ignored in the child.
#[unsafe(no_mangle)]
pub extern "C" fn sp_idle_end(ticket: u64) {
    end(Ticket::from_raw(ticket));
}

/// Writes why nothing is reported (or an empty string, if all is well) to `buffer`, cut to `size` bytes with a zero at
/// the end. Returns the length of the whole text.
///
/// # Safety
/// `buffer` must be null or point to `size` bytes that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sp_idle_why_not(buffer: *mut c_char, size: usize) -> usize {
    let text = Reporter::start().status().err().map(StartError::to_string).unwrap_or_default();
    // SAFETY: the caller's promise.
    unsafe { write(&text, buffer, size) }
}

/// Writes the path of this process's page (or an empty string, if there is none) to `buffer`, as sp_idle_why_not does.
///
/// # Safety
/// `buffer` must be null or point to `size` bytes that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sp_idle_path(buffer: *mut c_char, size: usize) -> usize {
    let path = Reporter::start().status().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    // SAFETY: the caller's promise.
    unsafe { write(&path, buffer, size) }
}

/// Reports the GLib main loop (GTK 3 and 4) as "glib" while it dispatches. With `timer_ms` above 0 also as "glib-timer"
/// while it sleeps for a timer that is due within that time. Returns 0; -1 if this process has no GLib.
#[unsafe(no_mangle)]
pub extern "C" fn sp_idle_track_glib(timer_ms: u32) -> i32 {
    if track_glib((timer_ms > 0).then_some(timer_ms)).is_ok() { 0 } else { -1 }
}

unsafe fn write(text: &str, buffer: *mut c_char, size: usize) -> usize {
    if !buffer.is_null() && size > 0 {
        let length = text.len().min(size - 1);
        // SAFETY: the caller's promise gives `size` bytes, of which at most `size - 1` and the zero are written.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), length);
            *buffer.add(length) = 0;
        }
    }
    text.len()
}
