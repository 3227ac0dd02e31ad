//! The sign of life: the app holds a record lock on its page. The kernel drops it when the process ends, however it
//! ends, and when it becomes another program (the file is closed on exec). A forked child does not inherit it.
//!
//! The app's lock is a POSIX one (it belongs to the process, so fork cannot keep it alive); readers look at it with
//! open-file-description locks (which see the locks of their own process too, and know no false deadlocks).
#![allow(unsafe_code, reason = "open-file-description locks are not in rustix")]

use std::os::fd::{AsFd, AsRawFd};

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;

/// The app takes the lock. Nobody else can hold it: the file is not visible to others yet.
pub(crate) fn hold(file: impl AsFd) -> Result<(), Errno> {
    fcntl_lock(file, FlockOperation::NonBlockingLockExclusive)
}

/// Who holds the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// Nobody: the app is gone, or has become another program.
    Nobody,
    /// This process, in our pid namespace.
    Process(u32),
    /// A process that our pid namespace does not show.
    Elsewhere,
}

/// Looks who holds the lock, without taking it.
pub(crate) fn holder(file: impl AsFd) -> Result<Holder, Errno> {
    let mut lock = whole_file(libc::F_RDLCK);
    // SAFETY: the descriptor is open, and `lock` is a valid flock to read and write.
    let answer = unsafe { libc::fcntl(file.as_fd().as_raw_fd(), libc::F_OFD_GETLK, &raw mut lock) };
    if answer == -1 {
        return Err(last_error());
    }
    Ok(match (i32::from(lock.l_type), lock.l_pid) {
        (libc::F_UNLCK, _) => Holder::Nobody,
        (_, pid) if pid > 0 => Holder::Process(pid as u32),
        _ => Holder::Elsewhere,
    })
}

/// Sleeps until nobody holds the lock any more.
pub(crate) fn wait_until_released(file: impl AsFd) -> Result<(), Errno> {
    let file = file.as_fd().as_raw_fd();
    let mut lock = whole_file(libc::F_RDLCK);
    loop {
        // SAFETY: the descriptor is open, and `lock` is a valid flock to read.
        if unsafe { libc::fcntl(file, libc::F_OFD_SETLKW, &raw mut lock) } != -1 {
            lock.l_type = libc::F_UNLCK as libc::c_short;
            // SAFETY: as above. Unlocking what we just locked; closing the file would do it too.
            unsafe { libc::fcntl(file, libc::F_OFD_SETLK, &raw mut lock) };
            return Ok(());
        }
        match last_error() {
            Errno::INTR => {}
            error => return Err(error),
        }
    }
}

fn whole_file(kind: libc::c_int) -> libc::flock {
    libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    }
}

fn last_error() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
