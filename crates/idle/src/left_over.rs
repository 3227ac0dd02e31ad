//! Sweeping: pages whose process is gone are removed by the next one that starts reporting.

use std::ffi::CStr;

use rustix::fs::{AtFlags, Dir as Listing, Mode, OFlags, openat, unlinkat};

use crate::layout::Identity;
use crate::lock::{self, Holder};
use crate::place::{Dir, bell_name, parse_name};

/// Removes what dead processes left. Best effort: what cannot be judged stays, and does no harm.
pub(crate) fn remove(dir: &Dir, own: &Identity) {
    let Ok(listing) = Listing::read_from(&dir.fd) else { return };
    for entry in listing.flatten() {
        let name = entry.file_name().to_string_lossy();
        if let Some((pid, start, pid_ns)) = parse_name(&name) {
            let ours = (pid, start, pid_ns) == (own.pid, own.start, own.pid_ns);
            if !ours && is_dead(dir, entry.file_name(), pid, start, pid_ns == own.pid_ns) {
                let _ = unlinkat(&dir.fd, &*name, AtFlags::empty());
                let _ = unlinkat(&dir.fd, bell_name(&name), AtFlags::empty());
            }
        }
    }
}

fn is_dead(dir: &Dir, name: &CStr, pid: u32, start: u64, visible: bool) -> bool {
    // A process that lives may have become another program and be about to publish a new page under this name, so
    // its old one is left to it.
    if visible && Identity::of(pid).is_ok_and(|found| found.start == start) {
        return false;
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let Ok(file) = openat(&dir.fd, name, flags, Mode::empty()) else { return false };
    lock::holder(&file) == Ok(Holder::Nobody)
}
