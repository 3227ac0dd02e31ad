//! Applying changes. Every edit goes through a few primitives that keep the indices, both digests and the record
//! of the net effect true; nothing else writes to the arena.

use super::hash::{self, NodeHash};
use super::net::{Field, Net};
use super::node::{Children, Veil};
use super::{Change, ElementId, NativeKey, NewNode, Node, Prop, Screen, State, StateValue, Tree};
use std::collections::VecDeque;
use std::sync::Arc;

/// The inverse of the hash base modulo 2^64: undoes one multiplication when a child leaves.
const fn inverse(base: u64) -> u64 {
    // Newton's iteration doubles the number of correct bits; an odd number is its own inverse modulo 8.
    let mut x = base;
    let mut i = 0;
    while i < 5 {
        x = x.wrapping_mul(2u64.wrapping_sub(base.wrapping_mul(x)));
        i += 1;
    }
    x
}

impl Tree {
    /// Applies a batch, and gives what it changed in sum, with the number of changes that referred to nothing.
    pub(crate) fn apply(&mut self, changes: Vec<Change>) -> (Net, usize) {
        for change in changes {
            self.apply_one(change);
        }
        self.rebind();
        let mut net = std::mem::take(&mut self.net);
        net.drop_noops(None);
        (net, std::mem::take(&mut self.ignored))
    }

    fn apply_one(&mut self, change: Change) {
        match change {
            Change::Insert { parent, index, node } => match self.by_key(parent) {
                Some(parent) if self.by_key(node.key).is_none() => {
                    self.create(Some(parent), index, node);
                }
                Some(parent) => self.replace_at(parent, index, node),
                None => self.ignored += 1,
            },
            Change::Remove { key } => match self.by_key(key) {
                Some(id) => self.remove_subtree(id),
                None => self.ignored += 1,
            },
            Change::Move { key, parent, index } => match (self.by_key(key), self.by_key(parent)) {
                (Some(id), Some(parent)) if !self.is_within(parent, id) => self.move_to(id, parent, index),
                _ => self.ignored += 1,
            },
            Change::Update { key, props } => match self.by_key(key) {
                Some(id) => props.into_iter().for_each(|prop| self.set_prop(id, prop)),
                None => self.ignored += 1,
            },
            Change::Replace(node) => self.replace(node),
            Change::Screen { title, url, active } => self.set_screen(title, url, active),
        }
    }

    fn set_screen(&mut self, title: Option<super::Str>, url: Option<super::Str>, active: Option<NativeKey>) {
        let old = Screen::clone(&self.view.screen);
        let mut new = old.clone();
        // An empty title is none.
        if let Some(title) = title {
            new.title = Some(title).filter(|t| !t.is_empty());
        }
        if let Some(url) = url {
            new.url = Some(url).filter(|u| !u.is_empty());
        }
        if let Some(key) = active {
            new.active_window = self.by_key(key);
        }
        if new != old {
            self.view.screen = Arc::new(new.clone());
            self.net.screen(old, new);
        }
    }

    /// Sets one property of a living element.
    pub(super) fn set_prop(&mut self, id: ElementId, prop: Prop) {
        let Some(node) = self.view.arena.get(id) else { return };
        if matches!(prop, Prop::State(State::Protected, Some(StateValue::On))) && !node.is_protected() {
            // What it showed until now must not stay behind in the tree; only its digests do.
            let veil = node.content();
            self.set_prop(id, Prop::Text(None));
            self.set_prop(id, Prop::Value(None));
            self.set_prop(id, Prop::RawValue(None));
            self.set_plain(id, prop);
            self.set_veil(id, veil);
        } else {
            self.set_plain(id, prop);
        }
    }

    fn set_plain(&mut self, id: ElementId, prop: Prop) {
        let Some(node) = self.view.arena.get(id) else { return };
        let names = matches!(prop, Prop::StableId(_) | Prop::TestTag(_));
        let words = matches!(prop, Prop::Label(_) | Prop::Text(_));
        let busy = matches!(prop, Prop::State(State::Busy, _));
        let place = matches!(prop, Prop::Bounds(_) | Prop::State(State::OnScreen, _));
        if names {
            self.index.remove_names(id, node);
        } else if words {
            self.index.remove_words(id, node);
        }
        let role = node.role();
        let Some(node) = self.view.arena.get_mut(id) else { return };
        let before = (node.semantic.subtree(), node.layout.subtree());
        let veiled = node.veil();
        let old = node.props.set(prop);
        let new = read_back(node, &old);
        let veil = (veiled != node.veil()).then(|| Field::Veiled { old: veiled, new: node.veil() });
        let changed = old != new;
        if changed && place {
            node.layout.own = hash::layout(&node.props);
        } else if changed || veil.is_some() {
            node.semantic.own = hash::semantic(&node.props);
        }
        let new_role = node.role();
        if names {
            self.index.add_names(id, node);
        } else if words {
            self.index.add_words(id, node);
        }
        if names || busy {
            self.index.renew_unfinished(id, node);
        }
        if role != new_role {
            self.index.remove_role(id, role);
            self.index.add_role(id, new_role);
        }
        if changed {
            self.net.changed(id, Field::Prop { old, new });
        }
        if let Some(veil) = veil {
            self.net.changed(id, veil);
        }
        self.bubble(id, before);
    }

    /// Sets the digests of a protected element's content.
    pub(super) fn set_veil(&mut self, id: ElementId, veil: Veil) {
        let Some(old) = self.view.arena.get(id).map(|n| n.veil()).filter(|old| *old != veil) else { return };
        let Some(node) = self.view.arena.get_mut(id) else { return };
        let before = (node.semantic.subtree(), node.layout.subtree());
        node.props.set_veil(veil);
        node.semantic.own = hash::semantic(&node.props);
        self.net.changed(id, Field::Veiled { old, new: veil });
        self.bubble(id, before);
    }

    /// Carries a change of a subtree's digests up to the root.
    fn bubble(&mut self, id: ElementId, before: (u64, u64)) {
        let (mut child, mut before) = (id, before);
        while let Some(node) = self.view.arena.get(child) {
            let after = (node.semantic.subtree(), node.layout.subtree());
            if after == before {
                return;
            }
            let Some(parent) = node.parent else { return };
            let Some(position) = self.view.position(child) else { return };
            let weight = hash::power(position);
            let Some(node) = self.view.arena.get_mut(parent) else { return };
            let above = (node.semantic.subtree(), node.layout.subtree());
            let step = |sum: &mut u64, old: u64, new: u64| {
                *sum = sum.wrapping_add(new.wrapping_sub(old).wrapping_mul(weight));
            };
            step(&mut node.semantic.children, before.0, after.0);
            step(&mut node.layout.children, before.1, after.1);
            (child, before) = (parent, above);
        }
    }

    /// Makes a new element with all that lies in it, breadth first and within the cap, and puts it in place.
    pub(super) fn create(
        &mut self,
        parent: Option<ElementId>,
        index: usize,
        node: NewNode,
    ) -> Option<ElementId> {
        let mut made: Vec<ElementId> = Vec::new();
        let mut queue: VecDeque<(Option<ElementId>, NewNode)> = VecDeque::from([(None, node)]);
        while let Some((under, mut new)) = queue.pop_front() {
            if self.view.arena.len() >= self.limits.max_nodes {
                self.leave_out(under.or(parent), &new);
                continue;
            }
            // A key that is alive already would make two elements of one object.
            if self.by_key(new.key).is_some() {
                self.ignored += 1;
                continue;
            }
            let id = self.next_id()?;
            let children = std::mem::take(&mut new.children);
            self.enter(id, under, new);
            if let Some(under) = under.and_then(|u| self.view.arena.get_mut(u)) {
                under.children.edit().push(id);
            }
            made.push(id);
            queue.extend(children.into_iter().map(|c| (Some(id), c)));
        }
        let top = *made.first()?;
        for id in made.iter().rev() {
            self.sum_children(*id);
        }
        match parent {
            Some(parent) => self.link(parent, index, top),
            None => self.view.root = Some(top),
        }
        self.assign_window(top, false);
        for id in made {
            if let Some(node) = self.view.arena.get(id) {
                self.net.added(id, node.clone());
            }
        }
        Some(top)
    }

    /// Notes on the nearest mirrored element that part of it is not mirrored.
    fn leave_out(&mut self, under: Option<ElementId>, new: &NewNode) {
        let Some(under) = under else { return };
        let Some(node) = self.view.arena.get(under) else { return };
        let omitted = node.omitted().saturating_add(1 + new.props.omitted());
        self.set_prop(under, Prop::Omitted(omitted));
    }

    fn next_id(&mut self) -> Option<ElementId> {
        self.last_id = self.last_id.checked_add(1)?;
        ElementId::new(self.last_id)
    }

    fn enter(&mut self, id: ElementId, parent: Option<ElementId>, new: NewNode) {
        let node = Node {
            key: new.key,
            parent,
            window: None,
            children: Children::default(),
            semantic: NodeHash { own: hash::semantic(&new.props), children: 0 },
            layout: NodeHash { own: hash::layout(&new.props), children: 0 },
            props: new.props,
        };
        self.view.arena.insert(id, node);
        if let Some(node) = self.view.arena.get(id) {
            self.index.add(&self.view.arena, id, node);
        }
    }

    /// Computes a node's share of its children's digests from the children themselves.
    fn sum_children(&mut self, id: ElementId) {
        let Some(node) = self.view.arena.get(id) else { return };
        let sum = self.weighted(node.children(), 0);
        if let Some(node) = self.view.arena.get_mut(id) {
            (node.semantic.children, node.layout.children) = sum;
        }
    }

    /// The weighted sum of the digests of `children`, the first of which stands at `offset`.
    fn weighted(&self, children: &[ElementId], offset: usize) -> (u64, u64) {
        let mut sum = (0u64, 0u64);
        for (i, child) in children.iter().enumerate() {
            if let Some(child) = self.view.arena.get(*child) {
                let weight = hash::power(offset + i);
                sum.0 = sum.0.wrapping_add(child.semantic.subtree().wrapping_mul(weight));
                sum.1 = sum.1.wrapping_add(child.layout.subtree().wrapping_mul(weight));
            }
        }
        sum
    }

    /// The sum over the children before `index`, read from whichever side is shorter.
    fn sum_before(&self, children: &[ElementId], index: usize, total: (u64, u64)) -> (u64, u64) {
        if index <= children.len() / 2 {
            return self.weighted(&children[..index], 0);
        }
        let after = self.weighted(&children[index..], index);
        (total.0.wrapping_sub(after.0), total.1.wrapping_sub(after.1))
    }

    /// Puts an element that is in the arena among the children of `parent`.
    fn link(&mut self, parent: ElementId, index: usize, child: ElementId) {
        let Some(node) = self.view.arena.get(parent) else { return };
        let Some(kid) = self.view.arena.get(child) else { return };
        let kid = (kid.semantic.subtree(), kid.layout.subtree());
        let index = index.min(node.children().len());
        let total = (node.semantic.children, node.layout.children);
        let head = self.sum_before(node.children(), index, total);
        let weight = hash::power(index);
        // Whoever stands behind moves up by one place: their part of the sum is multiplied by the base once.
        let grown = |head: u64, total: u64, kid: u64| {
            let tail = total.wrapping_sub(head).wrapping_mul(hash::power(1));
            head.wrapping_add(kid.wrapping_mul(weight)).wrapping_add(tail)
        };
        let sums = (grown(head.0, total.0, kid.0), grown(head.1, total.1, kid.1));
        self.edit_children(parent, sums, |children| children.insert(index, child));
        if let Some(kid) = self.view.arena.get_mut(child) {
            kid.parent = Some(parent);
        }
    }

    /// Takes an element out of its parent's children; it stays in the arena, with its parent remembered.
    fn unlink(&mut self, child: ElementId) {
        let Some(kid) = self.view.arena.get(child) else { return };
        let Some(parent) = kid.parent else { return };
        let kid = (kid.semantic.subtree(), kid.layout.subtree());
        let Some(index) = self.view.position(child) else { return };
        let Some(node) = self.view.arena.get(parent) else { return };
        let total = (node.semantic.children, node.layout.children);
        let head = self.sum_before(node.children(), index, total);
        let weight = hash::power(index);
        let back = const { inverse(hash::BASE) };
        let shrunk = |head: u64, total: u64, kid: u64| {
            let tail = total.wrapping_sub(head).wrapping_sub(kid.wrapping_mul(weight)).wrapping_mul(back);
            head.wrapping_add(tail)
        };
        let sums = (shrunk(head.0, total.0, kid.0), shrunk(head.1, total.1, kid.1));
        self.edit_children(parent, sums, |children| {
            children.remove(index);
        });
    }

    /// Edits a list of children, sets the digests that belong to it, and records both.
    pub(super) fn edit_children(
        &mut self,
        parent: ElementId,
        sums: (u64, u64),
        edit: impl FnOnce(&mut Vec<ElementId>),
    ) {
        let Some(node) = self.view.arena.get_mut(parent) else { return };
        let before = (node.semantic.subtree(), node.layout.subtree());
        let old = node.children.clone();
        edit(node.children.edit());
        let new = node.children.clone();
        (node.semantic.children, node.layout.children) = sums;
        self.net.changed(parent, Field::Children { old, new });
        self.bubble(parent, before);
    }

    /// The digests that belong to a node's children now, for edits that keep them.
    pub(super) fn child_sums(&self, id: ElementId) -> (u64, u64) {
        self.view.arena.get(id).map_or((0, 0), |n| (n.semantic.children, n.layout.children))
    }

    /// Removes an element with all that lies in it.
    pub(super) fn remove_subtree(&mut self, id: ElementId) {
        self.unlink(id);
        if self.view.root == Some(id) {
            self.view.root = None;
        }
        let gone: Vec<ElementId> = self.view.walk_from(id).map(|(id, _)| id).collect();
        for id in gone {
            self.forget(id);
        }
    }

    /// Takes one element out of the arena and the indices.
    fn forget(&mut self, id: ElementId) {
        if let Some(node) = self.view.arena.get(id) {
            self.index.remove(id, node);
        }
        if let Some(node) = self.view.arena.remove(id) {
            self.net.removed(id, node);
        }
        if self.view.screen.active_window == Some(id) {
            let old = Screen::clone(&self.view.screen);
            let new = Screen { active_window: None, ..old.clone() };
            self.view.screen = Arc::new(new.clone());
            self.net.screen(old, new);
        }
    }

    /// Gives a living element another place.
    pub(super) fn move_to(&mut self, id: ElementId, parent: ElementId, index: usize) {
        let old = self.view.get(id).and_then(Node::parent);
        if old == Some(parent) && self.view.position(id) == Some(index) {
            return;
        }
        self.unlink(id);
        self.link(parent, index, id);
        if old != Some(parent) {
            self.net.changed(id, Field::Parent { old, new: Some(parent) });
            self.assign_window(id, true);
        }
    }

    /// The window of an element is the top-level element that it lies in. New elements are recorded with it later.
    fn assign_window(&mut self, top: ElementId, record: bool) {
        let Some(node) = self.view.get(top) else { return };
        let window = match node.parent {
            None => None,
            Some(parent) if Some(parent) == self.view.root => Some(top),
            Some(parent) => self.view.get(parent).and_then(Node::window),
        };
        let ids: Vec<ElementId> = self.view.walk_from(top).map(|(id, _)| id).collect();
        for id in ids {
            // Below the root, each child of the root is a window of its own.
            let own = if Some(top) == self.view.root && id != top {
                std::iter::once(id)
                    .chain(self.view.ancestors(id))
                    .find(|a| self.view.get(*a).and_then(Node::parent) == self.view.root)
            } else {
                window
            };
            let Some(node) = self.view.arena.get_mut(id) else { continue };
            let old = std::mem::replace(&mut node.window, own);
            if old != own && record {
                self.net.changed(id, Field::Window { old, new: own });
            }
        }
    }

    /// Moves what is known of `from` to the dead id `to`: the platform replaced an object by an equal one.
    pub(super) fn rename(&mut self, from: ElementId, to: ElementId) {
        let Some(node) = self.view.arena.get(from) else { return };
        self.index.remove(from, node);
        let Some(node) = self.view.arena.remove(from) else { return };
        let (parent, children) = (node.parent, node.children().to_vec());
        self.net.nodes.remove(&from);
        self.view.arena.insert(to, node.clone());
        if let Some(node) = self.view.arena.get(to) {
            self.index.add(&self.view.arena, to, node);
        }
        self.net.added(to, node);
        if let Some(parent) = parent {
            let sums = self.child_sums(parent);
            self.edit_children(parent, sums, |list| {
                if let Some(place) = list.iter_mut().find(|c| **c == from) {
                    *place = to;
                }
            });
        } else {
            self.view.root = Some(to);
        }
        for child in children {
            if let Some(node) = self.view.arena.get_mut(child) {
                node.parent = Some(to);
                self.net.changed(child, Field::Parent { old: Some(from), new: Some(to) });
            }
        }
        if self.view.get(to).and_then(Node::window) == Some(from) {
            self.assign_window(to, true);
        }
        if self.view.screen.active_window == Some(from) {
            let old = Screen::clone(&self.view.screen);
            let new = Screen { active_window: Some(to), ..old.clone() };
            self.view.screen = Arc::new(new.clone());
            self.net.screen(old, new);
        }
    }
}

/// The value that a property has now, of the same kind as `old`.
fn read_back(node: &Node, old: &Prop) -> Prop {
    match old {
        Prop::Role(_) => Prop::Role(node.props.role),
        Prop::NativeRole(_) => Prop::NativeRole(node.props.native_role.clone()),
        Prop::StableId(_) => Prop::StableId(node.props.stable_id.clone()),
        Prop::Label(_) => Prop::Label(node.props.label.clone()),
        Prop::Text(_) => Prop::Text(node.props.text.clone()),
        Prop::Value(_) => Prop::Value(node.props.value.clone()),
        Prop::Bounds(_) => Prop::Bounds(node.props.bounds),
        Prop::Omitted(_) => Prop::Omitted(node.props.omitted),
        Prop::State(state, _) => Prop::State(*state, node.props.states.get(*state)),
        Prop::RawValue(_) => Prop::RawValue(node.raw_value()),
        Prop::ValueRange(_) => Prop::ValueRange(node.value_range()),
        Prop::TestTag(_) => Prop::TestTag(node.props.extra.as_ref().and_then(|e| e.test_tag.clone())),
        Prop::Description(_) => {
            Prop::Description(node.props.extra.as_ref().and_then(|e| e.description.clone()))
        }
        Prop::Actions(_) => Prop::Actions(
            node.props.extra.as_ref().and_then(|e| e.actions.clone()).unwrap_or_else(|| Arc::new([])),
        ),
    }
}
