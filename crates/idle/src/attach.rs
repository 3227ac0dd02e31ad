//! The reader's mapping of one app, shared by all clients of the process, and the thread that notices the app's end.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat};
use rustix::io::{Errno, pread};
use rustix::process::{geteuid, getpid};

use crate::error::ConnectError;
use crate::layout::{
    BELL_SIZE, Bell, HEADER_SIZE, HeaderFault, Identity, MAJOR, PAGE_SIZE, Page, parse_header,
};
use crate::lock::{self, Holder};
use crate::mapping::Mapping;
use crate::place::{Dir, bell_name, parse_name};
use crate::protocol;
use crate::reporter::wake;

/// One app's page and bell, mapped.
pub(crate) struct Attached {
    pub(crate) page: Mapping<Page>,
    pub(crate) bell: Mapping<Bell>,
    pub(crate) identity: Identity,
    pub(crate) path: PathBuf,
    file: OwnedFd,
    lost: AtomicBool,
    /// The reader process that made this: a forked child has the mapping, but not the watching thread.
    reader: i32,
}

impl Attached {
    /// Has the app been seen to end? No system call.
    #[inline]
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(SeqCst)
    }

    /// Looks whether the app still holds its page. One system call.
    pub(crate) fn is_held(&self) -> bool {
        if !self.is_lost() && lock::holder(&self.file) == Ok(Holder::Nobody) {
            self.lose();
        }
        !self.is_lost()
    }

    /// Wakes everybody who sleeps on the bell, and keeps those from sleeping who are about to.
    pub(crate) fn rouse(&self) {
        protocol::rouse(&self.bell.word);
        wake(&self.bell.word);
    }

    fn lose(&self) {
        self.lost.store(true, SeqCst);
        self.rouse();
    }
}

/// Device and inode: the same page, whatever way led to it.
type Key = (u64, u64);

static POOL: Mutex<BTreeMap<Key, Weak<Attached>>> = Mutex::new(BTreeMap::new());

/// Attaches to the page called `name` in `dir`. None: there is no such file. `pid` is checked against the lock's
/// holder, where our namespace shows it.
pub(crate) fn attach(dir: &Dir, name: &str, pid: Option<u32>) -> Result<Option<Arc<Attached>>, ConnectError> {
    let path = dir.path.join(name);
    let failed = |doing| {
        let path = path.clone();
        move |cause| ConnectError::File { doing, path, cause }
    };
    let stat = match statat(&dir.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(None),
        Err(cause) => return Err(failed("look at")(cause)),
    };
    let key = (stat.st_dev, stat.st_ino);
    let reader = getpid().as_raw_nonzero().get();
    // Held over the whole attaching: two threads that attach at once map once. Nothing in here waits for the app.
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    pool.retain(|_, attached| attached.strong_count() > 0);
    if let Some(attached) = pool.get(&key).and_then(Weak::upgrade)
        && attached.reader == reader
        && attached.is_held()
    {
        return Ok(Some(attached));
    }

    let file = open_checked(dir, name, OFlags::RDONLY, PAGE_SIZE)?;
    let attached = map(dir, name, file, pid, reader)?;
    watch(&attached)?;
    pool.insert(key, Arc::downgrade(&attached));
    Ok(Some(attached))
}

fn map(
    dir: &Dir,
    name: &str,
    file: PageFile,
    pid: Option<u32>,
    reader: i32,
) -> Result<Arc<Attached>, ConnectError> {
    let path = dir.path.join(name);
    let failed = |doing| {
        let path = path.clone();
        move |cause| ConnectError::File { doing, path, cause }
    };
    let mut header = [0; HEADER_SIZE];
    let read = pread(file.fd(), &mut header, 0).map_err(failed("read"))?;
    if read != HEADER_SIZE {
        return Err(ConnectError::Garbage(path));
    }
    let identity = parse_header(&header).map_err(|fault| match fault {
        HeaderFault::Foreign | HeaderFault::Sizes => ConnectError::Garbage(path.clone()),
        HeaderFault::Version(found) => ConnectError::Version { path: path.clone(), found, known: MAJOR },
    })?;
    if parse_name(name) != Some((identity.pid, identity.start, identity.pid_ns)) {
        return Err(ConnectError::OtherProcess(path));
    }
    match lock::holder(file.fd()).map_err(failed("look at the lock of"))? {
        Holder::Nobody => return Err(ConnectError::LeftOver(path)),
        Holder::Process(holder) if pid.is_some_and(|pid| pid != holder) => {
            return Err(ConnectError::OtherProcess(path));
        }
        Holder::Process(_) | Holder::Elsewhere => {}
    }
    let bell = open_checked(dir, &bell_name(name), OFlags::RDWR, BELL_SIZE)?;
    let page = Mapping::to_read(file.fd()).map_err(failed("map"))?;
    let bell = Mapping::to_write(bell.fd()).map_err(failed("map the bell of"))?;
    Ok(Arc::new(Attached {
        page,
        bell,
        identity,
        path,
        file: file.into_fd(),
        lost: AtomicBool::new(false),
        reader,
    }))
}

/// Starts the thread that sleeps until the app lets go of its page. It keeps the attachment alive as long as the app
/// lives: an app that was looked at once is found again without mapping it anew.
fn watch(attached: &Arc<Attached>) -> Result<(), ConnectError> {
    let attached = Arc::clone(attached);
    std::thread::Builder::new()
        .name("idle-watch".into())
        .stack_size(64 * 1024)
        .spawn(move || {
            // An error (no locks left in the kernel) leaves only one honest answer too.
            let _ = lock::wait_until_released(&attached.file);
            attached.lose();
        })
        .map(drop)
        .map_err(ConnectError::Watcher)
}

/// An open page. If it is this process's own it is never closed: that would drop the reporter's lock.
struct PageFile {
    fd: Option<OwnedFd>,
    own: bool,
}

impl PageFile {
    fn fd(&self) -> &OwnedFd {
        // Only `into_fd` takes it out, and that consumes `self`.
        self.fd.as_ref().expect("held until into_fd")
    }

    fn into_fd(mut self) -> OwnedFd {
        // The attachment to oneself lives as long as its watcher, which is as long as the lock: closing is harmless.
        self.fd.take().expect("held until into_fd")
    }
}

impl Drop for PageFile {
    fn drop(&mut self) {
        if self.own {
            std::mem::forget(self.fd.take());
        }
    }
}

fn open_checked(dir: &Dir, name: &str, access: OFlags, size: usize) -> Result<PageFile, ConnectError> {
    let path = dir.path.join(name);
    let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let fd = openat(&dir.fd, name, flags, Mode::empty()).map_err(|cause| ConnectError::File {
        doing: "open",
        path: path.clone(),
        cause,
    })?;
    let own = parse_name(name).is_some_and(|(pid, ..)| pid == std::process::id());
    let file = PageFile { fd: Some(fd), own };
    let stat = fstat(file.fd()).map_err(|cause| ConnectError::File {
        doing: "look at",
        path: path.clone(),
        cause,
    })?;
    let found = if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        "not a plain file".to_owned()
    } else if stat.st_uid != geteuid().as_raw() {
        format!("it belongs to user {}", stat.st_uid)
    } else if stat.st_mode & 0o177 != 0 {
        format!("its mode is {:04o}, not 0600", stat.st_mode & 0o7777)
    } else if stat.st_size < size as i64 {
        format!("it has {} bytes of {size}", stat.st_size)
    } else {
        return Ok(file);
    };
    Err(ConnectError::Unsafe { path, found })
}

/// How many apps this process has mapped.
pub(crate) fn mapped() -> usize {
    POOL.lock().unwrap_or_else(PoisonError::into_inner).values().filter(|one| one.strong_count() > 0).count()
}

/// The directory's pages, by name.
pub(crate) fn list(dir: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| parse_name(name).is_some()).collect()
}
