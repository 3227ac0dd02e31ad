//! SPEC §3: the last 256 revisions or 4 MiB of deltas are kept, and a delta can start at any of them.

#[path = "select_stage/mod.rs"]
mod stage;

use stage::{line, mirror};
use stillpoint_core::revise::{MAX_BYTES, MAX_REVISIONS, Mirror, Revision};
use stillpoint_core::tree::{Change, Limits, NativeKey, NewNode, Prop, Props, Rect, Role};
use stillpoint_core::{Code, Moment};

fn label(mirror: &mut Mirror, text: &str, at: u64) -> Revision {
    let props = vec![Prop::Label(Some(text.into()))];
    mirror.apply(vec![Change::Update { key: NativeKey(2), props }], Moment::from_millis(at)).revision
}

fn screen(mirror: &mut Mirror, title: &str) -> Revision {
    let change = Change::Screen { title: Some(title.into()), url: None, active: None };
    mirror.apply(vec![change], Moment::START).revision
}

#[test]
fn exactly_256_revisions_are_kept() {
    let mut mirror = mirror("window\n  text \"0\"");
    while mirror.revision().0 < 1000 {
        let next = mirror.revision().0.to_string();
        label(&mut mirror, &next, 0);
    }
    let kept = (0..=1000).filter(|r| mirror.delta_since(Revision(*r)).is_ok()).count();
    assert_eq!((kept, MAX_REVISIONS), (256, 256));
    assert_eq!(mirror.made_at(Revision(744)), None);
    assert_eq!(mirror.made_at(Revision(745)), Some(Moment::START));
}

#[test]
fn a_delta_from_an_evicted_revision_is_refused_with_what_is_kept_and_what_to_do() {
    let mut mirror = mirror("window\n  text \"0\"");
    for n in 1..=300 {
        label(&mut mirror, &n.to_string(), n);
    }
    let wanted = Revision(3);
    for error in [mirror.delta_since(wanted).unwrap_err(), mirror.mutations_since(wanted).unwrap_err()] {
        assert_eq!(error.code, Code::BaseRevisionUnavailable);
        assert_eq!((&error.details["oldest"], &error.details["latest"]), (&46.into(), &301.into()));
        assert!(error.message.contains("revision 3 is no longer kept"), "{error}");
        assert!(error.hint.contains("full snapshot"), "{}", error.hint);
    }
}

#[test]
fn a_tree_larger_than_the_history_may_be_is_no_delta_and_takes_no_room_in_it() {
    let mut mirror = Mirror::new(Limits::default());
    let mut root = NewNode::new(NativeKey(1), Props::new(Role::Window));
    let rows = (2..30_000).map(|key| NewNode::new(NativeKey(key), Props::new(Role::Row).labelled("row")));
    root.children.extend(rows);
    mirror.apply(vec![Change::Replace(root)], Moment::START);
    assert_eq!(mirror.delta_since(Revision(0)).unwrap_err().code, Code::BaseRevisionUnavailable);
    assert!(mirror.delta_since(Revision(1)).unwrap().is_empty());
    for n in 0..100 {
        label(&mut mirror, &n.to_string(), n);
    }
    assert_eq!(
        mirror.delta_since(Revision(1)).unwrap().changed().count(),
        1,
        "what came later is kept as ever"
    );
}

#[test]
fn the_latest_revision_is_kept_however_large_its_delta() {
    let mut mirror = mirror("window\n  text \"0\"");
    label(&mut mirror, &"x".repeat(3 * MAX_BYTES), 5);
    assert!(mirror.delta_since(mirror.revision()).unwrap().is_empty());
    assert_eq!(mirror.made_at(mirror.revision()), Some(Moment::from_millis(5)));
}

#[test]
fn a_delta_between_two_earlier_revisions_leads_from_one_to_the_other() {
    let mut mirror = mirror("window\n  text \"0\"");
    let states: Vec<_> = ["1", "2", "3"]
        .map(|text| {
            label(&mut mirror, text, 0);
            mirror.snapshot(Moment::START)
        })
        .to_vec();
    let delta = mirror.delta_between(states[0].revision, states[1].revision).unwrap();
    assert_eq!(delta.apply(&states[0].tree), states[1].tree);
    assert_eq!((delta.base(), delta.target()), (states[0].revision, states[1].revision));
}

#[test]
fn a_delta_backwards_makes_no_sense() {
    let mut mirror = mirror("window\n  text \"0\"");
    label(&mut mirror, "1", 0);
    let error = mirror.delta_between(Revision(2), Revision(1)).unwrap_err();
    assert_eq!(error.code, Code::InvalidArgument);
}

#[test]
fn what_ended_as_it_began_is_no_difference() {
    let mut mirror = mirror("window\n  text \"0\"");
    let base = mirror.snapshot(Moment::START);
    label(&mut mirror, "1", 0);
    label(&mut mirror, "0", 0);
    let delta = mirror.delta_since(base.revision).unwrap();
    assert!(delta.is_empty(), "{delta:?}");
    assert_eq!(mirror.revision(), Revision(3), "though it was a change, twice");
}

#[test]
fn what_moved_without_making_a_revision_is_in_the_next_delta() {
    let mut mirror = mirror("window\n  text \"0\"");
    let base = mirror.snapshot(Moment::START);
    let props = vec![Prop::Bounds(Some(Rect::new(5, 5, 5, 5)))];
    mirror.apply(vec![Change::Update { key: NativeKey(2), props }], Moment::START);
    let delta = mirror.delta_since(base.revision).unwrap();
    assert!(delta.touches(line(mirror.tree(), 2)));
    assert_eq!(delta.apply(&base.tree), mirror.snapshot(Moment::START).tree);
}

#[test]
fn another_screen_is_in_the_delta_and_going_back_is_not() {
    let mut mirror = mirror("window \"W\"");
    let base = screen(&mut mirror, "Orders");
    screen(&mut mirror, "Order 7");
    assert!(mirror.delta_since(base).unwrap().screen_changed());
    screen(&mut mirror, "Orders");
    assert!(!mirror.delta_since(base).unwrap().screen_changed());
}

#[test]
fn a_window_that_goes_is_no_longer_the_active_one() {
    let mut mirror = mirror("application\n  window \"A\"\n  window \"B\"");
    let active = Change::Screen { title: None, url: None, active: Some(NativeKey(2)) };
    let base = mirror.apply(vec![active], Moment::START).revision;
    mirror.apply(vec![Change::Remove { key: NativeKey(2) }], Moment::START);
    assert_eq!(mirror.tree().screen().active_window, None);
    assert!(mirror.delta_since(base).unwrap().screen_changed());
}
