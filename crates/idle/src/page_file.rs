//! Making this process's page: prepared under a draft name, locked, and only then given the name that readers look for.

use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{
    AtFlags, FallocateFlags, Mode, OFlags, RenameFlags, fallocate, fchmod, fstat, openat, renameat_with,
    statat, unlinkat,
};
use rustix::io::{Errno, pwrite};
use rustix::process::{Resource, getrlimit};

use crate::error::StartError;
use crate::layout::{BELL_SIZE, Bell, Identity, PAGE_SIZE, Page, header_bytes};
use crate::mapping::Mapping;
use crate::place::{self, Dir, bell_name, draft_name};
use crate::{left_over, lock};

/// A page that is ready to count.
pub(crate) struct Opened {
    pub(crate) page: Mapping<Page>,
    pub(crate) bell: Mapping<Bell>,
    pub(crate) path: PathBuf,
    /// Holds the lock. Closing *any* descriptor of the page's file in this process drops the lock, so this one, and
    /// that of a second copy of the library, stay open.
    pub(crate) file: OwnedFd,
    /// Another copy of this library in the same process made the page; we count into it as well.
    pub(crate) joined: bool,
}

/// Makes the page, or joins the one that another copy of the library in this process has made.
pub(crate) fn open() -> Result<Opened, StartError> {
    let identity = Identity::own()?;
    let dir = place::make_dir(place::own_runtime_dir().as_deref())?;
    check_file_size_limit()?;
    let name = identity.file_name();
    let site = Site { dir, name };
    if let Ok(stat) = statat(&site.dir.fd, &site.name, AtFlags::SYMLINK_NOFOLLOW) {
        if place::is_mapped_here(stat.st_ino) {
            return site.join();
        }
        // The name says this process, but the page is not mapped: it is from before an exec.
        site.remove(&site.name);
    }
    let opened = site.publish(&identity)?;
    left_over::remove(&site.dir, &identity);
    Ok(opened)
}

/// A directory and the page's name in it.
struct Site {
    dir: Dir,
    name: String,
}

impl Site {
    fn publish(&self, identity: &Identity) -> Result<Opened, StartError> {
        let bell_name = bell_name(&self.name);
        let bell_file = self.create(&bell_name, BELL_SIZE)?;
        let draft = draft_name(&self.name);
        let made = self.create(&draft, PAGE_SIZE).and_then(|file| {
            lock::hold(&file).map_err(self.failed("lock", &draft))?;
            let header = header_bytes(identity);
            match pwrite(&file, &header, 0) {
                Ok(written) if written == header.len() => {}
                Ok(_) => return Err(self.failed("fill", &draft)(Errno::IO)),
                Err(cause) => return Err(self.failed("fill", &draft)(cause)),
            }
            let page = Mapping::to_write(&file).map_err(self.failed("map", &draft))?;
            let bell = Mapping::to_write(&bell_file).map_err(self.failed("map", &bell_name))?;
            Ok((file, page, bell))
        });
        let (file, page, bell) = made.inspect_err(|_| {
            self.remove(&draft);
            self.remove(&bell_name);
        })?;
        let fd = self.dir.fd.as_fd();
        match renameat_with(fd, &draft, fd, &self.name, RenameFlags::NOREPLACE) {
            Ok(()) => Ok(Opened { page, bell, path: self.dir.path.join(&self.name), file, joined: false }),
            Err(cause) => {
                self.remove(&draft);
                self.remove(&bell_name);
                Err(self.failed("publish", &self.name)(cause))
            }
        }
    }

    /// Opens the page that this very process has already. The descriptor is never closed: that would drop the lock.
    fn join(&self) -> Result<Opened, StartError> {
        let open = |name: &str| {
            openat(&self.dir.fd, name, OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
                .map_err(self.failed("open", name))
        };
        let file = open(&self.name)?;
        let mapped = Mapping::to_write(&file).map_err(self.failed("map", &self.name));
        let page = match mapped {
            Ok(page) => page,
            Err(error) => {
                std::mem::forget(file);
                return Err(error);
            }
        };
        let bell_name = bell_name(&self.name);
        match open(&bell_name)
            .and_then(|bell| Mapping::to_write(bell).map_err(self.failed("map", &bell_name)))
        {
            Ok(bell) => Ok(Opened { page, bell, path: self.dir.path.join(&self.name), file, joined: true }),
            Err(error) => {
                std::mem::forget(file);
                Err(error)
            }
        }
    }

    /// A new file of our own, with its blocks on the disk: a write to it later cannot find the disk full.
    fn create(&self, name: &str, size: usize) -> Result<OwnedFd, StartError> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let open = || openat(&self.dir.fd, name, flags, mode);
        let file = match open() {
            // Only an earlier life of this process can have left this name.
            Err(Errno::EXIST) => {
                self.remove(name);
                open()
            }
            other => other,
        }
        .map_err(self.failed("create", name))?;
        let filled = fchmod(&file, mode).and_then(|()| fill(&file, size));
        match filled {
            Ok(()) => Ok(file),
            Err(cause) => {
                self.remove(name);
                Err(self.failed("fill", name)(cause))
            }
        }
    }

    fn remove(&self, name: &str) {
        // Whatever cannot be removed stays, and is recognised by its missing lock.
        let _ = unlinkat(&self.dir.fd, name, AtFlags::empty());
    }

    fn failed(&self, doing: &'static str, name: &str) -> impl FnOnce(Errno) -> StartError + use<> {
        let path = self.dir.path.join(name);
        move |cause| StartError::File { doing, path, cause }
    }
}

fn fill(file: &OwnedFd, size: usize) -> Result<(), Errno> {
    match fallocate(file, FallocateFlags::empty(), 0, size as u64) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => {
            let zeros = vec![0; size];
            let mut at = 0;
            while at < size {
                match pwrite(file, &zeros[at..], at as u64)? {
                    0 => return Err(Errno::NOSPC),
                    written => at += written,
                }
            }
        }
        other => other?,
    }
    if fstat(file)?.st_size < size as i64 { Err(Errno::NOSPC) } else { Ok(()) }
}

/// Beyond this limit the kernel does not only refuse: it sends SIGXFSZ, which would end the app.
fn check_file_size_limit() -> Result<(), StartError> {
    match getrlimit(Resource::Fsize).current {
        Some(allowed) if allowed < PAGE_SIZE as u64 => {
            Err(StartError::FileSizeLimit { allowed, needed: PAGE_SIZE as u64 })
        }
        _ => Ok(()),
    }
}
