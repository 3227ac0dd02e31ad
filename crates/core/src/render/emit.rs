//! Which elements are told: breadth first within a bound, scaffolding left out, and what was cut is said.

use crate::tree::{ElementId, Node, TreeView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmitOptions {
    /// At most this many elements.
    pub max_nodes: usize,
    /// At most this deep below the top; any depth if `None`.
    pub max_depth: Option<usize>,
    /// The element to start from; the root if `None`.
    pub under: Option<ElementId>,
}

impl Default for EmitOptions {
    fn default() -> Self {
        EmitOptions { max_nodes: 2048, max_depth: None, under: None }
    }
}

/// Something that was left out, so that a caller can ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Omitted {
    /// The element whose children were left out.
    pub under: ElementId,
    /// How many.
    pub count: u32,
}

/// One element that is told, with its place among those that are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// Which one.
    pub id: ElementId,
    /// The nearest element around it that is told too.
    pub parent: Option<ElementId>,
    /// How deep it lies below the top.
    pub depth: usize,
}

/// What is told, in document order, and what is not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Emission {
    /// What is told.
    pub elements: Vec<Emitted>,
    /// Whether anything was cut for lack of room.
    pub truncated: bool,
    /// What was cut, and where.
    pub omitted: Vec<Omitted>,
}

struct Seen<'a> {
    id: ElementId,
    node: &'a Node,
    above: Option<usize>,
    depth: usize,
    kept: bool,
}

/// Decides which elements of `tree` are told.
pub fn emit(tree: &TreeView, options: &EmitOptions) -> Emission {
    let Some(top) = options.under.or_else(|| tree.root()) else { return Emission::default() };
    let mut seen = look(tree, top);
    prune(&mut seen);
    let last_level = last_level(&seen, options);
    let mut emission = Emission::default();
    let mut left_out: Vec<(usize, u32)> = Vec::new();
    let mut room = last_level.room;
    let mut is_told = vec![false; seen.len()];
    for (place, item) in seen.iter().enumerate() {
        if !item.kept {
            continue;
        }
        let told = item.depth < last_level.depth || (item.depth == last_level.depth && room > 0);
        if told {
            is_told[place] = true;
            room -= usize::from(item.depth == last_level.depth);
            let parent = item.above.map(|a| seen[a].id);
            emission.elements.push(Emitted { id: item.id, parent, depth: item.depth });
            if item.node.omitted() > 0 {
                left_out.push((place, item.node.omitted()));
            }
        } else {
            emission.truncated = true;
            // What lies deeper in something that is left out is not counted again.
            left_out.extend(item.above.filter(|above| is_told[*above]).map(|above| (above, 1)));
        }
    }
    emission.truncated |= !left_out.is_empty();
    left_out.sort_by_key(|(place, _)| *place);
    for (place, count) in left_out {
        match emission.omitted.last_mut() {
            Some(last) if last.under == seen[place].id => last.count += count,
            _ => emission.omitted.push(Omitted { under: seen[place].id, count }),
        }
    }
    emission
}

/// All elements in document order, each knowing the place of the one around it.
fn look(tree: &TreeView, top: ElementId) -> Vec<Seen<'_>> {
    let mut seen: Vec<Seen<'_>> = Vec::new();
    let mut stack = vec![(top, None, 0)];
    while let Some((id, above, depth)) = stack.pop() {
        let Some(node) = tree.get(id) else { continue };
        let place = seen.len();
        seen.push(Seen { id, node, above, depth, kept: false });
        stack.extend(node.children().iter().rev().map(|c| (*c, Some(place), depth + 1)));
    }
    seen
}

/// Keeps what has an identity, an area, or something kept inside.
fn prune(seen: &mut [Seen<'_>]) {
    for place in (0..seen.len()).rev() {
        let item = &mut seen[place];
        item.kept |= item.above.is_none() || is_worth_telling(item.node);
        if let (true, Some(above)) = (item.kept, item.above) {
            seen[above].kept = true;
        }
    }
}

fn is_worth_telling(node: &Node) -> bool {
    node.stable_id().is_some()
        || node.test_tag().is_some()
        || node.label().is_some()
        || node.text().is_some()
        || node.value().is_some()
        || node.raw_value().is_some()
        || node.omitted() > 0
        || node.bounds().is_some_and(crate::tree::Rect::has_area)
}

struct LastLevel {
    depth: usize,
    room: usize,
}

/// The deepest level that is told, and how many of its elements find room.
fn last_level(seen: &[Seen<'_>], options: &EmitOptions) -> LastLevel {
    let mut levels: Vec<usize> = Vec::new();
    for item in seen.iter().filter(|i| i.kept) {
        if levels.len() <= item.depth {
            levels.resize(item.depth + 1, 0);
        }
        levels[item.depth] += 1;
    }
    let mut room = options.max_nodes;
    for (depth, count) in levels.iter().enumerate() {
        if options.max_depth.is_some_and(|max| depth > max) {
            return LastLevel { depth, room: 0 };
        }
        if *count > room {
            return LastLevel { depth, room };
        }
        room -= count;
    }
    LastLevel { depth: levels.len(), room: 0 }
}
