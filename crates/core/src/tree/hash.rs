//! Two digests of a subtree, kept incrementally: one of what it means, one of where it lies.
//!
//! A node's digest is made of its own digest and a polynomial over its children's digests, so that the change of
//! one child is a multiplication and an addition, whatever the number of its siblings.

use super::{Props, State};

/// An odd multiplier whose powers do not repeat within any list of children.
pub(crate) const BASE: u64 = 0x9E37_79B9_7F4A_7C15 | 5;
const K0: u64 = 0xA076_1D64_78BD_642F;
const K1: u64 = 0xE703_7ED1_A0B4_28DB;

/// Powers of [`BASE`] for the positions that nearly every list has.
static POWERS: [u64; 1024] = {
    let mut powers = [1u64; 1024];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1].wrapping_mul(BASE);
        i += 1;
    }
    powers
};

/// The weight of the child at `position`.
pub(crate) fn power(position: usize) -> u64 {
    match POWERS.get(position) {
        Some(p) => *p,
        None => BASE.wrapping_pow(position as u32),
    }
}

/// Mixes two words into one.
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let wide = u128::from(a ^ K0) * u128::from(b ^ K1);
    (wide as u64) ^ ((wide >> 64) as u64)
}

/// The digest of a text.
pub(crate) fn of_text(seed: u64, text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut h = seed ^ bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        // A chunk of exactly eight bytes always converts.
        h = mix(h, u64::from_le_bytes(chunk.try_into().unwrap_or_default()));
    }
    let mut last = [0u8; 8];
    let rest = chunks.remainder();
    last[..rest.len()].copy_from_slice(rest);
    mix(h, u64::from_le_bytes(last))
}

/// What one node contributes to one digest: its own part, and that of its children.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NodeHash {
    pub(crate) own: u64,
    pub(crate) children: u64,
}

impl NodeHash {
    /// The digest of the whole subtree.
    pub(crate) fn subtree(self) -> u64 {
        mix(self.own, self.children)
    }
}

/// States whose change is not a qualifying mutation (SPEC §3) are not part of the meaning.
const MEANINGLESS: [State; 4] = [State::Focused, State::OnScreen, State::Busy, State::Focusable];

/// The digest of what a node means: everything whose change qualifies, and nothing else.
pub(crate) fn semantic(props: &Props) -> u64 {
    let mut h = mix(props.role as u64, props.states.without(&MEANINGLESS).bits());
    let mut add = |salt: u64, text: Option<&str>| {
        if let Some(text) = text {
            h = mix(h ^ salt, of_text(salt, text));
        }
    };
    add(1, props.native_role());
    add(2, props.stable_id());
    add(3, props.label());
    add(4, props.text());
    if !props.role.is_progress() {
        add(5, props.value());
    }
    if let Some(extra) = &props.extra {
        add(6, extra.test_tag.as_deref());
        add(7, extra.description.as_deref());
        for action in extra.actions.as_deref().unwrap_or_default() {
            add(8, Some(action));
        }
        if let Some(veil) = extra.veil.digest() {
            h = mix(h ^ 0x9, veil);
        }
        if let Some(raw) = extra.raw_value
            && !props.role.is_progress()
        {
            h = mix(h ^ 0xA, raw.to_bits());
        }
        if let Some(range) = &extra.value_range {
            let step = range.step.map_or(0, f64::to_bits);
            h = mix(h ^ 0xB, mix(range.min.to_bits(), mix(range.max.to_bits(), step)));
        }
    }
    mix(h, u64::from(props.omitted))
}

/// The digest of where a node lies.
pub(crate) fn layout(props: &Props) -> u64 {
    let place = props.bounds.map_or(1, |b| {
        mix(
            u64::from(b.x as u32) << 32 | u64::from(b.y as u32),
            u64::from(b.width as u32) << 32 | u64::from(b.height as u32),
        )
    });
    let on_screen = props.states.get(State::OnScreen).map_or(0, |v| v as u64 + 1);
    mix(place, on_screen)
}
