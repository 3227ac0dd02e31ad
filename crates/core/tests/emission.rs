//! SPEC §2, "Bounds on work": what is told is bounded, and whatever is cut is said.

#[path = "gen/mod.rs"]
mod generators;
#[path = "select_stage/mod.rs"]
mod stage;

use generators::{batches, seed};
use proptest::prelude::*;
use stage::{line, tree};
use std::collections::{HashMap, HashSet};
use stillpoint_core::Moment;
use stillpoint_core::render::{Emission, EmitOptions, SnapshotView, emit, snapshot_text};
use stillpoint_core::revise::Mirror;
use stillpoint_core::select::is_hidden;
use stillpoint_core::settle::{LoadingState, StabilityState};
use stillpoint_core::tree::{
    Change, ElementId, Limits, NativeKey, NewNode, Prop, Props, Role, Tree, TreeView,
};

const SCREEN: &str = r#"
    window "W"
      group "A"
        button "A1"
        button "A2"
          text "A2a"
        button "A3"
      group "B"
        button "B1"
          text "B1a"
"#;

fn told(tree: &Tree, options: EmitOptions) -> (Vec<String>, Vec<(String, u32)>, bool) {
    let emission = emit(tree, &options);
    let name = |id: ElementId| tree.get(id).and_then(|n| n.label()).unwrap_or("?").to_owned();
    (
        emission.elements.iter().map(|e| name(e.id)).collect(),
        emission.omitted.iter().map(|o| (name(o.under), o.count)).collect(),
        emission.truncated,
    )
}

fn cut(under: &str, count: u32) -> (String, u32) {
    (under.to_owned(), count)
}

#[test]
fn by_default_2048_elements_of_any_depth_are_told() {
    assert_eq!(EmitOptions::default(), EmitOptions { max_nodes: 2048, max_depth: None, under: None });
    let (names, omitted, truncated) = told(&tree(SCREEN), EmitOptions::default());
    assert_eq!(names, ["W", "A", "A1", "A2", "A2a", "A3", "B", "B1", "B1a"], "in document order");
    assert_eq!((omitted, truncated), (vec![], false));
}

#[test]
fn what_does_not_fit_is_cut_breadth_first_and_counted_where_it_was() {
    let options = |max_nodes| EmitOptions { max_nodes, ..EmitOptions::default() };
    let (names, omitted, truncated) = told(&tree(SCREEN), options(5));
    assert_eq!(names, ["W", "A", "A1", "A2", "B"]);
    assert_eq!(omitted, [cut("A", 1), cut("A2", 1), cut("B", 1)]);
    assert!(truncated);
    let (names, omitted, _) = told(&tree(SCREEN), options(1));
    assert_eq!((names, omitted), (vec!["W".to_owned()], vec![cut("W", 2)]));
}

#[test]
fn no_room_at_all_is_truncation_too() {
    let emission = emit(&tree(SCREEN), &EmitOptions { max_nodes: 0, ..EmitOptions::default() });
    assert_eq!((emission.elements.len(), emission.truncated), (0, true));
}

#[test]
fn max_depth_counts_from_the_top_and_what_lies_deeper_is_counted() {
    let (names, omitted, truncated) =
        told(&tree(SCREEN), EmitOptions { max_depth: Some(1), ..EmitOptions::default() });
    assert_eq!(names, ["W", "A", "B"]);
    assert_eq!((omitted, truncated), (vec![cut("A", 3), cut("B", 1)], true));
    let (names, ..) = told(&tree(SCREEN), EmitOptions { max_depth: Some(0), ..EmitOptions::default() });
    assert_eq!(names, ["W"]);
}

#[test]
fn a_subtree_can_be_asked_for() {
    let tree = tree(SCREEN);
    let under = Some(line(&tree, 6 + 1));
    let (names, omitted, _) = told(&tree, EmitOptions { under, ..EmitOptions::default() });
    assert_eq!((names, omitted), (vec!["B".to_owned(), "B1".to_owned(), "B1a".to_owned()], vec![]));
    let emission = emit(&tree, &EmitOptions { under, ..EmitOptions::default() });
    assert_eq!((emission.elements[0].parent, emission.elements[0].depth), (None, 0));
}

#[test]
fn empty_scaffolding_is_pruned_from_the_bottom_up() {
    let tree = tree(
        r#"
        window "W"
          group
            group
              generic
          group
            generic
              button "Kept" tag=kept
          generic @0,0,0,10
          generic @0,0,10,10
          generic#named
          progressbar[value="3"]
        "#,
    );
    let kept: Vec<u64> = emit(&tree, &EmitOptions::default())
        .elements
        .iter()
        .map(|e| tree.get(e.id).unwrap().key().0)
        .collect();
    assert_eq!(kept, [1, 5, 6, 7, 9, 10, 11], "no identity, no area and nothing inside: not told");
    assert!(!emit(&tree, &EmitOptions::default()).truncated, "what is pruned is not cut");
}

#[test]
fn the_top_is_told_even_when_it_is_bare() {
    let tree = tree("group\n  generic");
    assert_eq!(emit(&tree, &EmitOptions::default()).elements.len(), 1);
}

#[test]
fn children_that_the_platform_has_and_the_mirror_does_not_are_told() {
    let mut mirror = stage::mirror("table \"Cells\"\n  row \"1\"");
    let props = vec![Prop::Omitted(1_073_741_823)];
    stage::apply(&mut mirror, vec![Change::Update { key: NativeKey(1), props }]);
    let (names, omitted, truncated) = told(mirror.tree(), EmitOptions::default());
    assert_eq!((names.len(), omitted, truncated), (2, vec![cut("Cells", 1_073_741_823)], true));
}

#[test]
fn what_the_mirrors_own_cap_left_out_is_told_where_it_is_missing() {
    let mut mirror = Mirror::new(Limits { max_nodes: 4, ..Limits::default() });
    stage::apply(&mut mirror, vec![Change::Replace(stage::node_of(SCREEN))]);
    let (names, omitted, truncated) = told(mirror.tree(), EmitOptions::default());
    assert_eq!(names, ["W", "A", "A1", "B"], "the mirror fills breadth first too");
    assert_eq!((omitted, truncated), (vec![cut("A", 2), cut("B", 1)], true));
}

const DEPTH: usize = 10_000;

#[test]
fn a_tree_deeper_than_any_stack_is_told() {
    let mut tree = NewNode::new(NativeKey(0), Props::new(Role::Region).labelled("x"));
    for key in 1..DEPTH {
        tree = NewNode::new(NativeKey(key as u64), Props::new(Role::Region).labelled("x")).child(tree);
    }
    let mut mirror = Mirror::new(Limits::default());
    mirror.apply(vec![Change::Replace(tree)], Moment::START);
    assert_eq!(emit(mirror.tree(), &EmitOptions::default()).elements.len(), 2048);
    let text = text_of(&mirror, &EmitOptions { max_nodes: DEPTH, ..EmitOptions::default() });
    assert_eq!(text.lines().count(), DEPTH + 1);
}

fn text_of(mirror: &Mirror, options: &EmitOptions) -> String {
    let snapshot = mirror.snapshot(Moment::START);
    snapshot_text(&SnapshotView {
        target: "sim:test",
        snapshot: &snapshot,
        stability: StabilityState::Stable,
        loading: LoadingState::default(),
        options: *options,
    })
}

/// Whether bottom-up pruning would leave it: something with an identity, a value or an area lies in it.
fn survives(tree: &TreeView, id: ElementId) -> bool {
    tree.walk_from(id).any(|(_, n)| {
        n.stable_id().is_some()
            || n.label().is_some()
            || n.text().is_some()
            || n.value().is_some()
            || n.omitted() > 0
            || n.bounds().is_some_and(stillpoint_core::tree::Rect::has_area)
    })
}

fn assert_adds_up(tree: &TreeView, emission: &Emission) {
    let told: HashSet<ElementId> = emission.elements.iter().map(|e| e.id).collect();
    let left_out: HashMap<ElementId, u32> = emission.omitted.iter().map(|o| (o.under, o.count)).collect();
    assert_eq!(left_out.len(), emission.omitted.len(), "each place is named once");
    for id in &told {
        let node = tree.get(*id).expect("what is told is alive");
        let there = node.children().iter().filter(|c| survives(tree, **c)).count() as u32 + node.omitted();
        let shown = node.children().iter().filter(|c| told.contains(c)).count() as u32;
        let counted = left_out.get(id).copied().unwrap_or_default();
        assert_eq!(shown + counted, there, "what is told of {id} and what is counted make all of it");
    }
    assert!(
        left_out.keys().all(|under| told.contains(under)),
        "what is missing is missing under something told"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_is_told_keeps_its_bound_and_parents_come_first(
        batches in batches(), max_nodes in 1..40usize, max_depth in prop::option::of(0..5usize)
    ) {
        let mut mirror = Mirror::new(Limits { max_nodes: 30, ..Limits::default() });
        mirror.apply(vec![seed()], Moment::START);
        for batch in batches {
            mirror.apply(batch, Moment::START);
        }
        let options = EmitOptions { max_nodes, max_depth, under: None };
        let emission = emit(mirror.tree(), &options);
        prop_assert!(emission.elements.len() <= max_nodes);
        let mut seen = HashSet::new();
        for e in &emission.elements {
            prop_assert!(max_depth.is_none_or(|max| e.depth <= max));
            prop_assert_eq!(e.parent.is_none(), seen.is_empty(), "only the first has no parent");
            prop_assert!(e.parent.is_none_or(|p| seen.contains(&p)), "{} before its parent", e.id);
            prop_assert!(seen.insert(e.id));
        }
        prop_assert_eq!(emission.truncated, !emission.omitted.is_empty());
        assert_adds_up(mirror.tree(), &emission);
    }

    #[test]
    fn compact_text_names_every_control_that_can_be_seen(batches in batches(), max_nodes in 1..60usize) {
        let mut mirror = Mirror::new(Limits::default());
        mirror.apply(vec![seed()], Moment::START);
        for batch in batches {
            mirror.apply(batch, Moment::START);
        }
        let options = EmitOptions { max_nodes, ..EmitOptions::default() };
        let text = text_of(&mirror, &options);
        let named: HashSet<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
        let tree = mirror.tree();
        for e in emit(tree, &options).elements {
            let node = tree.get(e.id).unwrap();
            if node.role().is_interactive() && node.label().is_some() && !is_hidden(tree, e.id) {
                prop_assert!(named.contains(e.id.to_string().as_str()), "{} is missing in\n{text}", e.id);
            }
        }
    }
}
