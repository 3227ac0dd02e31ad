//! Counters and histograms of what happens (SPEC §15), as Prometheus text.

use crate::session::Watched;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use stillpoint_core::revise::{Applied, Class};
use stillpoint_core::settle::Reason;

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to it.
    pub fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    /// What it is now.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Upper ends of the buckets for durations, in microseconds.
const TIMES: [u64; 14] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    5_000_000,
];
/// Upper ends of the buckets for sizes, in bytes.
const SIZES: [u64; 14] =
    [64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072, 262_144, 1_048_576];

/// How often values fell between certain limits.
#[derive(Debug)]
pub struct Histogram {
    limits: &'static [u64; 14],
    buckets: [AtomicU64; 15],
    sum: AtomicU64,
}

impl Histogram {
    fn new(limits: &'static [u64; 14]) -> Self {
        Histogram { limits, buckets: Default::default(), sum: AtomicU64::new(0) }
    }

    /// Counts a duration.
    pub fn observe(&self, duration: Duration) {
        self.count(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX));
    }

    /// Counts a size in bytes.
    pub fn observe_size(&self, bytes: usize) {
        self.count(bytes as u64);
    }

    fn count(&self, value: u64) {
        let bucket = self.limits.partition_point(|limit| *limit < value);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    /// How many values were counted.
    pub fn total(&self) -> u64 {
        self.buckets.iter().map(|b| b.load(Ordering::Relaxed)).sum()
    }

    fn write(&self, out: &mut String, name: &str, scale: f64) {
        let mut below = 0;
        for (limit, bucket) in self.limits.iter().zip(&self.buckets) {
            below += bucket.load(Ordering::Relaxed);
            let _ = writeln!(out, "{name}_bucket{{le=\"{}\"}} {below}", *limit as f64 / scale);
        }
        let total = self.total();
        let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {total}");
        let _ = writeln!(out, "{name}_sum {}", self.sum.load(Ordering::Relaxed) as f64 / scale);
        let _ = writeln!(out, "{name}_count {total}");
    }
}

/// What is counted. One for all sessions of a process.
#[derive(Debug)]
#[allow(missing_docs)] // the names and the help texts below say what each is
pub struct Telemetry {
    pub waits: Counter,
    pub waits_converged: Counter,
    pub timeouts: Counter,
    pub batches: Counter,
    pub revisions: Counter,
    pub resyncs: Counter,
    pub changes_ignored: Counter,
    pub stale_references: Counter,
    pub premature_refused: Counter,
    pub retries: Counter,
    pub reconnects: Counter,
    pub mutations: [Counter; Class::ALL.len()],
    pub stabilisation_time: Histogram,
    pub answer_lag: Histogram,
    pub barrier_time: Histogram,
    pub delta_size: Histogram,
}

impl Default for Telemetry {
    fn default() -> Self {
        Telemetry {
            waits: Counter::default(),
            waits_converged: Counter::default(),
            timeouts: Counter::default(),
            batches: Counter::default(),
            revisions: Counter::default(),
            resyncs: Counter::default(),
            changes_ignored: Counter::default(),
            stale_references: Counter::default(),
            premature_refused: Counter::default(),
            retries: Counter::default(),
            reconnects: Counter::default(),
            mutations: Default::default(),
            stabilisation_time: Histogram::new(&TIMES),
            answer_lag: Histogram::new(&TIMES),
            barrier_time: Histogram::new(&TIMES),
            delta_size: Histogram::new(&SIZES),
        }
    }
}

impl Telemetry {
    pub(crate) fn applied(&self, applied: &Applied) {
        self.batches.add(1);
        self.changes_ignored.add(applied.ignored as u64);
        self.revisions.add(u64::from(applied.qualifies));
        for m in &applied.mutations {
            self.mutations[m.class as usize].add(1);
        }
    }

    pub(crate) fn waited(&self, watched: &Watched) {
        self.waits.add(1);
        match watched.outcome.reason {
            Reason::Converged => {
                self.waits_converged.add(1);
                self.stabilisation_time.observe(watched.ended.since(watched.began));
                self.answer_lag.observe(watched.ended.since(watched.last_mutation));
            }
            Reason::NoChange | Reason::NotStable | Reason::TargetUnresponsive => self.timeouts.add(1),
            Reason::TargetInvalid | Reason::TargetLost | Reason::Cancelled => {}
        }
    }

    /// Everything as Prometheus text.
    pub fn to_prometheus(&self) -> String {
        let mut out = String::new();
        let mut counter = |name: &str, help: &str, value: &Counter| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} counter\n{name} {}", value.get());
        };
        counter("stillpoint_waits_total", "Waits that were decided.", &self.waits);
        counter("stillpoint_waits_converged_total", "Waits that ended at rest.", &self.waits_converged);
        counter("stillpoint_timeouts_total", "Waits that ran out of time.", &self.timeouts);
        counter("stillpoint_batches_total", "Batches of changes that were applied.", &self.batches);
        counter("stillpoint_revisions_total", "Revisions that were made.", &self.revisions);
        counter("stillpoint_resyncs_total", "Times that everything was read again.", &self.resyncs);
        counter("stillpoint_changes_ignored_total", "Changes about nothing known.", &self.changes_ignored);
        counter("stillpoint_stale_references_total", "Uses of dead element ids.", &self.stale_references);
        counter(
            "stillpoint_premature_actions_total",
            "Actions refused as too early.",
            &self.premature_refused,
        );
        counter("stillpoint_retries_total", "Commands sent again.", &self.retries);
        counter("stillpoint_reconnects_total", "Connections made again.", &self.reconnects);
        let _ = writeln!(out, "# HELP stillpoint_mutations_total Mutations by class.");
        let _ = writeln!(out, "# TYPE stillpoint_mutations_total counter");
        for class in Class::ALL {
            let n = self.mutations[class as usize].get();
            let _ = writeln!(out, "stillpoint_mutations_total{{class=\"{}\"}} {n}", class.name());
        }
        let histograms = [
            (
                "stillpoint_stabilisation_seconds",
                "Time from a wait's start to rest.",
                &self.stabilisation_time,
                1e6,
            ),
            (
                "stillpoint_answer_lag_seconds",
                "Time from the last mutation to the answer.",
                &self.answer_lag,
                1e6,
            ),
            ("stillpoint_barrier_seconds", "Time that a barrier took.", &self.barrier_time, 1e6),
            ("stillpoint_delta_bytes", "Size of deltas that were told.", &self.delta_size, 1.0),
        ];
        for (name, help, histogram, scale) in histograms {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} histogram");
            histogram.write(&mut out, name, scale);
        }
        out
    }
}
