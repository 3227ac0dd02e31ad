//! SPEC §4, rule by rule.

use std::time::Duration;
use stillpoint_core::Moment;
use stillpoint_core::revise::{Class, Mirror, Mutation};
use stillpoint_core::settle::{
    ExpectedChange, Outcome, Reason, Rules, Scope, Stabiliser, StabilityState, Step, UiState, ui_state,
};
use stillpoint_core::tree::{
    Change, ElementId, Limits, NativeKey, NewNode, Prop, Props, Role, State, StateValue, Tree,
};

const WINDOW: Duration = Duration::from_millis(300);

fn ms(ms: u64) -> Moment {
    Moment::from_millis(ms)
}

fn id(n: u32) -> ElementId {
    ElementId::new(n).expect("ids count from one")
}

/// e1 is the root, e2 and e3 lie in it, e4 lies in e2 and is off the screen.
fn tree() -> Tree {
    let node = |k, l: &str| {
        NewNode::new(NativeKey(k), Props::new(Role::Group).labelled(l).state(State::OnScreen, true))
    };
    let mut far = node(3, "far");
    far.props.set(Prop::State(State::OnScreen, Some(StateValue::Off)));
    let mut mirror = Mirror::new(Limits::default());
    mirror.apply(
        vec![Change::Replace(node(0, "root").child(node(1, "in").child(far)).child(node(2, "out")))],
        ms(0),
    );
    mirror.tree().clone()
}

fn mutation(class: Class, element: u32, at: u64) -> Mutation {
    Mutation { class, element: id(element), anchor: id(element), at: ms(at), volatile: false }
}

fn wait(rules: Rules) -> Stabiliser {
    Stabiliser::new(Rules { window: WINDOW, ..rules }, ms(0), ms(5000))
}

fn change(rules: Rules) -> Stabiliser {
    wait(Rules { needs_change: true, ..rules })
}

/// Asks at `at`, answers a barrier at once, and gives the outcome if there is one.
fn ask(machine: &mut Stabiliser, at: u64) -> Option<Outcome> {
    loop {
        match machine.poll(ms(at)) {
            Step::Done(outcome) => return Some(outcome),
            Step::Barrier(ticket) => machine.barrier_passed(ticket, ms(at)),
            Step::Wait(_) => return None,
        }
    }
}

const STABLE: Outcome = Outcome { reason: Reason::Converged, stability: StabilityState::Stable };

#[test]
fn rule_1_stable_is_a_whole_window_after_the_last_qualifying_mutation() {
    let mut machine = change(Rules::default());
    machine.mutated(&tree(), &[mutation(Class::Text, 2, 100)]);
    assert_eq!(machine.poll(ms(150)), Step::Wait(ms(400)));
    assert_eq!(ask(&mut machine, 399), None);
    assert_eq!(ask(&mut machine, 400), Some(STABLE));
}

#[test]
fn rule_1_the_window_counts_from_the_last_mutation_before_the_call_too() {
    let mut machine = Stabiliser::new(Rules { window: WINDOW, ..Rules::default() }, ms(200), ms(5000));
    assert_eq!(ask(&mut machine, 499), None);
    assert_eq!(ask(&mut machine, 500), Some(STABLE));
}

#[test]
fn rule_2_a_mutation_inside_the_window_restarts_it() {
    let mut machine = change(Rules::default());
    machine.mutated(&tree(), &[mutation(Class::Text, 2, 100)]);
    machine.mutated(&tree(), &[mutation(Class::Structure, 3, 399)]);
    assert_eq!(ask(&mut machine, 698), None);
    assert_eq!(ask(&mut machine, 699), Some(STABLE));
    assert_eq!(machine.resets(), 2);
}

#[test]
fn rule_2_nothing_accumulates_and_a_burst_is_one_period() {
    let mut machine = change(Rules::default());
    for at in (100..2000).step_by(50) {
        machine.mutated(&tree(), &[mutation(Class::Text, 2, at)]);
        assert_eq!(ask(&mut machine, at + 49), None);
    }
    assert_eq!(ask(&mut machine, 1950 + 300), Some(STABLE));
}

#[test]
fn rule_2_what_does_not_qualify_resets_nothing() {
    let mut machine = change(Rules::default());
    machine.mutated(&tree(), &[mutation(Class::Text, 2, 100)]);
    for class in [Class::Progress, Class::Focus, Class::Geometry, Class::Cosmetic] {
        machine.mutated(&tree(), &[mutation(class, 2, 390)]);
    }
    assert_eq!(ask(&mut machine, 400), Some(STABLE));
}

#[test]
fn rule_2_only_mutations_in_scope_reset_the_window() {
    let mut subtree = change(Rules { scope: Scope::Subtree(id(2)), ..Rules::default() });
    subtree.mutated(&tree(), &[mutation(Class::Text, 4, 100)]);
    subtree.mutated(&tree(), &[mutation(Class::Text, 3, 390)]);
    assert_eq!(ask(&mut subtree, 400), Some(STABLE));

    let mut viewport = change(Rules { scope: Scope::Viewport, ..Rules::default() });
    viewport.mutated(&tree(), &[mutation(Class::Text, 3, 100)]);
    viewport.mutated(&tree(), &[mutation(Class::Text, 4, 390)]);
    assert_eq!(ask(&mut viewport, 400), Some(STABLE));

    let mut ignoring = change(Rules { ignore: vec![id(2)], ..Rules::default() });
    ignoring.mutated(&tree(), &[mutation(Class::Text, 3, 100)]);
    ignoring.mutated(&tree(), &[mutation(Class::Text, 4, 390)]);
    assert_eq!(ask(&mut ignoring, 400), Some(STABLE));
}

#[test]
fn rule_2_what_is_passed_over_does_not_start_the_window_again_but_takes_another_barrier() {
    let ticker = |at| Mutation { volatile: true, ..mutation(Class::Text, 3, at) };
    let mut machine = wait(Rules { mask_volatile: true, ..Rules::default() });
    let Step::Barrier(first) = machine.poll(ms(300)) else { panic!("the window is over") };
    // Its name has changed, and its text may be behind the barrier.
    machine.mutated(&tree(), &[ticker(301)]);
    machine.barrier_passed(first, ms(302));
    let Step::Barrier(second) = machine.poll(ms(302)) else { panic!("the first barrier proves nothing now") };
    machine.mutated(&tree(), &[ticker(303)]);
    assert!(matches!(machine.poll(ms(303)), Step::Wait(_)), "one at a time");
    machine.barrier_passed(second, ms(303));
    let Step::Barrier(third) = machine.poll(ms(303)) else { panic!("nor does the second prove anything") };
    assert_ne!(second, third);
    machine.barrier_passed(third, ms(304));
    machine.mutated(&tree(), &[ticker(304)]);
    assert!(matches!(machine.poll(ms(304)), Step::Barrier(_)), "nor one that nobody has looked at yet");
}

/// On a starved machine an app answers each barrier after a second, while its clock ticks: how many barriers are asked for until rest.
fn barriers_beside_a_clock(tick: u64) -> usize {
    let ticker = |at| Mutation { volatile: true, ..mutation(Class::Text, 3, at) };
    let mut machine = wait(Rules { mask_volatile: true, ..Rules::default() });
    let mut asked = Vec::new();
    for at in (300..5_000).step_by(100) {
        if at % tick == 0 {
            machine.mutated(&tree(), &[ticker(at)]);
        }
        if let Some((ticket, _)) = asked.last().copied().filter(|(_, since)| since + 1_000 == at) {
            machine.barrier_passed(ticket, ms(at));
        }
        match machine.poll(ms(at)) {
            Step::Barrier(ticket) => asked.push((ticket, at)),
            Step::Wait(_) => {}
            Step::Done(outcome) => {
                assert_eq!(outcome, STABLE, "at {at}");
                return asked.len();
            }
        }
    }
    panic!("it went on for ever, with barriers at {asked:?}");
}

#[test]
fn rule_2_a_clock_that_is_quicker_than_the_answers_does_not_use_up_the_time() {
    assert_eq!(barriers_beside_a_clock(100), 3, "twelve ticks are enough");
    assert_eq!(barriers_beside_a_clock(500), 4, "and so is half of the time");
}

/// A label that goes through five texts tells each of them as its name and its text.
#[test]
fn rule_2_ten_changes_that_are_passed_over_take_ten_barriers_and_a_quick_ticker_does_not_go_on_for_ever() {
    let ticker = |at| Mutation { volatile: true, ..mutation(Class::Text, 3, at) };
    let mut machine = wait(Rules { mask_volatile: true, ..Rules::default() });
    let mut barriers = 0;
    for at in 300..400 {
        let barrier = match machine.poll(ms(at)) {
            Step::Barrier(barrier) => barrier,
            decided => {
                assert_eq!(decided, Step::Done(STABLE));
                break;
            }
        };
        barriers += 1;
        machine.mutated(&tree(), &[ticker(at)]);
        machine.barrier_passed(barrier, ms(at));
    }
    assert!((11..50).contains(&barriers), "{barriers}");
}

#[test]
fn rule_2_volatile_nodes_are_masked_and_listed_unless_the_caller_turns_that_off() {
    let ticker = Mutation { volatile: true, ..mutation(Class::Text, 3, 390) };
    let mut machine = change(Rules { mask_volatile: true, ..Rules::default() });
    machine.mutated(&tree(), &[mutation(Class::Text, 2, 100)]);
    machine.mutated(&tree(), &[ticker]);
    assert_eq!(ask(&mut machine, 400), Some(STABLE));
    assert_eq!(machine.masked().collect::<Vec<_>>(), [id(3)]);

    let mut machine = change(Rules::default());
    machine.mutated(&tree(), &[mutation(Class::Text, 2, 100), ticker]);
    assert_eq!(ask(&mut machine, 400), None);
}

#[test]
fn rule_2_a_clock_that_is_replaced_at_each_tick_is_listed_once() {
    let text = |k| NewNode::new(NativeKey(k), Props::new(Role::Text).labelled(&format!("tick {k}")));
    let root = NewNode::new(NativeKey(0), Props::new(Role::Group)).child(text(1));
    let mut mirror = Mirror::new(Limits::default());
    mirror.apply(vec![Change::Replace(root)], ms(0));
    let mut machine = change(Rules { mask_volatile: true, ..Rules::default() });
    for k in 1..=30 {
        let come = Change::Insert { parent: NativeKey(0), index: 0, node: text(k + 1) };
        let applied = mirror.apply(vec![Change::Remove { key: NativeKey(k) }, come], ms(k * 10));
        machine.mutated(mirror.tree(), &applied.mutations);
    }
    assert_eq!(
        ask(&mut machine, 400),
        Some(STABLE),
        "the first five ticks are the change, and the rest is passed over"
    );
    let last = mirror.tree().by_key(NativeKey(31)).unwrap();
    assert_eq!(machine.masked().collect::<Vec<_>>(), [last]);
}

#[test]
fn rule_3_nothing_is_stable_before_the_barrier_is_through() {
    let mut machine = change(Rules::default());
    machine.mutated(&tree(), &[mutation(Class::Text, 2, 100)]);
    let Step::Barrier(ticket) = machine.poll(ms(400)) else { panic!("a barrier at the end of the window") };
    assert_eq!(machine.poll(ms(450)), Step::Wait(ms(5000)));
    machine.barrier_passed(ticket, ms(460));
    assert_eq!(machine.poll(ms(460)), Step::Done(STABLE));
}

#[test]
fn rule_3_a_mutation_that_the_barrier_brings_starts_the_window_again() {
    let mut machine = change(Rules::default());
    machine.mutated(&tree(), &[mutation(Class::Text, 2, 100)]);
    let Step::Barrier(early) = machine.poll(ms(400)) else { panic!("a barrier at the end of the window") };
    machine.mutated(&tree(), &[mutation(Class::Text, 2, 410)]);
    machine.barrier_passed(early, ms(420));
    assert_eq!(machine.poll(ms(420)), Step::Wait(ms(710)), "an answer to the earlier barrier proves nothing");
    assert_eq!(ask(&mut machine, 710), Some(STABLE));
}

#[test]
fn rule_4_a_timeout_ends_the_wait_at_once_and_never_as_stable() {
    let mut machine = change(Rules::default());
    machine.mutated(&tree(), &[mutation(Class::Text, 2, 4990)]);
    let outcome = ask(&mut machine, 5000).unwrap();
    assert_eq!(outcome, Outcome { reason: Reason::NotStable, stability: StabilityState::Transient });

    let mut machine = change(Rules::default());
    machine.mutated(&tree(), &[mutation(Class::Text, 2, 4800)]);
    let outcome = ask(&mut machine, 5000).unwrap();
    assert_eq!(outcome, Outcome { reason: Reason::NotStable, stability: StabilityState::Stabilizing });

    let outcome = ask(&mut change(Rules::default()), 5000).unwrap();
    assert_eq!(outcome, Outcome { reason: Reason::NoChange, stability: StabilityState::Stabilizing });
}

#[test]
fn rule_4_a_barrier_that_is_through_after_the_deadline_proves_nothing() {
    let mut machine = change(Rules::default());
    machine.mutated(&tree(), &[mutation(Class::Text, 2, 4600)]);
    let Step::Barrier(ticket) = machine.poll(ms(4950)) else { panic!("a barrier at the end of the window") };
    machine.barrier_passed(ticket, ms(5000));
    assert!(matches!(ask(&mut machine, 5000), Some(o) if o.reason == Reason::NotStable));
}

#[test]
fn rule_5_idle_needs_no_window_and_only_the_app_can_say_it() {
    let mut machine = change(Rules::default());
    machine.mutated(&tree(), &[mutation(Class::Text, 2, 100)]);
    machine.idle_signal(Some(true));
    let outcome = ask(&mut machine, 101).unwrap();
    assert_eq!(outcome, Outcome { reason: Reason::Converged, stability: StabilityState::Idle });
}

#[test]
fn rule_5_an_app_that_says_it_is_busy_is_not_at_rest_however_quiet() {
    let mut machine = wait(Rules::default());
    machine.idle_signal(Some(false));
    assert_eq!(ask(&mut machine, 4000), None);
    machine.idle_signal(Some(true));
    assert_eq!(ask(&mut machine, 4001).unwrap().stability, StabilityState::Idle);
}

#[test]
fn rule_6_every_end_has_a_reason() {
    let end = |reason| {
        let mut machine = change(Rules::default());
        machine.end(reason, ms(10));
        ask(&mut machine, 10).unwrap().reason
    };
    for reason in [Reason::Cancelled, Reason::TargetLost, Reason::TargetUnresponsive] {
        assert_eq!(end(reason), reason);
    }
    let mut machine = change(Rules { scope: Scope::Subtree(id(99)), ..Rules::default() });
    machine.mutated(&tree(), &[mutation(Class::Structure, 2, 10)]);
    assert_eq!(ask(&mut machine, 10).unwrap().reason, Reason::TargetInvalid);
}

#[test]
fn rule_6_an_app_that_leaves_the_barrier_unanswered_is_unresponsive() {
    let mut machine = wait(Rules::default());
    assert!(matches!(machine.poll(ms(400)), Step::Barrier(_)));
    assert_eq!(ask(&mut machine, 5000).unwrap().reason, Reason::TargetUnresponsive);
}

#[test]
fn only_the_expected_kind_of_change_counts_as_the_change_but_every_kind_resets() {
    let mut machine = change(Rules { expected: Some(ExpectedChange::TextChange), ..Rules::default() });
    machine.mutated(&tree(), &[mutation(Class::Structure, 2, 100)]);
    assert_eq!(ask(&mut machine, 1000), None);
    machine.mutated(&tree(), &[mutation(Class::Text, 2, 1000), mutation(Class::State, 3, 1100)]);
    assert_eq!(ask(&mut machine, 1399), None);
    assert_eq!(ask(&mut machine, 1400), Some(STABLE));
}

#[test]
fn ui_state_tells_content_from_motion() {
    let at = |content, layout, busy| ui_state(content, layout, busy, WINDOW, ms(1000));
    assert_eq!(at(Some(ms(600)), Some(ms(600)), false), UiState::Idle);
    assert_eq!(at(None, Some(ms(900)), false), UiState::Animating);
    assert_eq!(at(Some(ms(900)), None, false), UiState::Updating);
    assert_eq!(at(Some(ms(900)), Some(ms(900)), false), UiState::Busy);
    assert_eq!(at(None, None, true), UiState::Busy);
}
