//! `table:N`: a table whose rows can be opened and deleted. A long one shows only the rows that are on the screen.

use super::{Machine, Made, shown_rows, whole};
use crate::scene::expr::Wording;
use crate::scene::library::Found;
use crate::scene::stage::Stage;
use crate::scene::{Element, Verb, parse};
use std::collections::BTreeMap;
use stillpoint_core::tree::{Limits, NativeKey, Prop, Role};

const FRAME: &str = r#"// table:N: N rows with cells, a link "Open" and a button "Delete" each; beyond 1,000 by window.
title "Table"
application "Table" #app
  window "Table" #window
    heading "Results" #title
    status #status text="Ready"
    table "Results" #rows @8,80,784,504
"#;

/// Rows that fit on the screen: 504 pixels at 28 each.
const WINDOW: usize = 18;
const ROW_HEIGHT: i32 = 28;
const MOST: usize = 5_000_000;

/// The scene with `rows` rows.
pub(crate) fn table(rows: &str, limits: Limits) -> Made {
    let rows = whole(rows, "rows", MOST, "sim:table:500")?;
    let mut scene = parse(FRAME)?;
    let shown = shown_rows(rows, limits, WINDOW);
    if let Some(table) = find_table(&mut scene.root) {
        table.children = (1..=shown as u32).map(row).collect();
    }
    let machine = Table { rows: (1..=rows as u32).collect(), first: 0, windowed: shown < rows };
    Ok(Found { scene, machine: Some(Box::new(machine)) })
}

fn find_table(element: &mut Element) -> Option<&mut Element> {
    if element.role == Role::Table {
        return Some(element);
    }
    element.children.iter_mut().find_map(find_table)
}

fn row(number: u32) -> Element {
    let cell = |role, label: String, id: String| Element {
        role,
        label: Wording(label),
        id: Wording(id),
        ..Element::default()
    };
    Element {
        role: Role::Row,
        id: Wording(format!("row-{number}")),
        children: vec![
            cell(Role::Cell, format!("{}", 1000 + number), String::new()),
            cell(Role::Cell, format!("Customer {}", number % 97), String::new()),
            cell(Role::Link, "Open".to_owned(), format!("open-{number}")),
            cell(Role::Button, "Delete".to_owned(), format!("delete-{number}")),
        ],
        ..Element::default()
    }
}

struct Table {
    /// The numbers of the rows that are left.
    rows: Vec<u32>,
    /// The place in `rows` of the first one that is shown.
    first: usize,
    windowed: bool,
}

impl Table {
    /// Makes the rows on the stage those of the window, and says how many there are besides.
    fn show_window(&mut self, stage: &mut Stage) {
        let Some(table) = stage.find("rows") else { return };
        self.first = self.first.min(self.rows.len().saturating_sub(WINDOW));
        let wanted = &self.rows[self.first..(self.first + WINDOW).min(self.rows.len())];
        let named = |stage: &Stage, number: u32| stage.find(&format!("row-{number}"));
        let keep: Vec<NativeKey> = wanted.iter().filter_map(|n| named(stage, *n)).collect();
        let leaving: Vec<NativeKey> =
            stage.children(table).iter().copied().filter(|key| !keep.contains(key)).collect();
        for key in leaving {
            stage.remove(key);
        }
        for (place, number) in wanted.iter().enumerate() {
            if named(stage, *number).is_none() {
                stage.insert(table, Some(place), &row(*number), &BTreeMap::new());
            }
        }
        self.count_omitted(stage);
    }

    fn count_omitted(&self, stage: &mut Stage) {
        if let Some(table) = stage.find("rows") {
            let omitted = self.rows.len().saturating_sub(stage.children(table).len());
            stage.set(table, Prop::Omitted(u32::try_from(omitted).unwrap_or(u32::MAX)));
        }
    }

    fn tapped(&mut self, id: &str, stage: &mut Stage) {
        let numbered = |prefix: &str| id.strip_prefix(prefix).and_then(|n| n.parse::<u32>().ok());
        let say = |stage: &mut Stage, words: String| {
            if let Some(status) = stage.find("status") {
                stage.set(status, Prop::Text(Some(words.into())));
            }
        };
        if let Some(number) = numbered("open-") {
            say(stage, format!("Opened row {number}"));
        } else if let Some(number) = numbered("delete-") {
            if let Ok(place) = self.rows.binary_search(&number) {
                self.rows.remove(place);
            }
            if let Some(key) = stage.find(&format!("row-{number}")) {
                stage.remove(key);
            }
            say(stage, format!("Deleted row {number}, {} left", self.rows.len()));
            if self.windowed {
                self.show_window(stage);
            }
        }
    }
}

impl Machine for Table {
    fn begin(&mut self, stage: &mut Stage) {
        self.count_omitted(stage);
    }

    fn happened(&mut self, verb: Verb, key: NativeKey, amount: i32, stage: &mut Stage) {
        match verb {
            Verb::Tap => {
                let id = stage.get(key).and_then(|item| item.props.stable_id()).map(str::to_owned);
                self.tapped(id.as_deref().unwrap_or_default(), stage);
            }
            Verb::Scroll if self.windowed && stage.find("rows") == Some(key) => {
                let by = amount / ROW_HEIGHT;
                let step = if by == 0 { amount.signum() } else { by };
                self.first = self.first.saturating_add_signed(step as isize);
                self.show_window(stage);
            }
            _ => {}
        }
    }
}
