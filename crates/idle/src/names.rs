//! Giving names to slots: lock-free, and safe to be interrupted by a signal handler that does the same.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

use crate::layout::{CLAIMED, FREE, MAX_NAME, MAX_RESOURCES, NAMED, OVERFLOW, OVERFLOW_NAME, Page, Slot};

const NAME_WORDS: usize = MAX_NAME / 8;
const STAGE: u32 = 0xff;

/// A name as a slot stores it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Label {
    words: [u64; NAME_WORDS],
    len: usize,
}

impl Label {
    fn new(name: &str) -> Self {
        let name = if name.is_empty() { "(unnamed)" } else { name };
        let mut len = name.len().min(MAX_NAME);
        while !name.is_char_boundary(len) {
            len -= 1;
        }
        let mut bytes = [0; MAX_NAME];
        bytes[..len].copy_from_slice(&name.as_bytes()[..len]);
        let mut words = [0; NAME_WORDS];
        for (word, eight) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            let mut raw = [0; 8];
            raw.copy_from_slice(eight);
            *word = u64::from_ne_bytes(raw);
        }
        Self { words, len }
    }

    fn tag(self) -> u32 {
        NAMED | (self.len as u32) << 8
    }

    fn is_of(self, slot: &Slot) -> bool {
        self.words.iter().zip(&slot.name).all(|(ours, theirs)| *ours == theirs.load(Relaxed))
    }
}

impl Page {
    /// The slot of `name`, which gets one if it has none. Never waits: a slot that somebody else is naming at this
    /// moment is passed over, so one name may come to have two slots. Readers add them up.
    pub(crate) fn slot_for(&self, name: &str) -> usize {
        let label = Label::new(name);
        for (index, slot) in self.slots[..MAX_RESOURCES].iter().enumerate() {
            let mut tag = slot.tag.load(Acquire);
            if tag == FREE {
                match slot.tag.compare_exchange(FREE, CLAIMED, AcqRel, Acquire) {
                    Ok(_) => {
                        slot.write(label);
                        self.used.fetch_max(index as u32 + 1, SeqCst);
                        return index;
                    }
                    Err(found) => tag = found,
                }
            }
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
    fn write(&self, label: Label) {
        for (word, value) in self.name.iter().zip(label.words) {
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
