//! SPEC §2: a protected element never gives its value or text to a snapshot, a delta, a trace or a log.

#[path = "select_stage/mod.rs"]
mod stage;

use stage::{line, mirror};
use std::collections::BTreeMap;
use stillpoint_core::Moment;
use stillpoint_core::render::{
    EmitOptions, SnapshotView, delta_text, diff, elements, snapshot_text, summarise,
};
use stillpoint_core::revise::{Applied, Class, Mirror, Revision};
use stillpoint_core::settle::{LoadingState, StabilityState};
use stillpoint_core::tree::{Change, NativeKey, NewNode, Prop, Props, Role, State, StateValue};

const SECRET: &str = "hunter2";
const FIELD: NativeKey = NativeKey(2);

fn login() -> Mirror {
    mirror("window \"Login\"\n  textbox \"Password\"[protected]\n  button \"Sign in\"")
}

/// The same form with its password shown.
fn revealed() -> Mirror {
    mirror(
        "window \"Login\"\n  textbox \"Password\"[value=\"hunter2\"][text=\"hunter2\"]\n  button \"Sign in\"",
    )
}

fn set(mirror: &mut Mirror, props: Vec<Prop>) -> Applied {
    mirror.apply(vec![Change::Update { key: FIELD, props }], Moment::from_millis(1))
}

fn value(text: &str) -> Prop {
    Prop::Value(Some(text.into()))
}

fn protected(on: bool) -> Prop {
    Prop::State(State::Protected, Some(StateValue::from(on)))
}

/// Everything that anybody could read about the change since `base`, and about the state that it led to.
fn all_that_is_told(mirror: &Mirror, base: Revision) -> String {
    let snapshot = mirror.snapshot(Moment::START);
    let view = SnapshotView {
        target: "sim:login",
        snapshot: &snapshot,
        stability: StabilityState::Stable,
        loading: LoadingState::default(),
        options: EmitOptions::default(),
    };
    let delta = mirror.delta_since(base).expect("the base is kept");
    let (before, ..) = elements(&delta.rewind(&snapshot.tree), &EmitOptions::default());
    let fields: Vec<_> = delta.changed().flat_map(|(_, fields)| fields.map(|f| format!("{f:?}"))).collect();
    let ends: Vec<_> = delta.removed().chain(delta.added()).map(|(_, n)| format!("{n:?}")).collect();
    let passed: Vec<_> = delta.transient().map(|t| format!("{t:?}")).collect();
    [
        serde_json::to_string(&view.to_json()).expect("JSON"),
        snapshot_text(&view),
        serde_json::to_string(&diff(&delta, &snapshot.tree, &EmitOptions::default())).expect("JSON"),
        delta_text(&delta, &snapshot.tree),
        serde_json::to_string(&summarise(&delta, &snapshot.tree, &BTreeMap::new())).expect("JSON"),
        format!("{snapshot:?} {delta:?} {:?} {mirror:?}", mirror.tree()),
        format!("{fields:?} {ends:?} {passed:?} {before:?}"),
    ]
    .join("\n")
}

#[track_caller]
fn assert_secret(mirror: &Mirror, base: Revision) {
    let told = all_that_is_told(mirror, base);
    assert!(!told.contains(SECRET), "{told}");
}

#[test]
fn what_is_typed_into_a_protected_field_is_told_nowhere() {
    let mut mirror = login();
    let base = mirror.revision();
    let applied =
        set(&mut mirror, vec![value(SECRET), Prop::Text(Some(SECRET.into())), Prop::RawValue(Some(2.0))]);
    assert_secret(&mirror, base);
    assert!(!format!("{applied:?}").contains(SECRET));
    let field = mirror.tree().get(line(mirror.tree(), 2)).unwrap();
    assert_eq!((field.text(), field.value(), field.raw_value()), (None, None, None));
    assert!(mirror.tree().by_label(SECRET).is_empty(), "nor can it be searched for");
}

#[test]
fn a_field_that_comes_protected_keeps_no_content_in_whatever_order_it_is_described() {
    let first = Props::new(Role::Textbox).state(State::Protected, true).with(value(SECRET));
    let last = Props::new(Role::Textbox).with(value(SECRET)).state(State::Protected, true);
    for props in [&first, &last] {
        assert!(!format!("{props:?}").contains(SECRET), "{props:?}");
    }
    assert_eq!(first, last);
}

#[test]
fn other_content_is_a_change_of_state_though_nobody_learns_what_it_is() {
    let mut mirror = login();
    set(&mut mirror, vec![value(SECRET)]);
    let (base, before) = (mirror.revision(), mirror.tree().semantic_hash());
    let applied = set(&mut mirror, vec![value("hunter22")]);
    assert_eq!(applied.mutations.iter().map(|m| m.class).collect::<Vec<_>>(), [Class::State]);
    assert_ne!(mirror.tree().semantic_hash(), before);
    let told = all_that_is_told(&mirror, base);
    assert!(told.contains("its protected content changed"), "{told}");
    assert_secret(&mirror, base);
}

#[test]
fn the_same_content_again_is_no_change_whichever_field_brings_it() {
    let mut mirror = login();
    let text = || Prop::Text(Some(SECRET.into()));
    set(&mut mirror, vec![text(), value(SECRET)]);
    let base = mirror.revision();
    for again in [text(), value(SECRET), text()] {
        assert!(set(&mut mirror, vec![again]).mutations.is_empty());
    }
    assert_eq!(mirror.revision(), base);
}

#[test]
fn a_field_that_becomes_protected_keeps_nothing_of_what_it_showed() {
    let mut mirror = revealed();
    let base = mirror.revision();
    let applied = set(&mut mirror, vec![protected(true)]);
    assert!(applied.qualifies);
    assert_secret(&mirror, base);
    assert!(mirror.tree().by_label(SECRET).is_empty());
    let again = set(&mut mirror, vec![value(SECRET)]);
    assert!(again.mutations.is_empty(), "what it holds is still what it held: {again:?}");
}

#[test]
fn the_delta_still_says_that_the_content_is_gone() {
    let mut mirror = revealed();
    let base = mirror.snapshot(Moment::START);
    set(&mut mirror, vec![protected(true)]);
    let now = mirror.snapshot(Moment::START);
    let delta = mirror.delta_since(base.revision).unwrap();
    assert_eq!(delta.apply(&base.tree), now.tree);
    let told = diff(&delta, &now.tree, &EmitOptions::default());
    assert_eq!(told.changed[0]["value"], serde_json::Value::Null);
    assert_eq!(told.changed[0]["text"], serde_json::Value::Null);
    assert_eq!(told.changed[0]["states"]["protected"], true);
}

#[test]
fn a_field_that_was_protected_when_it_went_takes_its_past_with_it() {
    let mut mirror = revealed();
    let base = mirror.revision();
    set(&mut mirror, vec![protected(true)]);
    mirror.apply(vec![Change::Remove { key: FIELD }], Moment::from_millis(2));
    assert_secret(&mirror, base);
}

#[test]
fn a_protected_field_that_came_and_went_leaves_no_content_behind() {
    let mut mirror = mirror("window \"Login\"\n  group");
    let base = mirror.revision();
    let field = NewNode::new(NativeKey(9), Props::new(Role::Textbox).labelled("PIN").with(value(SECRET)));
    mirror.apply(vec![Change::Insert { parent: NativeKey(2), index: 0, node: field }], Moment::START);
    mirror.apply(
        vec![
            Change::Update { key: NativeKey(9), props: vec![protected(true)] },
            Change::Remove { key: NativeKey(9) },
        ],
        Moment::START,
    );
    assert!(all_that_is_told(&mirror, base).contains("PIN"));
    assert_secret(&mirror, base);
}

#[test]
fn a_field_that_is_revealed_shows_what_comes_from_then_on() {
    let mut mirror = login();
    set(&mut mirror, vec![value(SECRET)]);
    set(&mut mirror, vec![protected(false), value("shown")]);
    let field = mirror.tree().get(line(mirror.tree(), 2)).unwrap();
    assert_eq!(field.value(), Some("shown"));
    assert_eq!(mirror.tree().semantic_hash(), mirror.tree().hashes_from_scratch().0);
}

#[test]
fn reading_again_protects_and_reveals_like_an_update() {
    let read = |screen: &str| vec![Change::Replace(stage::node_of(screen))];
    let shown =
        "window \"Login\"\n  textbox \"Password\"[protected=false][value=\"hunter2\"]\n  button \"Sign in\"";
    let mut mirror = login();
    mirror.apply(read(shown), Moment::START);
    assert_eq!(mirror.tree().get(line(mirror.tree(), 2)).unwrap().value(), Some(SECRET));
    let base = mirror.revision();
    let hidden =
        "window \"Login\"\n  textbox \"Password\"[protected][value=\"hunter2\"]\n  button \"Sign in\"";
    mirror.apply(read(hidden), Moment::START);
    assert_secret(&mirror, base);
    let again = mirror.apply(read(hidden), Moment::START);
    assert!(again.mutations.is_empty(), "{again:?}");
}
