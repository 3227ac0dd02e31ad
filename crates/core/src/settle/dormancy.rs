//! Can an app have changed since it was last asked? What has not run has not changed, so the processor time that it has used by
//! itself tells, without a question that would wake it.

use crate::Moment;
use std::time::Duration;

/// Asked at least so often, whatever the clock of the kernel says.
const LONGEST: Duration = Duration::from_secs(5);

/// Keeps account of one app's processor time between the questions that it is asked.
#[derive(Debug, Default)]
pub struct Dormancy {
    used: Option<Duration>,
    asked_at: Moment,
    /// Since it last ran by itself.
    questions: u32,
}

impl Dormancy {
    /// The app was asked and has answered.
    pub fn asked(&mut self, at: Moment) {
        self.questions = self.questions.saturating_add(1);
        self.asked_at = at;
    }

    /// Whether there is nothing to ask for: it has not run since it was asked `enough` questions. One is not, for what it did while
    /// it answered may be behind the answer. `used` is the processor time that it has used by itself, where that is known.
    pub fn is_dormant(&mut self, used: Option<Duration>, at: Moment, enough: u32) -> bool {
        // Less than before counts, too: a thread that ended has taken its time with it.
        if used.is_none() || used != self.used {
            (self.used, self.questions) = (used, 0);
            return false;
        }
        self.questions >= enough && at.since(self.asked_at) < LONGEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether it is dormant, having used so many milliseconds.
    fn sleeps(app: &mut Dormancy, used_ms: u64, at_ms: u64, enough: u32) -> bool {
        app.is_dormant(Some(Duration::from_millis(used_ms)), at(at_ms), enough)
    }

    fn at(millis: u64) -> Moment {
        Moment::from_millis(millis)
    }

    /// An app that has used 10 ms and was asked twice since.
    fn known() -> Dormancy {
        let mut app = Dormancy::default();
        assert!(!sleeps(&mut app, 10, 0, 2), "nothing is known");
        app.asked(at(1));
        assert!(!sleeps(&mut app, 10, 50, 2), "asked once");
        app.asked(at(51));
        app
    }

    #[test]
    fn what_has_not_run_is_not_asked_again() {
        let mut app = known();
        assert!(sleeps(&mut app, 10, 200, 2));
        assert!(sleeps(&mut app, 10, 4_000, 2));
    }

    #[test]
    fn what_has_run_is_asked_as_often_as_is_wanted() {
        for enough in [2, 3] {
            let mut app = known();
            assert!(!sleeps(&mut app, 12, 200, enough));
            for n in 0..enough {
                assert!(!sleeps(&mut app, 12, 300, enough), "after {n} questions");
                app.asked(at(300));
            }
            assert!(sleeps(&mut app, 12, 400, enough));
        }
    }

    #[test]
    fn a_thread_that_ended_has_run() {
        assert!(!sleeps(&mut known(), 9, 200, 2));
    }

    #[test]
    fn whatever_the_kernel_says_it_is_asked_now_and_then() {
        assert!(!sleeps(&mut known(), 10, 5_100, 2));
    }

    #[test]
    fn where_the_time_is_not_known_it_is_always_asked() {
        let mut app = known();
        assert!(!app.is_dormant(None, at(200), 2));
        app.asked(at(201));
        app.asked(at(202));
        assert!(!app.is_dormant(None, at(300), 2));
    }
}
