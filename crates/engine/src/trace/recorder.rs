//! Keeps the last entries of a session in memory, and writes all of them to a file where one was asked for.

use super::entry::{Entry, What, cut};
use super::file::Writer;
use crate::session::Session;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use stillpoint_core::render::summarise;
use stillpoint_core::revise::{Delta, Snapshot};
use stillpoint_core::{Moment, Result};
use tokio::sync::watch;

/// At most so many entries are kept in memory.
const ENTRIES: usize = 4_096;
/// At most about so many bytes of them.
const BYTES: usize = 2 << 20;

/// The trace of one session.
#[derive(Debug)]
pub(crate) struct Recorder {
    kept: Mutex<Kept>,
    /// How many pictures are being taken.
    pub(super) pictures: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Kept {
    entries: VecDeque<(usize, Entry)>,
    weight: usize,
    file: Option<Writer>,
}

impl Default for Recorder {
    fn default() -> Self {
        Recorder { kept: Mutex::default(), pictures: watch::Sender::new(0) }
    }
}

impl Recorder {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Every entry is whole, whatever panicked elsewhere.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of something.
    pub(crate) fn note(&self, at: Moment, what: What) {
        self.kept().push(Entry::new(at, what));
    }

    /// Takes note of a new revision, with its change in words.
    pub(crate) fn revised(&self, at: Moment, delta: Option<&Delta>, after: &Snapshot, mutations: usize) {
        let changes = match delta {
            Some(delta) => summarise(delta, &after.tree, &std::collections::BTreeMap::new()).first,
            None => Vec::new(),
        };
        let changes = changes.iter().map(|c| cut(c)).collect();
        self.note(at, What::Revision { revision: after.revision, mutations, changes });
    }

    /// The file that is written, if one is.
    pub(super) fn path(&self) -> Option<PathBuf> {
        self.kept().file.as_ref().map(|f| f.path().to_owned())
    }
}

impl Kept {
    fn push(&mut self, entry: Entry) {
        if let Some(file) = &mut self.file
            && let Err(error) = file.write(&entry)
        {
            tracing::warn!(path = %file.path().display(), %error, "the trace cannot be written any more");
            self.file = None;
        }
        let weight = entry.weight();
        self.weight += weight;
        self.entries.push_back((weight, entry));
        while self.entries.len() > ENTRIES || (self.weight > BYTES && self.entries.len() > 1) {
            let Some((old, _)) = self.entries.pop_front() else { break };
            self.weight -= old;
        }
    }
}

impl Session {
    /// What happened lately, the oldest first.
    pub fn trace(&self) -> Vec<Entry> {
        self.recorder().kept().entries.iter().map(|(_, entry)| entry.clone()).collect()
    }

    /// Writes what happened lately, and everything from now on, to a file that only this user can read.
    /// A file of this name is replaced.
    pub fn record_to(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut file = Writer::create(path.as_ref())?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let what = What::Recording {
            target: self.target().to_string(),
            name: self.info().name.clone(),
            unix_ms: now.as_millis() as u64,
        };
        let begun = Entry::new(self.now(), what);
        let mut kept = self.recorder().kept();
        let past = kept.entries.iter().map(|(_, entry)| entry);
        for entry in std::iter::once(&begun).chain(past) {
            file.write(entry).map_err(|error| super::file::unusable(path.as_ref(), &error))?;
        }
        kept.file = Some(file);
        Ok(())
    }
}
