//! SPEC §2: an element id lives as long as its platform object, and is re-bound to an equal object in its place.

#[path = "select_stage/mod.rs"]
mod stage;

use stage::{apply, line, mirror, node_of};
use stillpoint_core::revise::Mirror;
use stillpoint_core::tree::{Change, ElementId, NativeKey, NewNode, Prop};

const FORM: &str = r#"
    window "Form"
      group "Fields"
        textbox#name "Name"
        textbox "City"
        button "Save"
      group "Footer"
        text "Ready"
"#;

/// Other platform objects: the same screen with every key `by` higher.
fn rekeyed(mut node: NewNode, by: u64) -> NewNode {
    node.key = NativeKey(node.key.0 + by);
    node.children = node.children.into_iter().map(|c| rekeyed(c, by)).collect();
    node
}

/// One element of a screen as a new platform object with this key.
fn fresh(key: u64, line: &str) -> NewNode {
    NewNode { key: NativeKey(key), ..node_of(line) }
}

fn remove(key: u64) -> Change {
    Change::Remove { key: NativeKey(key) }
}

fn insert(parent: u64, index: usize, node: NewNode) -> Change {
    Change::Insert { parent: NativeKey(parent), index, node }
}

fn id_of(mirror: &Mirror, key: u64) -> Option<ElementId> {
    mirror.tree().by_key(NativeKey(key))
}

/// The id before, and the id of the object with the key `new` after the batch.
fn rebound(batch: Vec<Change>, old: u64, new: u64) -> (ElementId, Option<ElementId>) {
    let mut mirror = mirror(FORM);
    let before = line(mirror.tree(), old);
    apply(&mut mirror, batch);
    (before, id_of(&mirror, new))
}

#[test]
fn the_same_parent_and_stable_id_keep_the_id_whatever_else_differs() {
    let other = fresh(90, "searchbox#name \"Full name\"");
    let (before, after) = rebound(vec![remove(3), insert(2, 2, other)], 3, 90);
    assert_eq!(after, Some(before));
}

#[test]
fn the_same_role_label_and_position_keep_the_id() {
    let (before, after) = rebound(vec![remove(5), insert(2, 2, fresh(90, "button \"Save\""))], 5, 90);
    assert_eq!(after, Some(before));
}

#[test]
fn another_position_label_or_role_does_not() {
    for (index, other) in [(0, "button \"Save\""), (2, "button \"Send\""), (2, "link \"Save\"")] {
        let (before, after) = rebound(vec![remove(5), insert(2, index, fresh(90, other))], 5, 90);
        assert_ne!(after, Some(before), "{other} at {index}");
    }
}

#[test]
fn a_given_stable_id_is_not_taken_for_none() {
    let (before, after) = rebound(vec![remove(5), insert(2, 2, fresh(90, "button#save \"Save\""))], 5, 90);
    assert_ne!(after, Some(before), "an object that goes by another name is another object");
}

#[test]
fn two_new_candidates_get_none_of_it() {
    let batch =
        vec![remove(3), insert(2, 0, fresh(90, "textbox#name")), insert(2, 1, fresh(91, "textbox#name"))];
    let mut mirror = mirror(FORM);
    let before = line(mirror.tree(), 3);
    apply(&mut mirror, batch);
    assert!(mirror.tree().is_dead(before));
}

#[test]
fn two_old_candidates_give_it_to_none() {
    let mut mirror = mirror("list\n  listitem#row \"A\"\n  listitem#row \"B\"");
    let before = [line(mirror.tree(), 2), line(mirror.tree(), 3)];
    apply(&mut mirror, vec![remove(2), remove(3), insert(1, 0, fresh(90, "listitem#row \"C\""))]);
    let after = id_of(&mirror, 90).unwrap();
    assert!(!before.contains(&after), "{after} is neither of {before:?}");
}

#[test]
fn inserting_a_sibling_kills_no_id() {
    let mut mirror = mirror(FORM);
    let before: Vec<ElementId> = (1..=7).map(|n| line(mirror.tree(), n)).collect();
    apply(
        &mut mirror,
        vec![insert(2, 0, fresh(90, "textbox \"First\"")), insert(1, 0, fresh(91, "heading \"Top\""))],
    );
    let after: Vec<ElementId> = (1..=7).map(|n| line(mirror.tree(), n)).collect();
    assert_eq!(before, after);
}

#[test]
fn a_replaced_subtree_is_re_bound_all_the_way_down() {
    let mut mirror = mirror(FORM);
    let before: Vec<ElementId> = (2..=5).map(|n| line(mirror.tree(), n)).collect();
    let group = rekeyed(node_of(FORM).children.remove(0), 100);
    apply(&mut mirror, vec![remove(2), insert(1, 0, group)]);
    let after: Vec<ElementId> = (102..=105).filter_map(|k| id_of(&mirror, k)).collect();
    assert_eq!(before, after);
}

#[test]
fn a_list_that_is_drawn_anew_keeps_the_ids_of_all_its_rows_but_of_the_one_that_differs() {
    let named = |n: u64| if n.is_multiple_of(2) { format!("#row-{n}") } else { String::new() };
    let row = |n: u64| format!("listitem{} \"Row {n}\"", named(n));
    let list: Vec<String> = (2..402).map(|n| format!("  {}", row(n))).collect();
    let mut mirror = mirror(&format!("list\n{}", list.join("\n")));
    let before: Vec<ElementId> = (2..402).map(|n| line(mirror.tree(), n)).collect();
    let come = (2..402)
        .map(|n| insert(1, n as usize - 2, fresh(n + 1000, &if n == 77 { row(9999) } else { row(n) })));
    apply(&mut mirror, (2..402).map(remove).chain(come).collect());
    let after: Vec<ElementId> = (1002..1402).filter_map(|key| id_of(&mirror, key)).collect();
    let other: Vec<usize> = (0..400).filter(|n| before[*n] != after[*n]).collect();
    assert_eq!(other, [75], "the row with the key 77 alone is another");
}

#[test]
fn the_order_of_coming_and_going_in_a_batch_does_not_matter() {
    for index in [2, 3] {
        let (before, after) = rebound(vec![insert(2, index, fresh(90, "button \"Save\"")), remove(5)], 5, 90);
        assert_eq!(after, Some(before), "put in at {index} before the old one went");
    }
}

#[test]
fn under_another_parent_the_id_is_dead() {
    let mut mirror = mirror(FORM);
    let before = line(mirror.tree(), 3);
    apply(&mut mirror, vec![remove(3), insert(6, 0, fresh(90, "textbox#name \"Name\""))]);
    assert!(mirror.tree().is_dead(before));
    assert_ne!(id_of(&mirror, 90), Some(before));
}

#[test]
fn in_a_later_batch_the_id_is_dead_and_stays_dead() {
    let mut mirror = mirror(FORM);
    let before = line(mirror.tree(), 3);
    apply(&mut mirror, vec![remove(3)]);
    assert!(mirror.tree().is_dead(before));
    apply(&mut mirror, vec![insert(2, 0, fresh(3, "textbox#name \"Name\""))]);
    assert!(mirror.tree().is_dead(before));
    assert_ne!(id_of(&mirror, 3), Some(before), "not even the same key brings it back");
}

#[test]
fn an_id_that_was_never_given_out_is_not_dead() {
    let mirror = mirror(FORM);
    let never = ElementId::new(mirror.tree().last_id() + 1).unwrap();
    assert!(!mirror.tree().is_dead(never));
}

#[test]
fn reading_everything_again_with_other_keys_keeps_every_id() {
    let mut mirror = mirror(FORM);
    let before: Vec<ElementId> = (1..=7).map(|n| line(mirror.tree(), n)).collect();
    let revision = mirror.revision();
    apply(&mut mirror, vec![Change::Replace(rekeyed(node_of(FORM), 100))]);
    let after: Vec<ElementId> = (101..=107).filter_map(|k| id_of(&mirror, k)).collect();
    assert_eq!(before, after);
    assert_eq!(mirror.revision(), revision, "the same screen again is no change");
}

#[test]
fn reading_everything_again_with_other_keys_applies_the_rule_to_each() {
    let mut mirror = mirror(FORM);
    let (save, city) = (line(mirror.tree(), 5), line(mirror.tree(), 4));
    let screen = FORM.replace("button \"Save\"", "button \"Send\"");
    apply(&mut mirror, vec![Change::Replace(rekeyed(node_of(&screen), 100))]);
    assert_eq!(id_of(&mirror, 104), Some(city));
    assert!(mirror.tree().is_dead(save));
}

#[test]
fn reading_everything_again_with_the_same_keys_keeps_ids_and_takes_the_new_order() {
    let mut mirror = mirror(FORM);
    let ids: Vec<ElementId> = [5, 3, 4].map(|n| line(mirror.tree(), n)).to_vec();
    let mut screen = node_of(FORM);
    screen.children[0].children.rotate_right(1);
    apply(&mut mirror, vec![Change::Replace(screen)]);
    let group = line(mirror.tree(), 2);
    assert_eq!(mirror.tree().get(group).unwrap().children(), ids);
}

#[test]
fn a_re_read_that_would_not_fit_beside_the_old_tree_still_fits_by_itself() {
    let limits = stillpoint_core::tree::Limits { max_nodes: 10, ..Default::default() };
    let mut mirror = Mirror::new(limits);
    apply(&mut mirror, vec![Change::Replace(node_of(FORM))]);
    let save = line(mirror.tree(), 5);
    apply(&mut mirror, vec![Change::Replace(rekeyed(node_of(FORM), 100))]);
    assert_eq!(mirror.tree().len(), 7);
    assert_eq!(mirror.tree().iter().map(|(_, n)| n.omitted()).sum::<u32>(), 0);
    assert_eq!(id_of(&mirror, 105), Some(save));
}

#[test]
fn a_re_bound_element_tells_only_what_differs() {
    let mut mirror = mirror(FORM);
    let (base, id) = (mirror.revision(), line(mirror.tree(), 3));
    let other = fresh(90, "textbox#name \"Full name\"");
    apply(&mut mirror, vec![remove(3), insert(2, 0, other)]);
    let delta = mirror.delta_since(base).unwrap();
    assert_eq!((delta.added().count(), delta.removed().count()), (0, 0));
    let label = Prop::Label(Some("Full name".into()));
    let told: Vec<_> =
        delta.changed().map(|(id, fields)| (id, format!("{:?}", fields.collect::<Vec<_>>()))).collect();
    assert!(told.iter().any(|(who, what)| *who == id && what.contains(&format!("{label:?}"))), "{told:?}");
}
