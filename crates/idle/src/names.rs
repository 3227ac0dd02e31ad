//! Giving names to slots: lock-free, and safe to be interrupted by a signal handler that does the same.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

use crate::layout::{CLAIMED, FREE, MAX_NAME, MAX_RESOURCES, NAMED, OVERFLOW, OVERFLOW_NAME, Page, Slot};

const STAGE: u32 = 0xff;

/// A name as a slot stores it: never empty, cut to what fits.
#[derive(Clone, Copy)]
struct Label<'a>(&'a [u8]);

impl<'a> Label<'a> {
    #[inline]
    fn new(name: &'a str) -> Self {
        let name = if name.is_empty() { "(unnamed)" } else { name };
        Self(&name.as_bytes()[..name.floor_char_boundary(MAX_NAME)])
    }

    #[inline]
    fn tag(self) -> u32 {
        NAMED | (self.0.len() as u32) << 8
    }

    /// Its words, the last one padded with zeros. Taken where they lie, and the last byte by byte, for a begin by name does this
    /// each time: a copy of the name took as long as all the rest of a begin and its end.
    #[inline]
    fn words(self) -> impl Iterator<Item = u64> + use<'a> {
        let (whole, rest) = self.0.as_chunks();
        let last = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        let last = (!rest.is_empty()).then_some(u64::from_le(last));
        whole.iter().map(|eight| u64::from_ne_bytes(*eight)).chain(last)
    }

    /// Whether a slot with this label's tag, so with a name of the same length, has this name.
    #[inline]
    fn is_of(self, slot: &Slot) -> bool {
        self.words().zip(&slot.name).all(|(ours, theirs)| ours == theirs.load(Relaxed))
    }
}

impl Page {
    /// The slot of `name`, which gets one if it has none.
    #[inline]
    pub(crate) fn slot_for(&self, name: &str) -> usize {
        let label = Label::new(name);
        // They are given out in order: behind the first free one there is none to find.
        for (index, slot) in self.slots[..MAX_RESOURCES].iter().enumerate() {
            let tag = slot.tag.load(Acquire);
            if tag == label.tag() && label.is_of(slot) {
                return index;
            }
            if tag == FREE {
                break;
            }
        }
        self.claim(label)
    }

    /// The first free slot, or the one that got this name in the meantime. Never waits: a slot that somebody else is naming at
    /// this moment is passed over, so one name may come to have two slots. Readers add them up.
    #[cold]
    fn claim(&self, label: Label<'_>) -> usize {
        for (index, slot) in self.slots[..MAX_RESOURCES].iter().enumerate() {
            // Only what looks free is tried: with every name taken, others come here each time.
            let taken = match slot.tag.load(Acquire) {
                FREE => slot.tag.compare_exchange(FREE, CLAIMED, AcqRel, Acquire).err(),
                tag => Some(tag),
            };
            let Some(tag) = taken else {
                slot.write(label);
                self.used.fetch_max(index as u32 + 1, SeqCst);
                return index;
            };
            if tag == label.tag() && label.is_of(slot) {
                return index;
            }
        }
        self.overflow()
    }

    fn overflow(&self) -> usize {
        let slot = &self.slots[OVERFLOW];
        // Two at a time write the same bytes; nobody reads them before one of the two has finished.
        if slot.tag.load(Acquire) != Label::new(OVERFLOW_NAME).tag() {
            slot.write(Label::new(OVERFLOW_NAME));
        }
        self.used.fetch_max(OVERFLOW as u32 + 1, SeqCst);
        OVERFLOW
    }
}

impl Slot {
    /// The words behind the name are zero: a slot gets one name, once.
    fn write(&self, label: Label<'_>) {
        for (word, value) in self.name.iter().zip(label.words()) {
            word.store(value, Relaxed);
        }
        self.tag.store(label.tag(), Release);
    }

    /// The name, if it stands. Bytes that are not UTF-8 (another implementation's) are replaced.
    pub(crate) fn name(&self) -> Option<String> {
        let tag = self.tag.load(Acquire);
        if tag & STAGE != NAMED {
            return None;
        }
        let mut bytes = Vec::with_capacity(MAX_NAME);
        for word in &self.name {
            bytes.extend_from_slice(&word.load(Relaxed).to_ne_bytes());
        }
        bytes.truncate((tag >> 8 & 0xff) as usize);
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}
