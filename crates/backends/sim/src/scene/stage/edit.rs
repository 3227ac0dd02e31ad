//! Changes of structure: elements come, go, move, and give way to others.

use super::{Item, Stage};
use crate::scene::Element;
use std::collections::{BTreeMap, HashMap};
use stillpoint_core::tree::{Change, NativeKey};

/// From so many children on, a list is not laid out for each new one.
const LONG_LIST: usize = 64;

impl Stage {
    /// Puts a new element in its place.
    pub(crate) fn insert(
        &mut self,
        parent: NativeKey,
        at: Option<usize>,
        element: &Element,
        names: &BTreeMap<String, String>,
    ) -> Option<NativeKey> {
        self.get(parent)?;
        let key = self.build(Some(parent), element, names);
        self.link(parent, at, key);
        // A long list is laid out once for all that is put into it, when the batch is told: 2,000 rows one by one took
        // three seconds.
        if self.children(parent).len() < LONG_LIST {
            self.settle();
        }
        self.announce(key);
        Some(key)
    }

    /// Puts a new element in the place of another. Its wording may still speak of what it replaces.
    pub(crate) fn substitute(&mut self, old: NativeKey, element: &Element, names: &BTreeMap<String, String>) {
        let Some(parent) = self.get(old).and_then(|item| item.parent) else { return };
        let at = self.children(parent).iter().position(|c| *c == old);
        let new = self.build(Some(parent), element, names);
        self.remove(old);
        self.link(parent, at, new);
        self.settle();
        self.announce(new);
    }

    fn link(&mut self, parent: NativeKey, at: Option<usize>, key: NativeKey) {
        if let Some(item) = self.items.get_mut(&parent) {
            let at = at.unwrap_or(item.children.len()).min(item.children.len());
            item.children.insert(at, key);
        }
        self.mark_flow(key);
    }

    fn announce(&mut self, key: NativeKey) {
        let Some(parent) = self.get(key).and_then(|item| item.parent) else { return };
        let index = self.children(parent).iter().position(|c| *c == key).unwrap_or_default();
        let Some(node) = self.node(key) else { return };
        self.tell(key);
        self.out.push(Change::Insert { parent, index, node });
        if Some(parent) == self.root && self.role(key).is_window() {
            self.out.push(Change::Screen { title: None, url: None, active: Some(key) });
        }
    }

    pub(super) fn tell(&mut self, top: NativeKey) {
        let keys: Vec<NativeKey> = self.walk(top).map(|(key, _)| key).collect();
        for key in keys {
            if let Some(item) = self.items.get_mut(&key) {
                item.told = true;
            }
        }
    }

    /// Takes an element away, with all that lies in it.
    pub(crate) fn remove(&mut self, key: NativeKey) {
        let Some(parent) = self.get(key).and_then(|item| item.parent) else { return };
        self.mark_flow(key);
        let was_window = Some(parent) == self.root && self.role(key).is_window();
        if let Some(item) = self.items.get_mut(&parent) {
            item.children.retain(|c| *c != key);
        }
        let gone: Vec<NativeKey> = self.walk(key).map(|(key, _)| key).collect();
        for key in gone {
            self.forget(key);
        }
        self.out.push(Change::Remove { key });
        if was_window {
            self.out.push(Change::Screen { title: None, url: None, active: self.front_window() });
        }
    }

    fn forget(&mut self, key: NativeKey) {
        if self.focused == Some(key) {
            self.focused = None;
        }
        self.dirty.remove(&key);
        let Some(item) = self.items.remove(&key) else { return };
        if let Some(id) = item.props.stable_id()
            && let Some(keys) = self.by_id.get_mut(id)
        {
            keys.retain(|k| *k != key);
            if keys.is_empty() {
                self.by_id.remove(id);
            }
        }
    }

    /// Gives an element another place in the tree.
    pub(crate) fn relocate(&mut self, key: NativeKey, parent: NativeKey, at: Option<usize>) {
        if self.get(parent).is_none() || self.lineage(parent).any(|k| k == key) {
            return;
        }
        let Some(old) = self.get(key).and_then(|item| item.parent) else { return };
        self.mark_flow(key);
        if let Some(item) = self.items.get_mut(&old) {
            item.children.retain(|c| *c != key);
        }
        if let Some(item) = self.items.get_mut(&key) {
            item.parent = Some(parent);
        }
        self.link(parent, at, key);
        let index = self.children(parent).iter().position(|c| *c == key).unwrap_or_default();
        self.out.push(Change::Move { key, parent, index });
    }

    /// Puts an equal object with a new key in the place of an element, as toolkits do when they redraw a list.
    pub(crate) fn recreate(&mut self, key: NativeKey) -> Option<NativeKey> {
        let parent = self.get(key)?.parent?;
        let at = self.children(parent).iter().position(|c| *c == key)?;
        let focused = self.focused;
        let twins: Vec<(NativeKey, Item)> = self.walk(key).map(|(k, item)| (k, item.clone())).collect();
        self.remove(key);
        let mut names: HashMap<NativeKey, NativeKey> = HashMap::new();
        for (old, mut item) in twins {
            (item.told, item.children) = (false, Vec::new());
            let under = item.parent.and_then(|p| names.get(&p).copied()).unwrap_or(parent);
            let new = self.adopt(Some(under), item);
            names.insert(old, new);
            if old != key
                && let Some(item) = self.items.get_mut(&under)
            {
                item.children.push(new);
            }
            if focused == Some(old) {
                self.focused = Some(new);
            }
        }
        let new = *names.get(&key)?;
        self.link(parent, Some(at), new);
        self.settle();
        self.announce(new);
        Some(new)
    }
}
