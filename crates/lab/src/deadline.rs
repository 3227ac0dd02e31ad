//! One point in time that several waits share, and the one way in which this crate waits for descriptors.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// A deadline and the span it was made from (for the error message).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    at: Instant,
    span: Duration,
}

impl Deadline {
    pub(crate) fn after(span: Duration) -> Self {
        Self { at: Instant::now() + span, span }
    }

    /// This one, or a point that is so far from now if that comes first.
    pub(crate) fn or_after(self, span: Duration) -> Self {
        Self { at: self.at.min(Instant::now() + span), ..self }
    }

    pub(crate) fn span(self) -> Duration {
        self.span
    }

    pub(crate) fn remaining(self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }

    /// Blocks until one of `descriptors` is readable (or hung up) or the deadline passes: the indices that
    /// are ready, empty when late.
    pub(crate) fn readable<const N: usize>(
        self,
        descriptors: [BorrowedFd<'_>; N],
    ) -> std::io::Result<Vec<usize>> {
        let mut polled = descriptors.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        loop {
            let timeout = Timespec::try_from(self.remaining()).ok();
            match poll(&mut polled, timeout.as_ref()) {
                Ok(_) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok((0..N).filter(|&i| !polled[i].revents().is_empty()).collect())
    }

    /// Like [`Deadline::readable`] for one descriptor.
    pub(crate) fn is_readable(self, descriptor: impl AsFd) -> std::io::Result<bool> {
        Ok(!self.readable([descriptor.as_fd()])?.is_empty())
    }
}
