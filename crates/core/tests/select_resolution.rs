//! From a selector to elements: the ladder, confidence, ambiguity, near misses.

mod select_stage;

use select_stage::{apply, line, mirror, tree};
use stillpoint_core::select::{Resolution, Selector, Step, Visibility, resolve, resolve_one};
use stillpoint_core::tree::{Change, ElementId, NativeKey, Tree};
use stillpoint_core::{Code, Error};

fn parsed(selector: &str) -> Selector {
    Selector::parse(selector).expect(selector)
}

fn found(tree: &Tree, selector: &str) -> Resolution {
    resolve(tree, &parsed(selector), Visibility::VisibleFirst)
}

fn one(tree: &Tree, selector: &str) -> Result<ElementId, Error> {
    resolve_one(tree, &parsed(selector), Visibility::VisibleFirst).map(|r| r.id)
}

/// The screen on which every rung of the ladder can be stood on.
const LADDER: &str = r#"
window "App"
  button#save "Save"
  button "Open"
  link "Help"[text="Get help"]
  text[text="Ready"]
  button#twin "One"
  link#twin "Two"
  button "Delete"
  button "Delete"
  slider
  textbox "City" tag=city_field
"#;

#[test]
fn each_rung_of_the_ladder_is_named_with_its_score_and_reason() {
    let tree = tree(LADDER);
    for (selector, step, score, reason) in [
        ("#save", Step::StableId, 1.0, "unique_stable_id"),
        ("button#save", Step::StableId, 1.0, "unique_stable_id"),
        ("#city_field", Step::RoleLabelTag, 0.95, "unique_role_label,no_stable_id"),
        ("button \"Save\"", Step::RoleLabelTag, 0.95, "unique_role_label"),
        ("button \"Open\"", Step::RoleLabelTag, 0.95, "unique_role_label,no_stable_id"),
        ("\"Open\"", Step::Selector, 0.9, "unique_label,no_stable_id"),
        ("\"Get help\"", Step::Selector, 0.8, "unique_text,no_stable_id"),
        ("text \"Ready\"", Step::Selector, 0.8, "unique_text,no_stable_id"),
        ("button \"Delete\"", Step::RoleLabelTag, 0.6, "role_label_of_many,no_stable_id"),
        ("button \"Delete\"[1]", Step::RoleLabelTag, 0.6, "role_label_of_many,no_stable_id"),
        ("window >> button \"Open\"", Step::RoleLabelTag, 0.95, "unique_role_label,no_stable_id"),
        ("~\"open\"", Step::Selector, 0.5, "partial_text,no_stable_id"),
        ("button /^Op/", Step::Selector, 0.5, "partial_text,no_stable_id"),
        ("#twin", Step::StableId, 0.5, "stable_id_collision"),
        ("link#twin", Step::StableId, 0.5, "stable_id_collision"),
        ("slider", Step::Structure, 0.4, "structure,no_stable_id"),
        ("window >> link[0]", Step::Structure, 0.4, "structure,no_stable_id"),
        ("\"OPEN…\"", Step::TextInference, 0.3, "text_inference,no_stable_id"),
        ("\"nowhere\"", Step::Selector, 0.0, "no_match"),
    ] {
        let answer = found(&tree, selector);
        assert_eq!(answer.step, step, "{selector}");
        assert!((answer.confidence.score - score).abs() < 1e-9, "{selector}: {:?}", answer.confidence);
        assert_eq!(answer.confidence.reason, reason, "{selector}");
    }
}

#[test]
fn a_colliding_stable_id_returns_all_and_picks_none() {
    let tree = tree(LADDER);
    assert_eq!(found(&tree, "#twin").matches, [line(&tree, 6), line(&tree, 7)]);
    assert_eq!(one(&tree, "#twin").unwrap_err().code, Code::AmbiguousTarget);
    assert_eq!(one(&tree, "link#twin"), Ok(line(&tree, 7)), "said with its role, it is one");
}

#[test]
fn matches_come_in_document_order_whatever_the_order_of_ids() {
    let mut mirror = mirror("window \"App\"\n  list\n    button \"X\"\n    button \"X\"");
    for n in 0..9 {
        let node = select_stage::node_of("button \"X\"");
        let node = stillpoint_core::tree::NewNode { key: NativeKey(100 + n), ..node };
        apply(&mut mirror, vec![Change::Insert { parent: NativeKey(2), index: 0, node }]);
    }
    let tree = mirror.tree();
    let walked: Vec<ElementId> =
        tree.walk().filter(|(_, n)| n.label() == Some("X")).map(|(id, _)| id).collect();
    assert_eq!(found(tree, "\"X\"").matches, walked);
    assert_eq!(found(tree, "button").matches, walked);
    assert_eq!(found(tree, "button[9]").matches, [walked[9]]);
}

#[test]
fn a_caption_inside_its_control_is_not_a_second_match() {
    let tree = tree("window \"App\"\n  button \"Save\"\n    generic\n      text \"Save\"\n  link \"Other\"");
    assert_eq!(one(&tree, "\"Save\""), Ok(line(&tree, 2)));
    assert_eq!(one(&tree, "~\"sav\""), Ok(line(&tree, 2)));
    assert_eq!(one(&tree, "text \"Save\""), Ok(line(&tree, 4)), "said with its role, it can be meant");
    assert!((found(&tree, "\"Save\"").confidence.score - 0.9).abs() < 1e-9);
}

#[test]
fn a_label_beside_its_field_is_not_a_second_match() {
    let tree = tree("form\n  group\n    label \"Name\"\n    textbox \"Name\"\n  text \"Name\"");
    let matches = found(&tree, "\"Name\"").matches;
    assert_eq!(matches, [line(&tree, 4), line(&tree, 5)], "elsewhere, the same word is another thing");
}

#[test]
fn a_group_gives_way_to_the_control_inside_and_a_window_to_its_heading() {
    let tree = tree(
        "window \"Orders\"\n  group \"Send\"\n    button \"Send\"\n  heading \"Orders\"\n    text \"Orders\"",
    );
    assert_eq!(one(&tree, "\"Send\""), Ok(line(&tree, 3)));
    assert_eq!(one(&tree, "\"Orders\""), Ok(line(&tree, 4)));
}

#[test]
fn two_controls_with_one_word_stay_ambiguous_even_when_nested() {
    let tree = tree("window\n  link \"Buy\"\n    button \"Buy\"");
    assert_eq!(one(&tree, "\"Buy\"").unwrap_err().code, Code::AmbiguousTarget);
}

#[test]
fn hidden_elements_make_nothing_ambiguous_and_are_found_when_alone() {
    let tree = tree(
        "window\n  tabpanel[visible=false]\n    button \"OK\"\n  tabpanel\n    button \"OK\"\n  button \"Ghost\"[visible=false]",
    );
    let shown = found(&tree, "button \"OK\"");
    assert_eq!(shown.matches, [line(&tree, 5)], "what encloses an element hides it too");
    assert_eq!(shown.confidence.reason, "unique_role_label,no_stable_id");
    let any = resolve(&tree, &parsed("button \"OK\""), Visibility::Any);
    assert_eq!(any.matches, [line(&tree, 3), line(&tree, 5)]);
    assert_eq!(one(&tree, "button \"Ghost\""), Ok(line(&tree, 6)));
    assert_eq!(found(&tree, "button \"OK\"[0]").matches, [line(&tree, 3)], "an index counts hidden ones");
}

#[test]
fn several_hidden_matches_are_a_miss_that_may_pass() {
    let tree = tree("window\n  button \"OK\"[visible=false]\n  button \"OK\"[visible=false]");
    let error = one(&tree, "button \"OK\"").unwrap_err();
    assert_eq!((error.code, error.retryable), (Code::ElementNotFound, true));
    assert_eq!(error.details["count"], 2);
}

#[test]
fn a_guess_by_text_is_made_only_for_a_plain_text_and_only_when_all_else_misses() {
    let tree = tree("window\n  button \"Save as…\"\n  button \"_Open\"\n  link \"open\"");
    assert_eq!(one(&tree, "\"save AS...\""), Ok(line(&tree, 2)));
    assert_eq!(one(&tree, "button \"save as\"").unwrap_err().code, Code::ElementNotFound);
    assert_eq!(one(&tree, "\"Open\"").unwrap_err().code, Code::AmbiguousTarget, "a guess must be unique");
    assert_eq!(found(&tree, "\"open\"").step, Step::Selector, "an exact match needs no guess");
}

#[test]
fn ambiguity_shows_five_candidates_each_with_a_selector_of_its_own() {
    let row = |n| format!("  row \"R{n}\"\n    cell\n      button \"Delete\"\n");
    let rows: Vec<String> = (0..7).map(row).collect();
    let tree = tree(&format!("table \"T\"\n{}", rows.concat()));
    let error = one(&tree, "button \"Delete\"").unwrap_err();
    assert_eq!((error.code, error.retryable), (Code::AmbiguousTarget, false));
    assert_eq!(error.details["count"], 7);
    let candidates = error.details["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 5);
    for candidate in candidates {
        let id: ElementId = candidate["element_id"].as_str().unwrap().parse().unwrap();
        assert_eq!(one(&tree, candidate["selector"].as_str().unwrap()), Ok(id));
    }
    insta::assert_snapshot!(error.hint, @r#"use a selector that means one of them, for example row "R0" >> button "Delete""#);
}

#[test]
fn a_miss_shows_the_nearest_by_name() {
    let tree = tree(
        "window\n  button \"Save\"\n  link \"Saved items\"\n  button#save_btn \"Close\"\n  button \"Help\"",
    );
    let nearest = |selector: &str| -> Vec<String> {
        let error = one(&tree, selector).unwrap_err();
        assert_eq!((error.code, error.retryable), (Code::ElementNotFound, true), "{selector}");
        let list = error.details["nearest"].as_array().unwrap();
        list.iter().map(|n| n["selector"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(nearest("button \"Svae\""), ["button \"Save\""]);
    assert_eq!(nearest("link \"Save\""), ["button \"Save\"", "link \"Saved items\""]);
    assert_eq!(nearest("#save_bttn"), ["#save_btn"]);
    assert_eq!(nearest("\"Weather\""), [""; 0]);
    let error = one(&tree, "button \"Svae\"").unwrap_err();
    assert_eq!(error.details["nearest"][0]["distance"], 1);
    insta::assert_snapshot!(error.hint, @r#"did you mean button "Save"? If it should appear later, wait for it"#);
}

#[test]
fn a_miss_names_the_scope_that_is_missing() {
    let tree = tree("window \"App\"\n  dialog \"Settings\"\n    button \"OK\"");
    let error = one(&tree, "dialog \"Setings\" >> button \"OK\"").unwrap_err();
    insta::assert_snapshot!(error.message, @r#"nothing matches dialog "Setings", so dialog "Setings" >> button "OK" cannot be found in it"#);
    insta::assert_snapshot!(error.hint, @r#"did you mean dialog "Settings"? If it should appear later, wait for it"#);
}

#[test]
fn a_dead_element_id_is_stale_and_one_never_given_is_not_found() {
    let mut mirror = mirror("window\n  button \"A\"\n  button \"B\"");
    let gone = line(mirror.tree(), 2);
    apply(&mut mirror, vec![Change::Remove { key: NativeKey(2) }]);
    let tree = mirror.tree();
    assert_eq!(one(tree, &gone.to_string()).unwrap_err().code, Code::StaleReference);
    assert_eq!(one(tree, &format!("{gone} >> button")).unwrap_err().code, Code::StaleReference);
    let never = one(tree, "e4000").unwrap_err();
    assert_eq!((never.code, never.retryable), (Code::ElementNotFound, false));
    assert_eq!(one(tree, "e3"), Ok(line(tree, 3)));
    assert!(found(tree, &gone.to_string()).matches.is_empty());
}

#[test]
fn an_empty_tree_answers_every_selector_with_a_miss() {
    let tree = Tree::default();
    for selector in ["#a", "button \"A\"", "\"A\"", "~\"a\"", "/a/", "button[1]", "[enabled]", "a >> b"] {
        let Ok(selector) = Selector::parse(selector) else { continue };
        assert!(resolve(&tree, &selector, Visibility::Any).matches.is_empty());
        assert_eq!(resolve_one(&tree, &selector, Visibility::Any).unwrap_err().code, Code::ElementNotFound);
    }
}
