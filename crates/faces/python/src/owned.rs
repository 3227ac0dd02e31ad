//! A thing that belongs to one operating-system process. A forked child has a copy of the memory, but not of what it
//! stands for: letting go of a browser or a desktop there would end the parent's.

use stillpoint_core::{Code, Error, Result};

/// What only the process that made it may use or let go.
pub(crate) struct Owned<T> {
    pid: u32,
    /// Always there until it is dropped.
    it: Option<T>,
}

impl<T> Owned<T> {
    /// Of this process.
    pub(crate) fn new(it: T) -> Self {
        Owned { pid: std::process::id(), it: Some(it) }
    }

    /// The thing itself, unless this is a forked child.
    pub(crate) fn get(&self) -> Result<&T> {
        if let Some(it) = self.it.as_ref().filter(|_| self.is_ours()) {
            return Ok(it);
        }
        Err(Error::new(
            Code::TargetLost,
            format!("this belongs to process {}, from which this one was forked", self.pid),
            "open the target again in the child, or fork before the first one is opened",
        ))
    }

    /// Whether this process made it.
    pub(crate) fn is_ours(&self) -> bool {
        self.pid == std::process::id()
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        if !self.is_ours() {
            std::mem::forget(self.it.take());
        }
    }
}
