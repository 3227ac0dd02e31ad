//! The loop that measures.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// What a measurement gave, in nanoseconds for each operation.
#[derive(Clone, Debug)]
pub struct Samples {
    sorted: Vec<f64>,
}

impl Samples {
    /// The samples of a measurement that was taken elsewhere.
    pub fn of(times: impl IntoIterator<Item = Duration>) -> Self {
        Self::sorted(times.into_iter().map(|t| t.as_nanos() as f64).collect())
    }

    fn sorted(mut all: Vec<f64>) -> Self {
        all.sort_by(f64::total_cmp);
        Samples { sorted: all }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// The value below which `share` of the samples lie; zero if there are none.
    pub fn quantile(&self, share: f64) -> f64 {
        let last = self.sorted.len().saturating_sub(1);
        let place = (last as f64 * share.clamp(0.0, 1.0)).round() as usize;
        self.sorted.get(place).copied().unwrap_or_default()
    }
}

/// A tenth of the samples is taken first and thrown away, so that caches and predictors are as warm as in use.
fn warm_up(samples: usize) -> usize {
    samples / 10 + 1
}

/// Times `run` once a sample. `prepare` makes its input, and what it gives is dropped, both outside of the time.
pub fn each<I, O>(
    samples: usize,
    mut prepare: impl FnMut(usize) -> I,
    mut run: impl FnMut(I) -> O,
) -> Samples {
    let mut times = Vec::with_capacity(samples);
    for n in 0..samples + warm_up(samples) {
        let input = black_box(prepare(n));
        let start = Instant::now();
        let output = black_box(run(input));
        let time = start.elapsed();
        drop(output);
        if n >= warm_up(samples) {
            times.push(time.as_nanos() as f64);
        }
    }
    Samples::sorted(times)
}

/// Times `run` many times in a row for each sample: for what is shorter than the clock's own cost.
pub fn many<O>(samples: usize, in_a_row: u32, mut run: impl FnMut() -> O) -> Samples {
    let mut times = Vec::with_capacity(samples);
    for n in 0..samples + warm_up(samples) {
        let start = Instant::now();
        for _ in 0..in_a_row {
            black_box(run());
        }
        let time = start.elapsed();
        if n >= warm_up(samples) {
            times.push(time.as_nanos() as f64 / f64::from(in_a_row));
        }
    }
    Samples::sorted(times)
}
