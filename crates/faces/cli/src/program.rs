//! Which program this is, for what starts it again: the daemon, and clients that are told how to start the server.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use stillpoint_core::{Error, Result};

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Says where the program lies. Only the first word counts: a process is one program.
pub(crate) fn is(program: PathBuf) {
    let _ = PROGRAM.set(program);
}

/// Where the program lies. It need not be the executable of this process: in a Python wheel that is the interpreter.
pub(crate) fn path() -> Result<&'static Path> {
    let known = PROGRAM.get().map(PathBuf::as_path).filter(|path| !path.as_os_str().is_empty());
    known.ok_or_else(|| Error::internal("this program does not know where it lies"))
}
