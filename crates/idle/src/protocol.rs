//! The counting and the waking, over any atomics: no memory map, no clock, no system call.
//!
//! The reporter and the reader call these functions with the words of a mapped page; the loom model
//! (`tests/model.rs`) calls the same functions with loom's words. The argument why nothing is lost is in
//! `docs/idle-layout.md`.

/// A 64-bit word that holds one resource's work: how many guards are held, and how often one began.
pub trait WorkWord {
    /// Sequentially consistent load.
    fn load(&self) -> u64;
    /// Sequentially consistent wrapping add; gives the value before.
    fn add(&self, by: u64) -> u64;
    /// Sequentially consistent wrapping subtract; gives the value before.
    fn sub(&self, by: u64) -> u64;
}

/// The 32-bit word in which readers ask to be woken.
pub trait BellWord {
    /// Sequentially consistent load.
    fn load(&self) -> u32;
    /// Sequentially consistent or; gives the value before.
    fn or(&self, bits: u32) -> u32;
    /// Sequentially consistent exchange of `old` for `new`; false if the word held something else.
    fn swap_if(&self, old: u32, new: u32) -> bool;
}

/// Guards held: the low 24 bits of a work word. The other 40 count begins, so that no two states of a word that
/// differ in history look the same.
pub const COUNT_MASK: u64 = (1 << 24) - 1;
/// What a begin adds: one guard held, one more begin.
const BEGIN: u64 = (1 << 24) + 1;
/// Nesting beyond this is refused, long before the count could spill into its neighbour.
const DEEPEST: u64 = 1 << 23;

/// A reader waits for the app to be idle.
pub const ASK_IDLE: u32 = 1;
/// A reader waits for any resource to come to its end (it has judged another one stuck).
pub const ASK_ANY: u32 = 2;
const ASK_BITS: u32 = ASK_IDLE | ASK_ANY;

/// Guards held, out of a work word.
pub fn count_of(word: u64) -> u32 {
    (word & COUNT_MASK) as u32
}

/// Guards that ever began, out of a work word.
pub fn begun_of(word: u64) -> u64 {
    word >> COUNT_MASK.count_ones()
}

/// One guard more. `stamp` is called before the guard counts if it seems to be the first, and after if only then it
/// turned out to be. False: nested too deep, nothing was counted.
#[inline]
pub fn begin<W: WorkWord>(word: &W, stamp: impl Fn()) -> bool {
    let looked_free = count_of(word.load()) == 0;
    if looked_free {
        stamp();
    }
    let before = word.add(BEGIN);
    if count_of(before) == 0 && !looked_free {
        stamp();
    }
    if before & COUNT_MASK >= DEEPEST {
        word.sub(1);
        return false;
    }
    true
}

/// One guard less. True: it was the last of its resource, and [`answer`] is owed. An end without a begin is undone.
#[inline]
pub fn end<W: WorkWord>(word: &W) -> bool {
    match word.sub(1) & COUNT_MASK {
        0 => {
            word.add(1);
            false
        }
        1 => true,
        _ => false,
    }
}

/// After an [`end`] that was the last of its resource: must sleepers be woken?
///
/// Costs one load while nobody asks. `all_free` looks at every resource, after the end has taken effect: of several
/// ends at the same time the last one sees all of them.
#[inline]
pub fn answer<B: BellWord>(bell: &B, all_free: impl Fn() -> bool) -> bool {
    let asked = bell.load();
    if asked & ASK_BITS == 0 {
        return false;
    }
    if asked & ASK_ANY == 0 && !all_free() {
        return false;
    }
    // Who clears the question wakes everybody. If the exchange fails, another end has cleared it and wakes, or a
    // reader has just added its question to this one: look again.
    if bell.swap_if(asked, answered(asked)) { true } else { answer_again(bell, &all_free) }
}

#[cold]
fn answer_again<B: BellWord>(bell: &B, all_free: &impl Fn() -> bool) -> bool {
    loop {
        let asked = bell.load();
        if asked & ASK_BITS == 0 || (asked & ASK_ANY == 0 && !all_free()) {
            return false;
        }
        if bell.swap_if(asked, answered(asked)) {
            return true;
        }
    }
}

/// A reader's side: ask, and get the value to sleep on. The state must be looked at after this and before sleeping.
#[inline]
pub fn ask<B: BellWord>(bell: &B, what: u32) -> u32 {
    bell.or(what) | what
}

/// A reader wakes its fellows (its app is lost, or a wait was cancelled): changes the word, so that nobody who has
/// asked but does not sleep yet falls asleep on the old value.
pub fn rouse<B: BellWord>(bell: &B) {
    loop {
        let now = bell.load();
        if bell.swap_if(now, answered(now)) {
            return;
        }
    }
}

/// The word with its questions cleared and its number raised.
fn answered(asked: u32) -> u32 {
    (asked | ASK_BITS).wrapping_add(1)
}

/// Is no guard held in `words`? Two looks with the same answer and the same history: between them lies an instant at
/// which all words were as seen. A difference means that work began in between, so "no" is true as well.
#[inline]
pub fn all_free<'a, W: WorkWord + 'a>(words: impl Iterator<Item = &'a W> + Clone) -> bool {
    let mut first = 0u64;
    for word in words.clone() {
        let seen = word.load();
        if count_of(seen) != 0 {
            return false;
        }
        first = first.wrapping_add(seen);
    }
    let mut second = 0u64;
    for word in words {
        let seen = word.load();
        if count_of(seen) != 0 {
            return false;
        }
        second = second.wrapping_add(seen);
    }
    first == second
}
