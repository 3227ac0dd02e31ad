//! What lies where in the two files. `docs/idle-layout.md` says the same in words; the assertions below keep it true.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};

use crate::protocol::{self, BellWord, WorkWord};

/// First eight bytes of a page.
pub(crate) const MAGIC: [u8; 8] = *b"SPIDLE\r\n";
/// A reader refuses a page whose major version is not its own.
pub(crate) const MAJOR: u32 = 1;
/// Minor versions only give meaning to reserved bytes, or append.
pub(crate) const MINOR: u32 = 0;
/// Named resources.
pub const MAX_RESOURCES: usize = 64;
/// All slots: the named ones and the overflow.
pub(crate) const SLOTS: usize = MAX_RESOURCES + 1;
/// The slot into which the 65th name and all later ones count.
pub(crate) const OVERFLOW: usize = MAX_RESOURCES;
/// How the overflow is called.
pub(crate) const OVERFLOW_NAME: &str = "(other)";
/// Longest name in bytes; a longer one is cut at a character's edge.
pub const MAX_NAME: usize = 40;
/// Size of the page file.
pub(crate) const PAGE_SIZE: usize = 8192;
/// Size of the bell file.
pub(crate) const BELL_SIZE: usize = 4096;
/// Bytes of the header that never change once the page has its name.
pub(crate) const HEADER_SIZE: usize = 128;

/// Who a page belongs to. Written once, before anybody can see the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The process id, as the app itself sees it.
    pub(crate) pid: u32,
    /// Field 22 of `/proc/PID/stat`: clock ticks after boot.
    pub(crate) start: u64,
    /// Inode of the app's pid namespace.
    pub(crate) pid_ns: u64,
    /// The kernel's boot id.
    pub(crate) boot: [u8; 16],
}

/// The header's fixed part, as bytes.
pub(crate) fn header_bytes(identity: &Identity) -> [u8; HEADER_SIZE] {
    let mut bytes = [0; HEADER_SIZE];
    bytes[0..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&MAJOR.to_ne_bytes());
    bytes[12..16].copy_from_slice(&MINOR.to_ne_bytes());
    bytes[16..20].copy_from_slice(&(PAGE_SIZE as u32).to_ne_bytes());
    bytes[20..24].copy_from_slice(&(SLOTS_AT as u32).to_ne_bytes());
    bytes[24..28].copy_from_slice(&(SLOT_SIZE as u32).to_ne_bytes());
    bytes[28..32].copy_from_slice(&(SLOTS as u32).to_ne_bytes());
    bytes[32..36].copy_from_slice(&identity.pid.to_ne_bytes());
    bytes[40..48].copy_from_slice(&identity.start.to_ne_bytes());
    bytes[48..56].copy_from_slice(&identity.pid_ns.to_ne_bytes());
    bytes[56..72].copy_from_slice(&identity.boot);
    bytes
}

/// Why bytes are not a header that this version reads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HeaderFault {
    /// Not a page at all.
    Foreign,
    /// A page of another major version.
    Version(u32),
    /// The right version, but sizes that cannot be.
    Sizes,
}

/// Reads the header's fixed part.
pub(crate) fn parse_header(bytes: &[u8; HEADER_SIZE]) -> Result<Identity, HeaderFault> {
    let word = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let long = |at: usize| {
        let mut eight = [0; 8];
        eight.copy_from_slice(&bytes[at..at + 8]);
        u64::from_ne_bytes(eight)
    };
    if bytes[0..8] != MAGIC {
        return Err(HeaderFault::Foreign);
    }
    if word(8) != MAJOR {
        return Err(HeaderFault::Version(word(8)));
    }
    let sizes = [word(20) as usize, word(24) as usize, word(28) as usize];
    if (word(16) as usize) < PAGE_SIZE || sizes != [SLOTS_AT, SLOT_SIZE, SLOTS] {
        return Err(HeaderFault::Sizes);
    }
    let mut boot = [0; 16];
    boot.copy_from_slice(&bytes[56..72]);
    Ok(Identity { pid: word(32), start: long(40), pid_ns: long(48), boot })
}

/// The page as mapped by the reporter (to write) and by readers (to read only). Everything that changes is atomic;
/// the fixed header is read from the file, not from here.
#[repr(C, align(64))]
pub(crate) struct Page {
    fixed: [AtomicU64; HEADER_SIZE / 8],
    /// Slots `0..used` may hold work; only grows.
    pub(crate) used: AtomicU32,
    reserved: [AtomicU32; 31],
    pub(crate) slots: [Slot; SLOTS],
}

/// One resource, on its own cache line.
#[repr(C, align(64))]
pub(crate) struct Slot {
    /// See [`crate::protocol`].
    pub(crate) work: AtomicU64,
    /// When `work` last went from free to held: nanoseconds of `CLOCK_MONOTONIC`.
    pub(crate) since: AtomicU64,
    /// Bits 0–7: [`FREE`], [`CLAIMED`] or [`NAMED`]; bits 8–15: the name's length.
    pub(crate) tag: AtomicU32,
    reserved: AtomicU32,
    /// The name's bytes, in memory order, zero-padded. Only read once `tag` says [`NAMED`].
    pub(crate) name: [AtomicU64; 5],
}

/// Nobody has this slot.
pub(crate) const FREE: u32 = 0;
/// Somebody is writing the name.
pub(crate) const CLAIMED: u32 = 1;
/// The name stands, for ever.
pub(crate) const NAMED: u32 = 2;

/// The readers' own word, in a file of its own, so that readers never write to the page.
#[repr(C, align(64))]
pub(crate) struct Bell {
    pub(crate) word: AtomicU32,
}

pub(crate) const SLOTS_AT: usize = 256;
pub(crate) const SLOT_SIZE: usize = 64;

impl WorkWord for AtomicU64 {
    #[inline]
    fn load(&self) -> u64 {
        self.load(SeqCst)
    }
    #[inline]
    fn add(&self, by: u64) -> u64 {
        self.fetch_add(by, SeqCst)
    }
    #[inline]
    fn sub(&self, by: u64) -> u64 {
        self.fetch_sub(by, SeqCst)
    }
}

impl BellWord for AtomicU32 {
    #[inline]
    fn load(&self) -> u32 {
        self.load(SeqCst)
    }
    fn or(&self, bits: u32) -> u32 {
        self.fetch_or(bits, SeqCst)
    }
    fn swap_if(&self, old: u32, new: u32) -> bool {
        self.compare_exchange(old, new, SeqCst, SeqCst).is_ok()
    }
}

impl Page {
    /// The slots that may hold work.
    #[inline]
    pub(crate) fn used_slots(&self) -> &[Slot] {
        &self.slots[..(self.used.load(SeqCst) as usize).min(SLOTS)]
    }

    /// Is no guard held at all? Exact: see [`protocol::all_free`]. A slot that came into use meanwhile is looked at too.
    #[inline]
    pub(crate) fn all_free(&self) -> bool {
        loop {
            let slots = self.used_slots();
            if !protocol::all_free(slots.iter().map(|slot| &slot.work)) {
                return false;
            }
            if self.used.load(SeqCst) as usize <= slots.len() || slots.len() == SLOTS {
                return true;
            }
        }
    }
}

const _: () = {
    use std::mem::{offset_of, size_of};
    assert!(size_of::<Slot>() == SLOT_SIZE);
    assert!(offset_of!(Slot, since) == 8);
    assert!(offset_of!(Slot, tag) == 16);
    assert!(offset_of!(Slot, name) == 24);
    assert!(offset_of!(Page, used) == HEADER_SIZE);
    assert!(offset_of!(Page, slots) == SLOTS_AT);
    assert!(size_of::<Page>() <= PAGE_SIZE);
    assert!(size_of::<Bell>() <= BELL_SIZE);
};

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use proptest::prelude::*;

    use super::*;
    use crate::mapping::Mapping;

    fn page() -> Mapping<Page> {
        let file = tempfile::tempfile().unwrap();
        file.set_len(PAGE_SIZE as u64).unwrap();
        Mapping::to_write(&file).unwrap()
    }

    #[test]
    fn a_header_reads_back_and_foreign_ones_are_told_apart() {
        let identity = Identity { pid: 7, start: 1 << 40, pid_ns: 4_026_531_836, boot: [9; 16] };
        let good = header_bytes(&identity);
        assert_eq!(parse_header(&good), Ok(identity));
        let with = |at: usize, byte: u8| {
            let mut bytes = good;
            bytes[at] = byte;
            parse_header(&bytes)
        };
        assert_eq!(with(0, b'X'), Err(HeaderFault::Foreign));
        assert_eq!(with(8, 2), Err(HeaderFault::Version(2)));
        assert_eq!(with(8, 0), Err(HeaderFault::Version(0)));
        assert_eq!(with(12, 9), Ok(identity), "a newer minor version is read");
        assert_eq!(with(28, 3), Err(HeaderFault::Sizes));
        assert_eq!(parse_header(&[0; HEADER_SIZE]), Err(HeaderFault::Foreign));
    }

    #[test]
    fn nesting_beyond_the_deepest_is_refused_and_leaves_the_count_alone() {
        let page = page();
        let work = &page.slots[0].work;
        work.store((1 << 23) - 1, SeqCst);
        assert!(protocol::begin(work, || {}));
        assert!(!protocol::begin(work, || {}));
        assert_eq!(protocol::count_of(work.load(SeqCst)), 1 << 23);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

        /// One thread hands work on along a random way through the slots, others make noise: as long as the work is
        /// held somewhere, nobody sees the page as free; and in the end it is free.
        #[test]
        fn a_held_guard_is_never_overlooked(
            way in prop::collection::vec(0..SLOTS, 200..800),
            noise in prop::collection::vec(prop::collection::vec(0..SLOTS, 200..800), 2),
        ) {
            let page = page();
            page.used.store(SLOTS as u32, SeqCst);
            let word = |slot: usize| &page.slots[slot].work;
            let over = AtomicBool::new(false);
            protocol::begin(word(way[0]), || {});
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for pair in way.windows(2) {
                        protocol::begin(word(pair[1]), || {});
                        protocol::end(word(pair[0]));
                    }
                    over.store(true, SeqCst);
                });
                for slots in &noise {
                    scope.spawn(move || {
                        for &slot in slots {
                            protocol::begin(word(slot), || {});
                            protocol::end(word(slot));
                        }
                    });
                }
                while !over.load(SeqCst) {
                    assert!(!page.all_free());
                }
            });
            prop_assert!(!page.all_free());
            protocol::end(word(way[way.len() - 1]));
            prop_assert!(page.all_free());
        }

        /// Any bytes where a header should be: an answer, never a panic.
        #[test]
        fn any_bytes_are_judged(bytes in prop::collection::vec(any::<u8>(), HEADER_SIZE)) {
            let mut header = [0; HEADER_SIZE];
            header.copy_from_slice(&bytes);
            prop_assert!(parse_header(&header).is_err());
        }
    }
}
