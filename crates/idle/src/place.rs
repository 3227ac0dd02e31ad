//! Where pages lie, how they are called, and who a process is.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, mkdirat, openat, statat};
use rustix::io::Errno;
use rustix::process::{geteuid, getpid};

use crate::error::StartError;
use crate::layout::Identity;

/// A directory that was opened and found to be ours alone.
pub(crate) struct Dir {
    pub(crate) fd: OwnedFd,
    pub(crate) path: PathBuf,
}

/// What is wrong with a directory.
pub(crate) enum DirFault {
    Io(PathBuf, Errno),
    Unsafe(PathBuf, String),
}

impl From<DirFault> for StartError {
    fn from(fault: DirFault) -> Self {
        match fault {
            DirFault::Io(path, cause) => Self::Directory { path, cause },
            DirFault::Unsafe(path, found) => Self::Unsafe { path, found },
        }
    }
}

/// The directory above `stillpoint/idle` for a given `XDG_RUNTIME_DIR`, and the names of the two below it.
fn parts(runtime_dir: Option<&Path>) -> (PathBuf, [String; 2]) {
    match runtime_dir {
        Some(dir) if dir.is_absolute() => (dir.to_owned(), ["stillpoint".into(), "idle".into()]),
        _ => ("/tmp".into(), [format!("stillpoint-{}", geteuid().as_raw()), "idle".into()]),
    }
}

/// The pages' directory for a given `XDG_RUNTIME_DIR`.
pub(crate) fn idle_dir(runtime_dir: Option<&Path>) -> PathBuf {
    let (base, names) = parts(runtime_dir);
    names.iter().fold(base, |path, name| path.join(name))
}

/// This process's `XDG_RUNTIME_DIR`.
pub(crate) fn own_runtime_dir() -> Option<PathBuf> {
    std::env::var_os("XDG_RUNTIME_DIR").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Opens the pages' directory, and makes it where it is missing. The runtime directory itself must exist.
pub(crate) fn make_dir(runtime_dir: Option<&Path>) -> Result<Dir, DirFault> {
    let (base, names) = parts(runtime_dir);
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut fd =
        openat(CWD, &base, flags, Mode::empty()).map_err(|cause| DirFault::Io(base.clone(), cause))?;
    let mut path = base;
    for name in names {
        path.push(&name);
        match mkdirat(&fd, &name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(cause) => return Err(DirFault::Io(path, cause)),
        }
        fd = openat(&fd, &name, flags | OFlags::NOFOLLOW, Mode::empty())
            .map_err(|cause| DirFault::Io(path.clone(), cause))?;
        check_dir(&fd, &path)?;
    }
    Ok(Dir { fd, path })
}

/// Opens a pages' directory that exists.
pub(crate) fn open_dir(path: &Path) -> Result<Dir, DirFault> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let fd = openat(CWD, path, flags, Mode::empty()).map_err(|cause| DirFault::Io(path.to_owned(), cause))?;
    check_dir(&fd, path)?;
    Ok(Dir { fd, path: path.to_owned() })
}

fn check_dir(fd: &OwnedFd, path: &Path) -> Result<(), DirFault> {
    let stat = fstat(fd).map_err(|cause| DirFault::Io(path.to_owned(), cause))?;
    let refuse = |found| Err(DirFault::Unsafe(path.to_owned(), found));
    if stat.st_uid != geteuid().as_raw() {
        return refuse(format!("it belongs to user {}", stat.st_uid));
    }
    if stat.st_mode & 0o077 != 0 {
        return refuse(format!("its mode is {:04o}", stat.st_mode & 0o7777));
    }
    Ok(())
}

impl Identity {
    /// Who this process is.
    pub(crate) fn own() -> Result<Self, StartError> {
        let proc = |path: &'static str| move |cause| StartError::Proc { path: path.into(), cause };
        let stat = read("/proc/self/stat").map_err(proc("/proc/self/stat"))?;
        Ok(Self {
            pid: getpid().as_raw_nonzero().get() as u32,
            start: start_time(&stat).ok_or(Errno::INVAL).map_err(proc("/proc/self/stat"))?,
            pid_ns: inode("/proc/self/ns/pid").map_err(proc("/proc/self/ns/pid"))?,
            boot: boot_id().map_err(proc(BOOT_ID))?,
        })
    }

    /// Who process `pid` of our namespace is; the identity holds the pid that it sees itself.
    pub(crate) fn of(pid: u32) -> Result<Self, Errno> {
        let stat = read(&format!("/proc/{pid}/stat"))?;
        let status = read(&format!("/proc/{pid}/status"))?;
        Ok(Self {
            pid: innermost_pid(&status).unwrap_or(pid),
            start: start_time(&stat).ok_or(Errno::INVAL)?,
            pid_ns: inode(&format!("/proc/{pid}/ns/pid"))?,
            boot: boot_id()?,
        })
    }

    /// The page's file name.
    pub(crate) fn file_name(&self) -> String {
        format!("{}.{}.{}", self.pid, self.start, self.pid_ns)
    }
}

/// The bell's file name beside a page's.
pub(crate) fn bell_name(page: &str) -> String {
    format!("{page}.bell")
}

/// The name under which a page is prepared, before anybody may see it.
pub(crate) fn draft_name(page: &str) -> String {
    format!(".{page}.new")
}

/// Pid, start time and namespace out of a page's name.
pub(crate) fn parse_name(name: &str) -> Option<(u32, u64, u64)> {
    let mut parts = name.split('.');
    let parsed = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next().is_none().then_some(parsed)
}

/// The `XDG_RUNTIME_DIR` with which process `pid` was started, if we may know.
pub(crate) fn runtime_dir_of(pid: u32) -> Option<PathBuf> {
    let environ = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let value = environ.split(|byte| *byte == 0).find_map(|entry| entry.strip_prefix(b"XDG_RUNTIME_DIR="))?;
    (!value.is_empty()).then(|| OsString::from_vec(value.to_vec()).into())
}

/// Is the inode mapped in this process?
pub(crate) fn is_mapped_here(inode: u64) -> bool {
    let Ok(maps) = read("/proc/self/maps") else { return false };
    let inode = inode.to_string();
    maps.lines().any(|line| line.split_ascii_whitespace().nth(4) == Some(inode.as_str()))
}

const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

fn boot_id() -> Result<[u8; 16], Errno> {
    let hex: String = read(BOOT_ID)?.chars().filter(char::is_ascii_hexdigit).collect();
    u128::from_str_radix(&hex, 16).map(u128::to_be_bytes).map_err(|_| Errno::INVAL)
}

/// Field 22. The second field, the program's name in brackets, may hold anything, so count from its end.
fn start_time(stat: &str) -> Option<u64> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// The last number of `NSpid`: the pid in the innermost namespace.
fn innermost_pid(status: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    line.split_ascii_whitespace().last()?.parse().ok()
}

fn inode(path: &str) -> Result<u64, Errno> {
    Ok(statat(CWD, path, AtFlags::empty())?.st_ino)
}

fn read(path: &str) -> Result<String, Errno> {
    let bytes = std::fs::read(path).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_is_found_behind_a_program_name_with_brackets_and_spaces() {
        let stat = "7 (a) b) c) S 1 7 7 0 -1 4194304 100 0 0 0 1 2 3 4 20 0 1 0 98765 1000 200";
        assert_eq!(start_time(stat), Some(98765));
    }

    #[test]
    fn a_process_of_a_nested_namespace_is_known_by_its_own_pid() {
        assert_eq!(innermost_pid("Name:\tx\nNSpid:\t4242\t17\t1\n"), Some(1));
        assert_eq!(innermost_pid("Name:\tx\n"), None);
    }

    #[test]
    fn a_page_name_says_who_it_is_and_other_names_say_nothing() {
        assert_eq!(parse_name("42.1000.4026531836"), Some((42, 1000, 4_026_531_836)));
        for other in ["42.1000.4026531836.bell", ".42.1000.1.new", "42", "", "a.b.c"] {
            assert_eq!(parse_name(other), None, "{other}");
        }
    }

    #[test]
    fn this_process_is_the_same_seen_from_inside_and_from_outside() {
        let own = Identity::own().unwrap();
        assert_eq!(Identity::of(std::process::id()).unwrap(), own);
    }
}
