//! Why an app does not report, and why a reader did not connect.

use std::path::PathBuf;

use rustix::io::Errno;

/// Why this process reports nothing. The app goes on as if nothing were wrong; guards count nowhere.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The directory for pages could not be made or opened.
    #[error(
        "cannot use {path} for idle pages: {cause}; set XDG_RUNTIME_DIR to a directory of yours that can be written"
    )]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The system's reason.
        cause: Errno,
    },
    /// The directory belongs to somebody else, or others may enter it.
    #[error("{path} must be a directory of this user with mode 0700: {found}")]
    Unsafe {
        /// The directory.
        path: PathBuf,
        /// What was found instead.
        found: String,
    },
    /// A file could not be made, filled, locked or mapped.
    #[error("cannot {doing} {path}: {cause}")]
    File {
        /// What was being done: create, fill, lock, map, publish.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: Errno,
    },
    /// This process may not write files of the needed size (`ulimit -f`).
    #[error(
        "this process may only write files of {allowed} bytes, a page needs {needed}; raise RLIMIT_FSIZE (ulimit -f)"
    )]
    FileSizeLimit {
        /// The limit.
        allowed: u64,
        /// What a page needs.
        needed: u64,
    },
    /// `/proc` did not say who we are.
    #[error("cannot read {path}: {cause}; idle pages need /proc to be mounted")]
    Proc {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: Errno,
    },
    /// The kernel cannot wipe memory on fork, without which a child would count into its parent's page.
    #[error("the kernel refuses MADV_WIPEONFORK ({0}); Linux 4.14 or later is needed")]
    Fork(Errno),
    /// [`crate::Reporter::stop`] was called.
    #[error("reporting was stopped by the app")]
    Stopped,
    /// Asked from within the start itself: by a signal handler that interrupted it.
    #[error("reporting is being started at this moment")]
    Starting,
}

/// Why a reader could not connect.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// There is no such process.
    #[error("no process {pid}: {cause}")]
    NoProcess {
        /// The process id.
        pid: u32,
        /// The system's reason.
        cause: Errno,
    },
    /// The process lives, but has no page here: it does not embed the SDK, or uses another runtime directory.
    #[error("process {pid} has no idle page (looked in {})", join(.looked))]
    NotReporting {
        /// The process id.
        pid: u32,
        /// The directories that were looked at.
        looked: Vec<PathBuf>,
    },
    /// A page of this name exists, but nobody holds it: the process that wrote it is gone or is another program now.
    #[error("{0} is left over: its writer is gone")]
    LeftOver(PathBuf),
    /// The page says that it is another process's.
    #[error("{0} belongs to another process than its name says")]
    OtherProcess(PathBuf),
    /// The file is not ours alone, not a plain file, or too short.
    #[error("{path} is refused: {found}")]
    Unsafe {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong with it.
        found: String,
    },
    /// Not an idle page.
    #[error("{0} is not an idle page")]
    Garbage(PathBuf),
    /// An idle page of a layout that this version does not read.
    #[error("{path} has layout {found}, this reader knows layout {known}; update the older of the two")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its major version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// A file could not be opened or mapped.
    #[error("cannot {doing} {path}: {cause}")]
    File {
        /// What was being done.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: Errno,
    },
    /// The thread that watches for the app's end could not be started.
    #[error("cannot start the thread that watches the app: {0}")]
    Watcher(std::io::Error),
}

fn join(paths: &[PathBuf]) -> String {
    let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    paths.join(", ")
}
