//! SPEC §10: the compact text says what matters on one line each, and nothing twice.

#[path = "select_stage/mod.rs"]
mod stage;

use insta::assert_snapshot;
use stage::{apply, mirror};
use std::fmt::Write;
use stillpoint_core::Moment;
use stillpoint_core::render::{EmitOptions, SnapshotView, delta_text, line, snapshot_text};
use stillpoint_core::revise::Mirror;
use stillpoint_core::settle::{StabilityState, loading_state};
use stillpoint_core::tree::{Change, NativeKey, NewNode, Prop, Props, Role, State, StateValue};

fn text_with(mirror: &Mirror, options: EmitOptions) -> String {
    let snapshot = mirror.snapshot(Moment::START);
    snapshot_text(&SnapshotView {
        target: "sim:test",
        snapshot: &snapshot,
        stability: StabilityState::Stable,
        loading: loading_state(mirror.tree(), None),
        options,
    })
}

fn text(mirror: &Mirror) -> String {
    text_with(mirror, EmitOptions::default())
}

fn update(mirror: &mut Mirror, key: u64, props: Vec<Prop>) {
    apply(mirror, vec![Change::Update { key: NativeKey(key), props }]);
}

#[test]
fn a_login_form_reads_as_a_person_would_describe_it() {
    let mut mirror = mirror(
        r#"
        application "shop"
          window "Sign in"
            heading "Welcome back"
            textbox "E-mail"[value="ada@example.org"][focused][enabled][visible]
            textbox "Password"[protected][value="hunter2"][required]
            checkbox "Remember me"[checked=false]
            button "Sign in"[enabled=false]
            link "Forgot password?"[enabled]
        "#,
    );
    let (title, url) = (Some("Sign in".into()), Some("http://127.0.0.1/login".into()));
    apply(&mut mirror, vec![Change::Screen { title, url, active: None }]);
    assert_snapshot!(text(&mirror), @r#"
    rev 2 stable "Sign in" http://127.0.0.1/login
      window "Sign in" e2
        heading "Welcome back" e3
        textbox "E-mail" e4 ="ada@example.org" [focused]
        textbox "Password" e5 [required, protected]
        checkbox "Remember me" e6 [unchecked]
        button "Sign in" e7 [disabled]
        link "Forgot password?" e8
    "#);
}

#[test]
fn a_row_of_a_table_is_one_line() {
    let mirror = mirror(
        r#"
        table "Results"
          row
            columnheader "Order"
            columnheader "Action"
          row
            cell
              text "1042"
            cell
              link "Open"
            cell
              button "Delete"
          row[selected]
            cell "1043"
            cell "paid"
            cell
              checkbox "Ship"[checked]
        "#,
    );
    assert_snapshot!(text(&mirror), @r#"
    rev 1 stable
      table "Results" e1 (3 rows)
        row e2: columnheader "Order" e5 | columnheader "Action" e6
        row e3: "1042" | link "Open" e14 | button "Delete" e15
        row e4 [selected]: "1043" | "paid" | checkbox "Ship" e16 [checked]
    "#);
}

/// A table of so many rows, in a group of rows or not, of which those in `seen` are on the screen.
fn long_table(rows: usize, seen: Option<&std::ops::Range<usize>>, grouped: bool) -> Mirror {
    let mut screen = String::from("window \"Orders\"\n  table \"Results\"\n");
    let indent = if grouped {
        screen.push_str("    rowgroup\n");
        6
    } else {
        4
    };
    for n in 0..rows {
        let shown = seen.map_or(String::new(), |seen| format!("[on_screen={}]", seen.contains(&n)));
        let _ = writeln!(screen, "{:indent$}row \"Order {n}\"{shown}", "");
    }
    mirror(&screen)
}

#[test]
fn the_rows_of_a_long_table_that_cannot_be_seen_are_counted() {
    for grouped in [false, true] {
        let text = text(&long_table(500, Some(&(100..112)), grouped));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3 + 12, "{text}");
        assert_eq!(lines[2], "    table \"Results\" e2 (500 rows, 12 shown)");
        assert!(lines[3].contains("\"Order 100\""), "{}", lines[3]);
    }
}

#[test]
fn of_a_long_table_that_does_not_say_what_is_seen_the_first_fifty_rows_are_shown() {
    let text = text(&long_table(60, None, false));
    assert!(text.contains("(60 rows, 50 shown)"), "{text}");
    assert_eq!(text.lines().count(), 3 + 50);
}

#[test]
fn a_short_list_is_shown_whole_even_what_is_scrolled_away() {
    let text = text(&long_table(12, Some(&(0..3)), false));
    assert!(text.contains("(12 rows)") && text.contains("Order 11"), "{text}");
}

#[test]
fn rows_that_are_not_mirrored_are_counted_with_the_others() {
    let mut mirror = long_table(3, None, false);
    update(&mut mirror, 2, vec![Prop::Omitted(497)]);
    assert!(text(&mirror).contains("(500 rows, 3 shown)"), "{}", text(&mirror));
}

#[test]
fn containers_that_say_nothing_are_passed_over() {
    let mirror = mirror(
        r#"
        application
          group
            generic
              panel
                scrollarea
                  button "Deep"
          group "Named"
            button "Inside"
          group#by_id
            button "Too"
        "#,
    );
    assert_snapshot!(text(&mirror), @r#"
    rev 1 stable
      button "Deep" e10
      group "Named" e3
        button "Inside" e6
      group #by_id e4
        button "Too" e7
    "#);
}

#[test]
fn a_caption_that_repeats_its_control_is_left_out() {
    let mirror = mirror(
        "window\n  button \"Save\"\n    text \"Save\"\n  listitem \"Inbox\"\n    text \"Inbox\"\n    text \"3 new\"",
    );
    assert_snapshot!(text(&mirror), @r#"
    rev 1 stable
      window e1
        button "Save" e2
        listitem "Inbox" e3: "3 new"
    "#);
}

#[test]
fn states_are_told_only_where_they_are_not_the_default() {
    use StateValue::{Mixed, Off, On};
    let said = |states: &[(State, StateValue)]| {
        let mut mirror = mirror("window\n  textbox \"X\"");
        update(&mut mirror, 2, states.iter().map(|(s, v)| Prop::State(*s, Some(*v))).collect());
        let id = mirror.tree().by_key(NativeKey(2)).unwrap();
        line(id, mirror.tree().get(id).unwrap()).replace("textbox \"X\" e2", "").trim().to_owned()
    };
    let silent = [(State::Enabled, On), (State::Visible, On), (State::OnScreen, Off), (State::Focusable, On)];
    assert_eq!(said(&silent), "");
    let silent =
        [(State::Focused, Off), (State::Selected, Off), (State::Pressed, Off), (State::Editable, On)];
    assert_eq!(said(&silent), "");
    let silent = [(State::Busy, Off), (State::Modal, Off), (State::Required, Off), (State::Invalid, Off)];
    assert_eq!(said(&silent), "");
    assert_eq!(
        said(&[(State::Enabled, Off), (State::Visible, Off), (State::Invalid, On)]),
        "[disabled, hidden, invalid]"
    );
    assert_eq!(said(&[(State::Checked, Mixed)]), "[half checked]");
    assert_eq!(said(&[(State::Expanded, On), (State::Editable, Off)]), "[expanded, read-only]");
    assert_eq!(
        said(&[(State::Expanded, Off), (State::Pressed, On), (State::Busy, On)]),
        "[collapsed, pressed, busy]"
    );
}

#[test]
fn what_would_break_a_line_or_a_quote_is_escaped() {
    let mut mirror = mirror("window\n  button");
    update(&mut mirror, 2, vec![Prop::Label(Some("say \"hi\"\\\nto\tall\u{7}\u{1b}[31m".into()))]);
    let text = text(&mirror);
    assert_eq!(text.lines().last(), Some(r#"    button "say \"hi\"\\\nto\tall  [31m" e2"#));
    assert_eq!(text.lines().count(), 3);
}

#[test]
fn long_text_is_cut_at_200_characters_wherever_they_are_in_bytes() {
    let mut mirror = mirror("window\n  paragraph");
    update(&mut mirror, 2, vec![Prop::Text(Some("ä".repeat(5000).into()))]);
    assert!(text(&mirror).contains(&format!("paragraph \"{}…\" e2\n", "ä".repeat(200))));
    update(&mut mirror, 2, vec![Prop::Text(Some("ä".repeat(200).into()))]);
    assert!(!text(&mirror).contains('…'));
}

#[test]
fn the_text_of_something_unnamed_stands_for_its_name_and_typed_text_is_a_value() {
    let mirror = mirror(
        r#"
        window
          text[text="Hello"]
          textbox[text="typed"]
          textbox "Name"[text="typed"]
          slider "Volume"[value="40"]
          button#save
          text "Total"[text="Total"]
        "#,
    );
    assert_snapshot!(text(&mirror), @r#"
    rev 1 stable
      window e1
        text "Hello" e2
        textbox e3 ="typed"
        textbox "Name" e4 ="typed"
        slider "Volume" e5 ="40"
        button #save e6
        text "Total" e7
    "#);
}

#[test]
fn the_first_line_has_revision_stability_title_address_and_loading() {
    let mut mirror = mirror("window\n  spinner");
    assert_eq!(text(&mirror).lines().next(), Some("rev 1 stable (loading)"));
    let screen = |title: Option<&str>, url: Option<&str>| Change::Screen {
        title: title.map(Into::into),
        url: url.map(Into::into),
        active: None,
    };
    apply(&mut mirror, vec![screen(Some("A \"b\""), Some("http://127.0.0.1/"))]);
    assert_eq!(
        text(&mirror).lines().next(),
        Some("rev 2 stable \"A \\\"b\\\"\" http://127.0.0.1/ (loading)")
    );
}

#[test]
fn what_is_cut_is_said_where_it_is_missing() {
    let mirror = mirror(
        r#"
        window "W"
          group "A"
            button "A1"
            button "A2"
          group
            button "B1"
          button "C"
        "#,
    );
    let options = EmitOptions { max_depth: Some(1), ..EmitOptions::default() };
    assert_snapshot!(text_with(&mirror, options), @r#"
    rev 1 stable
      window "W" e1
        group "A" e2
          … 2 more under e2
        … 1 more under e3
        button "C" e4
    "#);
}

#[test]
fn an_empty_tree_is_one_line() {
    let mirror = Mirror::new(stillpoint_core::tree::Limits::default());
    assert_eq!(text(&mirror), "rev 0 stable\n");
}

#[test]
fn a_delta_is_told_line_by_line() {
    let mut mirror = mirror(
        r#"
        window "Orders"
          textbox "Search"
          list "Results"
            listitem "One"
            listitem "Two"
          button "Save"
        "#,
    );
    let base = mirror.revision();
    let toast = NewNode::new(NativeKey(90), Props::new(Role::Alert).labelled("Saved"));
    let dialog = NewNode::new(NativeKey(91), Props::new(Role::Dialog).labelled("Done"))
        .child(NewNode::new(NativeKey(92), Props::new(Role::Button).labelled("OK")));
    let insert = |node| Change::Insert { parent: NativeKey(1), index: 9, node };
    apply(&mut mirror, vec![insert(toast)]);
    apply(
        &mut mirror,
        vec![Change::Remove { key: NativeKey(90) }, Change::Remove { key: NativeKey(4) }, insert(dialog)],
    );
    update(
        &mut mirror,
        2,
        vec![Prop::Value(Some("boots".into())), Prop::State(State::Focused, Some(StateValue::On))],
    );
    update(&mut mirror, 6, vec![Prop::State(State::Enabled, Some(StateValue::Off))]);
    let title = Some("Results".into());
    apply(&mut mirror, vec![Change::Screen { title, url: None, active: None }]);
    let delta = mirror.delta_since(base).unwrap();
    assert_snapshot!(delta_text(&delta, mirror.tree()), @r#"
    ! alert "Saved" e7 came and went
    @ "Results"
    - listitem "One" e5
    + dialog "Done" e8 in e1
    +   button "OK" e9
    ~ textbox "Search" e2: value none → "boots", focused unknown → true
    ~ button "Save" e4: enabled unknown → false
    "#);
}
