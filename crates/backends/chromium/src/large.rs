//! Large documents, of which a part is mirrored: their outline, what is on screen, and then what comes first in them.

use crate::events::{Live, PATIENCE};
use crate::node::{AxNode, AxNodes, Raw, key, unkey};
use crate::refresh::{CLOSE, nodes_of};
use crate::socket::{Pending, Session};
use serde_json::json;
use std::collections::{HashMap, HashSet, VecDeque};
use stillpoint_core::Result;
use stillpoint_core::tree::{NativeKey, Prop};
use stillpoint_engine::backend::Deadline;
use tokio::time::Instant;

/// A document with more elements than this is read node by node, as far as there is room.
pub(crate) const LARGE: usize = 15_000;
/// How many nodes of it are read at most, and how many calls are under way at once.
pub(crate) const ROOM: usize = 4_000;
const WAVE: usize = 200;
/// What was scrolled past is let go when so many nodes are known.
const HELD: usize = 2 * ROOM;

/// In which order a large document is read. Half of the room is for its outline, breadth first; the rest for what is on
/// screen, with what lies in it, and then for what comes first in the document.
struct Course {
    top: i64,
    room: usize,
    seen: HashSet<i64>,
    /// Each node that was read, with its children.
    read: HashMap<i64, Vec<i64>>,
    /// The outline's next nodes, while it is being read.
    outline: Option<VecDeque<i64>>,
    /// After that: nodes to read, the next one last.
    near: Vec<i64>,
    far: Vec<i64>,
    /// What the nodes that were read last lead to, in order, and whether it is near.
    onward: Vec<(i64, bool)>,
}

impl Course {
    fn new(top: i64, room: usize, seen: HashSet<i64>) -> Self {
        Course {
            top,
            room,
            seen,
            read: HashMap::new(),
            outline: Some(VecDeque::from([top])),
            near: Vec::new(),
            far: Vec::new(),
            onward: Vec::new(),
        }
    }

    /// The nodes to read now, each with whether it is near; none at the end.
    fn wave(&mut self) -> Vec<(i64, bool)> {
        let size = WAVE.min(self.room.saturating_sub(self.read.len()));
        if let Some(outline) = &mut self.outline {
            if !outline.is_empty() && self.read.len() < self.room / 2 {
                return outline.drain(..size.min(outline.len())).map(|ax| (ax, false)).collect();
            }
            self.outline = None;
            self.onward = self.unread();
        }
        for (ax, is_near) in std::mem::take(&mut self.onward).into_iter().rev() {
            if is_near { self.near.push(ax) } else { self.far.push(ax) }
        }
        let near = self.near.split_off(self.near.len().saturating_sub(size));
        let far = self.far.split_off(self.far.len().saturating_sub(size - near.len()));
        let named = |wave: Vec<i64>, is_near| wave.into_iter().rev().map(move |ax| (ax, is_near));
        named(near, true).chain(named(far, false)).collect()
    }

    /// A node of the wave was read.
    fn took(&mut self, (ax, is_near): (i64, bool), children: Vec<i64>) {
        match &mut self.outline {
            Some(outline) => outline.extend(&children),
            None => self.onward.extend(self.inside(&children, is_near)),
        }
        self.read.insert(ax, children);
    }

    /// What the outline leads to, in the order of the document.
    fn unread(&self) -> Vec<(i64, bool)> {
        let mut unread = Vec::new();
        let mut stack = vec![(self.top, true)];
        while let Some((ax, is_near)) = stack.pop() {
            match self.read.get(&ax) {
                Some(children) => stack.extend(self.inside(children, is_near).into_iter().rev()),
                None => unread.push((ax, is_near)),
            }
        }
        unread
    }

    /// Which children of a node are near: those on screen. Where none has a place of its own, as texts have not, all are
    /// as near as the node.
    fn inside(&self, children: &[i64], is_near: bool) -> Vec<(i64, bool)> {
        let is_placed = children.iter().any(|ax| self.seen.contains(ax));
        children.iter().map(|ax| (*ax, if is_placed { self.seen.contains(ax) } else { is_near })).collect()
    }
}

impl Live {
    /// Reads a large document as far as there is room.
    pub(crate) async fn read_large(&mut self, id: &str, session: &Session) -> Result<()> {
        let began = Instant::now();
        tracing::trace!(id, "reading a part");
        let deadline = Deadline::after(PATIENCE * 6);
        let root: RootNode =
            session.call("Accessibility.getRootAXNode", json!({ "frameId": id }), deadline).await?;
        let Some(frame) = self.frames.get(id) else { return Ok(()) };
        let (serial, index) = (frame.serial, frame.index);
        let old: Vec<NativeKey> =
            self.model.raw.iter().filter(|(_, raw)| raw.frame == index).map(|(key, _)| *key).collect();
        self.touched.extend(&old);
        let seen = self.model.facts.iter().filter(|(_, facts)| facts.frame == index && facts.place.is_some());
        let seen = seen.map(|(key, _)| unkey(*key).1).collect();
        let top = root.node.number();
        let mut course = Course::new(top, ROOM.min(self.options.limits.max_nodes), seen);
        let mut found: Vec<(NativeKey, Raw)> = Vec::new();
        loop {
            let mut calls: Vec<((i64, bool), Pending)> = Vec::with_capacity(WAVE);
            for one in course.wave() {
                let params = json!({ "backendNodeId": one.0, "fetchRelatives": false });
                calls.push((one, session.start("Accessibility.getPartialAXTree", params)?));
            }
            if calls.is_empty() {
                break;
            }
            for (one, call) in calls {
                let node = nodes_of(call.read::<AxNodes>(deadline).await)?.into_iter().next();
                let Some(node) = node else {
                    course.took(one, Vec::new());
                    continue;
                };
                let at = key(serial, node.number());
                let raw = self.capped(id, at, node.into_raw(serial, index));
                course.took(one, raw.children.iter().map(|c| unkey(*c).1).filter(|ax| *ax > 0).collect());
                found.push((at, raw));
            }
        }
        for key in old {
            self.model.raw.remove(&key);
        }
        let known: HashSet<NativeKey> = found.iter().map(|(at, _)| *at).collect();
        for (at, mut raw) in found {
            leave_out(&mut raw, |child| known.contains(child));
            self.touched.insert(at);
            self.model.raw.insert(at, raw);
        }
        if let Some(frame) = self.frames.get_mut(id) {
            frame.read = Some((Instant::now(), began.elapsed()));
            frame.absent.clear();
        }
        self.connect(id, Some(key(serial, top))).await
    }

    /// Of a node that is read again in a large document, leaves out what is neither known nor being read nor on screen.
    pub(crate) fn leave_out_far(&self, at: NativeKey, raw: &mut Raw, is_being_read: impl Fn(i64) -> bool) {
        let is_on_screen = |key: &NativeKey| self.model.facts.get(key).is_some_and(|f| f.place.is_some());
        // The texts of an element have no place of their own.
        let is_plain =
            is_on_screen(&at) && raw.children.len() <= CLOSE && !raw.children.iter().any(is_on_screen);
        leave_out(raw, |child| {
            let number = unkey(*child).1;
            is_plain
                || number < 0
                || self.model.raw.contains_key(child)
                || is_being_read(number)
                || is_on_screen(child)
        });
    }

    /// Whether more of a large document is known than should be: it was scrolled far.
    pub(crate) fn holds_too_much(&self, index: u32) -> bool {
        self.model.raw.values().filter(|raw| raw.frame == index).count() > HELD
    }
}

/// Leaves children out, and counts them where they are missing.
fn leave_out(raw: &mut Raw, is_kept: impl Fn(&NativeKey) -> bool) {
    let before = raw.children.len();
    raw.children.retain(is_kept);
    let left_out = (before - raw.children.len()) as u32;
    if left_out > 0 {
        raw.props.set(Prop::Omitted(raw.props.omitted() + left_out));
    }
}

/// `Accessibility.getRootAXNode`.
#[derive(serde::Deserialize)]
struct RootNode {
    node: AxNode,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document of rows (1 to 999) with cells (1,000 and on, ten for each row) that hold a text each (20,000 and on).
    fn inside(ax: i64) -> Vec<i64> {
        match ax {
            0 => (1..1_000).collect(),
            1..1_000 => (0..10).map(|cell| 1_000 + ax * 10 + cell).collect(),
            1_000..20_000 => vec![ax + 20_000],
            _ => Vec::new(),
        }
    }

    fn read(room: usize, seen: impl IntoIterator<Item = i64>) -> HashSet<i64> {
        let mut course = Course::new(0, room, seen.into_iter().collect());
        loop {
            let wave = course.wave();
            if wave.is_empty() {
                return course.read.into_keys().collect();
            }
            for one in wave {
                course.took(one, inside(one.0));
            }
        }
    }

    #[test]
    fn the_outline_comes_first_and_then_the_beginning_of_the_document() {
        let read = read(4_000, []);
        assert_eq!(read.len(), 4_000);
        assert!((0..1_000).all(|row| read.contains(&row)), "the outline");
        assert!(
            (1_010..1_400).all(|cell| read.contains(&(cell + 20_000))),
            "the first rows are there in full"
        );
        assert!(!read.contains(&(20_000 + 9_000)), "and the others are not");
    }

    #[test]
    fn what_is_on_screen_is_read_in_full_wherever_it_lies() {
        let rows = 700..730;
        let seen = rows.clone().flat_map(|row| [vec![0, row], inside(row)].concat());
        let read = read(4_000, seen);
        let texts = rows.flat_map(inside).flat_map(inside);
        assert_eq!(texts.filter(|text| !read.contains(text)).count(), 0);
        assert!(read.contains(&21_010), "what room remains is for the beginning");
        assert_eq!(read.len(), 4_000);
    }

    #[test]
    fn a_document_that_fits_is_read_whole() {
        assert_eq!(read(100_000, []).len(), 1 + 999 + 2 * 9_990);
    }
}
