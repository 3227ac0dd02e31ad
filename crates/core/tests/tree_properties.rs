//! Whatever changes come in, the tree stays true to itself.

#[path = "gen/mod.rs"]
mod generators;

use generators::{SKELETON, batches, qualifying_prop, seed, subtree};
use proptest::prelude::*;
use std::collections::HashSet;
use stillpoint_core::Moment;
use stillpoint_core::revise::Mirror;
use stillpoint_core::tree::{Change, ElementId, Limits, NativeKey, Node, Role, State, Tree};

fn mirror() -> Mirror {
    let mut mirror = Mirror::new(Limits::default());
    mirror.apply(vec![seed()], Moment::START);
    mirror
}

/// Parents and children agree, everything is reachable, windows are right.
fn assert_whole(tree: &Tree) {
    let reachable: HashSet<ElementId> = tree.walk().map(|(id, _)| id).collect();
    assert_eq!(reachable.len(), tree.len(), "every node is reachable from the root, once");
    for (id, node) in tree.iter() {
        for child in node.children() {
            assert_eq!(
                tree.get(*child).and_then(Node::parent),
                Some(id),
                "{child} knows that it lies in {id}"
            );
        }
        let expected = std::iter::once(id).chain(tree.ancestors(id)).find(|a| {
            let parent = tree.get(*a).and_then(Node::parent);
            parent.is_some() && parent == tree.root()
        });
        assert_eq!(node.window(), expected, "{id} knows its window");
        assert_eq!(tree.by_key(node.key()), Some(id), "{id} is found by its key");
        if let Some(name) = node.stable_id() {
            assert!(tree.by_stable_id(name).contains(&id), "{id} is found by its stable id");
        }
        for word in node.label().into_iter().chain(node.text()) {
            assert!(tree.by_label(word).contains(&id), "{id} is found by {word:?}");
        }
        assert!(tree.by_role(node.role()).any(|r| r == id), "{id} is found by its role");
    }
    let by_role: usize = Role::ALL.iter().map(|r| tree.count_of_role(*r)).sum();
    assert_eq!(by_role, tree.len(), "the index holds nobody who is gone");
    let busy =
        tree.iter().filter(|(_, node)| node.states().is(State::Busy) || node.stable_id() == Some(SKELETON));
    assert!(busy.map(|(id, _)| id).eq(tree.unfinished()), "the index knows who is not done");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn incremental_digests_equal_those_from_scratch(batches in batches()) {
        let mut mirror = mirror();
        for batch in batches {
            mirror.apply(batch, Moment::START);
            let tree = mirror.tree();
            prop_assert_eq!((tree.semantic_hash(), tree.layout_hash()), tree.hashes_from_scratch());
        }
    }

    #[test]
    fn the_tree_and_its_indices_stay_whole(batches in batches()) {
        let mut mirror = mirror();
        for batch in batches {
            mirror.apply(batch, Moment::START);
            assert_whole(mirror.tree());
        }
    }

    #[test]
    fn an_id_that_died_is_never_given_out_again(batches in batches()) {
        let mut mirror = mirror();
        let mut dead: HashSet<ElementId> = HashSet::new();
        let mut alive: HashSet<ElementId> = mirror.tree().iter().map(|(id, _)| id).collect();
        for batch in batches {
            mirror.apply(batch, Moment::START);
            let now: HashSet<ElementId> = mirror.tree().iter().map(|(id, _)| id).collect();
            dead.extend(alive.difference(&now));
            prop_assert!(now.is_disjoint(&dead));
            for id in &dead {
                prop_assert!(mirror.tree().is_dead(*id));
            }
            alive = now;
        }
    }

    #[test]
    fn inserting_a_sibling_kills_no_id(batches in batches(), node in subtree(), index in 0..5usize) {
        let mut mirror = mirror();
        for batch in batches {
            mirror.apply(batch, Moment::START);
        }
        // Keys that are alive would make it a move; only a new object is an insertion.
        let fresh = stillpoint_core::tree::NewNode { key: NativeKey(1000), props: node.props, children: vec![] };
        let before: Vec<ElementId> = mirror.tree().iter().map(|(id, _)| id).collect();
        let Some(root) = mirror.tree().root().and_then(|r| mirror.tree().get(r)).map(Node::key) else { return Ok(()) };
        mirror.apply(vec![Change::Insert { parent: root, index, node: fresh }], Moment::START);
        for id in before {
            prop_assert!(mirror.tree().get(id).is_some());
        }
    }

    #[test]
    fn the_mirror_never_outgrows_its_cap_and_says_what_it_left_out(batches in batches(), cap in 1..30usize) {
        let mut mirror = Mirror::new(Limits { max_nodes: cap, ..Limits::default() });
        mirror.apply(vec![seed()], Moment::START);
        prop_assert!(cap >= 5 || mirror.tree().iter().any(|(_, n)| n.omitted() > 0));
        for batch in batches {
            mirror.apply(batch, Moment::START);
            prop_assert!(mirror.tree().len() <= cap);
        }
    }

    #[test]
    fn an_event_that_changes_nothing_is_no_mutation(batches in batches(), prop in qualifying_prop()) {
        let mut mirror = mirror();
        for batch in batches {
            mirror.apply(batch, Moment::START);
        }
        let update = || vec![Change::Update { key: NativeKey(1), props: vec![prop.clone()] }];
        mirror.apply(update(), Moment::START);
        let before = mirror.revision();
        let again = mirror.apply(update(), Moment::START);
        prop_assert_eq!(again.revision, before);
        prop_assert!(again.mutations.is_empty());
    }
}
