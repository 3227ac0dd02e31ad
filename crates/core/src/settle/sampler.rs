//! When to look again at an app that tells nothing by itself (SPEC §5, heuristic mode).

use crate::Moment;
use std::time::Duration;

/// How a sampler works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerRules {
    /// So many equal samples in a row mean rest: 3, or 5 for noisy apps.
    pub equal_samples: u32,
    /// The pause after a change.
    pub shortest: Duration,
    /// The longest pause while quiet.
    pub longest: Duration,
}

impl Default for SamplerRules {
    fn default() -> Self {
        SamplerRules {
            equal_samples: 3,
            shortest: Duration::from_millis(10),
            longest: Duration::from_millis(100),
        }
    }
}

/// One look at the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When the look began.
    pub began: Moment,
    /// When it ended.
    pub ended: Moment,
    /// Digest of what it means.
    pub semantic: u64,
    /// Digest of where it lies.
    pub layout: u64,
}

/// What the samples say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Content changed.
    Updating,
    /// Only the layout changed: an animation, a spinner.
    Animating,
    /// Nothing changed, but not often enough.
    Settling,
    /// Enough equal samples in a row. The layout may still move.
    Stable,
}

/// Decides when to look, and what the looks say.
#[derive(Clone, Debug)]
pub struct Sampler {
    rules: SamplerRules,
    last: Option<Sample>,
    equal: u32,
    pause: Duration,
}

impl Sampler {
    /// A sampler that has not looked yet.
    pub fn new(rules: SamplerRules) -> Self {
        Sampler { rules, last: None, equal: 0, pause: rules.shortest }
    }

    /// Takes note of a look.
    pub fn sampled(&mut self, sample: Sample) -> Verdict {
        let before = self.last.replace(sample);
        let same_meaning = before.is_some_and(|b| b.semantic == sample.semantic);
        let same_place = before.is_some_and(|b| b.layout == sample.layout);
        if same_meaning {
            self.equal += 1;
            self.pause = (self.pause * 2).min(self.rules.longest);
        } else {
            self.equal = 1;
            self.pause = self.rules.shortest;
        }
        match (same_meaning, same_place) {
            _ if self.equal >= self.rules.equal_samples => Verdict::Stable,
            (false, _) => Verdict::Updating,
            (true, false) => Verdict::Animating,
            (true, true) => Verdict::Settling,
        }
    }

    /// When to look next: after the pause, and never so soon that more than half of the time goes into looking.
    pub fn next_look(&self) -> Option<Moment> {
        let last = self.last?;
        let looking = last.ended.since(last.began);
        Some(last.ended + self.pause.max(looking))
    }

    /// Whether the last samples were equal often enough.
    pub fn is_stable(&self) -> bool {
        self.equal >= self.rules.equal_samples
    }
}
