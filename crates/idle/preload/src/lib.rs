//! Preloaded (`LD_PRELOAD`) into an unmodified app, it reports the default GLib main loop from its first turn on: GTK 3
//! and 4, and Qt where it runs on GLib. `stillpoint desktop run --with-idle -- APP` does that.
//!
//! It stands in front of the two functions that every such loop goes through, and passes each call on. A process without
//! a main loop never calls them: there, nothing happens and no file is made.
#![allow(clippy::doc_markdown, reason = "GLib is a name, not code")]
#![allow(unsafe_code, reason = "functions of GLib that the dynamic linker finds here first")]

use std::ffi::{CStr, c_int, c_void};
use std::sync::Once;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::Relaxed;
use stillpoint_idle::trackers::{glib_symbol, track_glib};

type Run = unsafe extern "C" fn(*mut c_void);
type Iterate = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;
type ContextOf = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type Default = unsafe extern "C" fn() -> *mut c_void;

/// `g_main_loop_run`.
///
/// # Safety
/// As GLib's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g_main_loop_run(main_loop: *mut c_void) {
    static RUN: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    let Some(run) = found(&RUN, c"g_main_loop_run") else { return missing(c"g_main_loop_run") };
    if let Some(context_of) = glib_symbol(c"g_main_loop_get_context") {
        // SAFETY: GLib's function of this type, with the caller's loop.
        let context = unsafe { std::mem::transmute::<*mut c_void, ContextOf>(context_of)(main_loop) };
        watch(context);
    }
    // SAFETY: GLib's function of this type, with the caller's argument.
    unsafe { std::mem::transmute::<*mut c_void, Run>(run)(main_loop) }
}

/// `g_main_context_iteration`.
///
/// # Safety
/// As GLib's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn g_main_context_iteration(context: *mut c_void, may_block: c_int) -> c_int {
    static ITERATE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    let Some(iterate) = found(&ITERATE, c"g_main_context_iteration") else {
        missing(c"g_main_context_iteration");
        return 0;
    };
    watch(context);
    // SAFETY: GLib's function of this type, with the caller's arguments.
    unsafe { std::mem::transmute::<*mut c_void, Iterate>(iterate)(context, may_block) }
}

/// GLib's own function, looked up once: a loop turns often.
fn found(known: &AtomicPtr<c_void>, name: &CStr) -> Option<*mut c_void> {
    let mut function = known.load(Relaxed);
    if function.is_null() {
        function = glib_symbol(name)?;
        known.store(function, Relaxed);
    }
    Some(function)
}

/// Starts to report if this is the default context, once. Others belong to threads of their own, such as D-Bus's.
fn watch(context: *mut c_void) {
    static STARTED: Once = Once::new();
    if STARTED.is_completed() {
        return;
    }
    let Some(default) = glib_symbol(c"g_main_context_default") else { return };
    // SAFETY: GLib's function of this type.
    let default = unsafe { std::mem::transmute::<*mut c_void, Default>(default)() };
    if context.is_null() || context == default {
        // That nothing can be reported is the reader's to tell; the app goes on.
        STARTED.call_once(|| {
            let _ = track_glib(None);
        });
    }
}

/// Only a process whose GLib is not a shared library of its usual name could come here.
fn missing(function: &CStr) {
    eprintln!("stillpoint-idle-preload: {} is not in libglib-2.0.so.0", function.to_string_lossy());
}
