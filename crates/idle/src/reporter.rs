//! What an app calls: a guard for as long as work is in flight.

use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, Release};

use rustix::thread::futex;

use crate::clock;
use crate::error::StartError;
use crate::live::{self, Counting};
use crate::protocol;

/// Says that work called `name` is in flight, until the guard is dropped.
///
/// The first call makes the page. If that is impossible the guard counts nowhere, and [`Reporter::status`] says why;
/// the app is never disturbed. Names beyond the 64th count together as `(other)`.
///
/// ```
/// let fetching = stillpoint_idle::busy("network");
/// // … the request …
/// drop(fetching);
/// ```
#[inline]
#[must_use = "the work ends when the guard is dropped"]
pub fn busy(name: &str) -> Guard {
    begin_named(name).map_or(Guard::NOWHERE, |ticket| Guard { ticket: Some(ticket) })
}

/// A resource with a fixed name, for hot paths: finds its slot once.
///
/// ```
/// use stillpoint_idle::Resource;
/// static NETWORK: Resource = Resource::new("network");
///
/// let fetching = NETWORK.busy();
/// # drop(fetching);
/// ```
#[derive(Debug)]
pub struct Resource {
    name: &'static str,
    /// The ticket of the last begin: epoch and slot.
    known: AtomicU64,
}

impl Resource {
    /// A resource called `name`. Costs nothing until it is first busy.
    pub const fn new(name: &'static str) -> Self {
        Self { name, known: AtomicU64::new(0) }
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Says that this resource is at work, until the guard is dropped.
    #[inline]
    #[must_use = "the work ends when the guard is dropped"]
    pub fn busy(&self) -> Guard {
        let Some(counting) = live::counting() else { return Guard::NOWHERE };
        let known = self.known.load(Relaxed);
        let ticket = if (known >> 32) as u32 == counting.epoch {
            Ticket(known)
        } else {
            let ticket = Ticket::new(counting.epoch, counting.page.slot_for(self.name));
            self.known.store(ticket.0, Release);
            ticket
        };
        Guard { ticket: begin(counting, ticket) }
    }
}

/// Work in flight. Ends when dropped, on any thread.
#[derive(Debug)]
#[must_use = "the work ends when the guard is dropped"]
pub struct Guard {
    ticket: Option<Ticket>,
}

impl Guard {
    const NOWHERE: Self = Self { ticket: None };

    /// Does this guard count? False if the process reports nothing.
    pub fn counts(&self) -> bool {
        self.ticket.is_some()
    }
}

impl Drop for Guard {
    #[inline]
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            end(ticket);
        }
    }
}

/// The process-wide reporter.
#[derive(Clone, Copy, Debug)]
pub struct Reporter(());

impl Reporter {
    /// Starts reporting now instead of at the first [`busy`]: so that readers can connect to an app that has not been
    /// busy yet, and so that a signal handler's guard is never the first.
    pub fn start() -> Self {
        // The outcome is kept for `status`.
        let _ = live::status();
        Self(())
    }

    /// The page's path, or why nothing is reported.
    pub fn status(self) -> Result<&'static Path, &'static StartError> {
        live::status()
    }

    /// As [`busy`].
    pub fn busy(self, name: &str) -> Guard {
        busy(name)
    }

    /// Stops reporting for good: readers see the app as lost, and guards count nowhere. A forked child may report.
    pub fn stop(self) {
        live::stop();
    }
}

/// A guard as a number: the reporter's epoch above, the slot below.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket(u64);

impl Ticket {
    fn new(epoch: u32, slot: usize) -> Self {
        Self(u64::from(epoch) << 32 | slot as u64)
    }

    /// As C sees it; never 0, since no epoch is.
    pub(crate) fn to_raw(self) -> u64 {
        self.0
    }

    pub(crate) fn from_raw(raw: u64) -> Self {
        Self(raw)
    }
}

#[inline]
pub(crate) fn begin_named(name: &str) -> Option<Ticket> {
    let counting = live::counting()?;
    begin(counting, Ticket::new(counting.epoch, counting.page.slot_for(name)))
}

#[inline]
fn begin(counting: Counting, ticket: Ticket) -> Option<Ticket> {
    let slot = counting.page.slots.get(ticket.0 as u32 as usize)?;
    protocol::begin(&slot.work, || slot.since.store(clock::now_ns(), Relaxed)).then_some(ticket)
}

#[inline]
pub(crate) fn end(ticket: Ticket) {
    let Some(counting) = live::counting_in((ticket.0 >> 32) as u32) else { return };
    let Some(slot) = counting.page.slots.get(ticket.0 as u32 as usize) else { return };
    if protocol::end(&slot.work) && protocol::answer(&counting.bell.word, || counting.page.all_free()) {
        wake(&counting.bell.word);
    }
}

/// Wakes everybody who sleeps on the word.
#[cold]
pub(crate) fn wake(word: &std::sync::atomic::AtomicU32) {
    // It can only fail for an address that is not mapped, and this one is.
    let _ = futex::wake(word, futex::Flags::empty(), i32::MAX as u32);
}
