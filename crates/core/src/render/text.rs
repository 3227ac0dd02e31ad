//! A tree as compact text: one line for each thing that matters, states only where they are not the default,
//! a row of a table or a list on one line.

use super::emit::{Emission, emit};
use super::snapshot::SnapshotView;
use crate::tree::{ElementId, Node, Role, State, StateValue, TreeView};
use std::collections::HashMap;
use std::fmt::Write;

/// Rows beyond this many that are not known to be on the screen are counted, not shown.
const MAX_ROWS: usize = 50;

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
    for top in &page.tops {
        page.write(&mut out, *top, 1);
    }
    for cut in &emission.omitted {
        let shown = tree.get(cut.under).is_some_and(|n| is_table(n.role()) || page.is_silent(cut.under, n));
        if !shown {
            let _ = writeln!(out, "  … {} more under {}", cut.count, cut.under);
        }
    }
    out
}

/// One element on one line, without what lies in it.
pub fn line(id: ElementId, node: &Node) -> String {
    let mut out = String::new();
    head(&mut out, id, node);
    out
}

struct Page<'a> {
    tree: &'a TreeView,
    tops: Vec<ElementId>,
    inside: HashMap<ElementId, Vec<ElementId>>,
    cut: HashMap<ElementId, u32>,
}

impl<'a> Page<'a> {
    fn new(tree: &'a TreeView, emission: &Emission) -> Self {
        let mut page = Page { tree, tops: Vec::new(), inside: HashMap::new(), cut: HashMap::new() };
        for e in &emission.elements {
            match e.parent {
                Some(parent) => page.inside.entry(parent).or_default().push(e.id),
                None => page.tops.push(e.id),
            }
        }
        page.cut = emission.omitted.iter().map(|o| (o.under, o.count)).collect();
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

    fn write(&self, out: &mut String, id: ElementId, depth: usize) {
        let Some(node) = self.tree.get(id) else { return };
        if self.is_silent(id, node) {
            for child in self.children(id) {
                self.write(out, *child, depth);
            }
            return;
        }
        let _ = write!(out, "{:1$}", "", depth * 2);
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
        let hidden = self.hidden_rows(id, node);
        if is_table(node.role()) {
            let mirrored = self.rows(id).count();
            let total = mirrored + self.cut.get(&id).map_or(0, |c| *c as usize);
            if hidden.is_empty() && total == mirrored {
                let _ = write!(out, " ({total} rows)");
            } else {
                let _ = write!(out, " ({total} rows, {} shown)", mirrored - hidden.len());
            }
        }
        out.push('\n');
        for child in self.children(id) {
            if !hidden.contains(child) && !is_echo(node, self.tree.get(*child), self.children(*child)) {
                self.write(out, *child, depth + 1);
            }
        }
    }

    fn rows(&self, id: ElementId) -> impl Iterator<Item = ElementId> {
        self.children(id).iter().copied().filter(|c| self.tree.get(*c).is_some_and(|n| is_row(n.role())))
    }

    /// The rows of a long table or list that cannot be seen.
    fn hidden_rows(&self, id: ElementId, node: &Node) -> Vec<ElementId> {
        if !is_table(node.role()) || self.rows(id).count() <= 12 {
            return Vec::new();
        }
        let on_screen = |id: &ElementId| self.tree.get(*id).and_then(|n| n.states().get(State::OnScreen));
        let off: Vec<ElementId> = self.rows(id).filter(|r| on_screen(r) == Some(StateValue::Off)).collect();
        if off.is_empty() { self.rows(id).skip(MAX_ROWS).collect() } else { off }
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
        (cells.len() <= 12).then_some(cells)
    }

    fn cell(&self, id: ElementId, node: &Node, cells: &mut Vec<String>, depth: usize) -> Option<()> {
        if depth > 4 {
            return None;
        }
        let inside = self.children(id);
        let plain = matches!(
            node.role(),
            Role::Cell | Role::Text | Role::Label | Role::Paragraph | Role::Generic | Role::Group | Role::Panel
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
        Some(())
    }

    fn repeats(&self, node: &Node, inside: &[ElementId]) -> bool {
        inside.iter().any(|c| {
            self.tree.get(*c).is_some_and(|n| n.label() == node.label() || n.text() == node.label())
        })
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

fn head(out: &mut String, id: ElementId, node: &Node) {
    out.push_str(node.role().name());
    if let Some(label) = node.label() {
        let _ = write!(out, " {}", quoted(label));
    } else if let Some(name) = node.stable_id() {
        let _ = write!(out, " #{name}");
    }
    let _ = write!(out, " {id}");
    let value = node.value().or_else(|| node.text().filter(|t| Some(*t) != node.label()));
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
