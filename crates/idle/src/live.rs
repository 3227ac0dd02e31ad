//! This process's page, started on first use, once, and once more in each forked child that uses it.
//!
//! The pointers lie in a page of memory that the kernel wipes on fork: a child finds zeros, and knows that it has to
//! start for itself. So one load tells a begin both where to count and that it may.
#![allow(unsafe_code, reason = "one pointer to memory that is never freed, wiped by the kernel on fork")]

use std::os::fd::{IntoRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous};
use rustix::process::getpid;
use rustix::thread::gettid;

use crate::error::StartError;
use crate::layout::{Bell, Page};
use crate::page_file::{self, Opened};

/// What a begin needs. All zero in a forked child.
#[repr(C, align(64))]
pub(crate) struct Live {
    /// Which life of the reporter this is; never 0 except after a fork.
    epoch: AtomicU32,
    /// The descriptor that holds the lock, or -1.
    file: AtomicI32,
    page: AtomicPtr<Page>,
    bell: AtomicPtr<Bell>,
    outcome: AtomicPtr<Result<PathBuf, StartError>>,
}

/// Where to count.
#[derive(Clone, Copy)]
pub(crate) struct Counting {
    pub(crate) epoch: u32,
    pub(crate) page: &'static Page,
    pub(crate) bell: &'static Bell,
}

static LIVE: AtomicPtr<Live> = AtomicPtr::new(ptr::null_mut());
/// Survives a fork, so that a child's epoch differs from that of the guards it inherited.
static LAST_EPOCH: AtomicU32 = AtomicU32::new(0);
/// Pid and thread id of who is starting, or 0.
static STARTER: AtomicU64 = AtomicU64::new(0);

#[inline]
fn live() -> Option<&'static Live> {
    // SAFETY: null or a `Live` that is never freed. All its fields are atomics, for which zeros are values too.
    let live = unsafe { LIVE.load(Acquire).as_ref() }?;
    (live.epoch.load(Relaxed) != 0).then_some(live)
}

impl Live {
    #[inline]
    fn counting(&self) -> Option<Counting> {
        // SAFETY: null, or a leaked mapping (see `begin_life`) that is never unmapped.
        let page = unsafe { self.page.load(Relaxed).as_ref() }?;
        // SAFETY: as the page.
        let bell = unsafe { self.bell.load(Relaxed).as_ref() }?;
        Some(Counting { epoch: self.epoch.load(Relaxed), page, bell })
    }

    fn outcome(&self) -> Result<&'static Path, &'static StartError> {
        // SAFETY: null, or a leaked box.
        match unsafe { self.outcome.load(Relaxed).as_ref() } {
            Some(outcome) => outcome.as_deref(),
            None => Err(&StartError::Starting),
        }
    }
}

/// Where to count, starting the reporter if need be. None: it reports nothing ([`status`] says why).
#[inline]
pub(crate) fn counting() -> Option<Counting> {
    match live() {
        Some(live) => live.counting(),
        None => start()?.counting(),
    }
}

/// Where to count, if the reporter is in the life in which `epoch` was given out. Otherwise the guard was inherited
/// through a fork, or is older than a stop, and counts no more.
#[inline]
pub(crate) fn counting_in(epoch: u32) -> Option<Counting> {
    live()?.counting().filter(|counting| counting.epoch == epoch)
}

/// The page's path, or why there is none. Starts the reporter if need be.
pub(crate) fn status() -> Result<&'static Path, &'static StartError> {
    live().or_else(start).map_or(Err(&StartError::Starting), Live::outcome)
}

#[cold]
fn start() -> Option<&'static Live> {
    let _turn = Turn::take()?;
    if let Some(live) = live() {
        return Some(live);
    }
    begin_life(page_file::open())
}

/// Ends reporting: readers see the app as lost, and guards count nowhere from now on.
pub(crate) fn stop() {
    let Some(_turn) = Turn::take() else { return };
    let old = live();
    begin_life(Err(StartError::Stopped));
    let Some(old) = old else { return };
    if let Ok(path) = old.outcome() {
        let _ = std::fs::remove_file(path.with_file_name(crate::place::bell_name(&file_name(path))));
        let _ = std::fs::remove_file(path);
    }
    let file = old.file.swap(-1, AcqRel);
    if file >= 0 {
        // SAFETY: the descriptor was ours alone (`begin_life` took it out of its owner), and the swap gives it to
        // nobody else. The mapping stays, for guards that are ending at this moment.
        drop(unsafe { <OwnedFd as std::os::fd::FromRawFd>::from_raw_fd(file) });
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn begin_life(opened: Result<Opened, StartError>) -> Option<&'static Live> {
    let size = rustix::param::page_size();
    // SAFETY: a new private mapping aliases nothing.
    let memory = unsafe {
        mmap_anonymous(ptr::null_mut(), size, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)
    }
    .ok()?;
    // SAFETY: the range is the mapping just made.
    let wiped = unsafe { madvise(memory, size, Advice::LinuxWipeOnFork) };
    let opened = match wiped {
        Ok(()) => opened,
        Err(cause) => Err(StartError::Fork(cause)),
    };
    // SAFETY: fresh zeroed memory of at least a page, aligned to a page, never unmapped; zeros are a valid `Live`.
    let live: &'static Live = unsafe { &*memory.cast::<Live>() };
    live.file.store(-1, Relaxed);
    let outcome = match opened {
        Ok(Opened { page, bell, path, file, joined }) => {
            live.page.store(ptr::from_ref(page.leak()).cast_mut(), Relaxed);
            live.bell.store(ptr::from_ref(bell.leak()).cast_mut(), Relaxed);
            let file = file.into_raw_fd();
            // A joined page's descriptor stays open for good: closing it would drop the first copy's lock.
            live.file.store(if joined { -1 } else { file }, Relaxed);
            Ok(path)
        }
        Err(error) => Err(error),
    };
    live.outcome.store(Box::into_raw(Box::new(outcome)), Relaxed);
    let epoch = LAST_EPOCH.load(Relaxed).wrapping_add(1).max(1);
    LAST_EPOCH.store(epoch, Relaxed);
    live.epoch.store(epoch, Relaxed);
    LIVE.store(memory.cast(), Release);
    Some(live)
}

/// The right to start or stop, for one thread at a time.
struct Turn;

impl Turn {
    /// None: this very thread has the turn already, so we are in a signal handler that interrupted it.
    fn take() -> Option<Self> {
        let pid = getpid().as_raw_nonzero().get() as u64;
        let me = pid << 32 | gettid().as_raw_nonzero().get() as u64;
        let mut expected = 0;
        loop {
            match STARTER.compare_exchange_weak(expected, me, AcqRel, Acquire) {
                Ok(_) => return Some(Self),
                Err(owner) if owner == me => return None,
                // The parent was forked while one of its threads had the turn: here, nobody has it.
                Err(owner) if owner != 0 && owner >> 32 != pid => expected = owner,
                Err(_) => {
                    expected = 0;
                    std::thread::yield_now();
                }
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        STARTER.store(0, Release);
    }
}
