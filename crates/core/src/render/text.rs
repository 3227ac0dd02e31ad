//! A tree as compact text: one line for each thing that matters, states only where they are not the default,
//! a row of a table or a list on one line.

use super::emit::{Emission, emit};
use super::snapshot::SnapshotView;
use crate::tree::{ElementId, Node, Role, State, StateValue, TreeView};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Rows beyond this many that are not known to be on the screen are counted, not shown.
const MAX_ROWS: usize = 50;
/// A list of up to so many rows is shown whole.
const SHORT: usize = 12;
/// A row with more cells than this is told cell by cell.
const MAX_CELLS: usize = 12;

/// The snapshot as compact text.
pub fn snapshot_text(view: &SnapshotView<'_>) -> String {
    let tree = &view.snapshot.tree;
    let mut out = format!("rev {} {}", view.snapshot.revision, view.stability.name());
    if let Some(title) = &tree.screen().title {
        let _ = write!(out, " {}", quoted(title));
    }
    if let Some(url) = &tree.screen().url {
        let _ = write!(out, " {url}");
    }
    if view.loading.active {
        out.push_str(" (loading)");
    }
    out.push('\n');
    let emission = emit(tree, &view.options);
    let page = Page::new(tree, &emission);
    page.write(&mut out);
    out
}

/// One element on one line, without what lies in it.
pub fn line(id: ElementId, node: &Node) -> String {
    let mut out = String::new();
    head(&mut out, id, node);
    out
}

/// What is written next, and how far in.
enum Told {
    Element(ElementId, usize),
    /// Something is missing here; where to ask for it.
    Cut(ElementId, usize),
}

struct Page<'a> {
    tree: &'a TreeView,
    tops: Vec<ElementId>,
    inside: HashMap<ElementId, Vec<ElementId>>,
    cut: HashMap<ElementId, u32>,
    /// Rows of long tables and lists that cannot be seen.
    hidden: HashSet<ElementId>,
}

impl<'a> Page<'a> {
    fn new(tree: &'a TreeView, emission: &Emission) -> Self {
        let mut page = Page {
            tree,
            tops: Vec::new(),
            inside: HashMap::new(),
            cut: emission.omitted.iter().map(|o| (o.under, o.count)).collect(),
            hidden: HashSet::new(),
        };
        for e in &emission.elements {
            match e.parent {
                Some(parent) => page.inside.entry(parent).or_default().push(e.id),
                None => page.tops.push(e.id),
            }
        }
        let tables = emission.elements.iter().filter(|e| tree.get(e.id).is_some_and(|n| is_table(n.role())));
        page.hidden = tables.flat_map(|e| page.unseen_rows(e.id)).collect();
        page
    }

    fn children(&self, id: ElementId) -> &[ElementId] {
        self.inside.get(&id).map(Vec::as_slice).unwrap_or_default()
    }

    /// Containers that say nothing themselves: what lies in them is told in their place.
    fn is_silent(&self, id: ElementId, node: &Node) -> bool {
        let bare = node.label().is_none()
            && node.text().is_none()
            && node.value().is_none()
            && node.stable_id().is_none()
            && !node.states().is(State::Focused);
        let scaffold = matches!(
            node.role(),
            Role::Generic
                | Role::Group
                | Role::Panel
                | Role::Application
                | Role::ScrollArea
                | Role::RowGroup
                | Role::Splitter
                | Role::Unknown
        );
        (scaffold && bare) || (self.tops.contains(&id) && node.role() == Role::Application)
    }

    fn write(&self, out: &mut String) {
        // A stack of its own, for a tree may be deeper than the thread's.
        let mut stack: Vec<Told> = self.tops.iter().rev().map(|top| Told::Element(*top, 1)).collect();
        while let Some(next) = stack.pop() {
            match next {
                Told::Element(id, depth) => self.write_one(out, id, depth, &mut stack),
                Told::Cut(id, depth) => {
                    indent(out, depth);
                    let count = self.cut.get(&id).copied().unwrap_or_default();
                    let _ = writeln!(out, "… {count} more under {id}");
                }
            }
        }
    }

    /// Writes one element, and leaves on the stack what comes after it.
    fn write_one(&self, out: &mut String, id: ElementId, depth: usize, stack: &mut Vec<Told>) {
        let Some(node) = self.tree.get(id) else { return };
        let seen = |c: &&ElementId| !self.hidden.contains(c);
        if self.is_silent(id, node) {
            if node.role() != Role::RowGroup && self.cut.contains_key(&id) {
                stack.push(Told::Cut(id, depth));
            }
            stack.extend(self.children(id).iter().rev().filter(seen).map(|c| Told::Element(*c, depth)));
            return;
        }
        indent(out, depth);
        head(out, id, node);
        if matches!(node.role(), Role::Row | Role::ListItem | Role::Option | Role::TreeItem)
            && let Some(cells) = self.one_line(id)
        {
            if !cells.is_empty() {
                let _ = write!(out, ": {}", cells.join(" | "));
            }
            out.push('\n');
            return;
        }
        if is_table(node.role()) {
            self.write_count(out, id);
        }
        out.push('\n');
        if !is_table(node.role()) && self.cut.contains_key(&id) {
            stack.push(Told::Cut(id, depth + 1));
        }
        let echo = |c: &&ElementId| is_echo(node, self.tree.get(**c), self.children(**c));
        let below = self.children(id).iter().rev().filter(seen).filter(|c| !echo(c));
        stack.extend(below.map(|c| Told::Element(*c, depth + 1)));
    }

    /// How many rows a table or list has, and how many of them follow.
    fn write_count(&self, out: &mut String, id: ElementId) {
        let (all, shown) = self
            .rows(id)
            .fold((0, 0), |(all, shown), r| (all + 1, shown + usize::from(!self.hidden.contains(&r))));
        let holders = std::iter::once(id).chain(self.row_groups(id));
        let cut: u32 = holders.filter_map(|h| self.cut.get(&h)).sum();
        let total = all + cut as usize;
        match (total, total == shown) {
            (0, _) => {}
            (1, true) => out.push_str(" (1 row)"),
            (_, true) => {
                let _ = write!(out, " ({total} rows)");
            }
            (_, false) => {
                let _ = write!(out, " ({total} rows, {shown} shown)");
            }
        }
    }

    fn row_groups(&self, id: ElementId) -> impl Iterator<Item = ElementId> {
        self.children(id)
            .iter()
            .copied()
            .filter(|c| self.tree.get(*c).is_some_and(|n| n.role() == Role::RowGroup))
    }

    /// The rows of a table or list, also those that lie in groups of rows.
    fn rows(&self, id: ElementId) -> impl Iterator<Item = ElementId> {
        let grouped = |child: &'_ ElementId| match self.tree.get(*child) {
            Some(node) if node.role() == Role::RowGroup => self.children(*child).to_vec(),
            _ => vec![*child],
        };
        let is_row = |id: &ElementId| self.tree.get(*id).is_some_and(|n| is_row(n.role()));
        self.children(id).iter().flat_map(grouped).filter(is_row)
    }

    /// The rows of a long table or list that cannot be seen.
    fn unseen_rows(&self, id: ElementId) -> Vec<ElementId> {
        let rows: Vec<ElementId> = self.rows(id).collect();
        if rows.len() <= SHORT {
            return Vec::new();
        }
        let is_off = |id: &ElementId| self.tree.get(*id).is_some_and(|n| n.states().is_not(State::OnScreen));
        if rows.iter().any(is_off) {
            rows.into_iter().filter(is_off).collect()
        } else {
            rows.into_iter().skip(MAX_ROWS).collect()
        }
    }

    /// What lies in a row, cell by cell; `None` if it is too deep or too long for one line.
    fn one_line(&self, id: ElementId) -> Option<Vec<String>> {
        let own = self.tree.get(id)?;
        let mut cells = Vec::new();
        for child in self.children(id) {
            let node = self.tree.get(*child)?;
            if !is_echo(own, Some(node), self.children(*child)) {
                self.cell(*child, node, &mut cells, 0)?;
            }
        }
        cells.extend(self.cut.get(&id).map(|count| format!("… {count} more under {id}")));
        (cells.len() <= MAX_CELLS).then_some(cells)
    }

    fn cell(&self, id: ElementId, node: &Node, cells: &mut Vec<String>, depth: usize) -> Option<()> {
        if depth > 4 {
            return None;
        }
        let inside = self.children(id);
        let plain = matches!(
            node.role(),
            Role::Cell
                | Role::Text
                | Role::Label
                | Role::Paragraph
                | Role::Generic
                | Role::Group
                | Role::Panel
        );
        if !plain {
            cells.push(line(id, node));
        } else if inside.is_empty() {
            if let Some(said) = node.text().or(node.label()).or(node.value()) {
                cells.push(quoted(said));
            }
            return Some(());
        } else if let Some(said) = node.label().filter(|_| !self.repeats(node, inside)) {
            cells.push(quoted(said));
        }
        for child in inside {
            let below = self.tree.get(*child)?;
            if !is_echo(node, Some(below), self.children(*child)) || plain {
                self.cell(*child, below, cells, depth + 1)?;
            }
        }
        cells.extend(self.cut.get(&id).map(|count| format!("… {count} more under {id}")));
        Some(())
    }

    fn repeats(&self, node: &Node, inside: &[ElementId]) -> bool {
        inside
            .iter()
            .any(|c| self.tree.get(*c).is_some_and(|n| n.label() == node.label() || n.text() == node.label()))
    }
}

fn is_row(role: Role) -> bool {
    matches!(role, Role::Row | Role::ListItem | Role::Option | Role::TreeItem)
}

fn is_table(role: Role) -> bool {
    matches!(role, Role::Table | Role::Grid | Role::List | Role::Listbox | Role::Tree)
}

/// A text that only repeats the name of what it lies in.
fn is_echo(around: &Node, node: Option<&Node>, inside: &[ElementId]) -> bool {
    let Some(node) = node else { return false };
    inside.is_empty()
        && matches!(node.role(), Role::Text | Role::Label | Role::Generic)
        && node.stable_id().is_none()
        && around.label().is_some()
        && (node.label().or(node.text()) == around.label())
}

fn is_typed_into(node: &Node) -> bool {
    node.role().is_input() || node.states().is(State::Editable)
}

fn indent(out: &mut String, depth: usize) {
    let _ = write!(out, "{:1$}", "", depth * 2);
}

fn head(out: &mut String, id: ElementId, node: &Node) {
    out.push_str(node.role().name());
    // The text of what nobody types into is as good as its name.
    let shown = node.text().filter(|_| node.label().is_none() && !is_typed_into(node));
    if let Some(label) = node.label() {
        let _ = write!(out, " {}", quoted(label));
    } else if let Some(text) = shown {
        let _ = write!(out, " {}", quoted(text));
    } else if let Some(name) = node.stable_id() {
        let _ = write!(out, " #{name}");
    }
    let _ = write!(out, " {id}");
    let value = node.value().or_else(|| node.text().filter(|t| Some(*t) != node.label() && shown.is_none()));
    if let Some(value) = value {
        let _ = write!(out, " ={}", quoted(value));
    } else if let Some(number) = node.raw_value() {
        let _ = write!(out, " ={number}");
    }
    flags(out, node);
}

/// States that are worth a word because they are not what one would assume.
fn flags(out: &mut String, node: &Node) {
    let words = node.states().known().filter_map(|(state, value)| match (state, value) {
        (State::Enabled, StateValue::Off) => Some("disabled"),
        (State::Visible, StateValue::Off) => Some("hidden"),
        (State::Focused, StateValue::On) => Some("focused"),
        (State::Selected, StateValue::On) => Some("selected"),
        (State::Checked, StateValue::On) => Some("checked"),
        (State::Checked, StateValue::Off) => Some("unchecked"),
        (State::Checked, StateValue::Mixed) => Some("half checked"),
        (State::Expanded, StateValue::On) => Some("expanded"),
        (State::Expanded, StateValue::Off) => Some("collapsed"),
        (State::Pressed, StateValue::On) => Some("pressed"),
        (State::Editable, StateValue::Off) if node.role().is_input() => Some("read-only"),
        (State::Busy, StateValue::On) => Some("busy"),
        (State::Modal, StateValue::On) => Some("modal"),
        (State::Required, StateValue::On) => Some("required"),
        (State::Invalid, StateValue::On) => Some("invalid"),
        (State::Protected, StateValue::On) => Some("protected"),
        _ => None,
    });
    let words: Vec<&str> = words.collect();
    if !words.is_empty() {
        let _ = write!(out, " [{}]", words.join(", "));
    }
}

/// The longest text that is told whole.
const MAX_TEXT: usize = 200;

pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for (n, c) in text.chars().enumerate() {
        if n == MAX_TEXT {
            out.push('…');
            break;
        }
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
