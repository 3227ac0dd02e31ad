//! The GLib main loop, and so GTK 3 and 4, and Qt where it runs on GLib.
//!
//! GLib lets the poll function of a context be replaced. A loop that is about to block has nothing left to dispatch:
//! that is idle. Everything between two blocks is busy. GLib is looked up in the running process, never linked.
//!
//! Sources of idle priority are made for what has time, and some never end. GLib prepares sources in the order of their
//! priority and stops at the first that is ready, so a source of ours that lies just above idle is prepared if and only
//! if nothing more urgent is: then only idle sources keep the loop awake. For a few turns that still counts, since much
//! work is handed to the main loop as a single idle source; a source that goes on for ever does not.
#![allow(unsafe_code, reason = "GLib's C functions, found with dlsym")]

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::ptr;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::{AcqRel, Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64};

use crate::reporter::{Ticket, begin_named, end};

/// Why the GLib main loop is not tracked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GlibError {
    /// No GLib in this process.
    #[error("this process has not loaded libglib-2.0.so.0; call this after GTK or gi")]
    NotLoaded,
    /// A GLib without the functions that are needed.
    #[error("the GLib of this process lacks functions that it has had since 2.0")]
    TooOld,
}

/// Reports the default main context as `glib` while it dispatches, from now until it first blocks, and then between
/// blocks. With `timers`, also as `glib-timer` while it sleeps for a timer that is due within so many milliseconds; since
/// repeating timers cannot be told from single ones, an app with a blinking cursor would then hardly ever be idle.
/// A source of idle priority that is always ready (an idle handler that goes on for ever) does not count after its first
/// turns.
///
/// Once is enough; a second call only changes `timers`. Call it where the loop runs, before it runs.
pub fn track_glib(timers: Option<u32>) -> Result<(), GlibError> {
    TIMERS.store(timers.map_or(0, |limit| i32::try_from(limit).unwrap_or(i32::MAX)), Relaxed);
    let mut tracked = TRACKED.lock().unwrap_or_else(PoisonError::into_inner);
    if *tracked {
        return Ok(());
    }
    let glib = Glib::find()?;
    // SAFETY: the functions have the C types declared below, a null context means the default one, and what is set
    // lives as long as this library, which nobody unloads once it has been given to GLib. The context keeps the source.
    unsafe {
        let before = (glib.get_poll_func)(ptr::null_mut());
        NEXT.store(before.map_or(ptr::null_mut(), |function| function as *mut c_void), SeqCst);
        (glib.set_poll_func)(ptr::null_mut(), Some(poll));
        let probe = (glib.source_new)((&raw const PROBE).cast_mut().cast(), SIZE_OF_SOURCE);
        (glib.source_set_priority)(probe, JUST_ABOVE_IDLE);
        (glib.source_attach)(probe, ptr::null_mut());
        (glib.source_unref)(probe);
    }
    resume(&DISPATCHING, "glib");
    *tracked = true;
    Ok(())
}

/// `GPollFunc`. The descriptors are only passed on.
type PollFunc = unsafe extern "C" fn(*mut c_void, c_uint, c_int) -> c_int;
type GetPollFunc = unsafe extern "C" fn(*mut c_void) -> Option<PollFunc>;
type SetPollFunc = unsafe extern "C" fn(*mut c_void, Option<PollFunc>);
type SourceNew = unsafe extern "C" fn(*mut c_void, c_uint) -> *mut c_void;
type SourceSetPriority = unsafe extern "C" fn(*mut c_void, c_int);
type SourceAttach = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_uint;
type SourceUnref = unsafe extern "C" fn(*mut c_void);

/// `GSourceFuncs`.
#[repr(C)]
struct SourceFuncs {
    prepare: unsafe extern "C" fn(*mut c_void, *mut c_int) -> c_int,
    check: unsafe extern "C" fn(*mut c_void) -> c_int,
    dispatch: unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> c_int,
    finalize: Option<unsafe extern "C" fn(*mut c_void)>,
    private: [*mut c_void; 2],
}

// SAFETY: function pointers and nulls that nobody writes.
unsafe impl Sync for SourceFuncs {}

/// The source that tells whether anything above idle priority is ready. It never is itself.
static PROBE: SourceFuncs = SourceFuncs {
    prepare: probed,
    check: never,
    dispatch: go_on,
    finalize: None,
    private: [ptr::null_mut(); 2],
};
/// `sizeof(GSource)` on 64-bit machines, with room to spare: it may be larger than GLib's own, never smaller.
const SIZE_OF_SOURCE: c_uint = 128;
/// One more urgent than `G_PRIORITY_DEFAULT_IDLE`.
const JUST_ABOVE_IDLE: c_int = 199;
/// So many turns of the loop in a row may be due to idle sources alone and still count as work.
const IDLE_TURNS: u32 = 16;

unsafe extern "C" fn probed(_: *mut c_void, timeout: *mut c_int) -> c_int {
    NOTHING_URGENT.store(true, Relaxed);
    // SAFETY: GLib passes a place for the time until this source is ready; it has none.
    unsafe { *timeout = -1 };
    0
}

unsafe extern "C" fn never(_: *mut c_void) -> c_int {
    0
}

unsafe extern "C" fn go_on(_: *mut c_void, _: *mut c_void, _: *mut c_void) -> c_int {
    1
}

static TRACKED: Mutex<bool> = Mutex::new(false);
/// The poll function that was there before.
static NEXT: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
static TIMERS: AtomicI32 = AtomicI32::new(0);
/// Set when this turn of the loop found nothing ready above idle priority.
static NOTHING_URGENT: AtomicBool = AtomicBool::new(false);
/// Turns in a row that were due to idle sources alone.
static IDLE_IN_A_ROW: AtomicU32 = AtomicU32::new(0);
/// The guard while dispatching, as a raw ticket; 0 while blocked.
static DISPATCHING: AtomicU64 = AtomicU64::new(0);

fn resume(held: &AtomicU64, name: &str) {
    let ticket = begin_named(name).map_or(0, Ticket::to_raw);
    // A second thread in the loop, or a child that was forked while busy: the older guard ends.
    release(held.swap(ticket, AcqRel));
}

/// Something that counts is ready: if the loop was given up as idle, it is busy again.
fn stay_awake() {
    IDLE_IN_A_ROW.store(0, Relaxed);
    if DISPATCHING.load(Relaxed) == 0 {
        resume(&DISPATCHING, "glib");
    }
}

fn release(ticket: u64) {
    if ticket != 0 {
        end(Ticket::from_raw(ticket));
    }
}

unsafe extern "C" fn poll(fds: *mut c_void, count: c_uint, timeout: c_int) -> c_int {
    let next = NEXT.load(Relaxed);
    if next.is_null() {
        return 0;
    }
    // SAFETY: stored in `track_glib` from a function of this type.
    let next = unsafe { std::mem::transmute::<*mut c_void, PollFunc>(next) };
    // SAFETY: GLib's own arguments, passed on to the function that it would have called itself.
    let ask = |timeout| unsafe { next(fds, count, timeout) };
    let nothing_urgent = NOTHING_URGENT.swap(false, Relaxed);
    if timeout == 0 {
        let ready = ask(0);
        if ready == 0 && nothing_urgent {
            if IDLE_IN_A_ROW.fetch_add(1, Relaxed) >= IDLE_TURNS {
                release(DISPATCHING.swap(0, AcqRel));
            }
        } else {
            stay_awake();
        }
        return ready;
    }
    // Something may be waiting already: then the loop is not at rest, and must not look so even for an instant.
    let ready = ask(0);
    if ready != 0 {
        stay_awake();
        return ready;
    }
    IDLE_IN_A_ROW.store(0, Relaxed);
    let limit = TIMERS.load(Relaxed);
    let timer = if timeout > 0 && timeout <= limit { begin_named("glib-timer") } else { None };
    release(DISPATCHING.swap(0, AcqRel));
    let ready = ask(timeout);
    resume(&DISPATCHING, "glib");
    if let Some(timer) = timer {
        end(timer);
    }
    ready
}

struct Glib {
    get_poll_func: GetPollFunc,
    set_poll_func: SetPollFunc,
    source_new: SourceNew,
    source_set_priority: SourceSetPriority,
    source_attach: SourceAttach,
    source_unref: SourceUnref,
}

impl Glib {
    fn find() -> Result<Self, GlibError> {
        let get = glib_symbol(c"g_main_context_get_poll_func").ok_or(GlibError::NotLoaded)?;
        let set = glib_symbol(c"g_main_context_set_poll_func").ok_or(GlibError::TooOld)?;
        let source = |name| glib_symbol(name).ok_or(GlibError::TooOld);
        let new = source(c"g_source_new")?;
        let (attach, unref) = (source(c"g_source_attach")?, source(c"g_source_unref")?);
        let set_priority = source(c"g_source_set_priority")?;
        // SAFETY: GLib has declared all of these with these types since 2.0.
        unsafe {
            Ok(Self {
                get_poll_func: std::mem::transmute::<*mut c_void, GetPollFunc>(get),
                set_poll_func: std::mem::transmute::<*mut c_void, SetPollFunc>(set),
                source_new: std::mem::transmute::<*mut c_void, SourceNew>(new),
                source_set_priority: std::mem::transmute::<*mut c_void, SourceSetPriority>(set_priority),
                source_attach: std::mem::transmute::<*mut c_void, SourceAttach>(attach),
                source_unref: std::mem::transmute::<*mut c_void, SourceUnref>(unref),
            })
        }
    }
}

/// A function of the GLib that this process has loaded, be it linked, or brought in privately by an extension module.
#[doc(hidden)]
pub fn glib_symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: looks only for a library that is loaded already; the handle keeps it loaded, which GLib is for good.
    let library = unsafe { libc::dlopen(c"libglib-2.0.so.0".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    for handle in [library, libc::RTLD_DEFAULT] {
        if handle.is_null() && handle != libc::RTLD_DEFAULT {
            continue;
        }
        // SAFETY: the handle is valid and the name a C string.
        let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
        if !found.is_null() {
            return Some(found);
        }
    }
    None
}
