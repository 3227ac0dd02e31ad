//! The selector language: every line of SPEC §7's table, the JSON form, and what bad input is told.

mod select_stage;

use proptest::prelude::*;
use select_stage::{line, tree};
use serde_json::json;
use stillpoint_core::Code;
use stillpoint_core::select::{
    Attribute, Filter, Part, Pattern, Selector, SelectorInput, Visibility, Words, resolve,
};
use stillpoint_core::tree::{ElementId, Role, State, StateValue};

const SCREEN: &str = r#"
window "Shop"
  toolbar
    button#save_button "Save"
    button "Delete"
    button "Delete"
    button "Delete"
  checkbox "Gift"[checked=false]
  checkbox "Terms"[checked=mixed]
  row "First"[selected]
  textbox "Search"[value="boots"][text="boots"]
  text[text="Saving…"]
  dialog "Settings"
    button "OK"[enabled]
  dialog "About"
    button "OK"[enabled=false]
"#;

/// The lines that a selector matches, hidden ones too.
fn lines(selector: &str) -> Vec<u64> {
    let tree = tree(SCREEN);
    let selector = Selector::parse(selector).expect(selector);
    let matches = resolve(&tree, &selector, Visibility::Any).matches;
    matches.iter().map(|id| tree.get(*id).expect("alive").key().0).collect()
}

#[test]
fn a_hash_means_a_stable_id_or_test_tag() {
    assert_eq!(lines("#save_button"), [3]);
    assert_eq!(lines("#\"save_button\""), [3]);
    assert_eq!(lines("button#save_button \"Save\""), [3]);
    assert_eq!(lines("link#save_button"), [0; 0]);
}

#[test]
fn a_role_and_a_text_mean_role_and_exact_label() {
    assert_eq!(lines("button \"Save\""), [3]);
    assert_eq!(lines("button \"save\""), [0; 0]);
    assert_eq!(lines("link \"Save\""), [0; 0]);
    assert_eq!(lines("textbox \"boots\""), [0; 0], "the text typed in is not its label");
}

#[test]
fn an_unlabelled_elements_text_is_its_name() {
    assert_eq!(lines("text \"Saving…\""), [11]);
}

#[test]
fn a_text_means_exact_label_or_text_of_any_role() {
    assert_eq!(lines("\"Save\""), [3]);
    assert_eq!(lines("\"boots\""), [10]);
}

#[test]
fn a_tilde_means_contains_in_any_case() {
    assert_eq!(lines("~\"SAV\""), [3, 11]);
    assert_eq!(lines("button ~\"sav\""), [3]);
}

#[test]
fn slashes_mean_a_regular_expression() {
    assert_eq!(lines("/^Sav/"), [3, 11]);
    assert_eq!(lines("button /^sav/i"), [3]);
    assert_eq!(lines("button /^sav/"), [0; 0]);
}

#[test]
fn brackets_mean_states_and_properties_that_are_known() {
    assert_eq!(lines("button[enabled]"), [13]);
    assert_eq!(lines("button[enabled=false]"), [15]);
    assert_eq!(lines("checkbox[checked=false]"), [7]);
    assert_eq!(lines("checkbox[checked=mixed]"), [8]);
    assert_eq!(lines("row[selected]"), [9]);
    assert_eq!(lines("[value=\"boots\"]"), [10]);
    assert_eq!(lines("[value=boots]"), [10]);
    assert_eq!(lines("[label=\"Search\"][text=\"boots\"]"), [10]);
    assert_eq!(lines("[id=save_button]"), [3]);
}

#[test]
fn double_arrows_mean_inside_at_any_depth() {
    assert_eq!(lines("dialog \"Settings\" >> button \"OK\""), [13]);
    assert_eq!(lines("window >> dialog \"About\" >> button"), [15]);
    assert_eq!(lines("window>>\"OK\""), [13, 15]);
    assert_eq!(lines("dialog \"Settings\" >> dialog \"Settings\""), [0; 0], "nothing lies in itself");
}

#[test]
fn a_number_in_brackets_means_that_match_counted_from_zero() {
    assert_eq!(lines("button \"Delete\"[2]"), [6]);
    assert_eq!(lines("button \"Delete\"[0]"), [4]);
    assert_eq!(lines("button \"Delete\"[3]"), [0; 0]);
    assert_eq!(lines("dialog[1] >> button"), [15]);
    assert_eq!(lines("window >> dialog[0] >> \"OK\""), [13]);
}

#[test]
fn an_e_and_a_number_mean_that_element() {
    let tree = tree(SCREEN);
    let save = line(&tree, 3);
    let selector = Selector::parse(&save.to_string()).unwrap();
    assert_eq!(selector, Selector::element(save));
    assert_eq!(resolve(&tree, &selector, Visibility::Any).matches, [save]);
    let inside: Selector = format!("{} >> button", line(&tree, 12)).parse().unwrap();
    assert_eq!(resolve(&tree, &inside, Visibility::Any).matches, [line(&tree, 13)]);
}

#[test]
fn roles_are_known_by_their_other_names_and_in_any_case() {
    for (name, role) in [
        ("input", Role::Textbox),
        ("select", Role::Combobox),
        ("Button", Role::Button),
        ("menu-item", Role::MenuItem),
        ("tab_list", Role::TabList),
        ("push-button", Role::Button),
        ("radiobutton", Role::Radio),
    ] {
        assert_eq!(Selector::parse(name).unwrap().last().role, Some(role), "{name}");
    }
}

#[test]
fn escapes_in_quotes_are_read() {
    let selector = Selector::parse(r#""a\"b\\c\nd\te\u00e4""#).unwrap();
    assert_eq!(selector.last().words, Some(Words::Exact("a\"b\\c\nd\teä".into())));
    let pattern = Selector::parse(r"/a\/b\d\\/").unwrap();
    assert_eq!(pattern.to_string(), r"/a\/b\d\\/");
    let Some(Words::Matches(pattern)) = &pattern.last().words else { panic!("a pattern") };
    assert!(pattern.is_match(r"a/b7\"));
}

/// Each bad selector with the place of the fault, counted from zero, and what was expected there.
#[test]
fn a_bad_selector_is_told_where_and_what_was_expected() {
    for (text, position, expected) in [
        ("", 0, "a role"),
        ("   ", 3, "a role"),
        ("\"Save", 5, "closing"),
        ("button \"Sa\\qve\"", 11, "escapes"),
        ("\"\\u00g0\"", 2, "four hexadecimal digits"),
        ("\"\\ud800\"", 2, "four hexadecimal digits"),
        ("buton", 0, "a role or a text"),
        ("Save changes", 0, "a role or a text"),
        ("button Save", 7, ">>"),
        ("button >> ", 10, "a role"),
        ("button > \"x\"", 7, ">>"),
        ("/abc", 4, "closing"),
        ("//", 0, "between the slashes"),
        ("/a(/", 0, "can be read"),
        ("/a/g", 3, "no flag"),
        ("button[enabled", 14, "]"),
        ("button[]", 7, "an index, a state"),
        ("button[disabled]", 7, "an index, a state"),
        ("button[enabled=mixed]", 15, "true or false"),
        ("checkbox[checked=maybe]", 17, "true, false or mixed"),
        ("textbox[value]", 13, "`=`"),
        ("textbox[value=]", 14, "double quotes"),
        ("button[1][enabled]", 10, "comes last"),
        ("button[99999999999999999999999]", 7, "smaller"),
        ("[2]", 0, "before it"),
        ("#", 1, "stable id"),
        ("#\"\"", 1, "stable id"),
        ("~save", 1, "double quotes"),
        ("~\"\"", 1, "at least one"),
        ("'Save'", 0, "a role"),
    ] {
        let error = Selector::parse(text).expect_err(text);
        assert_eq!(error.code, Code::InvalidSelector, "{text}");
        assert_eq!(error.details["position"], json!(position), "{text}: {error}");
        let said = error.details["expected"].as_str().unwrap();
        assert!(said.contains(expected), "{text}: expected {said:?}");
        assert!(error.message.contains(&format!("character {}", position + 1)), "{text}");
        assert!(!error.hint.is_empty() && error.details["found"].is_string());
    }
}

#[test]
fn a_bare_word_is_told_to_use_quotes_or_the_nearest_role() {
    let error = Selector::parse("buton \"Save\"").unwrap_err();
    assert!(error.hint.contains("`button`") && error.hint.contains("\"buton\""), "{}", error.hint);
    let error = Selector::parse("dialog >> Weather").unwrap_err();
    assert!(error.hint.contains("\"Weather\""), "{}", error.hint);
    assert_eq!(error.details["caret"], "dialog >> Weather\n          ^");
    let error = Selector::parse("button[disabled]").unwrap_err();
    assert!(error.hint.contains("[enabled=false]"), "{}", error.hint);
}

#[test]
fn the_json_form_means_the_same_as_the_line() {
    for (form, line) in [
        (json!("button \"Save\""), "button \"Save\""),
        (json!({"text": "Save"}), "\"Save\""),
        (json!({"resource_id": "com.app:id/save"}), "#com.app:id/save"),
        (json!({"accessibility_id": "save"}), "#save"),
        (json!({"resource_id": "a", "accessibility_id": "b"}), "#a[id=\"b\"]"),
        (json!({"contains": "sav"}), "~\"sav\""),
        (json!({"text": "sav", "contains": true}), "~\"sav\""),
        (json!({"text": "Save", "contains": false}), "\"Save\""),
        (json!({"role": "button", "label": "Save"}), "button \"Save\""),
        (json!({"label": "Save"}), "[label=\"Save\"]"),
        (json!({"role": "input", "index": 1}), "textbox[1]"),
        (json!({"role": "button", "text": "a", "label": "b"}), "button \"a\"[label=\"b\"]"),
    ] {
        let input: SelectorInput = serde_json::from_value(form.clone()).expect("the form is read");
        let selector = input.selector().unwrap_or_else(|e| panic!("{form}: {e}"));
        assert_eq!(selector.to_string(), line, "{form}");
        assert_eq!(selector, Selector::parse(line).unwrap(), "{form}");
    }
}

#[test]
fn a_bad_json_form_is_refused() {
    for form in [json!({"txt": "Save"}), json!(7), json!({"index": -1})] {
        assert!(serde_json::from_value::<SelectorInput>(form.clone()).is_err(), "{form}");
    }
    for form in [
        json!({}),
        json!({"index": 2}),
        json!({"text": ""}),
        json!({"role": "buton"}),
        json!({"contains": true}),
    ] {
        let input: SelectorInput = serde_json::from_value(form.clone()).unwrap();
        assert_eq!(input.selector().expect_err(&form.to_string()).code, Code::InvalidSelector);
    }
    let schema = serde_json::to_value(schemars::schema_for!(SelectorInput)).unwrap();
    assert!(schema.to_string().contains("resource_id"));
}

fn words() -> impl Strategy<Value = Words> {
    let text = "[ -~äß\\n\\t\\u{7}\\u{2028}]{1,12}";
    prop_oneof![
        text.prop_map(Words::Exact),
        text.prop_map(Words::Contains),
        ("[a-z/\\\\. ]{1,8}", any::<bool>())
            .prop_filter_map("a pattern", |(s, i)| Pattern::new(&s, i).ok().map(Words::Matches)),
    ]
}

fn filter() -> impl Strategy<Value = Filter> {
    let state = (0..State::ALL.len(), any::<bool>());
    let attribute = (0..Attribute::ALL.len(), ".{0,8}");
    prop_oneof![
        state.prop_map(|(s, on)| Filter::State(State::ALL[s], on.into())),
        Just(Filter::State(State::Checked, StateValue::Mixed)),
        attribute.prop_map(|(a, text)| Filter::Attribute(Attribute::ALL[a], text)),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let role = proptest::option::of((0..Role::ALL.len()).prop_map(|r| Role::ALL[r]));
    let name = proptest::option::of("[a-z_./:\" >]{1,8}");
    let rest = (proptest::option::of(words()), proptest::collection::vec(filter(), 0..3));
    let index = proptest::option::of(0usize..1000);
    let described = (role, name, rest, index).prop_map(|(role, name, (words, filters), index)| Part {
        element: None,
        role,
        name,
        words,
        filters,
        index,
    });
    let direct = (1u32..99).prop_map(|n| Part { element: ElementId::new(n), ..Part::default() });
    prop_oneof![9 => described, 1 => direct].prop_filter("asks for something", |p| !p.is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_is_written_reads_back_the_same(parts in proptest::collection::vec(part(), 1..4)) {
        let selector = Selector::new(parts).unwrap();
        let text = selector.to_string();
        prop_assert_eq!(Selector::parse(&text).expect(&text), selector, "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_place_in_it(text in "\\PC{0,40}") {
        if let Err(error) = Selector::parse(&text) {
            let position = error.details["position"].as_u64().unwrap() as usize;
            prop_assert!(position <= text.chars().count());
        }
    }

    #[test]
    fn near_selectors_never_panic(text in "[a-z#~\"/\\[\\]=>e0-9 \\\\]{0,24}") {
        let _ = Selector::parse(&text);
    }
}
