//! A tree made small enough to travel: capped, then pruned. Without recursion, so that depth does not matter.

use std::collections::VecDeque;

use super::element::Element;

/// The most nodes that a tree reply has.
pub const MAX_TREE_NODES: usize = 2048;

impl Element {
    /// Whether it tells anything by itself: an identifier, a label, a value, or a visible area.
    fn tells_something(&self) -> bool {
        let has_text = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
        has_text(&self.unique_id)
            || has_text(&self.label)
            || has_text(&self.value)
            || self.frame.is_some_and(|frame| frame.width > 0.0 && frame.height > 0.0)
    }

    /// Keeps at most `limit` nodes, breadth-first, so that what is cut off is the deepest; then drops, from the bottom
    /// up, nodes that tell nothing and have no child left.
    pub fn pruned(roots: Vec<Self>, limit: usize) -> Vec<Self> {
        let mut nodes: Vec<(Self, Option<usize>)> = Vec::new();
        let mut queue: VecDeque<(Self, Option<usize>)> = roots.into_iter().map(|root| (root, None)).collect();
        while nodes.len() < limit
            && let Some((mut element, parent)) = queue.pop_front()
        {
            let index = nodes.len();
            queue.extend(std::mem::take(&mut element.children).into_iter().map(|child| (child, Some(index))));
            nodes.push((element, parent));
        }
        let mut kept = Vec::new();
        // Children stand behind their parents, so from the back every child comes before its parent.
        while let Some((mut element, parent)) = nodes.pop() {
            element.children.reverse();
            if element.children.is_empty() && !element.tells_something() {
                continue;
            }
            match parent {
                Some(index) => nodes[index].0.children.push(element),
                None => kept.push(element),
            }
        }
        kept.reverse();
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Rect;

    fn named(id: &str, children: Vec<Element>) -> Element {
        Element { unique_id: Some(id.into()), children, ..Element::default() }
    }

    fn nothing(children: Vec<Element>) -> Element {
        let frame = Some(Rect { width: 0.0, height: 5.0, ..Rect::default() });
        Element {
            element_type: Some("Other".into()),
            label: Some(String::new()),
            frame,
            children,
            ..Element::default()
        }
    }

    #[test]
    fn only_what_tells_nothing_and_has_no_child_left_goes() {
        let tree = vec![named(
            "a",
            vec![nothing(vec![nothing(vec![])]), nothing(vec![named("b", vec![])]), nothing(vec![])],
        )];
        let expected = vec![named("a", vec![nothing(vec![named("b", vec![])])])];
        assert_eq!(Element::pruned(tree, MAX_TREE_NODES), expected);
        assert_eq!(Element::pruned(vec![nothing(vec![nothing(vec![])])], MAX_TREE_NODES), vec![]);
    }

    #[test]
    fn an_area_is_enough_to_stay() {
        let frame = Some(Rect { width: 1.0, height: 1.0, ..Rect::default() });
        let visible = vec![Element { frame, ..Element::default() }];
        assert_eq!(Element::pruned(visible.clone(), MAX_TREE_NODES), visible);
    }

    #[test]
    fn what_is_cut_off_is_the_deepest_and_order_is_kept() {
        let tree = vec![named(
            "root",
            vec![named("x", vec![named("deep", vec![])]), named("y", vec![]), named("z", vec![])],
        )];
        let expected = vec![named("root", vec![named("x", vec![]), named("y", vec![]), named("z", vec![])])];
        assert_eq!(Element::pruned(tree, 4), expected);
    }
}
