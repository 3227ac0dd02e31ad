//! Which screen is this (SPEC §9)? A number that is the same for the same screen, whatever the clock, the counters
//! and the order of its rows say, and across restarts of the app and of Stillpoint.

use super::blank::{blank, blank_path};
use crate::tree::{ElementId, Node, Role, State, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The fingerprint of a screen, written as sixteen hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ScreenFingerprint(String);

impl ScreenFingerprint {
    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ScreenFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for ScreenFingerprint {
    fn from(digits: &str) -> Self {
        ScreenFingerprint(digits.trim().to_ascii_lowercase())
    }
}

/// The fingerprint of what is shown: each visible, meaningful element once, by role, stable id and label.
pub fn fingerprint(tree: &TreeView) -> ScreenFingerprint {
    let mut marks = Vec::new();
    let mut stack: Vec<ElementId> = tree.root().into_iter().collect();
    while let Some(id) = stack.pop() {
        let Some(node) = tree.get(id) else { continue };
        if node.states().is_not(State::Visible) {
            continue;
        }
        if let Some(mark) = mark(node) {
            marks.push(mark);
        }
        stack.extend(node.children());
    }
    // Sorted and each once: neither the order nor the number of equal rows counts.
    marks.sort_unstable();
    marks.dedup();
    let screen = tree.screen();
    let mut sum = digest(digest(SEED, "screen"), &screen.title.as_deref().map(blank).unwrap_or_default());
    sum = digest(sum, &screen.url.as_deref().map(blank_path).unwrap_or_default());
    for mark in marks {
        sum = stir(sum ^ mark);
    }
    ScreenFingerprint(format!("{sum:016x}"))
}

/// What an element adds; `None` for what comes and goes, or says nothing.
fn mark(node: &Node) -> Option<u64> {
    let role = node.role();
    let passing = role.is_progress() || matches!(role, Role::Tooltip | Role::Timer | Role::Scrollbar);
    let label = node.label().map(blank).unwrap_or_default();
    let silent = node.stable_id().is_none() && label.is_empty() && !role.is_interactive();
    if passing || silent {
        return None;
    }
    let id = node.stable_id().map(blank).unwrap_or_default();
    Some(digest(digest(digest(SEED, role.name()), &id), &label))
}

const SEED: u64 = 0x9d5c_0b1f_6e37_a24d;

/// One text more. Fixed for ever: recorded fingerprints depend on it.
fn digest(seed: u64, text: &str) -> u64 {
    let mut sum = seed ^ (text.len() as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
    for chunk in text.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        sum = stir(sum ^ u64::from_le_bytes(word));
    }
    stir(sum)
}

/// Lets every bit touch every other.
fn stir(mut x: u64) -> u64 {
    for _ in 0..2 {
        x ^= x >> 32;
        x = x.wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    x ^ (x >> 32)
}
