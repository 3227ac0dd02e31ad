//! The truth about a subtree, read again: find out what differs, and change only that.

use super::{ElementId, NewNode, Node, Tree, net};
use std::collections::HashSet;

impl Tree {
    /// Makes the subtree at `new.key` equal to `new`. An unknown key replaces the root.
    pub(super) fn replace(&mut self, new: NewNode) {
        match (self.by_key(new.key), self.view.root) {
            (Some(id), _) => self.merge(id, new),
            (None, None) => {
                self.create(None, 0, new);
            }
            (None, Some(root)) => self.replace_root(root, new),
        }
    }

    /// Another object is the root now. What is known keeps its ids; the rebind rule decides about the rest.
    fn replace_root(&mut self, old: ElementId, mut new: NewNode) {
        if self.len() + new.count() > self.limits.max_nodes {
            // There is no room for both.
            self.remove_subtree(old);
            self.create(None, 0, new);
            return;
        }
        let children = std::mem::take(&mut new.children);
        let whole = NewNode { key: new.key, props: new.props.clone(), children };
        if let Some(made) = self.create(None, 0, new) {
            self.merge(made, whole);
        }
        if self.get(old).is_some_and(|n| n.parent().is_none()) {
            self.remove_subtree(old);
        }
    }

    /// An element that is known already turns up at a certain place.
    pub(super) fn replace_at(&mut self, parent: ElementId, index: usize, new: NewNode) {
        let Some(id) = self.by_key(new.key) else { return };
        if self.is_within(parent, id) {
            self.ignored += 1;
            return;
        }
        self.move_to(id, parent, index);
        self.merge(id, new);
    }

    fn merge(&mut self, id: ElementId, new: NewNode) {
        let mut wanted = HashSet::new();
        collect_keys(&new, &mut wanted);
        let mut stack = vec![(id, new)];
        while let Some((id, new)) = stack.pop() {
            self.merge_props(id, &new.props);
            let children: Vec<ElementId> = self.get(id).map(|n| n.children().to_vec()).unwrap_or_default();
            for child in children {
                if self.get(child).is_some_and(|c| !wanted.contains(&c.key)) {
                    self.remove_subtree(child);
                }
            }
            let mut place = 0;
            for child in new.children {
                match self.by_key(child.key) {
                    Some(known) if self.is_within(id, known) => self.ignored += 1,
                    Some(known) => {
                        if self.get(id).and_then(|n| n.children().get(place)) != Some(&known) {
                            self.move_to(known, id, place);
                        }
                        stack.push((known, child));
                        place += 1;
                    }
                    None => place += usize::from(self.adopt(id, place, child, &mut stack)),
                }
            }
        }
    }

    /// Creates a new child; what lies in it may be known from elsewhere, so its children are merged, not made.
    fn adopt(
        &mut self,
        parent: ElementId,
        place: usize,
        mut child: NewNode,
        stack: &mut Vec<(ElementId, NewNode)>,
    ) -> bool {
        let children = std::mem::take(&mut child.children);
        let (key, props) = (child.key, child.props.clone());
        let Some(made) = self.create(Some(parent), place, child) else { return false };
        if !children.is_empty() {
            stack.push((made, NewNode { key, props, children }));
        }
        true
    }

    fn merge_props(&mut self, id: ElementId, new: &super::Props) {
        let Some(node) = self.get(id) else { return };
        let changes: Vec<_> = net::prop_differences(node.props(), new).map(|(_, new)| new).collect();
        for prop in changes {
            self.set_prop(id, prop);
        }
        // The digests of protected content come with the props themselves.
        self.set_veil(id, new.veil());
    }
}

fn collect_keys(node: &NewNode, keys: &mut HashSet<super::NativeKey>) {
    let mut stack: Vec<&NewNode> = vec![node];
    while let Some(node) = stack.pop() {
        keys.insert(node.key);
        stack.extend(&node.children);
    }
}

impl Tree {
    /// Whether the element was made by the batch under way.
    pub(super) fn is_new(&self, id: ElementId) -> bool {
        matches!(self.net.nodes.get(&id), Some(net::NodeChange::Added(_)))
    }

    /// The node as it was before the batch under way removed it.
    pub(super) fn removed_in_batch(&self) -> impl Iterator<Item = (ElementId, &Node)> {
        self.net.nodes.iter().filter_map(|(id, change)| match change {
            net::NodeChange::Removed(node) => Some((*id, &**node)),
            _ => None,
        })
    }
}
