//! Where the daemon of a user and a runtime directory is found.

use rustix::fs::{FlockOperation, flock};
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use stillpoint_core::{Code, Error, Result};

/// The directory with a daemon's socket and lock: only its owner may enter it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    dir: PathBuf,
}

impl Place {
    /// The place of this user: `$XDG_RUNTIME_DIR/stillpoint`, or `/tmp/stillpoint-UID` where there is none.
    pub fn of_user() -> Self {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|dir| dir.is_absolute());
        let uid = rustix::process::getuid().as_raw();
        match runtime {
            Some(runtime) => Place { dir: runtime.join("stillpoint") },
            None => Place { dir: PathBuf::from(format!("/tmp/stillpoint-{uid}")) },
        }
    }

    /// A place in a directory of the caller's choice; it is made if it is not there.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Place { dir: dir.into() }
    }

    /// The socket.
    pub fn socket(&self) -> PathBuf {
        self.dir.join("daemon.sock")
    }

    /// What the daemon has to say while nobody is connected.
    pub fn log(&self) -> PathBuf {
        self.dir.join("daemon.log")
    }

    /// Makes the directory, or checks that the one that is there is ours alone.
    pub(crate) fn prepare(&self) -> Result<()> {
        match DirBuilder::new().mode(0o700).create(&self.dir) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(unusable(&self.dir, &error.to_string())),
        }
        // Not followed: a link that somebody else laid there leads anywhere.
        let found = self.dir.symlink_metadata().map_err(|e| unusable(&self.dir, &e.to_string()))?;
        if !found.is_dir() {
            return Err(unusable(&self.dir, "it is not a directory"));
        }
        if found.uid() != rustix::process::getuid().as_raw() {
            return Err(unusable(&self.dir, "it belongs to somebody else"));
        }
        if found.mode() & 0o077 != 0 {
            return Err(unusable(&self.dir, "others may enter it"));
        }
        Ok(())
    }

    /// Takes the daemon's lock, which lasts as long as the file is open; `None` if another daemon has it.
    pub(crate) fn lock(&self) -> Result<Option<File>> {
        let file = self.lock_file("daemon.lock")?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(file)),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(unusable(&self.dir, &format!("its lock cannot be taken: {error}"))),
        }
    }

    /// Waits for the turn to start a daemon, so that clients that find none start only one.
    pub(crate) fn turn_to_start(&self) -> Result<File> {
        let file = self.lock_file("start.lock")?;
        let taken = rustix::io::retry_on_intr(|| flock(&file, FlockOperation::LockExclusive));
        taken.map_err(|e| unusable(&self.dir, &format!("its lock cannot be taken: {e}")))?;
        Ok(file)
    }

    fn lock_file(&self, name: &str) -> Result<File> {
        let path = self.dir.join(name);
        let opened = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
        opened.map_err(|e| unusable(&path, &e.to_string()))
    }

    /// An empty log, for a daemon that is about to start.
    pub(crate) fn fresh_log(&self) -> Result<File> {
        let path = self.log();
        let opened = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&path);
        opened.map_err(|e| unusable(&path, &e.to_string()))
    }

    /// Listens on the socket. Whoever has the lock may take the place of a socket that a killed daemon left.
    pub(crate) fn listen(&self) -> Result<tokio::net::UnixListener> {
        let socket = self.socket();
        match std::fs::remove_file(&socket) {
            Ok(()) => tracing::info!(socket = %socket.display(), "a socket that was left behind is replaced"),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(unusable(&socket, &error.to_string())),
        }
        let listener =
            tokio::net::UnixListener::bind(&socket).map_err(|e| unusable(&socket, &e.to_string()))?;
        std::fs::set_permissions(&socket, Permissions::from_mode(0o600))
            .map_err(|e| unusable(&socket, &e.to_string()))?;
        Ok(listener)
    }
}

fn unusable(path: &Path, why: &str) -> Error {
    Error::new(
        Code::AgentUnavailable,
        format!("{} cannot hold the daemon's socket: {why}", path.display()),
        "set XDG_RUNTIME_DIR to a directory that is yours alone",
    )
}
