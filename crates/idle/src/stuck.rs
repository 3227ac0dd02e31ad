//! Which held guards no longer block, judged by the reader. Pure: time comes in as an argument.
//!
//! A page holds counts, not guards, so a leaked guard and a fresh one of the same name lie in one count. The ledger
//! remembers how many of a count were held for too long (`floor`): only what is above it blocks.

use crate::layout::SLOTS;

/// What a reader remembers of each slot.
#[derive(Debug)]
pub(crate) struct Ledger {
    max_busy_ns: u64,
    rows: [Row; SLOTS],
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// The spell of work that this row is about.
    since: u64,
    /// So many guards of this spell are stuck.
    floor: u32,
    /// When the count was first seen above the floor.
    above_since: Option<u64>,
}

/// What to think of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    /// Guards that block.
    pub(crate) blocking: u32,
    /// When they will be judged stuck.
    pub(crate) stuck_at: Option<u64>,
}

impl Ledger {
    pub(crate) fn new(max_busy_ns: u64) -> Self {
        Self { max_busy_ns, rows: [Row::default(); SLOTS] }
    }

    pub(crate) fn max_busy_ns(&self) -> u64 {
        self.max_busy_ns
    }

    /// Is any guard known to be stuck?
    pub(crate) fn any_stuck(&self) -> bool {
        self.rows.iter().any(|row| row.floor > 0)
    }

    /// Judges a slot that holds `count` guards, in a spell that began at `since`.
    pub(crate) fn judge(&mut self, slot: usize, count: u32, since: u64, now: u64) -> Judgement {
        let row = &mut self.rows[slot];
        if count == 0 || row.since != since {
            *row = Row { since, floor: 0, above_since: Some(since) };
        }
        if count == 0 {
            return Judgement { blocking: 0, stuck_at: None };
        }
        row.floor = row.floor.min(count);
        if count == row.floor {
            row.above_since = None;
            return Judgement { blocking: 0, stuck_at: None };
        }
        let stuck_at = row.above_since.get_or_insert(now).saturating_add(self.max_busy_ns);
        if now >= stuck_at {
            row.floor = count;
            row.above_since = None;
            return Judgement { blocking: 0, stuck_at: None };
        }
        Judgement { blocking: count - row.floor, stuck_at: Some(stuck_at) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: u64 = 10;

    fn blocking(ledger: &mut Ledger, count: u32, since: u64, now: u64) -> u32 {
        ledger.judge(3, count, since, now).blocking
    }

    #[test]
    fn a_guard_blocks_until_it_is_too_old() {
        let mut ledger = Ledger::new(MAX);
        assert_eq!(ledger.judge(3, 1, 100, 109), Judgement { blocking: 1, stuck_at: Some(110) });
        assert!(!ledger.any_stuck());
        assert_eq!(blocking(&mut ledger, 1, 100, 110), 0);
        assert!(ledger.any_stuck());
    }

    #[test]
    fn fresh_work_beside_a_stuck_guard_of_the_same_name_blocks() {
        let mut ledger = Ledger::new(MAX);
        assert_eq!(blocking(&mut ledger, 1, 100, 200), 0);
        assert_eq!(blocking(&mut ledger, 2, 100, 201), 1);
        assert_eq!(blocking(&mut ledger, 2, 100, 210), 1);
        assert_eq!(blocking(&mut ledger, 1, 100, 210), 0, "the fresh one ended");
        assert_eq!(blocking(&mut ledger, 3, 100, 220), 2, "and its age is not that of the next");
    }

    #[test]
    fn fresh_work_becomes_stuck_by_its_own_age() {
        let mut ledger = Ledger::new(MAX);
        assert_eq!(blocking(&mut ledger, 1, 100, 200), 0);
        assert_eq!(blocking(&mut ledger, 2, 100, 205), 1);
        assert_eq!(blocking(&mut ledger, 2, 100, 215), 0);
    }

    #[test]
    fn a_new_spell_forgets_the_old_one() {
        let mut ledger = Ledger::new(MAX);
        assert_eq!(blocking(&mut ledger, 1, 100, 200), 0);
        assert_eq!(blocking(&mut ledger, 1, 201, 202), 1);
        assert_eq!(blocking(&mut ledger, 0, 201, 203), 0);
        assert!(!ledger.any_stuck());
    }
}
