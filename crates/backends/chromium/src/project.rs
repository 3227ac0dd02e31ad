//! What is shown of the accessibility tree: ignored nodes and empty scaffolding are left out and their children
//! lifted, texts that repeat a name are folded, frames are put into their elements. From one state to the next it
//! tells the smallest list of changes. Knows nothing of the browser's protocol.

use crate::node::{Facts, Raw, differences};
use std::collections::{HashMap, HashSet};
use stillpoint_core::tree::{Change, NativeKey, NewNode, Props, Rect, Role, State};

/// The element in which all windows lie.
pub(crate) const ROOT: NativeKey = NativeKey(1);

/// One element as the session knows it.
#[derive(Debug)]
struct Shown {
    props: Props,
    parent: NativeKey,
    children: Vec<NativeKey>,
}

/// The accessibility tree of all frames, the facts about its nodes, and what is shown of them.
#[derive(Default)]
pub(crate) struct Model {
    pub(crate) raw: HashMap<NativeKey, Raw>,
    pub(crate) facts: HashMap<NativeKey, Facts>,
    /// The document inside a frame element.
    pub(crate) inside: HashMap<NativeKey, NativeKey>,
    /// The frame element around a document.
    pub(crate) around: HashMap<NativeKey, NativeKey>,
    /// The windows, in order: documents of pages, dialogs.
    pub(crate) windows: Vec<NativeKey>,
    /// Windows that are no documents: dialogs, the notice about a crash.
    pub(crate) made: HashMap<NativeKey, NewNode>,
    shown: HashMap<NativeKey, Shown>,
}

impl Model {
    /// How many elements are shown.
    pub(crate) fn len(&self) -> usize {
        self.shown.len()
    }

    /// Whether the element is shown.
    pub(crate) fn is_shown(&self, key: NativeKey) -> bool {
        self.shown.contains_key(&key)
    }

    /// The element that stands for a node: itself, or the nearest shown one around it.
    pub(crate) fn nearest(&self, key: NativeKey) -> Option<NativeKey> {
        let mut at = Some(key);
        for _ in 0..1000 {
            let key = at?;
            if self.shown.contains_key(&key) {
                return Some(key);
            }
            at = self.above(key);
        }
        None
    }

    /// The node around a node, also across the border of a frame.
    pub(crate) fn above(&self, key: NativeKey) -> Option<NativeKey> {
        self.raw.get(&key).and_then(|raw| raw.parent).or_else(|| self.around.get(&key).copied())
    }

    /// How deep a node lies in its document; what is not known yet lies deepest.
    pub(crate) fn depth(&self, key: NativeKey) -> usize {
        if !self.raw.contains_key(&key) {
            return usize::MAX;
        }
        let above = |key: &NativeKey| self.raw.get(key).and_then(|raw| raw.parent);
        std::iter::successors(above(&key), above).take(1000).count()
    }

    /// Everything, as it is shown now.
    pub(crate) fn tree(&self) -> NewNode {
        self.subtree(ROOT).unwrap_or_else(|| NewNode::new(ROOT, application()))
    }

    /// One element with all that lies in it, as it is shown now.
    pub(crate) fn subtree(&self, key: NativeKey) -> Option<NewNode> {
        let shown = self.shown.get(&key)?;
        if let Some(made) = self.made.get(&key) {
            return Some(made.clone());
        }
        let mut node = NewNode::new(key, shown.props.clone());
        node.children = shown.children.iter().filter_map(|child| self.subtree(*child)).collect();
        Some(node)
    }

    /// Forgets every node of a frame.
    pub(crate) fn drop_frame(&mut self, frame: u32) {
        let gone: Vec<NativeKey> =
            self.raw.iter().filter(|(_, r)| r.frame == frame).map(|(k, _)| *k).collect();
        for key in gone {
            self.raw.remove(&key);
            self.inside.remove(&key);
        }
    }

    /// Forgets what lies in a node that is gone. What has moved out of it is named, and read, by itself.
    pub(crate) fn drop_inside(&mut self, gone: NativeKey, children: Vec<NativeKey>) {
        let mut stack: Vec<(NativeKey, NativeKey)> =
            children.into_iter().map(|child| (gone, child)).collect();
        while let Some((parent, key)) = stack.pop() {
            if self.raw.get(&key).is_some_and(|raw| raw.parent == Some(parent))
                && let Some(raw) = self.raw.remove(&key)
            {
                stack.extend(raw.children.into_iter().map(|child| (key, child)));
            }
        }
    }

    /// Forgets every fact about a frame.
    pub(crate) fn drop_facts(&mut self, frame: u32) {
        self.facts.retain(|_, facts| facts.frame != frame);
    }

    fn is_kept(&self, key: NativeKey, raw: &Raw) -> bool {
        let Some(role) = raw.role else { return false };
        match role {
            Role::Text => raw.props.label().is_some(),
            Role::Document => !self.around.contains_key(&key),
            Role::Listbox if &*raw.native == "MenuListPopup" => false,
            Role::Generic => {
                raw.props.label().is_some()
                    || raw.props.states().is(State::Focusable)
                    || self.facts.get(&key).is_some_and(|f| f.id.is_some() || f.test_tag.is_some())
            }
            _ => true,
        }
    }

    /// The elements directly inside a shown one.
    fn children_of(&self, key: NativeKey) -> Vec<NativeKey> {
        if key == ROOT {
            return self.windows.clone();
        }
        let Some(raw) = self.raw.get(&key) else { return Vec::new() };
        if raw.is_plain_input && raw.role != Some(Role::Document) {
            return Vec::new();
        }
        let mut out = Vec::new();
        self.lift(key, raw, &mut out, 0);
        self.fold(raw, &mut out);
        out
    }

    fn lift(&self, key: NativeKey, raw: &Raw, out: &mut Vec<NativeKey>, depth: usize) {
        // A broken tree must not bring us down; real pages stay far below this.
        if depth > 500 {
            return;
        }
        let inside = self.inside.get(&key);
        for child in raw.children.iter().chain(inside) {
            let Some(node) = self.raw.get(child) else { continue };
            if self.is_kept(*child, node) {
                out.push(*child);
            } else {
                self.lift(*child, node, out, depth + 1);
            }
        }
    }

    /// A text that says the name over again is not told twice.
    fn fold(&self, raw: &Raw, children: &mut Vec<NativeKey>) {
        let Some(name) = raw.props.label() else { return };
        let text = |key: &NativeKey| {
            self.raw.get(key).filter(|r| r.role == Some(Role::Text)).and_then(|r| r.props.label())
        };
        if children.iter().all(|c| text(c).is_some()) {
            let letters = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let all: String = children.iter().filter_map(text).map(letters).collect();
            if all == letters(name) {
                return children.clear();
            }
        }
        children.retain(|c| text(c) != Some(name));
    }

    /// Where a node is on the screen, through all frames around it.
    fn place(&self, key: NativeKey) -> Option<Rect> {
        let facts = self.facts.get(&key).and_then(|f| f.place);
        let raw = self.raw.get(&key)?;
        let local = facts.or_else(|| {
            // A text that fills its element has the element's place.
            let only = raw.role == Some(Role::Text);
            raw.parent.filter(|_| only).and_then(|p| self.facts.get(&p)).and_then(|f| f.place)
        })?;
        let (dx, dy) = self.offset(key)?;
        Some(Rect::new(local.x + dx, local.y + dy, local.width, local.height))
    }

    /// Where the viewport of a node's frame begins on the screen; `None` while the frame is not on screen.
    pub(crate) fn offset(&self, key: NativeKey) -> Option<(i32, i32)> {
        let frame = self.raw.get(&key)?.frame;
        let Some((element, _)) =
            self.inside.iter().find(|(_, root)| self.raw.get(root).is_some_and(|r| r.frame == frame))
        else {
            return Some((0, 0));
        };
        let facts = self.facts.get(element)?;
        let (dx, dy) = self.offset(*element)?;
        facts.place.map(|p| (p.x + facts.inset.0 + dx, p.y + facts.inset.1 + dy))
    }

    fn props_of(&self, key: NativeKey) -> Props {
        if key == ROOT {
            return application();
        }
        if let Some(made) = self.made.get(&key) {
            return made.props.clone();
        }
        match self.raw.get(&key) {
            Some(raw) => {
                let place = if raw.role == Some(Role::Document) { None } else { self.place(key) };
                let mut props = raw.shown(self.facts.get(&key), place);
                if raw.role == Some(Role::Document) {
                    props = props.state(State::OnScreen, true);
                }
                props
            }
            None => Props::default(),
        }
    }

    /// Brings what is shown up to date after these nodes changed, and tells how.
    pub(crate) fn reproject(&mut self, touched: &HashSet<NativeKey>) -> Vec<Change> {
        self.shown.entry(ROOT).or_insert_with(|| Shown {
            props: application(),
            parent: ROOT,
            children: Vec::new(),
        });
        let mut owners = HashSet::from([ROOT]);
        for key in touched {
            owners.extend(self.nearest(*key));
            owners.extend(self.above(*key).and_then(|above| self.nearest(above)));
        }
        let mut queue: Vec<NativeKey> = owners.into_iter().collect();
        queue.sort_unstable();
        let mut changes = Vec::new();
        let mut leaving: Vec<(NativeKey, NativeKey)> = Vec::new();
        while let Some(owner) = queue.pop() {
            if !self.shown.contains_key(&owner) {
                continue;
            }
            self.update_props(owner, &mut changes);
            if !self.made.contains_key(&owner) {
                self.place_children(owner, &mut changes, &mut leaving, &mut queue);
            }
        }
        for (owner, key) in leaving {
            if self.shown.get(&key).is_some_and(|s| s.parent == owner) {
                self.forget(key);
                if let Some(list) = self.shown.get_mut(&owner) {
                    list.children.retain(|c| *c != key);
                }
                changes.push(Change::Remove { key });
            }
        }
        changes
    }

    fn update_props(&mut self, key: NativeKey, changes: &mut Vec<Change>) {
        let new = self.props_of(key);
        let Some(shown) = self.shown.get_mut(&key) else { return };
        if shown.props == new {
            return;
        }
        let mut props = differences(&shown.props, &new);
        if props.is_empty() {
            // Only the digest of a protected field differs: the tree must see the (veiled) value come by.
            if let Some(raw) = self.raw.get(&key) {
                props.push(stillpoint_core::tree::Prop::Value(raw.props.value().map(Into::into)));
            }
        }
        shown.props = new;
        if !props.is_empty() {
            changes.push(Change::Update { key, props });
        }
    }

    fn place_children(
        &mut self,
        owner: NativeKey,
        changes: &mut Vec<Change>,
        leaving: &mut Vec<(NativeKey, NativeKey)>,
        queue: &mut Vec<NativeKey>,
    ) {
        let wanted = self.children_of(owner);
        let current = self.shown.get(&owner).map(|s| s.children.clone()).unwrap_or_default();
        if wanted == current {
            return;
        }
        let keep: HashSet<NativeKey> = wanted.iter().copied().collect();
        leaving.extend(current.iter().filter(|c| !keep.contains(c)).map(|c| (owner, *c)));
        let mut at = 0;
        for key in wanted {
            loop {
                let here = self.shown.get(&owner).and_then(|s| s.children.get(at)).copied();
                match here {
                    Some(other) if !keep.contains(&other) => at += 1,
                    Some(other) if other == key => break,
                    _ => {
                        self.bring(owner, at, key, changes, queue);
                        break;
                    }
                }
            }
            at += 1;
        }
    }

    /// Puts one element into its place: moves it there, or makes it.
    fn bring(
        &mut self,
        owner: NativeKey,
        at: usize,
        key: NativeKey,
        changes: &mut Vec<Change>,
        queue: &mut Vec<NativeKey>,
    ) {
        if let Some(old) = self.shown.get(&key).map(|s| s.parent) {
            if self.is_within(owner, key) {
                // Inside and outside have changed places: the old element cannot be moved into itself.
                self.forget(key);
                changes.push(Change::Remove { key });
                if let Some(list) = self.shown.get_mut(&old) {
                    list.children.retain(|c| *c != key);
                }
                return queue.push(ROOT);
            }
            if let Some(list) = self.shown.get_mut(&old) {
                list.children.retain(|c| *c != key);
            }
            if let Some(shown) = self.shown.get_mut(&key) {
                shown.parent = owner;
            }
            changes.push(Change::Move { key, parent: owner, index: at });
            queue.push(key);
        } else {
            let node = self.make(key, owner, queue);
            changes.push(Change::Insert { parent: owner, index: at, node });
        }
        if let Some(list) = self.shown.get_mut(&owner) {
            list.children.insert(at.min(list.children.len()), key);
        }
    }

    /// Makes an element with all that is new in it; what is shown elsewhere follows by a move.
    fn make(&mut self, key: NativeKey, parent: NativeKey, queue: &mut Vec<NativeKey>) -> NewNode {
        let props = self.props_of(key);
        self.shown.insert(key, Shown { props: props.clone(), parent, children: Vec::new() });
        let mut node = NewNode::new(key, props);
        if let Some(made) = self.made.get(&key) {
            node.children.clone_from(&made.children);
            return node;
        }
        let children = self.children_of(key);
        let (known, new): (Vec<_>, Vec<_>) = children.into_iter().partition(|c| self.shown.contains_key(c));
        if !known.is_empty() {
            queue.push(key);
        }
        for child in new {
            let below = self.make(child, key, queue);
            node.children.push(below);
            if let Some(shown) = self.shown.get_mut(&key) {
                shown.children.push(child);
            }
        }
        node
    }

    fn is_within(&self, key: NativeKey, top: NativeKey) -> bool {
        let mut at = key;
        while at != ROOT {
            if at == top {
                return true;
            }
            match self.shown.get(&at) {
                Some(shown) => at = shown.parent,
                None => return false,
            }
        }
        false
    }

    fn forget(&mut self, key: NativeKey) {
        let mut stack = vec![key];
        while let Some(key) = stack.pop() {
            if let Some(shown) = self.shown.remove(&key) {
                stack.extend(shown.children);
            }
        }
    }
}

fn application() -> Props {
    Props::new(Role::Application).labelled("Chromium")
}
