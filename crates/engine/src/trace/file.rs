//! A trace as a file: one JSON object on each line.

use super::entry::{Entry, What};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use stillpoint_core::{Code, Error, Result};

/// A file grows to this at most.
const LARGEST: usize = 256 << 20;

/// A file that is being written. Each entry is handed to the system at once, so that a crash loses none.
#[derive(Debug)]
pub(super) struct Writer {
    file: File,
    path: PathBuf,
    written: usize,
}

impl Writer {
    pub(super) fn create(path: &Path) -> Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|error| unusable(path, &error))?;
        Ok(Writer { file, path: path.to_owned(), written: 0 })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn write(&mut self, entry: &Entry) -> std::io::Result<()> {
        if self.written > LARGEST {
            return Ok(());
        }
        self.put(entry)?;
        if self.written > LARGEST {
            self.put(&Entry { at_ms: entry.at_ms, what: What::Full })?;
        }
        Ok(())
    }

    fn put(&mut self, entry: &Entry) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        self.written += line.len();
        self.file.write_all(&line)
    }
}

pub(super) fn unusable(path: &Path, error: &std::io::Error) -> Error {
    Error::new(
        Code::InvalidArgument,
        format!("the trace {} cannot be written: {error}", path.display()),
        "give a file in a directory that exists and that you may write to",
    )
}

/// Reads a trace. A last line that was cut short, as by a crash, is left out.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<Entry>> {
    let path = path.as_ref();
    let told = |what: String| {
        Error::invalid(
            format!("{} is not a trace: {what}", path.display()),
            "give a file that was recorded with --trace, one JSON object on each line",
        )
    };
    let file = File::open(path).map_err(|error| {
        Error::invalid(
            format!("the trace {} cannot be read: {error}", path.display()),
            "check its name; traces are recorded with --trace FILE",
        )
    })?;
    let mut lines = BufReader::new(file).lines().enumerate().peekable();
    let mut entries = Vec::new();
    while let Some((n, line)) = lines.next() {
        let line = line.map_err(|error| told(format!("line {}: {error}", n + 1)))?;
        match serde_json::from_str(&line) {
            Ok(entry) => entries.push(entry),
            Err(_) if lines.peek().is_none() && !entries.is_empty() => break,
            Err(error) => return Err(told(format!("line {}: {error}", n + 1))),
        }
    }
    if entries.is_empty() {
        return Err(told("there is nothing in it".to_owned()));
    }
    Ok(entries)
}
