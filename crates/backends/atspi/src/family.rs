//! Who belongs to whom: adopting children, letting go of the dead, and ways through the tree.

use crate::object::Object;
use crate::shadow::{Entry, Shadow, Stage};
use crate::state::NativeStates;
use std::collections::HashSet;
use stillpoint_core::tree::NativeKey;

impl Shadow {
    /// GTK 4.8 leaves out what stands between a stack and its pages when it lists the stack's children, but not when
    /// it is asked for each. A child that names another parent gives that away.
    pub(crate) fn compare_parents(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get(&key).filter(|_| self.dialect.lists_skip) else { return };
        let (Some(claimed), Some(parent)) = (&entry.facts.claimed_parent, entry.facts.parent) else { return };
        let Some(lister) = self.nodes.get(&parent).filter(|p| !p.by_index && p.facts.object != *claimed)
        else {
            return;
        };
        if lister.stage == Stage::Named {
            return;
        }
        if let Some(lister) = self.nodes.get_mut(&parent) {
            lister.by_index = true;
        }
        self.ask_children(parent);
    }

    pub(crate) fn ask_children_if_told(&mut self, parent: NativeKey, gone: bool) {
        if gone && self.nodes.get(&parent).is_some_and(|p| p.stage == Stage::Complete) {
            self.ask_children(parent);
        }
    }

    /// Takes a dead object out of its family.
    pub(crate) fn dismiss(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get_mut(&key) else { return };
        if key == self.root {
            return;
        }
        entry.dead = true;
        self.skipped.objects += u64::from(entry.stage == Stage::Named);
        // From now on its path, if used again, means another object.
        self.keys.forget(&entry.facts.object);
        let Some(parent) = entry.facts.parent else { return };
        let now = self.now;
        if let Some(parent_entry) = self.nodes.get_mut(&parent) {
            parent_entry.facts.children.retain(|child| *child != key);
            self.restructured.entry(parent).or_insert(now);
        }
        if self.nodes.get(&key).is_some_and(|e| e.told.is_none()) {
            self.drop_subtree(key);
        }
    }

    /// The children of `key` are these now, out of `count`.
    pub(crate) fn set_children(&mut self, key: NativeKey, objects: Vec<Object>, count: usize) {
        let mut children = Vec::with_capacity(objects.len().min(self.limits.max_children));
        let mut seen = HashSet::new();
        for object in objects.into_iter().take(self.limits.max_children) {
            if let Some(child) = self.adopt(key, object).filter(|child| seen.insert(*child)) {
                children.push(child);
            }
        }
        let now = self.now;
        let Some(entry) = self.nodes.get_mut(&key) else { return };
        entry.facts.omitted = u32::try_from(count.saturating_sub(children.len())).unwrap_or(u32::MAX);
        entry.facts.child_count = count;
        if entry.facts.children != children || entry.told_children != children {
            if self.checking && entry.told.is_some() && entry.told_children != children {
                self.drifted.push("children");
            }
            let before = std::mem::replace(&mut entry.facts.children, children);
            self.restructured.entry(key).or_insert(now);
            self.drop_untold(key, before);
            self.read_what_its_children_make_of_it(key);
        }
    }

    /// In a page, the name and the text of an element come from what lies in it, and change with it without a word.
    fn read_what_its_children_make_of_it(&mut self, key: NativeKey) {
        let is_read = |e: &Entry| e.stage == Stage::Complete;
        if self.dialect.web && self.nodes.get(&key).is_some_and(is_read) {
            self.ask_all(key, self.dialect.name_question());
            self.ask_text(key);
        }
    }

    /// Forgets what no parent names any more and the mirror does not have.
    pub(crate) fn forget_the_lost(&mut self) {
        let is_lost = |key: &NativeKey, entry: &Entry| {
            let parent = entry.facts.parent.and_then(|parent| self.nodes.get(&parent));
            *key != self.root
                && entry.told.is_none()
                && !parent.is_some_and(|p| p.facts.children.contains(key))
        };
        let lost: Vec<NativeKey> =
            self.nodes.iter().filter(|(key, e)| is_lost(key, e)).map(|(key, _)| *key).collect();
        for key in lost {
            self.drop_subtree(key);
        }
    }

    /// Forgets children that were never told and are gone again.
    fn drop_untold(&mut self, key: NativeKey, before: Vec<NativeKey>) {
        let Some(now) = self.nodes.get(&key).map(|e| e.facts.children.clone()) else { return };
        for child in before {
            let is_ours = |c: &Entry| c.told.is_none() && c.facts.parent == Some(key);
            if !now.contains(&child) && self.nodes.get(&child).is_some_and(is_ours) {
                self.drop_subtree(child);
            }
        }
    }

    /// The key of a child, which is read if it is new. `None` where there is no room, or where it makes no sense.
    pub(crate) fn adopt(&mut self, parent: NativeKey, object: Object) -> Option<NativeKey> {
        let known = self.keys.get(&object.name, &object.path);
        if let Some(child) = known {
            if self.is_within(parent, child) {
                if !self.entangled.contains(&parent) {
                    self.entangled.push(parent);
                }
                return None;
            }
            let before = self.nodes.get(&child)?.facts.parent;
            if before != Some(parent) && self.is_attached(child) && !self.is_attached(parent) {
                // Chromium's objects answer after they have left the page, and name children that others have by now.
                return None;
            }
            let entry = self.nodes.get_mut(&child)?;
            let came_here = entry.facts.parent.replace(parent) != Some(parent);
            if came_here {
                for parent in std::mem::take(&mut self.entangled) {
                    self.ask_children(parent);
                }
            }
            let entry = self.nodes.get_mut(&child)?;
            let untold = entry.told.is_none() && entry.stage == Stage::Complete;
            if untold && self.dialect.paths_reused {
                // It was known once and left without a word.
                self.read_what_it_is_now(child);
            } else if came_here && self.dialect.names_from_groups {
                self.ask(child, crate::read::Facet::Name);
            }
            return Some(child);
        }
        if self.nodes.len() >= self.limits.max_nodes {
            return None;
        }
        if parent == self.root && object.is_of_accesskit() {
            self.dialect.events_lag = true;
            self.dialect.structure_untold = true;
        }
        let own = self.nodes.get(&self.root).is_some_and(|root| root.facts.object.name == object.name);
        if !own && !self.strangers.contains(&object.name) {
            self.strangers.push(object.name.clone());
        }
        let (child, _) = self.keys.intern(&object);
        self.nodes.insert(child, Entry::new(object, Some(parent), self.dialect));
        self.introduce(child);
        Some(child)
    }

    /// Whether it is the root, or its parents up to the root name it.
    fn is_attached(&self, key: NativeKey) -> bool {
        let mut at = key;
        while at != self.root {
            let Some(parent) = self.nodes.get(&at).and_then(|e| e.facts.parent) else { return false };
            if !self.nodes.get(&parent).is_some_and(|p| p.facts.children.contains(&at)) {
                return false;
            }
            at = parent;
        }
        true
    }

    /// Whether `key` is `above` or lies in it.
    pub(crate) fn is_within(&self, key: NativeKey, above: NativeKey) -> bool {
        key == above || self.ancestors(key).any(|ancestor| ancestor == above)
    }

    /// What an object lies in, from the inside out.
    pub(crate) fn ancestors(&self, key: NativeKey) -> impl Iterator<Item = NativeKey> {
        let parent = |key: &NativeKey| self.nodes.get(key).and_then(|e| e.facts.parent);
        std::iter::successors(parent(&key), parent)
    }

    /// The window that an object lies in.
    pub(crate) fn toplevel(&self, key: NativeKey) -> Option<NativeKey> {
        let mut at = key;
        loop {
            let parent = self.nodes.get(&at)?.facts.parent?;
            if parent == self.root {
                return Some(at);
            }
            at = parent;
        }
    }

    /// The objects that say that they have the keyboard's focus.
    pub(crate) fn focused(&self) -> impl Iterator<Item = NativeKey> {
        let has_it = |entry: &Entry| !entry.dead && entry.facts.states.has(NativeStates::FOCUSED);
        self.nodes.iter().filter(move |(_, entry)| has_it(entry)).map(|(key, _)| *key)
    }

    /// What has to be added to an object's extents.
    pub(crate) fn origin(&self, key: NativeKey) -> (i32, i32) {
        if !self.dialect.window_relative {
            return (0, 0);
        }
        self.toplevel(key).and_then(|window| self.origins.get(&window)).copied().unwrap_or_default()
    }

    /// All objects below `key`, itself included, from the top down.
    pub(crate) fn subtree(&self, key: NativeKey) -> Vec<NativeKey> {
        let mut found = vec![key];
        let mut next = 0;
        while let Some(key) = found.get(next).copied() {
            if let Some(entry) = self.nodes.get(&key) {
                found.extend(
                    entry
                        .facts
                        .children
                        .iter()
                        .filter(|c| self.nodes.get(c).is_some_and(|child| child.facts.parent == Some(key))),
                );
            }
            next += 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Dialect, Facet};
    use stillpoint_core::tree::Limits;

    fn objects(paths: &[&str]) -> Vec<Object> {
        paths.iter().map(|path| Object::new(":1.1", path)).collect()
    }

    /// An app with nothing in it, and a way to say what lies in what.
    struct Family(Shadow);

    impl Family {
        fn new() -> Family {
            Family(Shadow::new(Object::new(":1.1", "/root"), Dialect::default(), Limits::default()))
        }

        fn key(&self, path: &str) -> NativeKey {
            self.0.keys.get(":1.1", path).expect("it was named")
        }

        fn holds(&mut self, parent: &str, children: &[&str]) {
            let key = self.key(parent);
            self.0.set_children(key, objects(children), children.len());
            // As if all had been read.
            for entry in self.0.nodes.values_mut() {
                (entry.stage, entry.in_flight) = (Stage::Complete, 0);
            }
        }

        fn parent_of(&self, path: &str) -> Option<NativeKey> {
            self.0.nodes[&self.key(path)].facts.parent
        }
    }

    #[test]
    fn a_child_is_not_given_to_somebody_who_has_left() {
        let mut family = Family::new();
        family.holds("/root", &["/stays", "/leaves"]);
        family.holds("/stays", &["/child"]);
        let left = family.key("/leaves");
        family.0.nodes.get_mut(&left).unwrap().told = Some(stillpoint_core::tree::Props::default());
        family.holds("/root", &["/stays"]);
        family.holds("/leaves", &["/child"]);
        assert_eq!(family.parent_of("/child"), Some(family.key("/stays")));
        // One who is there may have it.
        family.holds("/root", &["/stays", "/other"]);
        family.holds("/other", &["/child"]);
        assert_eq!(family.parent_of("/child"), Some(family.key("/other")));
    }

    #[test]
    fn those_who_changed_places_are_asked_again_when_that_is_known() {
        let mut family = Family::new();
        family.holds("/root", &["/outer"]);
        family.holds("/outer", &["/inner"]);
        // The inner one is the outer one now, and it is heard of before its parent is.
        family.holds("/inner", &["/outer"]);
        assert_eq!(family.parent_of("/outer"), Some(family.0.root), "nobody lies in what lies in it");
        family.0.waiting.clear();
        family.holds("/root", &["/inner"]);
        let inner = family.key("/inner");
        assert!(family.0.waiting.iter().any(|q| q.key == inner), "it is asked what lies in it");
    }

    #[test]
    fn what_was_put_off_is_asked_when_the_first_tree_is_there() {
        let mut family = Family::new();
        family.0.put_off();
        let root = family.0.root;
        family.0.ask(root, Facet::Actions);
        assert!(family.0.waiting.is_empty());
        family.0.ask_what_was_put_off();
        assert!(family.0.waiting.iter().any(|q| q.key == root && q.facet == Facet::Actions));
        family.0.waiting.clear();
        let (next, _) = family.0.keys.intern(&Object::new(":1.1", "/next"));
        assert!(!family.0.puts_off(next, Facet::Actions), "from now on nothing is put off");
    }
}
