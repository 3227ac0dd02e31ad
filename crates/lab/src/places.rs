//! The directories of one desktop: all below one private root, removed with it.

use crate::cookie::Cookie;
use crate::error::LabError;
use serde::{Deserialize, Serialize};
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Where one desktop keeps its files.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Places {
    pub(crate) root: PathBuf,
}

impl Places {
    /// Creates the directories, readable by the owner only.
    pub(crate) fn create(cookie: &Cookie) -> Result<Self, LabError> {
        // Socket paths are limited to 107 bytes, so the root is kept short.
        let root = std::env::temp_dir().join(format!("stillpoint-{}", cookie.short()));
        let places = Self { root };
        private_directory(&places.root, false)?;
        for directory in [
            places.runtime(),
            places.home(),
            places.config(),
            places.data(),
            places.cache(),
            places.temporary(),
            places.log(),
        ] {
            private_directory(&directory, false)?;
        }
        Ok(places)
    }

    pub(crate) fn runtime(&self) -> PathBuf {
        self.root.join("run")
    }
    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }
    pub(crate) fn config(&self) -> PathBuf {
        self.root.join("config")
    }
    pub(crate) fn data(&self) -> PathBuf {
        self.root.join("data")
    }
    pub(crate) fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }
    pub(crate) fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }
    pub(crate) fn log(&self) -> PathBuf {
        self.root.join("log")
    }

    /// Removes everything. Gone already is fine.
    pub(crate) fn remove(&self) -> Result<(), LabError> {
        match fs::remove_dir_all(&self.root) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(LabError::file(format!("removing {}", self.root.display()))(error))
            }
            _ => Ok(()),
        }
    }
}

/// Creates a 0700 directory; `or_existing` accepts one that is there already, if it is ours alone.
pub(crate) fn private_directory(path: &Path, or_existing: bool) -> Result<(), LabError> {
    let made = fs::DirBuilder::new().mode(0o700).recursive(or_existing).create(path);
    made.map_err(LabError::file(format!("creating {}", path.display())))?;
    let status = rustix::fs::lstat(path)
        .map_err(|error| LabError::file(format!("looking at {}", path.display()))(error.into()))?;
    let ours = status.st_uid == rustix::process::geteuid().as_raw();
    if !ours || status.st_mode & 0o077 != 0 {
        let problem = std::io::Error::other("it must be a directory of this user with mode 0700");
        return Err(LabError::file(format!("using {}", path.display()))(problem));
    }
    Ok(())
}
