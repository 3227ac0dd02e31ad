//! Long containers: of one with more children than are mirrored, a window around what is on screen is kept.

use crate::events::Live;
use crate::node::{Raw, unkey};
use crate::project::Model;
use std::collections::HashMap;
use stillpoint_core::tree::{NativeKey, Prop};

impl Live {
    /// A container with more children than are mirrored keeps those around what is on screen, and says how many it
    /// left out.
    pub(crate) fn capped(&mut self, frame: &str, at: NativeKey, mut raw: Raw) -> Raw {
        let room = self.options.limits.max_children.max(1);
        let Some(frame) = self.frames.get_mut(frame) else { return raw };
        if raw.children.len() <= room {
            frame.capped.remove(&unkey(at).1);
            return raw;
        }
        let is_on_screen = |c: &NativeKey| self.model.facts.get(c).is_some_and(|f| f.place.is_some());
        let seen =
            raw.children.iter().position(is_on_screen).zip(raw.children.iter().rposition(is_on_screen));
        let before = frame.capped.get(&unkey(at).1);
        let before = before.and_then(|first| raw.children.iter().position(|c| c == first));
        let first = first_of_window(raw.children.len(), room, seen, before);
        frame.capped.insert(unkey(at).1, raw.children[first]);
        let omitted = raw.children.len() - room;
        raw.children = raw.children[first..first + room].to_vec();
        raw.props.set(Prop::Omitted(omitted as u32));
        raw
    }
}

impl Model {
    /// The long containers whose window leaves this node out; all of them for a node that is not known.
    pub(crate) fn left_out_by(&self, key: NativeKey, capped: &HashMap<i64, NativeKey>) -> Vec<i64> {
        if capped.is_empty() {
            return Vec::new();
        }
        if !self.raw.contains_key(&key) {
            return capped.keys().copied().collect();
        }
        let above = |key: &NativeKey| self.raw.get(key).and_then(|raw| raw.parent);
        let upward = std::iter::successors(Some(key), above).take(1000);
        let pairs = upward.filter_map(|child| Some((child, above(&child)?)));
        let leaves_out = |child: NativeKey, parent: NativeKey| {
            capped.contains_key(&unkey(parent).1)
                && self.raw.get(&parent).is_some_and(|raw| !raw.children.contains(&child))
        };
        pairs.filter(|(child, parent)| leaves_out(*child, *parent)).map(|(_, p)| unkey(p).1).collect()
    }
}

/// Where the window begins. One that holds all that is on screen (`seen`, first and last) stays where it was; else what
/// is on screen comes to lie in its middle, so that it stays for a while whichever way is scrolled.
fn first_of_window(all: usize, room: usize, seen: Option<(usize, usize)>, before: Option<usize>) -> usize {
    let last_start = all - room;
    let before = before.filter(|first| *first <= last_start);
    let Some((first, last)) = seen else { return before.unwrap_or(0) };
    match before {
        Some(start) if start <= first && last < start + room => start,
        _ => first.saturating_sub(room.saturating_sub(last + 1 - first) / 2).min(last_start),
    }
}

#[cfg(test)]
mod tests {
    use super::first_of_window;

    #[test]
    fn a_window_stays_while_it_holds_what_is_on_screen() {
        assert_eq!(first_of_window(2000, 1000, Some((400, 420)), Some(300)), 300);
        assert_eq!(first_of_window(2000, 1000, None, Some(300)), 300);
    }

    #[test]
    fn what_comes_on_screen_outside_of_the_window_lies_in_its_middle_then() {
        assert_eq!(first_of_window(2000, 1000, Some((1200, 1219)), Some(0)), 710);
        assert_eq!(first_of_window(2000, 1000, Some((1980, 1999)), Some(0)), 1000);
        assert_eq!(first_of_window(2000, 1000, Some((3, 20)), Some(500)), 0);
    }

    #[test]
    fn more_on_screen_than_there_is_room_for_begins_with_the_first() {
        assert_eq!(first_of_window(5000, 1000, Some((700, 3000)), None), 700);
        assert_eq!(first_of_window(900, 100, Some((899, 899)), Some(850)), 800);
    }
}
