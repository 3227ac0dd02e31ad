//! SPEC §3, row by row and rule by rule.

use std::time::Duration;
use stillpoint_core::revise::{Applied, Class, LayoutRevision, MAX_REVISIONS, Mirror, Revision};
use stillpoint_core::tree::{
    Change, ElementId, Limits, NativeKey, NewNode, Prop, Props, Rect, Role, State, StateValue,
};
use stillpoint_core::{Code, Moment};

const ROOT: NativeKey = NativeKey(0);
const WINDOW: NativeKey = NativeKey(1);
const BUTTON: NativeKey = NativeKey(2);
const FIELD: NativeKey = NativeKey(3);
const BAR: NativeKey = NativeKey(4);
const CLOCK: NativeKey = NativeKey(5);

fn mirror() -> Mirror {
    let node = |key, role, label: &str| NewNode::new(key, Props::new(role).labelled(label).at(0, 0, 10, 10));
    let mut mirror = Mirror::new(Limits::default());
    let tree = node(ROOT, Role::Application, "app").child(
        node(WINDOW, Role::Window, "Orders")
            .child(node(BUTTON, Role::Button, "Save"))
            .child(node(FIELD, Role::Textbox, "Name"))
            .child(node(BAR, Role::Progressbar, "Upload"))
            .child(node(CLOCK, Role::Text, "12:00:00")),
    );
    mirror.apply(vec![Change::Replace(tree)], Moment::START);
    mirror
}

fn ms(ms: u64) -> Moment {
    Moment::from_millis(ms)
}

fn set(mirror: &mut Mirror, key: NativeKey, prop: Prop) -> Applied {
    mirror.apply(vec![Change::Update { key, props: vec![prop] }], ms(1))
}

fn state(state: State, on: bool) -> Prop {
    Prop::State(state, Some(StateValue::from(on)))
}

#[allow(clippy::unnecessary_wraps)] // as a property takes it
fn text(s: &str) -> Option<std::sync::Arc<str>> {
    Some(s.into())
}

/// The change has this class, and bumps the revision exactly if the class qualifies.
#[track_caller]
fn assert_class(applied: &Applied, class: Class) {
    assert!(applied.mutations.iter().any(|m| m.class == class), "{class:?} in {applied:?}");
    assert_eq!(applied.qualifies, class.qualifies());
    assert_eq!(applied.revision, Revision(1 + u64::from(class.qualifies())));
}

fn toast() -> NewNode {
    NewNode::new(NativeKey(9), Props::new(Role::Alert).labelled("Saved"))
}

#[test]
fn row_structure_an_added_node_qualifies() {
    let applied = mirror().apply(vec![Change::Insert { parent: WINDOW, index: 0, node: toast() }], ms(1));
    assert_class(&applied, Class::Structure);
}

#[test]
fn row_structure_a_removed_node_qualifies() {
    assert_class(&mirror().apply(vec![Change::Remove { key: BUTTON }], ms(1)), Class::Structure);
}

#[test]
fn row_structure_a_moved_node_qualifies() {
    let to_other_parent = Change::Move { key: BUTTON, parent: ROOT, index: 0 };
    assert_class(&mirror().apply(vec![to_other_parent], ms(1)), Class::Structure);
    let within_its_parent = Change::Move { key: BUTTON, parent: WINDOW, index: 2 };
    assert_class(&mirror().apply(vec![within_its_parent], ms(1)), Class::Structure);
}

#[test]
fn row_navigation_a_window_that_opens_or_closes_qualifies() {
    let dialog = NewNode::new(NativeKey(20), Props::new(Role::Dialog).labelled("Settings"));
    let mut mirror = mirror();
    let opened = mirror.apply(vec![Change::Insert { parent: ROOT, index: 1, node: dialog }], ms(1));
    assert_class(&opened, Class::Navigation);
    let closed = mirror.apply(vec![Change::Remove { key: NativeKey(20) }], ms(2));
    assert!(closed.mutations.iter().all(|m| m.class == Class::Navigation) && closed.qualifies);
}

#[test]
fn row_navigation_a_raised_window_or_another_screen_qualifies() {
    let raised = Change::Screen { title: None, url: None, active: Some(WINDOW) };
    assert_class(&mirror().apply(vec![raised], ms(1)), Class::Navigation);
    let another = Change::Screen { title: text("Login"), url: text("http://127.0.0.1/login"), active: None };
    assert_class(&mirror().apply(vec![another], ms(1)), Class::Navigation);
}

#[test]
fn row_visibility_shown_and_hidden_qualify() {
    assert_class(&set(&mut mirror(), BUTTON, state(State::Visible, false)), Class::Visibility);
}

#[test]
fn row_enabled_enabled_disabled_and_read_only_qualify() {
    assert_class(&set(&mut mirror(), BUTTON, state(State::Enabled, false)), Class::Enabled);
    assert_class(&set(&mut mirror(), FIELD, state(State::Editable, false)), Class::Enabled);
}

#[test]
fn row_text_label_text_and_description_qualify() {
    assert_class(&set(&mut mirror(), BUTTON, Prop::Label(text("Saved"))), Class::Text);
    assert_class(&set(&mut mirror(), CLOCK, Prop::Text(text("12:00:01"))), Class::Text);
    assert_class(&set(&mut mirror(), BUTTON, Prop::Description(text("keeps the order"))), Class::Text);
}

#[test]
fn row_state_checked_selected_expanded_pressed_invalid_qualify() {
    for s in [State::Checked, State::Selected, State::Expanded, State::Pressed, State::Invalid] {
        assert_class(&set(&mut mirror(), BUTTON, state(s, true)), Class::State);
    }
}

#[test]
fn row_state_the_value_of_an_input_control_qualifies() {
    assert_class(&set(&mut mirror(), FIELD, Prop::Value(text("boots"))), Class::State);
}

#[test]
fn row_progress_the_value_of_a_progress_bar_does_not_qualify() {
    assert_class(&set(&mut mirror(), BAR, Prop::Value(text("40 %"))), Class::Progress);
    assert_class(&set(&mut mirror(), BAR, Prop::RawValue(Some(0.4))), Class::Progress);
}

#[test]
fn row_progress_the_busy_flag_does_not_qualify() {
    assert_class(&set(&mut mirror(), WINDOW, state(State::Busy, true)), Class::Progress);
}

#[test]
fn row_focus_focus_does_not_qualify_and_is_shown_in_deltas() {
    let mut mirror = mirror();
    assert_class(&set(&mut mirror, FIELD, state(State::Focused, true)), Class::Focus);
    let delta = mirror.delta_since(Revision(1)).unwrap();
    let field = mirror.tree().by_key(FIELD).unwrap();
    assert!(delta.changed().any(|(id, _)| id == field));
}

#[test]
fn row_geometry_bounds_bump_only_the_layout_revision() {
    let mut mirror = mirror();
    let applied = set(&mut mirror, BUTTON, Prop::Bounds(Some(Rect::new(5, 5, 10, 10))));
    assert_class(&applied, Class::Geometry);
    assert_eq!(applied.layout_revision, LayoutRevision(1));
    assert_eq!(mirror.last_layout(), Some(ms(1)), "motion is marked");
}

#[test]
fn row_cosmetic_nothing_to_wait_for_bumps_nothing() {
    let applied = set(&mut mirror(), BUTTON, state(State::Focusable, true));
    assert_class(&applied, Class::Cosmetic);
    assert_eq!(applied.layout_revision, LayoutRevision(0));
}

#[test]
fn an_event_that_changes_nothing_is_not_a_mutation() {
    let applied = set(&mut mirror(), BUTTON, Prop::Label(text("Save")));
    assert_eq!((applied.mutations.len(), applied.revision), (0, Revision(1)));
}

#[test]
fn mutations_of_one_batch_make_one_revision() {
    let update = |key, label: &str| Change::Update { key, props: vec![Prop::Label(text(label))] };
    let applied = mirror().apply(vec![update(BUTTON, "a"), update(FIELD, "b"), update(CLOCK, "c")], ms(1));
    assert_eq!((applied.mutations.len(), applied.revision), (3, Revision(2)));
}

#[test]
fn the_last_256_revisions_are_kept_and_older_ones_are_refused_with_a_hint() {
    let mut mirror = mirror();
    for n in 0..300 {
        set(&mut mirror, BUTTON, Prop::Label(text(&format!("Save {n}"))));
    }
    let oldest = mirror.revision().0 + 1 - MAX_REVISIONS as u64;
    assert!(mirror.delta_since(Revision(oldest)).is_ok());
    let error = mirror.delta_since(Revision(oldest - 1)).unwrap_err();
    assert_eq!(error.code, Code::BaseRevisionUnavailable);
    assert!(error.hint.contains("full snapshot"), "{error:?}");
    assert_eq!(error.details["oldest"], oldest);
}

#[test]
fn at_most_4_mib_of_deltas_are_kept() {
    let mut mirror = mirror();
    for n in 0..100u32 {
        let long = n.to_string().repeat(100_000);
        mirror.apply(vec![Change::Update { key: CLOCK, props: vec![Prop::Text(text(&long))] }], ms(1));
    }
    let error = mirror.delta_since(Revision(2)).unwrap_err();
    assert_eq!(error.code, Code::BaseRevisionUnavailable);
    assert!(mirror.delta_since(Revision(mirror.revision().0 - 2)).is_ok());
}

#[test]
fn a_delta_to_a_revision_that_was_never_reached_is_refused() {
    for error in [mirror().delta_since(Revision(7)), mirror().delta_between(Revision(1), Revision(7))] {
        let error = error.unwrap_err();
        assert_eq!(error.code, Code::BaseRevisionUnavailable);
        assert!(error.message.contains("has not been reached"), "{error}");
    }
    let backwards = mirror().delta_between(Revision(1), Revision(0)).unwrap_err();
    assert_eq!(backwards.code, Code::InvalidArgument);
}

#[test]
fn what_appeared_and_vanished_between_two_revisions_is_transient_with_its_text() {
    let mut mirror = mirror();
    mirror.apply(vec![Change::Insert { parent: WINDOW, index: 0, node: toast() }], ms(1));
    mirror.apply(vec![Change::Remove { key: NativeKey(9) }], ms(2));
    let delta = mirror.delta_since(Revision(1)).unwrap();
    let seen: Vec<_> = delta.transient().map(|t| t.node.label()).collect();
    assert_eq!(seen, [Some("Saved")]);
    assert_eq!((delta.added().count(), delta.removed().count()), (0, 0));
}

#[test]
fn what_appeared_and_vanished_in_one_batch_is_transient_too() {
    let mut mirror = mirror();
    let come = Change::Insert { parent: WINDOW, index: 0, node: toast() };
    let applied = mirror.apply(vec![come, Change::Remove { key: NativeKey(9) }], ms(1));
    assert!(applied.qualifies);
    assert_eq!(mirror.delta_since(Revision(1)).unwrap().transient().count(), 1);
}

/// Lets the clock tick `n` times, every `step` milliseconds from `start` on; gives the last outcome.
fn tick(mirror: &mut Mirror, start: u64, n: u64, step: u64) -> Applied {
    let mut last = Applied::default();
    for i in 0..n {
        let at = start + i * step;
        let label = Prop::Label(text(&format!("tick {at}")));
        last = mirror.apply(vec![Change::Update { key: CLOCK, props: vec![label] }], ms(at));
    }
    last
}

fn clock(mirror: &Mirror) -> ElementId {
    mirror.tree().by_key(CLOCK).expect("the clock is there")
}

#[test]
fn a_node_that_changed_5_times_within_10_s_alone_is_volatile_from_then_on() {
    let mut mirror = mirror();
    assert!(!tick(&mut mirror, 0, 5, 1000).mutations[0].volatile, "the fifth change itself still counts");
    assert!(mirror.is_volatile(clock(&mirror), ms(5000)));
    let next = tick(&mut mirror, 5000, 1, 1000);
    assert!(next.mutations[0].volatile);
    assert!(next.qualifies, "it is still a revision");
    assert_eq!(mirror.last_qualifying(), Some(ms(4000)), "but it no longer resets windows");
}

#[test]
fn five_changes_in_more_than_10_s_make_nothing_volatile() {
    let mut mirror = mirror();
    tick(&mut mirror, 0, 8, 3000);
    assert!(!mirror.is_volatile(clock(&mirror), ms(21_000)));
}

#[test]
fn a_node_that_changes_along_with_others_is_not_volatile() {
    let mut mirror = mirror();
    for i in 0..10 {
        let update = |key| Change::Update { key, props: vec![Prop::Label(text(&format!("n {i}")))] };
        mirror.apply(vec![update(CLOCK), update(BUTTON)], ms(i * 100));
    }
    assert!(!mirror.is_volatile(clock(&mirror), ms(1000)));
}

#[test]
fn a_volatile_node_that_was_quiet_for_10_s_counts_again() {
    let mut mirror = mirror();
    tick(&mut mirror, 0, 6, 100);
    assert!(mirror.is_volatile(clock(&mirror), ms(600)));
    let after = Moment::from_millis(500) + Duration::from_secs(10);
    assert!(!mirror.is_volatile(clock(&mirror), after));
    assert!(!tick(&mut mirror, after.as_millis(), 1, 1).mutations[0].volatile);
}

/// A page's way to set what is said at `place` in the window: the text `old` goes, and `new` comes.
fn say_anew(old: u64, new: u64, place: usize) -> [Change; 2] {
    let node = NewNode::new(NativeKey(new), Props::new(Role::Text).labelled(&format!("tick {new}")));
    [Change::Remove { key: NativeKey(old) }, Change::Insert { parent: WINDOW, index: place, node }]
}

/// A mirror whose clock has ticked five times by a new text each, the last at 500 ms and with the key 105.
fn ticked_by_new_texts() -> Mirror {
    let mut mirror = mirror();
    mirror.apply(say_anew(CLOCK.0, 101, 3).into(), ms(100));
    for i in 101..105 {
        mirror.apply(say_anew(i, i + 1, 3).into(), ms((i - 99) * 100));
    }
    mirror
}

#[test]
fn a_clock_whose_text_is_replaced_at_each_tick_is_volatile_too() {
    let mut mirror = ticked_by_new_texts();
    let fifth = mirror.tree().by_key(NativeKey(105)).unwrap();
    assert!(mirror.is_volatile(fifth, ms(500)));
    let next = mirror.apply(say_anew(105, 106, 3).into(), ms(600));
    assert!(next.qualifies, "it is still a revision");
    assert!(next.mutations.iter().all(|m| m.volatile), "{next:?}");
    assert_eq!(mirror.last_qualifying(), Some(ms(500)));
    let sixth = mirror.tree().by_key(NativeKey(106)).unwrap();
    assert_ne!(fifth, sixth, "the ids are those of two platform objects");
    assert!(mirror.is_volatile(sixth, ms(600)));
    assert!(!mirror.is_volatile(fifth, ms(600)));
}

#[test]
fn several_ticks_by_new_texts_in_one_batch_are_passed_over() {
    let mut mirror = ticked_by_new_texts();
    let ticks = [say_anew(105, 106, 3), say_anew(106, 107, 3), say_anew(107, 108, 3)];
    let next = mirror.apply(ticks.into_iter().flatten().collect(), ms(600));
    assert!(next.mutations.iter().all(|m| m.volatile), "{next:?}");
}

#[test]
fn a_new_text_beside_a_clock_counts() {
    let mut mirror = ticked_by_new_texts();
    let status = NewNode::new(NativeKey(50), Props::new(Role::Text).labelled("Saving"));
    let came = mirror.apply(vec![Change::Insert { parent: WINDOW, index: 4, node: status }], ms(600));
    assert!(came.mutations.iter().all(|m| !m.volatile));
    let both = [say_anew(105, 106, 3), say_anew(50, 51, 4)];
    let both = mirror.apply(both.into_iter().flatten().collect(), ms(700));
    assert_eq!(both.mutations.iter().filter(|m| !m.volatile).count(), 2, "the status: {both:?}");
    assert_eq!(mirror.last_qualifying(), Some(ms(700)));
}

#[test]
fn a_page_that_is_drawn_anew_counts_but_for_its_clock() {
    let mut mirror = ticked_by_new_texts();
    let line = |key| NewNode::new(NativeKey(key), Props::new(Role::Text).labelled(&format!("line {key}")));
    let lines = (0..300).map(|n| Change::Insert { parent: WINDOW, index: 4, node: line(5000 + n) });
    mirror.apply(lines.collect(), ms(600));
    let anew = (0..300).rev().zip(4..).flat_map(|(n, place)| {
        [
            Change::Remove { key: NativeKey(5000 + n) },
            Change::Insert { parent: WINDOW, index: place, node: line(9000 + n) },
        ]
    });
    let drawn = mirror.apply(say_anew(105, 106, 3).into_iter().chain(anew).collect(), ms(700));
    assert_eq!(drawn.mutations.iter().filter(|m| m.volatile).count(), 2, "the clock's text went, and came");
    assert_eq!(mirror.last_qualifying(), Some(ms(700)));
}

#[test]
fn lines_that_are_added_to_a_list_make_nothing_volatile() {
    let mut mirror = mirror();
    for i in 0..20_u64 {
        let index = if i < 10 { 4 + i as usize } else { 0 };
        let line = NewNode::new(NativeKey(100 + i), Props::new(Role::Text).labelled("a line"));
        let applied = mirror.apply(vec![Change::Insert { parent: WINDOW, index, node: line }], ms(i * 100));
        assert!(applied.mutations.iter().all(|m| !m.volatile), "line {i}");
    }
}

#[test]
fn texts_inside_an_editor_that_somebody_types_into_are_no_tickers() {
    let mut mirror = mirror();
    set(&mut mirror, WINDOW, state(State::Editable, true));
    set(&mut mirror, WINDOW, state(State::Focused, true));
    mirror.apply(say_anew(CLOCK.0, 101, 3).into(), ms(100));
    for i in 101..110 {
        let typed = mirror.apply(say_anew(i, i + 1, 3).into(), ms(i * 50));
        assert!(typed.mutations.iter().all(|m| !m.volatile));
    }
}

#[test]
fn a_field_that_somebody_types_into_is_no_ticker() {
    let mut mirror = mirror();
    set(&mut mirror, FIELD, state(State::Editable, true));
    set(&mut mirror, FIELD, state(State::Focused, true));
    for (i, _) in "hello world".char_indices() {
        let value = Prop::Value(text(&"hello world"[..=i]));
        mirror.apply(vec![Change::Update { key: FIELD, props: vec![value] }], ms(i as u64 * 50));
    }
    let field = mirror.tree().by_key(FIELD).unwrap();
    assert!(!mirror.is_volatile(field, ms(600)));
}
