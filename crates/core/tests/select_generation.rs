//! Every emitted selector means exactly its element, and goes on meaning it while unrelated things change.

mod select_stage;

use proptest::prelude::*;
use proptest::sample::Index;
use select_stage::{apply, line, tree};
use stillpoint_core::Moment;
use stillpoint_core::revise::Mirror;
use stillpoint_core::select::{Generator, Selector, Visibility, resolve, resolve_one};
use stillpoint_core::tree::{Change, ElementId, Limits, NativeKey, NewNode, Prop, Props, Role, State, Tree};

fn emitted(tree: &Tree, id: ElementId) -> String {
    Generator::new(tree).selector(id).expect("the element is alive").value
}

#[test]
fn the_shortest_rung_that_is_unique_is_taken() {
    let tree = tree(
        r#"
window "App"
  button#save "Save"
  button "Open"
  textbox "City" tag=city
  listitem "Entry"[text="Ada"]
  listitem "Entry"[text="Bob"]
  dialog "Settings"
    button "OK"
    textbox
  dialog#about "About"
    button "OK"
    textbox
  button#twin
  button#twin
  group
    row
      button "Delete"
    row
      button "Delete"
  text[text="Ready"]
"#,
    );
    for (number, selector) in [
        (2, "#save"),
        (3, "button \"Open\""),
        (4, "#city"),
        (5, "\"Ada\""),
        (8, "dialog \"Settings\" >> button \"OK\""),
        (9, "dialog \"Settings\" >> textbox"),
        (10, "#about"),
        (11, "#about >> button \"OK\""),
        (13, "#twin[0]"),
        (14, "#twin[1]"),
        (16, "row[0]"),
        (17, "button \"Delete\"[0]"),
        (19, "button \"Delete\"[1]"),
        (20, "text \"Ready\""),
    ] {
        assert_eq!(emitted(&tree, line(&tree, number)), selector, "line {number}");
    }
}

#[test]
fn an_index_counts_inside_the_nearest_landmark() {
    let tree = tree(
        "window\n  list \"A\"\n    button \"X\"\n    button \"X\"\n  list \"B\"\n    button \"X\"\n    button \"X\"",
    );
    assert_eq!(emitted(&tree, line(&tree, 7)), "list \"B\" >> button \"X\"[1]");
}

#[test]
fn a_very_long_label_is_not_used() {
    let long = "word ".repeat(60);
    let tree = tree(&format!("window\n  paragraph \"{long}\"\n  paragraph \"short\""));
    assert_eq!(emitted(&tree, line(&tree, 2)), "paragraph[0]");
}

#[test]
fn what_is_typed_into_a_field_is_not_its_name() {
    let tree = tree("window\n  textbox \"Name\"[text=\"Ada\"]\n  textbox \"Name\"[text=\"Bob\"]");
    assert_eq!(emitted(&tree, line(&tree, 3)), "textbox \"Name\"[1]");
}

#[test]
fn a_dead_element_has_no_selector() {
    let tree = tree("window");
    assert_eq!(Generator::new(&tree).selector(ElementId::new(77).unwrap()), None);
}

/// Few words, so that names collide often.
const WORDS: [&str; 5] = ["Save", "Delete", "OK \"now\"", "a\\b\n", "Ünïcode"];
const ROLES: [Role; 8] = [
    Role::Button,
    Role::Link,
    Role::Text,
    Role::Group,
    Role::Dialog,
    Role::Textbox,
    Role::Row,
    Role::Unknown,
];
const IDS: [&str; 3] = ["save", "row item", "com.app:id/x"];

fn props() -> impl Strategy<Value = Props> {
    let word = || proptest::option::weighted(0.6, 0..WORDS.len());
    let id = || proptest::option::weighted(0.2, 0..IDS.len());
    (0..ROLES.len(), word(), word(), id(), id(), proptest::option::weighted(0.3, any::<bool>())).prop_map(
        |(role, label, text, id, tag, visible)| {
            let word = |n: Option<usize>| n.map(|n| WORDS[n].into());
            let props = Props::new(ROLES[role])
                .with(Prop::Label(word(label)))
                .with(Prop::Text(word(text)))
                .with(Prop::StableId(id.map(|n| IDS[n].into())))
                .with(Prop::TestTag(tag.map(|n| IDS[n].into())));
            match visible {
                Some(on) => props.state(State::Visible, on),
                None => props,
            }
        },
    )
}

/// A tree given by the props of its elements and, for each, the one before it that it lies in.
fn screens() -> impl Strategy<Value = Mirror> {
    proptest::collection::vec((props(), any::<Index>()), 1..14).prop_map(|nodes| {
        let mut mirror = Mirror::new(Limits::default());
        for (n, (props, under)) in nodes.into_iter().enumerate() {
            let node = NewNode::new(NativeKey(n as u64), props);
            let change = if n == 0 {
                Change::Replace(node)
            } else {
                let parent = NativeKey(under.index(n) as u64);
                Change::Insert { parent, index: under.index(3), node }
            };
            mirror.apply(vec![change], Moment::START);
        }
        mirror
    })
}

/// Something changes that has nothing to do with any element that is there: bounds, states, values, and new elements
/// of a role and a name that nothing else has.
fn unrelated() -> impl Strategy<Value = Vec<(u8, Index, Index)>> {
    proptest::collection::vec((0u8..5, any::<Index>(), any::<Index>()), 1..6)
}

fn disturb(mirror: &mut Mirror, what: Vec<(u8, Index, Index)>) {
    for (n, (kind, which, place)) in what.into_iter().enumerate() {
        let ids: Vec<ElementId> = mirror.tree().iter().map(|(id, _)| id).collect();
        let key = mirror.tree().get(ids[which.index(ids.len())]).expect("alive").key();
        let update = |prop: Prop| Change::Update { key, props: vec![prop] };
        let change = match kind {
            0 => update(Prop::Bounds(Some(stillpoint_core::tree::Rect::new(n as i32, 1, 2, 3)))),
            1 => update(Prop::State(State::Enabled, Some(place.index(2).eq(&0).into()))),
            2 => update(Prop::Value(Some(format!("v{n}").into()))),
            3 => update(Prop::State(State::Visible, Some(place.index(2).eq(&0).into()))),
            _ => {
                let props = Props::new(Role::Note).labelled(&format!("note {n}"));
                let node = NewNode::new(NativeKey(1_000 + n as u64), props);
                Change::Insert { parent: key, index: place.index(4), node }
            }
        };
        apply(mirror, vec![change]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn every_emitted_selector_means_its_element_alone_and_survives_unrelated_changes(
        mut mirror in screens(),
        changes in unrelated(),
    ) {
        let tree = mirror.tree();
        let (generator, living) = (Generator::new(tree), Generator::living(tree));
        let mut kept: Vec<(ElementId, Selector)> = Vec::new();
        for (id, _) in tree.iter() {
            let made = generator.selector(id).unwrap();
            prop_assert_eq!(&living.selector(id).unwrap(), &made, "the living tree says the same");
            let selector = Selector::parse(&made.value).expect(&made.value);
            let answer = resolve(tree, &selector, Visibility::Any);
            prop_assert_eq!(&answer.matches, &[id], "{}", &made.value);
            prop_assert_eq!(&answer.confidence, &made.confidence, "{}", &made.value);
            let acted = resolve_one(tree, &selector, Visibility::VisibleFirst);
            prop_assert_eq!(acted.map(|r| r.id), Ok(id), "{}", &made.value);
            prop_assert!(selector.parts().iter().all(|p| p.element.is_none()));
            kept.push((id, selector));
        }
        disturb(&mut mirror, changes);
        for (id, selector) in kept {
            let matches = resolve(mirror.tree(), &selector, Visibility::Any).matches;
            prop_assert_eq!(matches, [id], "{} after unrelated changes", selector);
        }
    }
}
