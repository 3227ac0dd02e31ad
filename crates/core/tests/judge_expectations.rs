//! What is expected of elements, what waits wait for, and which screen it is.

mod select_stage;

use proptest::prelude::*;
use select_stage::{apply, line, mirror, tree};
use serde_json::{Value, json};
use stillpoint_core::Code;
use stillpoint_core::judge::{Condition, Property, blank, evaluate, fingerprint, unmet};
use stillpoint_core::select::{Selector, Visibility, resolve};
use stillpoint_core::tree::{Change, NativeKey, Prop, Tree};

const FORM: &str = r#"
window "Form"
  checkbox "Gift"[checked=mixed][enabled]
  checkbox "Terms"[checked][focused=false]
  textbox "Name"[value="Ada"][editable]
  slider "Volume"[value="37 %"]
  textbox "Password"[protected]
  option "Blue"[selected=false]
  group "More"[expanded]
  text[text="Saved"]
"#;

#[test]
fn each_property_is_compared_and_what_was_seen_is_told() {
    let mut mirror = mirror(FORM);
    let raw = Change::Update { key: NativeKey(5), props: vec![Prop::RawValue(Some(37.0))] };
    apply(&mut mirror, vec![raw]);
    let tree = mirror.tree();
    for (number, property, expected, holds, observed) in [
        (2, Property::Checked, json!("mixed"), true, json!("mixed")),
        (2, Property::Checked, json!(true), false, json!("mixed")),
        (3, Property::Checked, json!(true), true, json!(true)),
        (3, Property::Checked, json!("true"), true, json!(true)),
        (3, Property::Focused, json!(false), true, json!(false)),
        (2, Property::Enabled, json!(true), true, json!(true)),
        (3, Property::Enabled, json!(false), false, Value::Null),
        (7, Property::Selected, json!(true), false, json!(false)),
        (8, Property::Expanded, json!(true), true, json!(true)),
        (4, Property::Value, json!("Ada"), true, json!("Ada")),
        (4, Property::Value, json!("Bob"), false, json!("Ada")),
        (5, Property::Value, json!(37), true, json!(37.0)),
        (5, Property::Value, json!("37 %"), true, json!("37 %")),
        (5, Property::RawValue, json!(37.0), true, json!(37.0)),
        (5, Property::RawValue, json!(38), false, json!(37.0)),
        (4, Property::RawValue, json!(1), false, Value::Null),
        (9, Property::TextValue, json!("Saved"), true, json!("Saved")),
        (4, Property::TextValue, json!("Ada"), true, json!("Ada")),
    ] {
        let verdict = evaluate(tree, line(tree, number), property, &expected).unwrap();
        let name = format!("line {number} {} {expected}", property.name());
        assert_eq!((verdict.holds, verdict.observed), (holds, observed), "{name}");
    }
}

#[test]
fn an_expectation_that_makes_no_sense_is_refused() {
    let tree = tree(FORM);
    for (property, expected) in [
        (Property::Checked, json!(1)),
        (Property::Enabled, json!("mixed")),
        (Property::TextValue, json!(5)),
        (Property::RawValue, json!("many")),
        (Property::Value, json!([])),
    ] {
        let error = evaluate(&tree, line(&tree, 2), property, &expected).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument, "{property:?} {expected}");
    }
    let gone = stillpoint_core::tree::ElementId::new(99).unwrap();
    assert_eq!(
        evaluate(&tree, gone, Property::Checked, &json!(true)).unwrap_err().code,
        Code::StaleReference
    );
}

#[test]
fn a_protected_element_never_tells_its_value() {
    let tree = tree(FORM);
    let field = line(&tree, 6);
    for property in [Property::Value, Property::TextValue, Property::RawValue] {
        let error = evaluate(&tree, field, property, &json!("secret")).unwrap_err();
        assert_eq!((error.code, error.retryable), (Code::Unsupported, false));
        assert!(error.message.contains("protected"), "{}", error.message);
        assert!(!format!("{error:?}").contains("secret"));
    }
    let by_value = resolve(&tree, &"textbox \"Password\"".parse().unwrap(), Visibility::Any);
    assert!(Condition::Value("secret".into()).evaluate(&tree, &by_value).is_err());
}

/// Whether a condition holds for a selector.
fn holds(tree: &Tree, selector: &str, condition: &str) -> bool {
    let selector: Selector = selector.parse().expect("a selector");
    let condition: Condition = condition.parse().expect("a condition");
    let resolution = resolve(tree, &selector, Visibility::VisibleFirst);
    condition.evaluate(tree, &resolution).expect("nothing is protected").holds
}

#[test]
fn each_condition_holds_when_it_should_and_only_then() {
    let tree = tree(
        r#"
window
  button "Shown"[enabled][visible]
  button "Ghost"[visible=false]
  button "Off"[enabled=false]
  button "Plain"
  textbox "Name"[value="Ada"][focused]
  checkbox "Gift"[checked]
  checkbox "Tax"[checked=mixed]
  slider "Volume"[value="37"]
"#,
    );
    for (selector, yes, no) in [
        ("\"Shown\"", "exists visible enabled clickable", "gone hidden focused checked value=x"),
        ("\"Ghost\"", "exists hidden", "gone visible enabled clickable"),
        ("\"Off\"", "exists visible", "enabled clickable hidden"),
        ("\"Plain\"", "enabled clickable visible", "focused checked"),
        ("\"Name\"", "focused value=Ada", "value=ada value= checked"),
        ("\"Gift\"", "checked", "focused"),
        ("\"Tax\"", "exists", "checked"),
        ("\"Volume\"", "value=37 value=37.0", "value=38"),
        ("\"Nowhere\"", "gone hidden", "exists visible enabled clickable focused checked value=x"),
        ("\"shown…\"", "gone", "exists visible"),
    ] {
        for condition in yes.split(' ') {
            assert!(holds(&tree, selector, condition), "{selector} {condition}");
        }
        for condition in no.split(' ') {
            assert!(!holds(&tree, selector, condition), "{selector} {condition}");
        }
    }
}

#[test]
fn conditions_read_back_as_they_are_written_and_others_are_refused() {
    for text in
        ["exists", "gone", "visible", "hidden", "enabled", "clickable", "focused", "checked", "value=a=b "]
    {
        let condition: Condition = text.parse().unwrap();
        assert_eq!(condition.to_string(), text);
        assert_eq!(serde_json::from_value::<Condition>(json!(text)).unwrap(), condition);
    }
    let error = "shiny".parse::<Condition>().unwrap_err();
    assert_eq!(error.code, Code::InvalidArgument);
    assert!(error.hint.contains("value=TEXT"));
}

#[test]
fn a_failed_expectation_gives_expected_observed_and_the_nearest() {
    let tree = tree(FORM);
    let selector: Selector = "checkbox \"Terms\"".parse().unwrap();
    let error = unmet(&tree, &selector, Some(line(&tree, 3)), "checked = false", &json!(true));
    assert_eq!(error.code, Code::VerificationFailed);
    insta::assert_snapshot!(error.message, @r#"expected checkbox "Terms" (e3) to be checked = false, but it is true"#);
    let selector: Selector = "checkbox \"Trems\"".parse().unwrap();
    let error = unmet(&tree, &selector, None, "visible", &Value::Null);
    insta::assert_snapshot!(error.message, @r#"expected checkbox "Trems" to be visible, but nothing matches it; the nearest is checkbox "Terms""#);
    assert_eq!(error.details["nearest"]["label"], "Terms");
}

#[test]
fn numbers_times_dates_and_percentages_are_blanked() {
    for (text, blanked) in [
        ("", ""),
        ("Save", "Save"),
        ("42", "#"),
        ("Inbox (3)", "Inbox (#)"),
        ("Inbox (1,234)", "Inbox (#)"),
        ("12:30", "#"),
        ("12:30:59", "#"),
        ("12:30 PM", "#"),
        ("12:30pm", "#"),
        ("at 9 am", "at #"),
        ("2024-03-12", "#"),
        ("2024-03-12T12:30:00Z", "#"),
        ("12/03/2024", "#"),
        ("12.03.2024 14:05", "#"),
        ("12 March 2024", "#"),
        ("Mar 12, 2024", "#"),
        ("March 12", "#"),
        ("Monday, 12 March 2024", "#"),
        ("Tue 5 Aug", "#"),
        ("Updated 12 March 2024, 14:05", "Updated #"),
        ("May", "May"),
        ("March of the penguins", "March of the penguins"),
        ("100%", "#"),
        ("99.5 %", "#"),
        ("Battery 80%, charging", "Battery #, charging"),
        ("-5 °C", "# °C"),
        ("Balance: -12.50", "Balance: #"),
        ("+49 170 1234567", "#"),
        ("$12.50", "$#"),
        ("€ 1.234,50", "€ #"),
        ("Page 2 of 10", "Page # of #"),
        ("3/10", "#"),
        ("5s ago", "#s ago"),
        ("12 min", "# min"),
        ("120kB", "#kB"),
        ("3rd", "#rd"),
        ("Order #1042", "Order ##"),
        ("1920x1080", "1920x1080"),
        ("v1.2", "v1.#"),
        ("MP3", "MP3"),
        ("3D view", "3D view"),
        ("2FA", "2FA"),
        ("H264 video", "H264 video"),
        ("١٢٣", "#"),
        ("1 234 567", "#"),
        ("Ärger 7", "Ärger #"),
        ("−3", "#"),
    ] {
        assert_eq!(blank(text), blanked, "{text}");
    }
}

const SCREEN: &str = r#"
window "Orders"
  heading "Orders"
  text "Updated 12:30"
  list "Results"
    listitem "Ada (3)"
    listitem "Bob (5)"
  button#next "Next"
"#;

fn print_of(screen: &str) -> String {
    fingerprint(&tree(screen)).to_string()
}

#[test]
fn the_same_screen_has_the_same_fingerprint() {
    let first = print_of(SCREEN);
    assert_eq!(first.len(), 16);
    for (why, other) in [
        ("another time", SCREEN.replace("12:30", "18:05")),
        ("other counters", SCREEN.replace("(3)", "(40)")),
        ("another order", "window \"Orders\"\n  button#next \"Next\"\n  list \"Results\"\n    listitem \"Bob (5)\"\n    listitem \"Ada (3)\"\n  text \"Updated 1:00\"\n  heading \"Orders\"".into()),
        ("another wrapper", SCREEN.replace("  heading", "  group\n  heading")),
        ("something hidden", format!("{SCREEN}  button \"Ghost\"[visible=false]\n    link \"In it\"\n")),
        ("something passing", format!("{SCREEN}  progressbar \"Loading\"\n  tooltip \"Tip\"\n")),
        ("another state", SCREEN.replace("\"Next\"", "\"Next\"[enabled=false][focused]")),
        ("an equal row more", format!("{SCREEN}  text \"Updated 7:15\"\n")),
    ] {
        assert_eq!(print_of(&other), first, "{why}");
    }
}

#[test]
fn another_screen_has_another_fingerprint() {
    let first = print_of(SCREEN);
    for (why, other) in [
        ("another label", SCREEN.replace("Next", "Previous")),
        ("another id", SCREEN.replace("#next", "#forward")),
        ("another role", SCREEN.replace("heading", "button")),
        ("something more", format!("{SCREEN}  dialog \"Sure?\"\n")),
        ("something less", SCREEN.replace("    listitem \"Bob (5)\"\n", "")),
    ] {
        assert_ne!(print_of(&other), first, "{why}");
    }
}

#[test]
fn a_recorded_fingerprint_stays_valid_across_builds() {
    insta::assert_snapshot!(print_of(SCREEN), @"e99bd5454d18ec41");
}

#[test]
fn title_and_path_belong_to_the_screen_but_their_numbers_do_not() {
    let at = |title: &str, url: &str| {
        let mut mirror = mirror("document\n  button \"A\"");
        let (title, url) = (Some(title.into()), Some(url.into()));
        apply(&mut mirror, vec![Change::Screen { title, url, active: None }]);
        fingerprint(mirror.tree()).to_string()
    };
    let order = at("Order 7", "https://shop.example/orders/1042?tab=2#top");
    assert_eq!(order, at("Order 12", "http://127.0.0.1:8080/orders/7"));
    assert_eq!(
        at("X", "https://a/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301/edit"),
        at("X", "https://a/u/9a0c0305/edit")
    );
    assert_ne!(order, at("Order 7", "https://shop.example/customers/1042"));
    assert_ne!(order, at("Basket", "https://shop.example/orders/1042"));
    assert_ne!(at("X", "https://a/#/home"), at("X", "https://a/#/settings"));
    assert_eq!(at("X", "https://a/#section"), at("X", "https://a/"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn plain_numbers_never_change_a_blanked_text(
        words in proptest::collection::vec("[a-zäé]{4,8}", 1..4),
        a in 0u32..1_000_000,
        b in 0u32..1_000_000,
    ) {
        let with = |n: u32| words.iter().map(|w| format!("{w} {n}")).collect::<Vec<_>>().join(": ");
        let (a, b) = (with(a), with(b));
        prop_assert_eq!(blank(&a), blank(&b));
    }

    #[test]
    fn blanking_never_panics_and_twice_is_once(text in "[ -~äß٣−–0-9:./%]{0,24}") {
        let once = blank(&text);
        prop_assert_eq!(blank(&once), once.clone());
    }
}
