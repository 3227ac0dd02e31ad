//! May it be acted on, and what came of it.

mod select_stage;

use select_stage::{apply, line, mirror, tree};
use std::time::Duration;
use stillpoint_core::judge::actionability::{check, required};
use stillpoint_core::judge::{
    Actionability, Delivery, Evidence, Failure, HitTest, Identity, NetworkResult, Outcome, OutcomeEvidence,
    Predicate, Stillness, Verb, Verification, classify_action_outcome, complaints,
};
use stillpoint_core::tree::{Change, ElementId, NativeKey, Prop, Rect, Tree};
use stillpoint_core::{Code, Moment};

fn blocked(tree: &Tree, id: ElementId, verb: Verb, evidence: &Evidence) -> Option<Failure> {
    match check(tree, id, verb, evidence) {
        Actionability::Ready => None,
        Actionability::Blocked(failure) => Some(failure),
    }
}

/// The predicate that stops a verb on the second line of a screen.
fn stops(screen: &str, verb: Verb, evidence: &Evidence) -> Option<Predicate> {
    let tree = tree(screen);
    blocked(&tree, line(&tree, 2), verb, evidence).map(|f| f.predicate)
}

#[test]
fn what_is_not_known_stops_nothing() {
    for verb in Verb::ALL {
        assert_eq!(stops("window\n  button \"A\"", *verb, &Evidence::default()), None, "{verb}");
    }
}

#[test]
fn each_predicate_stops_the_verbs_that_need_it_and_no_other() {
    let knows = |e: Evidence| e;
    let moving = knows(Evidence { stillness: Stillness::Frames(1), ..Evidence::default() });
    let foreign = knows(Evidence { hit: HitTest::Foreign, ..Evidence::default() });
    let none = Evidence::default();
    for (predicate, screen, evidence) in [
        (Predicate::Visible, "window\n  textbox \"A\"[visible=false]", &none),
        (Predicate::Visible, "window[visible=false]\n  textbox \"A\"[visible]", &none),
        (Predicate::HasArea, "window\n  textbox \"A\" @5,5,0,10", &none),
        (Predicate::OnScreen, "window\n  textbox \"A\"[on_screen=false]", &none),
        (Predicate::Enabled, "window\n  textbox \"A\"[enabled=false]", &none),
        (Predicate::Editable, "window\n  textbox \"A\"[editable=false]", &none),
        (Predicate::Still, "window\n  textbox \"A\"", &moving),
        (Predicate::ReceivesPointer, "window\n  textbox \"A\"", &foreign),
    ] {
        for verb in Verb::ALL {
            let expected = required(*verb).contains(&predicate).then_some(predicate);
            assert_eq!(stops(screen, *verb, evidence), expected, "{verb}: {screen}");
        }
    }
}

#[test]
fn a_removed_element_is_stale() {
    let mut mirror = mirror("window\n  button \"A\"");
    let id = line(mirror.tree(), 2);
    apply(&mut mirror, vec![Change::Remove { key: NativeKey(2) }]);
    let failure = blocked(mirror.tree(), id, Verb::Tap, &Evidence::default()).unwrap();
    assert_eq!(failure.predicate, Predicate::Attached);
    assert_eq!(failure.into_error().code, Code::StaleReference);
}

#[test]
fn an_element_that_became_another_is_not_acted_on() {
    let mut mirror = mirror("window\n  button#pay \"Pay\"");
    let id = line(mirror.tree(), 2);
    let found_as = Some(Identity::of(mirror.tree().get(id).unwrap()));
    let evidence = Evidence { found_as, ..Evidence::default() };
    assert!(check(mirror.tree(), id, Verb::Tap, &evidence).is_ready());
    let prop = Prop::StableId(Some("delete".into()));
    apply(&mut mirror, vec![Change::Update { key: NativeKey(2), props: vec![prop] }]);
    let failure = blocked(mirror.tree(), id, Verb::Tap, &evidence).unwrap();
    assert_eq!(failure.predicate, Predicate::IdentityUnchanged);
}

#[test]
fn the_element_that_covers_is_named() {
    let tree =
        tree("window\n  button \"Buy\"\n    text \"Buy\"\n  dialog \"Cookies\"\n    button \"Accept\"");
    let [buy, caption, dialog] = [2, 3, 4].map(|n| line(&tree, n));
    let hit = |id| Evidence { hit: HitTest::Element(id), ..Evidence::default() };
    assert_eq!(blocked(&tree, buy, Verb::Tap, &hit(buy)), None);
    assert_eq!(blocked(&tree, buy, Verb::Tap, &hit(caption)), None, "what lies in it passes the press on");
    assert_eq!(blocked(&tree, buy, Verb::Tap, &hit(line(&tree, 1))), None, "the platform looked no deeper");
    let failure = blocked(&tree, buy, Verb::Tap, &hit(dialog)).unwrap();
    assert_eq!((failure.predicate, failure.culprit), (Predicate::ReceivesPointer, Some(dialog)));
    insta::assert_snapshot!(failure.message, @r#"button "Buy" (e2) is covered by dialog "Cookies" (e3)"#);
    let error = failure.into_error();
    assert_eq!((error.code, error.retryable), (Code::NotActionable, true));
    assert_eq!(error.details["culprit"], "e3");
}

#[test]
fn a_modal_window_shuts_the_others_out_wherever_it_is_drawn() {
    let tree = select_stage::tree(
        "application\n  window \"Files\"\n    button \"Delete\"\n  dialog \"Settings\"[modal]\n    button \"OK\"",
    );
    let delete = tree.walk().find(|(_, n)| n.label() == Some("Delete")).map(|(id, _)| id).unwrap();
    let evidence = Evidence { hit: HitTest::Element(delete), ..Evidence::default() };
    let Actionability::Blocked(failure) = check(&tree, delete, Verb::Tap, &evidence) else {
        panic!("a tap through a modal dialog");
    };
    assert_eq!(failure.predicate, Predicate::ReceivesPointer);
    assert!(failure.message.contains("Settings"), "{}", failure.message);
}

#[test]
fn a_modal_dialog_covers_the_rest_where_no_hit_test_can_tell() {
    let tree = tree(
        "window\n  button \"Buy\"\n  dialog \"Sure?\"[modal]\n    button \"Yes\"\n  menu\n    menuitem \"Copy\"",
    );
    let none = Evidence::default();
    assert_eq!(blocked(&tree, line(&tree, 2), Verb::Tap, &none).unwrap().culprit, Some(line(&tree, 3)));
    assert_eq!(blocked(&tree, line(&tree, 4), Verb::Tap, &none), None, "inside the dialog");
    assert_eq!(blocked(&tree, line(&tree, 6), Verb::Tap, &none), None, "a menu floats above it");
    let seen = Evidence { hit: HitTest::Element(line(&tree, 2)), ..Evidence::default() };
    assert_eq!(blocked(&tree, line(&tree, 2), Verb::Tap, &seen), None, "what the platform saw counts more");
    let closed = select_stage::tree("window\n  button \"Buy\"\n  dialog \"Sure?\"[modal][visible=false]");
    assert_eq!(blocked(&closed, line(&closed, 2), Verb::Tap, &none), None);
}

#[test]
fn still_means_two_frames_or_their_time() {
    let screen = "window\n  button \"A\"";
    let now = Moment::from_millis(1_000);
    let with = |stillness| Evidence { now, stillness, ..Evidence::default() };
    let moved = |ago: u64| with(Stillness::MovedAt(now - Duration::from_millis(ago)));
    assert_eq!(stops(screen, Verb::Tap, &moved(10)), Some(Predicate::Still));
    assert_eq!(stops(screen, Verb::Tap, &moved(34)), None);
    assert_eq!(stops(screen, Verb::Tap, &with(Stillness::Frames(2))), None);
    let native = Evidence { native_action: true, ..moved(10) };
    assert_eq!(stops(screen, Verb::Tap, &native), None, "a native action aims at nothing");
}

#[test]
fn outside_the_viewport_is_off_screen() {
    let viewport = Some(Rect::new(0, 0, 100, 100));
    let evidence = Evidence { viewport, ..Evidence::default() };
    assert_eq!(stops("window\n  button \"A\" @0,500,10,10", Verb::Tap, &evidence), Some(Predicate::OnScreen));
    assert_eq!(stops("window\n  button \"A\" @0,95,10,10", Verb::Tap, &evidence), None);
}

#[test]
fn a_slider_needs_not_be_editable() {
    assert_eq!(stops("window\n  slider \"A\"[editable=false]", Verb::SetValue, &Evidence::default()), None);
}

#[test]
fn verbs_have_their_names_in_every_form() {
    assert_eq!(Verb::ALL.len(), 17);
    for verb in Verb::ALL {
        assert_eq!(Verb::from_name(verb.name()), Some(*verb));
        assert_eq!(serde_json::to_value(verb).unwrap(), verb.name());
    }
    assert_eq!(Verb::from_name("adjust_control"), Some(Verb::SetValue));
    let again: Vec<&str> = Verb::ALL.iter().filter(|v| v.idempotent()).map(|v| v.name()).collect();
    assert_eq!(again, ["hover", "focus", "set_value", "select", "expand", "scroll_to"]);
}

fn request(status: u16) -> NetworkResult {
    NetworkResult { url: "/api".into(), status: Some(status), failed: false }
}

#[test]
fn the_outcome_follows_from_the_evidence_and_ui_comes_first() {
    let seen = |ui_changed, network: &[NetworkResult]| OutcomeEvidence {
        delivery: Delivery::Delivered,
        ui_changed,
        network: network.to_vec(),
        ..OutcomeEvidence::default()
    };
    let failed = NetworkResult { failed: true, ..NetworkResult::default() };
    let verified = |v, e: OutcomeEvidence| OutcomeEvidence { verification: Some(v), ..e };
    let complaint = |e: OutcomeEvidence| OutcomeEvidence { complaints: vec!["Card declined".into()], ..e };
    let undelivered = OutcomeEvidence { delivery: Delivery::NotDelivered, ..seen(Some(true), &[]) };
    let unsure = OutcomeEvidence { delivery: Delivery::Unknown, ..seen(Some(false), &[]) };
    for (evidence, outcome) in [
        (undelivered, Outcome::UiFailure),
        (verified(Verification::Passed, seen(Some(false), &[request(500)])), Outcome::Success),
        (verified(Verification::Failed, seen(Some(true), &[])), Outcome::UiFailure),
        (verified(Verification::Failed, seen(Some(false), &[])), Outcome::NoOp),
        (verified(Verification::Failed, seen(Some(true), &[request(503)])), Outcome::BackendFailure),
        (complaint(seen(Some(true), &[])), Outcome::UiFailure),
        (complaint(seen(Some(true), &[request(402)])), Outcome::BackendFailure),
        (seen(Some(true), &[]), Outcome::Success),
        (seen(Some(true), &[request(500)]), Outcome::Success),
        (seen(Some(false), &[]), Outcome::NoOp),
        (seen(Some(false), &[request(200)]), Outcome::Success),
        (seen(Some(false), &[request(200), request(500)]), Outcome::BackendFailure),
        (seen(Some(false), &[failed]), Outcome::BackendFailure),
        (seen(None, &[request(204)]), Outcome::Success),
        (seen(None, &[]), Outcome::Unknown),
        (unsure, Outcome::Unknown),
        (OutcomeEvidence::default(), Outcome::Unknown),
    ] {
        let verdict = classify_action_outcome(&evidence);
        assert_eq!(verdict.outcome, outcome, "{evidence:?}: {:?}", verdict.reasoning);
        assert!(!verdict.reasoning[0].is_empty());
    }
}

#[test]
fn the_reasoning_quotes_the_app_and_the_network() {
    let evidence = OutcomeEvidence {
        delivery: Delivery::Delivered,
        ui_changed: Some(true),
        complaints: vec!["Card declined".into()],
        network: vec![request(402)],
        ..OutcomeEvidence::default()
    };
    let verdict = classify_action_outcome(&evidence);
    assert_eq!(verdict.reasoning[1], "the app says: Card declined");
    assert_eq!(verdict.reasoning[2], "a request failed: /api answered 402");
}

#[test]
fn alerts_and_invalid_fields_complain_and_hidden_ones_do_not() {
    let tree = tree(
        "window\n  alert \"Card declined\"\n  textbox \"Zip\"[invalid]\n  alert \"Old\"[visible=false]\n  text \"fine\"",
    );
    let said = complaints(&tree, tree.iter().map(|(id, _)| id));
    assert_eq!(said, ["Card declined", "Zip"]);
}
