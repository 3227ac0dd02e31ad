//! What a reader calls.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::thread::futex;

use crate::attach::{self, Attached};
use crate::clock;
use crate::error::ConnectError;
use crate::layout::{Identity, Page};
use crate::place::{self, DirFault};
use crate::protocol::{self, ASK_ANY, ASK_IDLE, begun_of, count_of};
use crate::stuck::Ledger;

/// How long a guard may be held before it is judged stuck and no longer blocks.
const DEFAULT_MAX_BUSY: Duration = Duration::from_secs(10);

/// What the app says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleState {
    /// No guard is held, or only stuck ones.
    Idle,
    /// Work is in flight.
    Busy,
    /// The app has ended, become another program or stopped reporting. It will not come back: connect again.
    Lost,
}

/// How a wait ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitOutcome {
    /// The app is idle.
    Idle,
    /// The time was up, and this was still in flight.
    Busy(Vec<BusyResource>),
    /// The app is gone: see [`IdleState::Lost`].
    Lost,
}

impl WaitOutcome {
    /// Did the app come to rest?
    pub fn is_idle(&self) -> bool {
        *self == Self::Idle
    }
}

/// A resource with work in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BusyResource {
    /// The name that the app gave it.
    pub name: String,
    /// Guards held.
    pub count: u32,
    /// For how long at least one has been held, to a tick of the kernel (1–10 ms).
    pub age: Duration,
    /// None of its guards blocks any more: held for longer than the client's `max_busy`.
    pub stuck: bool,
}

/// A page in the runtime directory, of a process that this pid namespace may or may not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageEntry {
    /// The pid, as the app itself sees it.
    pub pid: u32,
    /// The page's file.
    pub path: PathBuf,
}

/// A reader of one app. Cheap to make again: all clients of a process share one mapping per app.
pub struct IdleClient {
    app: Arc<Attached>,
    pid: u32,
    ledger: Mutex<Ledger>,
    /// Before this time every held guard blocks, so that nobody needs to look into the ledger.
    judge_from: AtomicU64,
}

impl IdleClient {
    /// Connects to process `pid`. None if it does not report; [`IdleClient::try_connect`] says why.
    pub fn connect(pid: u32) -> Option<Self> {
        Self::try_connect(pid).ok()
    }

    /// Connects to process `pid`: looks in this process's runtime directory, then in the one that the app was started with.
    pub fn try_connect(pid: u32) -> Result<Self, ConnectError> {
        let mut looked = vec![place::idle_dir(place::own_runtime_dir().as_deref())];
        for runtime_dir in [place::runtime_dir_of(pid), None] {
            let dir = place::idle_dir(runtime_dir.as_deref());
            if !looked.contains(&dir) {
                looked.push(dir);
            }
        }
        Self::connect_among(pid, looked)
    }

    /// Connects to process `pid`, whose pages lie below the given `XDG_RUNTIME_DIR`.
    pub fn connect_in(runtime_dir: &Path, pid: u32) -> Result<Self, ConnectError> {
        Self::connect_among(pid, vec![place::idle_dir(Some(runtime_dir))])
    }

    /// Connects to a page by its file: for an app in a container that shares the runtime directory, but whose pid is
    /// not visible here. See [`IdleClient::pages`].
    pub fn connect_to(page: &Path) -> Result<Self, ConnectError> {
        let garbage = || ConnectError::Garbage(page.to_owned());
        let name = page.file_name().and_then(|name| name.to_str()).ok_or_else(garbage)?;
        let (pid, ..) = place::parse_name(name).ok_or_else(garbage)?;
        let dir = place::open_dir(page.parent().ok_or_else(garbage)?).map_err(refused)?;
        let app = attach::attach(&dir, name, None)?;
        app.map(|app| Self::new(app, pid)).ok_or(ConnectError::LeftOver(page.to_owned()))
    }

    /// The pages in this process's runtime directory, dead ones included until they are swept.
    pub fn pages() -> Vec<PageEntry> {
        let dir = place::idle_dir(place::own_runtime_dir().as_deref());
        let entry =
            |name: String| place::parse_name(&name).map(|(pid, ..)| PageEntry { pid, path: dir.join(name) });
        attach::list(&dir).into_iter().filter_map(entry).collect()
    }

    fn connect_among(pid: u32, looked: Vec<PathBuf>) -> Result<Self, ConnectError> {
        let identity = Identity::of(pid).map_err(|cause| ConnectError::NoProcess { pid, cause })?;
        let name = identity.file_name();
        for path in &looked {
            let dir = match place::open_dir(path) {
                Ok(dir) => dir,
                Err(DirFault::Io(_, Errno::NOENT | Errno::NOTDIR)) => continue,
                Err(fault) => return Err(refused(fault)),
            };
            if let Some(app) = attach::attach(&dir, &name, Some(pid))? {
                if app.identity != identity {
                    return Err(ConnectError::OtherProcess(app.path.clone()));
                }
                return Ok(Self::new(app, pid));
            }
        }
        Err(ConnectError::NotReporting { pid, looked })
    }

    fn new(app: Arc<Attached>, pid: u32) -> Self {
        let ledger = Mutex::new(Ledger::new(nanos(DEFAULT_MAX_BUSY)));
        Self { app, pid, ledger, judge_from: AtomicU64::new(0) }
    }

    /// Judges guards stuck after `max_busy` instead of 10 s.
    pub fn with_max_busy(mut self, max_busy: Duration) -> Self {
        self.ledger = Mutex::new(Ledger::new(nanos(max_busy)));
        self.judge_from = AtomicU64::new(0);
        self
    }

    /// The process that this client was connected to.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The app's page.
    pub fn path(&self) -> &Path {
        &self.app.path
    }

    /// How many apps this process has mapped, however many clients there are.
    pub fn mapped_apps() -> usize {
        attach::mapped()
    }

    /// Is the app at rest? A few loads, no system call. False also when the app is lost.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.state() == IdleState::Idle
    }

    /// What the app says of itself. A few loads, no system call. An app that was killed in this very moment may still
    /// show its last word until the watching thread has run; [`IdleClient::wait_for_idle`] asks the kernel before it answers.
    #[inline]
    pub fn state(&self) -> IdleState {
        if self.app.is_lost() {
            IdleState::Lost
        } else if self.app.page.all_free() {
            IdleState::Idle
        } else if clock::now_ns() < self.judge_from.load(Relaxed) || self.blocked() {
            IdleState::Busy
        } else {
            IdleState::Idle
        }
    }

    /// Sleeps until the app is idle or lost, or the time is up. Woken by the app; never polls.
    pub fn wait_for_idle(&self, timeout: Duration) -> WaitOutcome {
        self.wait(timeout, &AtomicBool::new(false))
    }

    /// As [`IdleClient::wait_for_idle`], but gives up when `cancelled` (and the bell was roused).
    pub(crate) fn wait(&self, timeout: Duration, cancelled: &AtomicBool) -> WaitOutcome {
        let deadline = Instant::now().checked_add(timeout);
        let bell = &self.app.bell.word;
        loop {
            // The order is what keeps a wake-up from being lost: ask, look, sleep on the value that asking gave.
            let question = if self.ledger().any_stuck() { ASK_IDLE | ASK_ANY } else { ASK_IDLE };
            let asked = protocol::ask(bell, question);
            match self.state() {
                // Nobody may be there to have said so: a crash leaves the counters as they were.
                IdleState::Idle if self.app.is_held() => return WaitOutcome::Idle,
                IdleState::Idle | IdleState::Lost => return WaitOutcome::Lost,
                IdleState::Busy => {}
            }
            if cancelled.load(SeqCst) {
                return WaitOutcome::Busy(self.busy_resources());
            }
            if question & ASK_ANY == 0 && self.ledger().any_stuck() {
                continue;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                // A killed app's last word was "busy": look before repeating it.
                return if self.app.is_held() {
                    WaitOutcome::Busy(self.busy_resources())
                } else {
                    WaitOutcome::Lost
                };
            }
            let until_stuck =
                Duration::from_nanos(self.judge_from.load(Relaxed).saturating_sub(clock::now_ns()));
            // One tick more than computed: the coarse clock lags by up to that, and the ledger must find it late enough.
            let nap = left.unwrap_or(Duration::MAX).min(until_stuck + Duration::from_millis(1));
            let nap = futex::Timespec {
                tv_sec: i64::try_from(nap.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: nap.subsec_nanos().into(),
            };
            // Woken, timed out, interrupted, or the word has changed: in each case, look again.
            let _ = futex::wait(bell, futex::Flags::empty(), asked, Some(&nap));
        }
    }

    /// What is in flight, oldest first. Empty when idle or lost.
    pub fn busy_resources(&self) -> Vec<BusyResource> {
        let mut found: Vec<BusyResource> = Vec::new();
        if self.app.is_lost() {
            return found;
        }
        let now = clock::now_ns();
        let mut ledger = self.ledger();
        for (index, slot) in self.app.page.used_slots().iter().enumerate() {
            let count = count_of(slot.work.load(SeqCst));
            let since = slot.since.load(SeqCst);
            let judged = ledger.judge(index, count, since, now);
            let Some(name) = slot.name().filter(|_| count > 0) else { continue };
            let age = Duration::from_nanos(now.saturating_sub(since));
            let stuck = judged.blocking == 0;
            match found.iter_mut().find(|known| known.name == name) {
                // Two slots of one name: see `Page::slot_for`.
                Some(known) => {
                    known.count += count;
                    known.age = known.age.max(age);
                    known.stuck &= stuck;
                }
                None => found.push(BusyResource { name, count, age, stuck }),
            }
        }
        drop(ledger);
        found.sort_by_key(|resource| std::cmp::Reverse(resource.age));
        found
    }

    /// How many pieces of work ever began: two equal answers mean that none began in between. No system call.
    pub fn begun(&self) -> u64 {
        let slots = self.app.page.used_slots().iter();
        slots.fold(0, |sum, slot| sum.wrapping_add(begun_of(slot.work.load(SeqCst))))
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn rouse(&self) {
        self.app.rouse();
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does any guard block that is not stuck? As exact as [`Page::all_free`]: "no" is only said after two looks that
    /// saw the same.
    #[cold]
    fn blocked(&self) -> bool {
        let mut ledger = self.ledger();
        let now = clock::now_ns();
        let mut next = now.saturating_add(ledger.max_busy_ns());
        let page: &Page = &self.app.page;
        let slots = page.used_slots();
        let mut blocked = false;
        let mut history = 0u64;
        for (index, slot) in slots.iter().enumerate() {
            let word = slot.work.load(SeqCst);
            history = history.wrapping_add(word);
            let judged = ledger.judge(index, count_of(word), slot.since.load(SeqCst), now);
            blocked |= judged.blocking > 0;
            next = next.min(judged.stuck_at.unwrap_or(u64::MAX));
        }
        // With a stuck guard about, a held count says nothing by itself: every look has to come here.
        self.judge_from.store(if ledger.any_stuck() { 0 } else { next }, Relaxed);
        let again = slots.iter().fold(0u64, |sum, slot| sum.wrapping_add(slot.work.load(SeqCst)));
        blocked || again != history || page.used_slots().len() != slots.len()
    }
}

impl fmt::Debug for IdleClient {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("IdleClient")
            .field("pid", &self.pid)
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn refused(fault: DirFault) -> ConnectError {
    match fault {
        DirFault::Io(path, cause) => ConnectError::File { doing: "open", path, cause },
        DirFault::Unsafe(path, found) => ConnectError::Unsafe { path, found },
    }
}
