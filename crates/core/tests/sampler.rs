//! SPEC §5, heuristic mode: when to look, and what the looks say.

use std::time::Duration;
use stillpoint_core::Moment;
use stillpoint_core::settle::{Sample, Sampler, SamplerRules, Verdict};

/// An app that is looked at whenever the sampler says so.
struct Watched {
    sampler: Sampler,
    now: Moment,
    walk: Duration,
}

impl Watched {
    fn new(rules: SamplerRules) -> Self {
        Watched { sampler: Sampler::new(rules), now: Moment::START, walk: Duration::ZERO }
    }

    fn look(&mut self, semantic: u64, layout: u64) -> Verdict {
        let began = self.sampler.next_look().unwrap_or(self.now);
        let ended = began + self.walk;
        self.now = ended;
        self.sampler.sampled(Sample { began, ended, semantic, layout })
    }

    /// The pause until the next look, in milliseconds.
    fn pause(&self) -> u128 {
        self.sampler.next_look().expect("it has looked").since(self.now).as_millis()
    }
}

#[test]
fn the_pause_is_10_ms_after_a_change_and_doubles_to_100_ms_while_quiet() {
    let mut app = Watched::new(SamplerRules::default());
    let mut pauses = Vec::new();
    for content in [1, 1, 1, 1, 1, 1, 2, 2] {
        app.look(content, 0);
        pauses.push(app.pause());
    }
    assert_eq!(pauses, [10, 20, 40, 80, 100, 100, 10, 20]);
}

#[test]
fn never_more_than_half_of_the_time_goes_into_walking() {
    for walk in [1, 30, 250] {
        let mut app = Watched::new(SamplerRules::default());
        app.walk = Duration::from_millis(walk);
        let mut walking = 0;
        for content in [1, 2, 3, 3, 3, 3, 3, 4] {
            app.look(content, 0);
            walking += walk;
            let next = app.sampler.next_look().unwrap().as_millis();
            assert!(walking * 2 <= next, "{walking} ms of {next} ms were spent walking");
        }
    }
}

#[test]
fn three_equal_samples_are_rest() {
    let mut app = Watched::new(SamplerRules::default());
    let verdicts = [7, 7, 7, 7].map(|content| app.look(content, 0));
    assert_eq!(verdicts, [Verdict::Updating, Verdict::Settling, Verdict::Stable, Verdict::Stable]);
    assert!(app.sampler.is_stable());
}

#[test]
fn five_equal_samples_are_rest_for_a_noisy_app() {
    let mut app = Watched::new(SamplerRules { equal_samples: 5, ..SamplerRules::default() });
    let at_rest = [7, 7, 7, 7, 7].map(|content| app.look(content, 0) == Verdict::Stable);
    assert_eq!(at_rest, [false, false, false, false, true]);
}

#[test]
fn a_change_starts_the_count_again() {
    let mut app = Watched::new(SamplerRules::default());
    let at_rest = [7, 7, 8, 8, 8].map(|content| app.look(content, 0) == Verdict::Stable);
    assert_eq!(at_rest, [false, false, false, false, true]);
    app.look(9, 0);
    assert!(!app.sampler.is_stable());
}

#[test]
fn a_layout_that_never_rests_does_not_block() {
    let mut app = Watched::new(SamplerRules::default());
    let verdicts = [0, 1, 2, 3].map(|layout| app.look(7, layout));
    assert_eq!(verdicts, [Verdict::Updating, Verdict::Animating, Verdict::Stable, Verdict::Stable]);
}

#[test]
fn before_the_first_look_there_is_no_next() {
    assert_eq!(Sampler::new(SamplerRules::default()).next_look(), None);
}
