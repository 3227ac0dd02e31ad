//! The waking protocol, in all interleavings that loom can think of: the same functions as in production, on loom's words.
//!
//! Loom takes sequentially consistent accesses for acquire and release only, but models fences in full. So each access
//! here has a fence beside it, which is what the ordering gives between these words.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use loom::sync::atomic::Ordering::{AcqRel, Acquire, SeqCst};
use loom::sync::atomic::{AtomicU32, AtomicU64, fence};
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;

use stillpoint_idle::protocol::{
    ASK_ANY, ASK_IDLE, BellWord, WorkWord, all_free, answer, ask, begin, end, rouse,
};

struct Work(AtomicU64);

impl WorkWord for Work {
    fn load(&self) -> u64 {
        fence(SeqCst);
        self.0.load(Acquire)
    }
    fn add(&self, by: u64) -> u64 {
        let before = self.0.fetch_add(by, AcqRel);
        fence(SeqCst);
        before
    }
    fn sub(&self, by: u64) -> u64 {
        let before = self.0.fetch_sub(by, AcqRel);
        fence(SeqCst);
        before
    }
}

struct Bell(AtomicU32);

impl BellWord for Bell {
    fn load(&self) -> u32 {
        fence(SeqCst);
        self.0.load(Acquire)
    }
    fn or(&self, bits: u32) -> u32 {
        let before = self.0.fetch_or(bits, AcqRel);
        fence(SeqCst);
        before
    }
    fn swap_if(&self, old: u32, new: u32) -> bool {
        let swapped = self.0.compare_exchange(old, new, AcqRel, Acquire).is_ok();
        fence(SeqCst);
        swapped
    }
}

/// An app with two resources, a bell, and the kernel's side of the futex.
struct World {
    work: [Work; 2],
    bell: Bell,
    sleepers: Mutex<()>,
    woken: Condvar,
}

impl World {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            work: [Work(AtomicU64::new(0)), Work(AtomicU64::new(0))],
            bell: Bell(AtomicU32::new(0)),
            sleepers: Mutex::new(()),
            woken: Condvar::new(),
        })
    }

    fn is_free(&self) -> bool {
        all_free(self.work.iter())
    }

    fn begin(&self, slot: usize) {
        assert!(begin(&self.work[slot], || {}));
    }

    fn end(&self, slot: usize) {
        if end(&self.work[slot]) && answer(&self.bell, || self.is_free()) {
            self.wake();
        }
    }

    /// `FUTEX_WAKE`.
    fn wake(&self) {
        let _kernel = self.sleepers.lock().unwrap();
        self.woken.notify_all();
    }

    /// `FUTEX_WAIT`: looks at the word and falls asleep in one step, as seen by a waker. Woken by nobody, it sleeps for
    /// ever, and loom reports the deadlock.
    fn sleep(&self, value: u32) {
        let kernel = self.sleepers.lock().unwrap();
        if self.bell.load() == value {
            drop(self.woken.wait(kernel).unwrap());
        }
    }

    fn wait_until(&self, question: u32, done: impl Fn() -> bool) {
        loop {
            let asked = ask(&self.bell, question);
            if done() {
                return;
            }
            self.sleep(asked);
        }
    }
}

fn explore(bound: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(bound);
    builder.check(model);
}

#[test]
fn a_sleeping_reader_is_woken_by_the_last_of_two_ends() {
    explore(3, || {
        let world = World::new();
        world.begin(0);
        world.begin(1);
        let enders: Vec<_> = (0..2)
            .map(|slot| {
                let world = Arc::clone(&world);
                thread::spawn(move || world.end(slot))
            })
            .collect();
        world.wait_until(ASK_IDLE, || world.is_free());
        for ender in enders {
            ender.join().unwrap();
        }
    });
}

#[test]
fn two_readers_are_both_woken() {
    explore(2, || {
        let world = World::new();
        world.begin(0);
        let other = Arc::clone(&world);
        let reader = thread::spawn(move || other.wait_until(ASK_IDLE, || other.is_free()));
        let other = Arc::clone(&world);
        let ender = thread::spawn(move || other.end(0));
        world.wait_until(ASK_IDLE | ASK_ANY, || world.is_free());
        reader.join().unwrap();
        ender.join().unwrap();
    });
}

#[test]
fn a_reader_that_passes_over_a_stuck_resource_is_woken_by_the_end_of_another() {
    explore(3, || {
        let world = World::new();
        world.begin(0);
        world.begin(1);
        let other = Arc::clone(&world);
        let ender = thread::spawn(move || other.end(1));
        // Resource 0 never ends.
        world.wait_until(ASK_IDLE | ASK_ANY, || all_free(world.work[1..].iter()));
        ender.join().unwrap();
    });
}

#[test]
fn work_that_begins_again_keeps_the_reader_and_its_end_wakes_it() {
    explore(3, || {
        let world = World::new();
        world.begin(0);
        let other = Arc::clone(&world);
        let app = thread::spawn(move || {
            other.end(0);
            other.begin(1);
            other.end(1);
        });
        world.wait_until(ASK_IDLE, || world.is_free());
        app.join().unwrap();
    });
}

#[test]
fn the_loss_of_the_app_wakes_a_reader_that_is_about_to_sleep() {
    explore(3, || {
        let world = World::new();
        world.begin(0);
        let lost = Arc::new(AtomicU32::new(0));
        let (other, flag) = (Arc::clone(&world), Arc::clone(&lost));
        let watcher = thread::spawn(move || {
            flag.store(1, SeqCst);
            rouse(&other.bell);
            other.wake();
        });
        world.wait_until(ASK_IDLE, || lost.load(SeqCst) == 1);
        watcher.join().unwrap();
    });
}

#[test]
fn work_that_is_handed_over_never_looks_free() {
    explore(4, || {
        let world = World::new();
        world.begin(0);
        let other = Arc::clone(&world);
        let app = thread::spawn(move || {
            for (next, now) in [(1, 0), (0, 1), (1, 0)] {
                other.begin(next);
                other.end(now);
            }
        });
        assert!(!world.is_free());
        app.join().unwrap();
        assert!(!world.is_free());
    });
}

#[test]
fn an_end_without_a_begin_changes_nothing() {
    explore(2, || {
        let world = World::new();
        world.end(0);
        assert!(world.is_free());
        world.begin(0);
        assert!(!world.is_free());
    });
}
