//! The scene language: what it understands, and how it says what it does not.
#![allow(clippy::unwrap_used)] // a test may fail by panic, its helpers too

mod support;

use stillpoint_core::tree::{Rect, Role, State, StateValue};
use stillpoint_core::{Code, Error};
use stillpoint_sim::{Sim, scene};
use support::{all, attach_with, tree};

#[test]
fn an_error_says_the_line_and_what_was_expected() {
    for (text, line, expected, found) in [
        ("", 1, "an element", "no element"),
        ("buton \"Save\"", 1, "a role such as `button`", "`buton`"),
        ("button \"Save", 1, "a closing quote", "the end of the line"),
        ("button \"Save\" [shiny]", 1, "a state (enabled, visible", "`shiny`"),
        ("button \"Save\" @1,2,3", 1, "a place such as @10,20,300,40", "`@1,2,3`"),
        ("button \"Save\" @0,0,999999999,1", 1, "a place such as", "`@0,0,999999999,1`"),
        ("button \"Save\" colour=red", 1, "text=, hint=, tag= or range=", "`colour=`"),
        ("slider \"A\" range=9..1", 1, "a range such as range=0..100/5", "`9..1`"),
        ("window \"A\"\n    button \"B\"\n  button \"C\"", 3, "the indentation", "2 spaces"),
        ("window \"A\"\n\tbutton \"B\"", 2, "spaces for indentation", "a tab"),
        ("button \"A\" #a\non tap #a\n  remove #a", 2, "a colon at the end", "the end of the line"),
        ("button \"A\" #a\non poke #a:\n  remove #a", 2, "`attach`, `key ctrl+s", "`poke` `#a`"),
        ("button \"A\" #a\non tap #a:\n  explode", 3, "a step (after", "`explode`"),
        ("button \"A\" #a\non tap #a:\n  after soon remove #a", 3, "a time such as `120ms`", "`soon`"),
        ("button \"A\" #a\non tap #a:\n  every 0ms remove #a", 3, "a period above zero", "`0ms` for ever"),
        (
            "button \"A\" #a\non tap #a:\n  set #a",
            3,
            "a property with its value, or a state",
            "the end of the line",
        ),
        (
            "button \"A\" #a\non tap #a:\n  set #a colour \"red\"",
            3,
            "label, text, value or description",
            "`colour`",
        ),
        ("button \"A\" #a\non tap #a:\n  add shelf to #a", 3, "a template of this scene", "`shelf`"),
        ("button \"A\" #a\non tap #a:\n  add button \"B\"", 3, "`to #parent`", "`button` \"B\""),
        ("button \"A\" #a\non tap #a:\n  when #a shiny:\n    remove #a", 3, "a state (", "`shiny`"),
        ("button \"A\" #a\non tap #a:\n  otherwise:\n    remove #a", 3, "right below a `when", "`otherwise`"),
        ("template button:\n  button \"A\"", 1, "a name that is not a role", "`button`"),
        ("option delay", 1, "an option such as `option delay =500`", "`delay`"),
        ("idle perhaps", 1, "`idle sdk`", "`perhaps`"),
    ] {
        let error = scene::parse(text).unwrap_err();
        assert_eq!(error.line, line, "{text:?}: {error}");
        assert!(error.expected.contains(expected), "{text:?}: {error}");
        assert!(error.found.contains(found), "{text:?}: {error}");
    }
}

#[test]
fn a_parse_error_becomes_an_error_with_a_code_and_a_hint() {
    let error: Error = scene::parse("buton \"Save\"").unwrap_err().into();
    assert_eq!(error.code, Code::InvalidArgument);
    assert!(error.message.contains("line 1") && !error.hint.is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_element_has_all_that_its_line_says() {
    let text = "window \"Main\"\n  slider \"Volume\" #vol =30 [not enabled required] @10,20,300,40 \
                text=\"loud\" hint=\"how loud\" tag=\"t1\" range=0..100/5";
    let player = attach_with(Sim::scripted(text), "sim:custom").await;
    let nodes = all(tree(&player.first));
    let props = &nodes.iter().find(|n| n.props.role() == Role::Slider).unwrap().props;
    assert_eq!(props.label(), Some("Volume"));
    assert_eq!(props.stable_id(), Some("vol"));
    assert_eq!(props.value(), Some("30"));
    assert_eq!(props.raw_value(), Some(30.0));
    assert_eq!(props.text(), Some("loud"));
    assert_eq!(props.description(), Some("how loud"));
    assert_eq!(props.test_tag(), Some("t1"));
    assert_eq!(props.bounds(), Some(Rect::new(10, 20, 300, 40)));
    assert_eq!(props.value_range().and_then(|r| r.step), Some(5.0));
    assert_eq!(props.states().get(State::Enabled), Some(StateValue::Off));
    assert_eq!(props.states().get(State::Required), Some(StateValue::On));
}

#[tokio::test(start_paused = true)]
async fn steps_count_repeat_compare_and_capture() {
    let text = "
// custom: everything at once.
window \"Main\" #main
  list \"Rows\" #rows
  text #sum text=\"0\"
template line:
  listitem \"Line {lines}\" #line-{lines}
on attach:
  repeat 3:
    count lines
    add line to #rows
  set #sum text \"{lines * 2 + 1 :1}\"
  after 10ms
    when {lines} >= 3 and #line-2 exists:
      move #line-3 to #rows at 0
    otherwise:
      remove #rows
  after 10ms set #sum checked mixed
on tap #line-{k}:
  set #sum text \"tapped {k}\"
  remove #line-{k}
";
    let player = attach_with(Sim::scripted(text), "sim:custom").await;
    player.play(5).await;
    assert_eq!(player.text("sum").await, "7.0");
    player.play(100).await;
    let root = player.now().await;
    let labels: Vec<_> = all(&root)
        .into_iter()
        .filter(|n| n.props.role() == Role::ListItem)
        .map(|n| n.props.label().unwrap().to_owned())
        .collect();
    assert_eq!(labels, ["Line 3", "Line 1", "Line 2"]);
    assert_eq!(player.props("sum").await.unwrap().states().get(State::Checked), Some(StateValue::Mixed));
    player.tap("line-1").await.unwrap();
    assert_eq!(player.text("sum").await, "tapped 1");
    assert_eq!(player.count(Role::ListItem).await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_secret_can_be_compared_and_is_never_shown() {
    let text = "
window \"Main\" #main
  textbox \"PIN\" #pin [protected]
  text #out text=\"-\"
on change #pin:
  when #pin value == \"4711\":
    set #out text \"right: {#pin}\"
";
    let mut player = attach_with(Sim::scripted(text), "sim:custom").await;
    player.type_into("pin", "4711").await.unwrap();
    assert_eq!(player.text("out").await, "right: ");
    let told = player.told().await;
    assert!(!format!("{told:?}").contains("4711"));
}
