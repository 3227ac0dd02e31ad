//! What the mirror is told: the difference between what is known now and what it was told before.

use crate::node::differences;
use crate::shadow::{Shadow, Stage};
use std::collections::HashSet;
use stillpoint_core::tree::{Change, NativeKey, NewNode, Prop, Str};
use tokio::time::Instant;

/// How often families are gone through in one telling; what is left waits for the next.
const MAX_PASSES: usize = 8;

/// Which screen is shown, as last told.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ToldScreen {
    title: Option<Str>,
    active: Option<NativeKey>,
}

impl Shadow {
    /// Everything, as one tree. The mirror counts as told from then on.
    pub(crate) fn tell_all(&mut self) -> NewNode {
        let root = self.root;
        self.restructured.clear();
        self.changed.clear();
        self.tell_subtree(root, None)
    }

    /// What has changed since it was last told, and since when.
    pub(crate) fn tell(&mut self, received: Instant) -> (Instant, Vec<Change>) {
        let mut changes = Vec::new();
        let mut at = received;
        // Telling a family can leave something to be told of another one: what moved into a subtree that is new.
        for _ in 0..MAX_PASSES {
            let parents: Vec<NativeKey> = self.restructured.keys().copied().collect();
            let mut parents: Vec<NativeKey> =
                parents.into_iter().filter(|key| self.can_be_told(*key)).collect();
            if parents.is_empty() {
                break;
            }
            parents.sort_unstable();
            let told_before = changes.len();
            for parent in &parents {
                if let Some(since) = self.restructured.remove(parent) {
                    at = at.min(since);
                }
                self.tell_arrivals(*parent, &mut changes);
            }
            for parent in &parents {
                self.tell_family(*parent, &mut changes);
            }
            if self.dialect.moves_untold && changes.len() > told_before {
                self.jostled.extend(parents);
            }
        }
        let changed: Vec<NativeKey> = self.changed.drain().collect();
        for key in changed {
            self.tell_props(key, &mut changes);
        }
        (at, changes)
    }

    /// Whether a change of this object's family can be told: the mirror knows it, and all new ones are read.
    fn can_be_told(&self, key: NativeKey) -> bool {
        self.nodes.get(&key).is_some_and(|e| e.told.is_some())
            && self.family(key).all(|child| self.is_ready(child))
    }

    fn is_ready(&self, key: NativeKey) -> bool {
        let mut open = vec![key];
        while let Some(key) = open.pop() {
            match self.nodes.get(&key) {
                Some(entry) if entry.told.is_some() => {}
                Some(entry) if entry.stage == Stage::Complete => open.extend(self.family(key)),
                _ => return false,
            }
        }
        true
    }

    /// The children that an object really has: those that no other object has claimed since.
    fn family(&self, key: NativeKey) -> impl Iterator<Item = NativeKey> {
        let children = self.nodes.get(&key).map(|e| e.facts.children.as_slice()).unwrap_or_default();
        children.iter().copied().filter(move |child| {
            self.nodes.get(child).is_some_and(|c| c.facts.parent == Some(key) && !c.dead)
        })
    }

    /// Objects that came from elsewhere are moved before anything is removed, so that they keep their identity.
    fn tell_arrivals(&mut self, parent: NativeKey, changes: &mut Vec<Change>) {
        let family: Vec<NativeKey> = self.family(parent).collect();
        for child in family {
            let Some(entry) = self.nodes.get_mut(&child) else { continue };
            if entry.told.is_none() || entry.told_parent == Some(parent) {
                continue;
            }
            if let Some(old) = entry.told_parent.replace(parent).and_then(|old| self.nodes.get_mut(&old)) {
                old.told_children.retain(|c| *c != child);
            }
            if let Some(new) = self.nodes.get_mut(&parent) {
                changes.push(Change::Move { key: child, parent, index: new.told_children.len() });
                new.told_children.push(child);
            }
        }
    }

    fn tell_family(&mut self, parent: NativeKey, changes: &mut Vec<Change>) {
        let family: Vec<NativeKey> = self.family(parent).collect();
        let Some(entry) = self.nodes.get(&parent) else { return };
        let mut list = entry.told_children.clone();
        let wanted: HashSet<NativeKey> = family.iter().copied().collect();
        list.retain(|child| {
            let stays = wanted.contains(child) || self.belongs_elsewhere(*child, parent);
            if !stays {
                changes.push(Change::Remove { key: *child });
                self.drop_subtree(*child);
            }
            stays
        });
        for (index, child) in family.into_iter().enumerate() {
            if list.get(index) == Some(&child) {
                continue;
            }
            if let Some(place) = list.iter().position(|c| *c == child) {
                list.remove(place);
                changes.push(Change::Move { key: child, parent, index });
            } else {
                let node = self.tell_subtree(child, Some(parent));
                changes.push(Change::Insert { parent, index, node });
            }
            list.insert(index.min(list.len()), child);
        }
        if let Some(entry) = self.nodes.get_mut(&parent) {
            entry.told_children = list;
            self.changed.insert(parent);
        }
    }

    /// Whether an object that left `parent` is known to live under another one, which will claim it.
    fn belongs_elsewhere(&self, child: NativeKey, parent: NativeKey) -> bool {
        self.nodes.get(&child).is_some_and(|c| {
            !c.dead
                && c.facts.parent.is_some_and(|p| p != parent && self.nodes.get(&p).is_some_and(|p| !p.dead))
        })
    }

    fn tell_props(&mut self, key: NativeKey, changes: &mut Vec<Change>) {
        let origin = self.origin(key);
        let Some(entry) = self.nodes.get_mut(&key) else { return };
        let Some(told) = &mut entry.told else { return };
        let props = entry.facts.props(origin);
        let differences = differences(told, &props);
        if differences.is_empty() {
            return;
        }
        *told = props;
        let has_moved = differences.iter().any(|prop| matches!(prop, Prop::Bounds(_)));
        if self.dialect.moves_untold && has_moved && !entry.motion.is_endless() {
            self.jostled.extend(entry.told_parent);
        }
        changes.push(Change::Update { key, props: differences });
    }

    /// A subtree as the mirror is told it, which counts as told from then on.
    fn tell_subtree(&mut self, key: NativeKey, parent: Option<NativeKey>) -> NewNode {
        let family: Vec<NativeKey> = self.family(key).filter(|child| self.is_ready(*child)).collect();
        // What the mirror has elsewhere is moved here afterwards: two elements of one object cannot be.
        let is_new = |child: &NativeKey| self.nodes.get(child).is_some_and(|c| c.told.is_none());
        let (children, arriving): (Vec<NativeKey>, Vec<NativeKey>) = family.into_iter().partition(is_new);
        let origin = self.origin(key);
        self.changed.remove(&key);
        self.restructured.remove(&key);
        if !arriving.is_empty() {
            self.restructured.insert(key, self.now);
        }
        let mut node = NewNode::new(key, stillpoint_core::tree::Props::default());
        if let Some(entry) = self.nodes.get_mut(&key) {
            let props = entry.facts.props(origin);
            node.props = props.clone();
            entry.told = Some(props);
            entry.told_parent = parent;
            entry.told_children.clone_from(&children);
        }
        node.children = children.into_iter().map(|child| self.tell_subtree(child, Some(key))).collect();
        node
    }

    /// What the mirror was told of a subtree, once more.
    pub(crate) fn told_subtree(&self, key: NativeKey) -> Option<NewNode> {
        let entry = self.nodes.get(&key)?;
        let mut node = NewNode::new(key, entry.told.clone()?);
        node.children = entry.told_children.iter().filter_map(|child| self.told_subtree(*child)).collect();
        Some(node)
    }

    /// Forgets a subtree. What of it lives elsewhere by now is kept, but has to be told anew.
    pub(crate) fn drop_subtree(&mut self, top: NativeKey) {
        let mut open = vec![top];
        while let Some(key) = open.pop() {
            let now = self.now;
            let Some(entry) = self.nodes.get_mut(&key) else { continue };
            let told_children = std::mem::take(&mut entry.told_children);
            entry.told = None;
            entry.told_parent = None;
            let (parent, dead) = (entry.facts.parent, entry.dead);
            let Some(entry) = self.nodes.get(&key) else { continue };
            let is = |child: &&NativeKey, of: fn(&crate::shadow::Entry) -> Option<NativeKey>| {
                self.nodes.get(child).is_some_and(|c| of(c) == Some(key))
            };
            open.extend(told_children.iter().filter(|child| is(child, |c| c.told_parent)));
            open.extend(entry.facts.children.iter().filter(|child| is(child, |c| c.facts.parent)));
            if key != top
                && !dead
                && let Some(parent) = parent.filter(|p| self.nodes.contains_key(p))
            {
                self.restructured.entry(parent).or_insert(now);
                continue;
            }
            self.forget(key);
        }
    }

    fn forget(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.remove(&key) else { return };
        let object = &entry.facts.object;
        if self.keys.get(&object.name, &object.path) == Some(key) {
            self.keys.forget(object);
        }
        self.restructured.remove(&key);
        self.changed.remove(&key);
        self.jostled.remove(&key);
        self.origins.remove(&key);
        if self.active == Some(key) {
            self.active = None;
        }
    }

    /// Which screen is shown, if that differs from what was told.
    pub(crate) fn tell_screen(&mut self, told: &mut ToldScreen) -> Option<Change> {
        let windows =
            self.nodes.get(&self.root).map(|root| root.told_children.as_slice()).unwrap_or_default();
        let find = |bit| {
            let has = |key: &&NativeKey| self.nodes.get(key).is_some_and(|e| e.facts.states.has(bit));
            windows.iter().rev().find(has).copied()
        };
        let known = self.active.filter(|key| windows.contains(key));
        let active = known
            .or_else(|| find(crate::state::NativeStates::ACTIVE))
            .or_else(|| find(crate::state::NativeStates::SHOWING));
        let title = active.and_then(|key| self.nodes.get(&key)).and_then(|e| e.facts.name.clone());
        let now = ToldScreen { title, active };
        if *told == now || active.is_none() {
            return None;
        }
        *told = now.clone();
        // An untitled window has an empty title; `None` would leave the old one standing.
        Some(Change::Screen { title: Some(now.title.unwrap_or_default()), url: None, active: now.active })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Object;
    use crate::read::Dialect;
    use stillpoint_core::tree::{Limits, Rect};

    /// A box with two buttons in it, told, in a toolkit that tells moves or does not.
    fn shadow(moves_untold: bool) -> (Shadow, NativeKey, [NativeKey; 2]) {
        let dialect = Dialect { moves_untold, ..Dialect::default() };
        let mut shadow = Shadow::new(Object::new(":1.1", "/root"), dialect, Limits::default());
        let root = shadow.root;
        let objects = ["/first", "/second"].map(|path| Object::new(":1.1", path));
        shadow.set_children(root, objects.to_vec(), 2);
        let children = shadow.nodes.get(&root).map(|e| e.facts.children.clone()).unwrap_or_default();
        for entry in shadow.nodes.values_mut() {
            entry.stage = Stage::Complete;
        }
        let _ = shadow.tell_all();
        let [first, second] = children.try_into().expect("two children");
        (shadow, root, [first, second])
    }

    /// The app was found to have it elsewhere, and the mirror is told.
    fn move_and_tell(shadow: &mut Shadow, key: NativeKey, x: i32) {
        let before = crate::follow::Before::of(&shadow.nodes[&key].facts);
        if let Some(entry) = shadow.nodes.get_mut(&key) {
            entry.facts.states.set(crate::state::NativeStates::SHOWING, true);
            entry.facts.extents = Some(Rect::new(x, 0, 10, 10));
        }
        shadow.place_learned(key, &before);
        shadow.changed.insert(key);
        let _ = shadow.tell(Instant::now());
    }

    #[test]
    fn around_what_moved_others_are_looked_at_where_the_toolkit_does_not_tell_moves() {
        for moves_untold in [true, false] {
            let (mut shadow, root, [first, _]) = shadow(moves_untold);
            move_and_tell(&mut shadow, first, 5);
            assert_eq!(shadow.jostled.contains(&root), moves_untold);
        }
    }

    #[test]
    fn around_who_came_or_left_others_are_looked_at() {
        let (mut shadow, root, _) = shadow(true);
        shadow.set_children(root, vec![Object::new(":1.1", "/second")], 1);
        let (_, changes) = shadow.tell(Instant::now());
        assert!(matches!(changes[0], Change::Remove { .. }), "{changes:?}");
        assert!(shadow.jostled.contains(&root));
    }

    #[test]
    fn what_never_rests_makes_nobody_look_around() {
        let (mut shadow, _, [spinner, _]) = shadow(true);
        for x in 0..100 {
            move_and_tell(&mut shadow, spinner, x);
        }
        shadow.jostled.clear();
        move_and_tell(&mut shadow, spinner, 200);
        assert!(shadow.jostled.is_empty());
    }
}
