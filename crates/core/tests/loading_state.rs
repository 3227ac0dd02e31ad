//! SPEC §6: the loading state is advice, and its words and looks match nothing that only resembles loading.

#[path = "select_stage/mod.rs"]
mod stage;

use stage::{apply, line, mirror, tree};
use stillpoint_core::revise::Mirror;
use stillpoint_core::settle::{LoadingSignal, LoadingSource, LoadingState, loading_state};
use stillpoint_core::tree::{Change, NativeKey, Prop, State, StateValue, ValueRange};

/// What is seen in a screen by itself, and on which line.
fn seen(screen: &str) -> (LoadingSignal, Option<u64>) {
    let tree = tree(screen);
    let state = loading_state(&tree, None);
    assert_eq!(state.active, state.signal != LoadingSignal::None);
    (state.signal, state.element_id.and_then(|id| tree.get(id)).map(|n| n.key().0))
}

#[track_caller]
fn assert_calm(screen: &str) {
    assert_eq!(seen(screen), (LoadingSignal::None, None), "{screen}");
}

/// A progress bar on line 2 that has come so far.
fn bar(now: f64, max: Option<f64>) -> Mirror {
    let mut mirror = mirror("window\n  progressbar \"Upload\"");
    let range = max.map(|max| ValueRange { min: 0.0, max, step: None });
    let props = vec![Prop::RawValue(Some(now)), Prop::ValueRange(range)];
    apply(&mut mirror, vec![Change::Update { key: NativeKey(2), props }]);
    mirror
}

#[test]
fn each_signal_is_seen_where_it_is() {
    let cases = [
        ("window\n  progressbar \"Upload\"", LoadingSignal::ProgressIndicator, 2),
        ("window\n  list \"Orders\"[busy]", LoadingSignal::BusyState, 2),
        ("window\n  spinner", LoadingSignal::Spinner, 2),
        ("window\n  status \"Loading…\"", LoadingSignal::Spinner, 2),
        ("window\n  group#card-skeleton", LoadingSignal::Skeleton, 2),
        ("window\n  dialog \"Saving\"[modal][busy]", LoadingSignal::Overlay, 2),
        ("window\n  document \"Orders\"[busy]", LoadingSignal::Navigation, 2),
    ];
    for (screen, signal, number) in cases {
        assert_eq!(seen(screen), (signal, Some(number)), "{screen}");
    }
}

#[test]
fn nothing_is_none_with_no_element() {
    assert_calm("window \"Orders\"\n  button \"Save\"");
    assert_eq!(
        serde_json::to_value(LoadingState::default()).unwrap(),
        serde_json::json!({ "active": false, "signal": "none", "source": "platform" })
    );
}

#[test]
fn words_count_only_as_a_whole_short_phrase_on_a_status_like_role() {
    for words in ["Loading", "loading...", "Loading …", "Please wait", "SAVING…"] {
        assert_eq!(seen(&format!("window\n  status \"{words}\"")).0, LoadingSignal::Spinner, "{words}");
        for role in ["button", "text", "heading", "link", "listitem", "combobox"] {
            assert_calm(&format!("window\n  {role} \"{words}\""));
        }
    }
    for words in ["Pending orders", "Loading dock", "Loading 3 of 5 trucks", "Not loading", "Savings", "Work"]
    {
        assert_calm(&format!("window\n  status \"{words}\""));
    }
}

#[test]
fn what_only_resembles_loading_does_not_match() {
    assert_calm("window\n  heading \"Pending orders\"");
    assert_calm("window\n  combobox \"Spinner\"");
    assert_calm("window\n  button \"Loading dock\"");
    assert_calm("window\n  group#skeletons-of-the-museum \"Exhibits\"");
    assert_calm("window\n  image#skeleton \"A human skeleton\"");
    assert_calm("window\n  spinner[busy=false]");
    assert_calm("window\n  dialog \"Settings\"[modal]");
    assert_calm("window\n  list \"Orders\"[busy=false]");
}

#[test]
fn what_is_hidden_is_not_loading() {
    assert_calm("window\n  progressbar \"Upload\"[visible=false]");
    assert_calm("window\n  group[visible=false]\n    progressbar \"Upload\"\n    spinner");
    assert_calm("window\n  status \"Loading…\"[visible=false]");
    assert_calm("window\n  list[busy][visible=false]");
}

#[test]
fn a_progress_bar_counts_until_it_is_full() {
    let signal = |mirror: Mirror| loading_state(mirror.tree(), None).signal;
    assert_eq!(signal(bar(40.0, Some(100.0))), LoadingSignal::ProgressIndicator);
    assert_eq!(signal(bar(100.0, Some(100.0))), LoadingSignal::None);
    assert_eq!(signal(bar(0.5, None)), LoadingSignal::ProgressIndicator);
    assert_eq!(signal(bar(1.0, None)), LoadingSignal::None);
    assert_eq!(seen("window\n  progressbar[value=\"40%\"]").0, LoadingSignal::ProgressIndicator);
    assert_calm("window\n  progressbar[value=\"100 %\"]");
}

#[test]
fn who_stops_being_busy_loses_the_name_or_goes_is_not_loading_any_more() {
    let mut mirror = mirror("window\n  list \"Orders\"\n  group\n  table");
    let mut seen_after = |change| {
        apply(&mut mirror, vec![change]);
        let state = loading_state(mirror.tree(), None);
        (state.signal, state.element_id.and_then(|id| mirror.tree().get(id)).map(|n| n.key().0))
    };
    let set = |key, prop| Change::Update { key: NativeKey(key), props: vec![prop] };
    let busy = |on: bool| Prop::State(State::Busy, Some(StateValue::from(on)));
    assert_eq!(seen_after(set(2, busy(true))), (LoadingSignal::BusyState, Some(2)));
    assert_eq!(
        seen_after(set(3, Prop::StableId(Some("skeleton".into())))),
        (LoadingSignal::BusyState, Some(2))
    );
    assert_eq!(seen_after(set(2, busy(false))), (LoadingSignal::Skeleton, Some(3)));
    assert_eq!(seen_after(set(3, Prop::StableId(Some("orders".into())))), (LoadingSignal::None, None));
    assert_eq!(
        seen_after(set(3, Prop::TestTag(Some("orders_skeleton".into())))),
        (LoadingSignal::Skeleton, Some(3))
    );
    assert_eq!(seen_after(set(4, busy(true))), (LoadingSignal::BusyState, Some(4)));
    assert_eq!(seen_after(Change::Remove { key: NativeKey(4) }), (LoadingSignal::Skeleton, Some(3)));
    assert_eq!(seen_after(Change::Remove { key: NativeKey(3) }), (LoadingSignal::None, None));
}

/// A form whose button goes from one state to another; what is seen after it.
fn submit(before: Option<bool>, after: bool, shown: bool) -> LoadingState {
    let mut mirror = mirror("window\n  button \"Pay\"");
    let set = |mirror: &mut Mirror, state, on: Option<bool>| {
        let props = vec![Prop::State(state, on.map(StateValue::from))];
        apply(mirror, vec![Change::Update { key: NativeKey(2), props }]);
    };
    set(&mut mirror, State::Enabled, before);
    set(&mut mirror, State::Visible, Some(shown));
    let base = mirror.revision();
    set(&mut mirror, State::Enabled, Some(after));
    loading_state(mirror.tree(), Some(&mirror.delta_since(base).expect("the base is kept")))
}

#[test]
fn a_submit_that_was_enabled_before_the_action_and_is_not_now_counts() {
    let state = submit(Some(true), false, true);
    assert_eq!((state.signal, state.source), (LoadingSignal::DisabledSubmit, LoadingSource::Heuristic));
    for (before, after, shown) in [
        (Some(false), false, true),
        (None, false, true),
        (Some(false), true, true),
        (Some(true), false, false),
    ] {
        assert_eq!(
            submit(before, after, shown).signal,
            LoadingSignal::None,
            "{before:?} → {after}, shown {shown}"
        );
    }
}

#[test]
fn a_button_that_was_disabled_all_along_says_nothing() {
    assert_calm("window\n  button \"Pay\"[enabled=false]");
}

#[test]
fn the_first_element_in_the_order_of_ids_is_named() {
    let tree = tree("window\n  group\n    spinner\n  spinner");
    assert_eq!(
        loading_state(&tree, None).element_id,
        Some(line(&tree, 4)),
        "breadth first, the outer one is older"
    );
}

#[test]
fn names_in_json_are_those_of_the_contract() {
    let name = |signal: LoadingSignal| serde_json::to_value(signal).unwrap();
    let all = [
        (LoadingSignal::ProgressIndicator, "progress_indicator"),
        (LoadingSignal::BusyState, "busy_state"),
        (LoadingSignal::Spinner, "spinner"),
        (LoadingSignal::Skeleton, "skeleton"),
        (LoadingSignal::Overlay, "overlay"),
        (LoadingSignal::DisabledSubmit, "disabled_submit"),
        (LoadingSignal::Navigation, "navigation"),
        (LoadingSignal::None, "none"),
    ];
    for (signal, word) in all {
        assert_eq!(name(signal), word);
    }
    let sources = [LoadingSource::Platform, LoadingSource::Sdk, LoadingSource::Heuristic];
    assert_eq!(serde_json::to_value(sources).unwrap(), serde_json::json!(["platform", "sdk", "heuristic"]));
}
