//! Revisions only go forward, and deltas lead exactly where they say.

#[path = "gen/mod.rs"]
mod generators;

use generators::{batches, minor_prop, seed};
use proptest::prelude::*;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use stillpoint_core::Moment;
use stillpoint_core::render::{DeltaJson, Element, EmitOptions, diff, elements};
use stillpoint_core::revise::{Mirror, Snapshot};
use stillpoint_core::tree::{Change, ElementId, Limits, NativeKey, Node, Prop, State, StateValue, TreeView};

fn mirror() -> Mirror {
    let mut mirror = Mirror::new(Limits::default());
    mirror.apply(vec![seed()], Moment::START);
    mirror
}

/// The states of a mirror after each batch.
fn play(batches: Vec<Vec<Change>>) -> (Mirror, Vec<Snapshot>) {
    let mut mirror = mirror();
    let mut states = vec![mirror.snapshot(Moment::START)];
    for batch in batches {
        mirror.apply(batch, Moment::START);
        states.push(mirror.snapshot(Moment::START));
    }
    (mirror, states)
}

/// Applies a JSON delta the way its documentation says, with nothing but JSON.
fn apply(base: &[Element], delta: &DeltaJson) -> Vec<Map<String, Value>> {
    let object = |e: &Element| serde_json::to_value(e).expect("JSON").as_object().expect("an object").clone();
    let id = |e: &Map<String, Value>| e["element_id"].as_str().expect("an id").to_owned();
    let removed: Vec<String> = delta.removed.iter().map(ElementId::to_string).collect();
    let moved: Vec<String> = delta.moved.iter().map(|m| m.element_id.to_string()).collect();
    let mut kept: Vec<Map<String, Value>> =
        base.iter().map(object).filter(|e| !removed.contains(&id(e))).collect();
    for change in &delta.changed {
        let one = kept.iter_mut().find(|e| id(e) == id(change)).expect("what changed is there");
        for (name, value) in change {
            if value.is_null() {
                one.remove(name)
            } else {
                one.insert(name.clone(), value.clone())
            };
        }
    }
    let mut lists: HashMap<Option<String>, Vec<Map<String, Value>>> = HashMap::default();
    let parent = |e: &Map<String, Value>| e.get("parent").and_then(Value::as_str).map(str::to_owned);
    let mut loose = Vec::new();
    for e in kept {
        if moved.contains(&id(&e)) { loose.push(e) } else { lists.entry(parent(&e)).or_default().push(e) }
    }
    let mut placed: Vec<(usize, Map<String, Value>)> =
        delta.added.iter().map(|a| (a.index, object(&a.element))).collect();
    for m in &delta.moved {
        let mut e =
            loose.iter().find(|e| id(e) == m.element_id.to_string()).expect("what moved is there").clone();
        match m.parent {
            Some(p) => e.insert("parent".into(), p.to_string().into()),
            None => e.remove("parent"),
        };
        placed.push((m.index, e));
    }
    placed.sort_by_key(|(index, _)| *index);
    for (index, e) in placed {
        let list = lists.entry(parent(&e)).or_default();
        list.insert(index, e);
    }
    let mut out = Vec::new();
    let mut stack: Vec<Map<String, Value>> = lists.remove(&None).unwrap_or_default();
    stack.reverse();
    while let Some(e) = stack.pop() {
        let children = lists.remove(&Some(id(&e))).unwrap_or_default();
        out.push(e);
        stack.extend(children.into_iter().rev());
    }
    out
}

/// All that there is to say about a tree, without the content of `secret` elements.
fn told(tree: &TreeView, secret: &HashSet<ElementId>) -> Vec<(ElementId, String)> {
    let content =
        |id: ElementId, text: Option<&str>| text.filter(|_| !secret.contains(&id)).map(str::to_owned);
    let node = |(id, n): (ElementId, &Node)| {
        let place = (n.parent(), n.window(), n.children().to_vec());
        let shown =
            (content(id, n.text()), content(id, n.value()), n.label(), n.description(), n.stable_id());
        (id, format!("{place:?} {shown:?} {:?} {:?} {:?}", n.role(), n.states(), n.bounds()))
    };
    tree.iter().map(node).chain(tree.root().map(|root| (root, format!("{:?}", tree.screen())))).collect()
}

/// Whom a change makes protected.
fn protects(change: &Change) -> Option<NativeKey> {
    let Change::Update { key, props } = change else { return None };
    let on = Prop::State(State::Protected, Some(StateValue::On));
    props.contains(&on).then_some(*key)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_delta_leads_from_its_base_exactly_to_its_target(batches in batches()) {
        let (mirror, states) = play(batches);
        for (i, base) in states.iter().enumerate() {
            for (j, target) in states.iter().enumerate().skip(i) {
                // A target revision is told as it was when the next one came.
                let last = states.get(j + 1).is_none_or(|next| next.revision != target.revision);
                if !last {
                    continue;
                }
                let delta = mirror.delta_between(base.revision, target.revision).unwrap();
                prop_assert_eq!(&delta.apply(&base.tree), &target.tree);
            }
        }
    }

    #[test]
    fn a_delta_can_be_taken_back(batches in batches()) {
        // What was protected at any time, be it within one batch, may be blotted out of the past.
        let secret: HashSet<NativeKey> = batches.iter().flatten().filter_map(protects).collect();
        let (mirror, states) = play(batches);
        let all = states.iter().flat_map(|s| s.tree.iter());
        let protected: HashSet<ElementId> =
            all.filter(|(_, n)| n.is_protected() || secret.contains(&n.key())).map(|(id, _)| id).collect();
        for (i, base) in states.iter().enumerate() {
            // Taken back, it leads to the state in which the base revision began.
            if i > 0 && states[i - 1].revision == base.revision {
                continue;
            }
            let delta = mirror.delta_since(base.revision).unwrap();
            let rewound = delta.rewind(&states.last().unwrap().tree);
            prop_assert_eq!(told(&rewound, &protected), told(&base.tree, &protected));
        }
    }

    #[test]
    fn a_json_delta_applied_to_the_base_elements_gives_the_target_elements(batches in batches(), cap in 1..40usize) {
        let (mirror, states) = play(batches);
        let options = EmitOptions { max_nodes: cap, ..EmitOptions::default() };
        let last = states.last().unwrap();
        let (after, ..) = elements(&last.tree, &options);
        let wanted: Vec<Map<String, Value>> =
            after.iter().map(|e| serde_json::to_value(e).unwrap().as_object().unwrap().clone()).collect();
        for base in states.iter().step_by(3) {
            let delta = mirror.delta_since(base.revision).unwrap();
            let (before, ..) = elements(&base.tree, &options);
            let (start, ..) = elements(&delta.rewind(&last.tree), &options);
            let told = diff(&delta, &last.tree, &options);
            // A reader of the base may have looked in the middle of it; where nothing minor happened, both agree.
            if start == before {
                prop_assert_eq!(&apply(&before, &told), &wanted);
            }
        }
    }

    #[test]
    fn revisions_go_forward_by_one_and_only_for_what_qualifies(batches in batches()) {
        let mut mirror = mirror();
        for batch in batches {
            let before = (mirror.revision(), mirror.layout_revision(), mirror.tree().semantic_hash());
            let applied = mirror.apply(batch, Moment::START);
            let step = applied.revision.0 - before.0.0;
            prop_assert_eq!(step, u64::from(applied.qualifies));
            prop_assert_eq!(applied.qualifies, applied.mutations.iter().any(|m| m.class.qualifies()));
            prop_assert!(applied.layout_revision >= before.1);
            if !applied.qualifies {
                prop_assert_eq!(mirror.tree().semantic_hash(), before.2);
            }
        }
    }

    #[test]
    fn what_does_not_qualify_never_bumps_the_revision(
        batches in batches(),
        minors in proptest::collection::vec((0..generators::KEYS, minor_prop()), 1..10)
    ) {
        let (mut mirror, _) = play(batches);
        let before = mirror.revision();
        for (key, prop) in minors {
            mirror.apply(vec![Change::Update { key: NativeKey(key), props: vec![prop] }], Moment::START);
            prop_assert_eq!(mirror.revision(), before);
        }
    }
}
