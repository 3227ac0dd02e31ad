//! SPEC §10: the JSON contract, field by field.

#[path = "select_stage/mod.rs"]
mod stage;

use serde_json::{Value, json};
use stage::{apply, mirror};
use stillpoint_core::Moment;
use stillpoint_core::render::{DeltaJson, EmitOptions, SnapshotJson, SnapshotView, diff};
use stillpoint_core::revise::{Mirror, Revision};
use stillpoint_core::settle::{LoadingState, StabilityState};
use stillpoint_core::tree::{Change, NativeKey, Prop, Rect, State, StateValue, ValueRange};

fn snapshot(mirror: &Mirror, options: EmitOptions) -> Value {
    let snapshot = mirror.snapshot(Moment::from_micros(1_234_567));
    let view = SnapshotView {
        target: "sim:test",
        snapshot: &snapshot,
        stability: StabilityState::Stable,
        loading: LoadingState::default(),
        options,
    };
    let told = serde_json::to_value(view.to_json()).expect("it can be written");
    let read: SnapshotJson = serde_json::from_value(told.clone()).expect("it can be read");
    assert_eq!(read, view.to_json(), "what is written can be read back");
    told
}

fn update(mirror: &mut Mirror, key: u64, props: Vec<Prop>) {
    apply(mirror, vec![Change::Update { key: NativeKey(key), props }]);
}

/// The change since `base` as a program reads it.
fn delta(mirror: &Mirror, base: Revision) -> DeltaJson {
    let now = mirror.snapshot(Moment::START).tree;
    let delta = mirror.delta_since(base).expect("the base is kept");
    diff(&delta, &now, &EmitOptions::default())
}

#[test]
fn a_snapshot_has_exactly_these_fields() {
    let mut mirror = mirror("window \"Orders\"\n  button \"Save\"");
    let (title, url) = (Some("Orders".into()), Some("http://127.0.0.1/".into()));
    apply(&mut mirror, vec![Change::Screen { title, url, active: Some(NativeKey(1)) }]);
    let mut told = snapshot(&mirror, EmitOptions::default());
    let elements = told["elements"].take();
    assert_eq!(elements.as_array().map(Vec::len), Some(2));
    assert_eq!(
        told,
        json!({
            "target": "sim:test",
            "snapshot_revision": 2,
            "layout_revision": 0,
            "captured_at_ms": 1234,
            "stability_state": "stable",
            "loading_state": { "active": false, "signal": "none", "source": "platform" },
            "screen": { "title": "Orders", "url": "http://127.0.0.1/", "active_window": "e1" },
            "truncated": false,
            "elements": null,
        })
    );
    let told = snapshot(&mirror, EmitOptions { max_nodes: 1, ..EmitOptions::default() });
    assert_eq!(
        (&told["truncated"], &told["omitted"]),
        (&json!(true), &json!([{ "under": "e1", "count": 1 }]))
    );
}

#[test]
fn an_element_has_exactly_these_fields() {
    let mut mirror =
        mirror("application\n  window \"W\"\n    slider#vol \"Volume\"[native=\"scale\"] tag=volume");
    let range = ValueRange { min: 0.0, max: 10.0, step: Some(1.0) };
    update(
        &mut mirror,
        3,
        vec![
            Prop::Text(Some("4 of 10".into())),
            Prop::Value(Some("4".into())),
            Prop::RawValue(Some(4.0)),
            Prop::ValueRange(Some(range)),
            Prop::Description(Some("how loud".into())),
            Prop::Bounds(Some(Rect::new(1, 2, 30, 4))),
            Prop::State(State::Enabled, Some(StateValue::On)),
            Prop::State(State::Focused, Some(StateValue::Off)),
            Prop::Actions(["increment".into()].into()),
        ],
    );
    let mut told = snapshot(&mirror, EmitOptions::default())["elements"][2].take();
    let selector = told["selector"].take();
    assert!(selector["value"].is_string() && selector["confidence"]["score"].is_number(), "{selector}");
    assert_eq!(
        told,
        json!({
            "element_id": "e3", "parent": "e2", "window": "e2", "role": "slider", "native_role": "scale",
            "stable_id": "vol", "test_tag": "volume", "label": "Volume", "text": "4 of 10", "value": "4",
            "raw_value": 4.0, "value_range": { "min": 0.0, "max": 10.0, "step": 1.0 }, "description": "how loud",
            "bounds": { "x": 1, "y": 2, "width": 30, "height": 4 },
            "states": { "enabled": true, "focused": false }, "actions": ["increment"], "selector": null,
        })
    );
}

#[test]
fn absent_is_not_false() {
    let mirror =
        mirror("window\n  checkbox \"A\"\n  checkbox \"B\"[checked=false]\n  checkbox \"C\"[checked=mixed]");
    let told = snapshot(&mirror, EmitOptions::default());
    let states: Vec<Option<&Value>> = (1..4).map(|n| told["elements"][n].get("states")).collect();
    assert_eq!(states, [None, Some(&json!({ "checked": false })), Some(&json!({ "checked": "mixed" }))]);
    let bare = told["elements"][1].as_object().unwrap();
    let names: Vec<&str> = bare.keys().map(String::as_str).filter(|n| *n != "selector").collect();
    assert_eq!(names, ["element_id", "label", "parent", "role", "window"], "what is not known is not said");
}

#[test]
fn two_elements_with_one_stable_id_are_both_told_and_marked() {
    let mirror = mirror("window\n  button#go \"A\"\n  button#go \"B\"\n  button#stop \"C\"");
    let told = snapshot(&mirror, EmitOptions::default());
    let marks: Vec<Option<&Value>> = (1..4).map(|n| told["elements"][n].get("stable_id_collision")).collect();
    assert_eq!(marks, [Some(&json!(true)), Some(&json!(true)), None]);
    let cut = snapshot(&mirror, EmitOptions { max_nodes: 2, ..EmitOptions::default() });
    assert_eq!(cut["elements"][1]["stable_id_collision"], true, "also where the other one is not told");
}

#[test]
fn children_follow_from_parents_and_order() {
    let screen =
        "window\n  group \"A\"\n    button \"A1\"\n    button \"A2\"\n  group \"B\"\n    button \"B1\"";
    let mut mirror = mirror(screen);
    apply(&mut mirror, vec![Change::Move { key: NativeKey(4), parent: NativeKey(2), index: 0 }]);
    let told = snapshot(&mirror, EmitOptions::default());
    let tree = mirror.tree();
    for (id, node) in tree.iter() {
        let children: Vec<String> = told["elements"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|e| e["parent"] == json!(id))
            .map(|e| e["element_id"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(children, node.children().iter().map(ToString::to_string).collect::<Vec<_>>());
    }
}

#[test]
fn a_delta_has_its_revisions_and_only_the_lists_that_are_not_empty() {
    let mut mirror = mirror("window\n  button \"Save\"");
    let base = mirror.revision();
    update(&mut mirror, 2, vec![Prop::State(State::Enabled, Some(StateValue::Off))]);
    let told = serde_json::to_value(delta(&mirror, base)).unwrap();
    assert_eq!(
        told,
        json!({
            "base_revision": 1, "snapshot_revision": 2,
            "changed": [{ "element_id": "e2", "states": { "enabled": false } }],
        })
    );
}

#[test]
fn a_field_that_is_gone_is_null_and_a_field_that_stayed_is_not_repeated() {
    let mut mirror = mirror("window\n  textbox#name \"Name\"[value=\"Ada\"]");
    let base = mirror.revision();
    update(&mut mirror, 2, vec![Prop::Value(None)]);
    assert_eq!(
        serde_json::to_value(&delta(&mirror, base).changed).unwrap(),
        json!([{ "element_id": "e2", "value": null }])
    );
}

#[test]
fn what_is_new_comes_with_its_place_and_what_is_gone_by_its_id() {
    let mut mirror = mirror("list\n  listitem \"A\"\n  listitem \"B\"");
    let base = mirror.revision();
    let node = stillpoint_core::tree::NewNode { key: NativeKey(9), ..stage::node_of("listitem \"New\"") };
    apply(
        &mut mirror,
        vec![Change::Remove { key: NativeKey(2) }, Change::Insert { parent: NativeKey(1), index: 1, node }],
    );
    let told = delta(&mirror, base);
    let added: Vec<_> = told.added.iter().map(|a| (a.index, a.element.element_id.to_string())).collect();
    assert_eq!(added, [(1, "e4".to_owned())]);
    assert_eq!(serde_json::to_value(&told.removed).unwrap(), json!(["e2"]));
    assert!(told.moved.is_empty(), "whoever only moved up is not told");
    let flat = serde_json::to_value(&told.added[0]).unwrap();
    assert_eq!(
        (&flat["index"], &flat["role"], &flat["parent"]),
        (&json!(1), &json!("listitem"), &json!("e1"))
    );
}

#[test]
fn what_moved_is_told_with_its_new_place_and_the_fewest_are_moved() {
    let screen =
        "window\n  list \"L\"\n    listitem \"A\"\n    listitem \"B\"\n    listitem \"C\"\n  group \"G\"";
    let mut mirror = mirror(screen);
    let base = mirror.revision();
    apply(&mut mirror, vec![Change::Move { key: NativeKey(5), parent: NativeKey(2), index: 0 }]);
    assert_eq!(
        serde_json::to_value(&delta(&mirror, base).moved).unwrap(),
        json!([{ "element_id": "e6", "parent": "e2", "index": 0 }])
    );
    let base = mirror.revision();
    apply(&mut mirror, vec![Change::Move { key: NativeKey(3), parent: NativeKey(6), index: 0 }]);
    let told = delta(&mirror, base);
    assert_eq!(
        serde_json::to_value(&told.moved).unwrap(),
        json!([{ "element_id": "e4", "parent": "e3", "index": 0 }])
    );
    assert!(told.changed.iter().all(|c| !c.contains_key("parent")), "the parent is told by the move alone");
}

#[test]
fn another_screen_is_told_with_all_of_its_fields() {
    let mut mirror = mirror("window \"W\"");
    let base = mirror.revision();
    let title = Some("Results".into());
    apply(&mut mirror, vec![Change::Screen { title, url: None, active: Some(NativeKey(1)) }]);
    let told = delta(&mirror, base);
    assert_eq!(
        serde_json::to_value(&told.screen).unwrap(),
        json!({ "title": "Results", "active_window": "e1" })
    );
    assert_eq!((told.added.len(), told.changed.len()), (0, 0));
}

#[test]
fn what_came_and_went_is_told_with_what_it_said() {
    let mut mirror = mirror("window");
    let base = mirror.revision();
    let node = stillpoint_core::tree::NewNode { key: NativeKey(9), ..stage::node_of("alert \"Saved\"") };
    apply(&mut mirror, vec![Change::Insert { parent: NativeKey(1), index: 0, node }]);
    apply(&mut mirror, vec![Change::Remove { key: NativeKey(9) }]);
    assert_eq!(
        serde_json::to_value(delta(&mirror, base)).unwrap(),
        json!({
            "base_revision": 1, "snapshot_revision": 3,
            "transient": [{ "element_id": "e2", "role": "alert", "text": "Saved" }],
        })
    );
}
