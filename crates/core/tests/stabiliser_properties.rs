//! The stabiliser's outcome depends only on what happened and when, and it never says `stable` too early.

use proptest::collection::vec;
use proptest::prelude::*;
use std::time::Duration;
use stillpoint_core::Moment;
use stillpoint_core::revise::{Class, Mirror, Mutation};
use stillpoint_core::settle::{
    BarrierTicket, Outcome, Reason, Rules, Scope, Stabiliser, StabilityState, Step,
};
use stillpoint_core::tree::{Change, ElementId, Limits, NativeKey, NewNode, Props, Role, Tree};

fn tree() -> Tree {
    let mut mirror = Mirror::new(Limits::default());
    let node = |k, l: &str| NewNode::new(NativeKey(k), Props::new(Role::Group).labelled(l));
    mirror.apply(
        vec![Change::Replace(
            node(0, "root").child(node(1, "in").child(node(2, "deep"))).child(node(3, "out")),
        )],
        Moment::START,
    );
    mirror.tree().clone()
}

#[derive(Clone, Debug)]
struct Case {
    /// Times of mutations in milliseconds, with the element's number and whether they qualify.
    mutations: Vec<(u64, u32, bool)>,
    window: u64,
    timeout: u64,
    needs_change: bool,
    subtree: bool,
    /// How long a barrier takes.
    latency: u64,
}

fn case() -> impl Strategy<Value = Case> {
    (
        vec((0..900u64, 1..5u32, any::<bool>()), 0..12),
        1..200u64,
        1..1000u64,
        any::<bool>(),
        any::<bool>(),
        0..30u64,
    )
        .prop_map(|(mut mutations, window, timeout, needs_change, subtree, latency)| {
            mutations.sort_unstable();
            Case { mutations, window, timeout, needs_change, subtree, latency }
        })
}

fn mutation(at: u64, element: u32, qualifies: bool) -> Mutation {
    let element = ElementId::new(element).expect("elements count from one");
    let class = if qualifies { Class::Text } else { Class::Geometry };
    Mutation { class, element, anchor: element, at: Moment::from_millis(at), volatile: false }
}

fn in_scope(case: &Case, element: u32) -> bool {
    // e2 is "in", e3 is "out", e4 is "deep" below "in" (ids are given breadth first).
    !case.subtree || element == 2 || element == 4
}

/// Plays a case event by event, looking additionally every `extra` milliseconds; gives the outcome and its time.
fn play(case: &Case, tree: &Tree, extra: Option<u64>) -> (Outcome, u64) {
    let rules = Rules {
        window: Duration::from_millis(case.window),
        needs_change: case.needs_change,
        scope: if case.subtree {
            Scope::Subtree(ElementId::new(2).expect("two is no zero"))
        } else {
            Scope::Screen
        },
        ..Rules::default()
    };
    let mut machine = Stabiliser::new(rules, Moment::START, Moment::from_millis(case.timeout));
    let mut events = case.mutations.iter().peekable();
    let mut pending: Option<(u64, BarrierTicket)> = None;
    let mut now = 0;
    loop {
        while let Some((at, element, qualifies)) = events.next_if(|e| e.0 <= now) {
            machine.mutated(tree, &[mutation(*at, *element, *qualifies)]);
        }
        if let Some((_, ticket)) = pending.take_if(|p| p.0 <= now) {
            machine.barrier_passed(ticket, Moment::from_millis(now));
        }
        let wake = loop {
            match machine.poll(Moment::from_millis(now)) {
                Step::Done(outcome) => return (outcome, now),
                Step::Barrier(ticket) => {
                    if case.latency == 0 {
                        machine.barrier_passed(ticket, Moment::from_millis(now));
                    } else {
                        pending = Some((now + case.latency, ticket));
                    }
                }
                Step::Wait(until) => break until.as_millis(),
            }
        };
        let next = [Some(wake), events.peek().map(|e| e.0), pending.map(|p| p.0), extra.map(|e| now + e)];
        now = next.into_iter().flatten().filter(|t| *t > now).min().unwrap_or(now + 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_outcome_does_not_depend_on_how_often_one_looks(case in case(), extra in 1..50u64) {
        let tree = tree();
        prop_assert_eq!(play(&case, &tree, None), play(&case, &tree, Some(extra)));
    }

    #[test]
    fn stable_is_never_said_without_a_full_quiet_window(case in case()) {
        let (outcome, at) = play(&case, &tree(), None);
        if outcome.stability == StabilityState::Stable {
            let counted = case.mutations.iter().filter(|m| m.2 && in_scope(&case, m.1) && m.0 <= at);
            let last = counted.map(|m| m.0).max();
            prop_assert!(last.is_none_or(|last| at >= last + case.window));
            prop_assert!(!case.needs_change || last.is_some());
            prop_assert_eq!(outcome.reason, Reason::Converged);
        }
    }

    #[test]
    fn no_wait_ends_after_its_timeout_and_a_timeout_is_never_stable(case in case()) {
        let (outcome, at) = play(&case, &tree(), None);
        prop_assert!(at <= case.timeout);
        if outcome.reason != Reason::Converged {
            prop_assert!(matches!(outcome.stability, StabilityState::Transient | StabilityState::Stabilizing));
        }
    }

    #[test]
    fn a_wait_converges_as_soon_as_the_rules_allow(case in case()) {
        // What the rules say, computed in another way: after which mutation is there room for window and barrier?
        let (outcome, at) = play(&case, &tree(), None);
        let counted: Vec<u64> =
            case.mutations.iter().filter(|m| m.2 && in_scope(&case, m.1)).map(|m| m.0).collect();
        let starts = if case.needs_change { counted.clone() } else { std::iter::once(0).chain(counted.clone()).collect() };
        let rest = starts.iter().find_map(|start| {
            let end = start + case.window + case.latency;
            let broken = counted.iter().any(|m| m > start && *m <= end);
            (!broken).then_some(end)
        });
        match rest.filter(|end| *end < case.timeout) {
            Some(end) => prop_assert_eq!((outcome.reason, at), (Reason::Converged, end)),
            None => prop_assert!(outcome.reason != Reason::Converged),
        }
    }
}
