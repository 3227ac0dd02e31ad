//! What the window shows: a tree of elements, where each of them lies, and what a tap, a text or a value does to them.

use accesskit::{Action, ActionData, ActionRequest, NodeId, Rect};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(crate) const WIDTH: f64 = 640.0;
pub(crate) const HEIGHT: f64 = 740.0;
pub(crate) const ROOT: u64 = 1;
const PLAYGROUND: u64 = 2;
const LINE: f64 = 18.0;
const INDENT: f64 = 12.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Window,
    Group,
    List,
    Item,
    Label,
    Button,
    Check,
    Entry,
    Password,
    Slider,
}

#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) kind: Kind,
    /// What a test calls it.
    pub(crate) tag: String,
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) enabled: bool,
    pub(crate) visible: bool,
    pub(crate) checked: bool,
    pub(crate) value: f64,
    pub(crate) children: Vec<u64>,
    pub(crate) bounds: Rect,
}

/// See the module.
pub(crate) struct Form {
    pub(crate) elements: BTreeMap<u64, Element>,
    pub(crate) focus: u64,
    last: u64,
    activations: BTreeMap<String, u32>,
    awaited: Vec<(String, u32)>,
}

impl Form {
    pub(crate) fn new() -> Self {
        let mut form = Form {
            elements: BTreeMap::new(),
            focus: ROOT,
            last: 0,
            activations: BTreeMap::new(),
            awaited: Vec::new(),
        };
        form.add(None, 0, Kind::Window, "window", "Stillpoint fixture (accesskit)");
        form.add(Some(ROOT), 0, Kind::Group, "playground", "Playground");
        for (kind, tag, name) in [
            (Kind::Slider, "volume", "Volume"),
            (Kind::Check, "remember", "Remember me"),
            (Kind::Password, "password", "Password"),
            (Kind::Entry, "username", "Username"),
            (Kind::Label, "counted", "Counted: 0"),
            (Kind::Button, "count", "Count"),
        ] {
            form.add(Some(ROOT), 0, kind, tag, name);
        }
        form
    }

    pub(crate) fn playground() -> u64 {
        PLAYGROUND
    }

    /// Puts a new element into `parent`.
    pub(crate) fn add(&mut self, parent: Option<u64>, at: usize, kind: Kind, tag: &str, name: &str) -> u64 {
        self.last += 1;
        let element = Element {
            kind,
            tag: tag.to_owned(),
            name: name.to_owned(),
            text: String::new(),
            enabled: true,
            visible: true,
            checked: false,
            value: 0.0,
            children: Vec::new(),
            bounds: Rect::ZERO,
        };
        self.elements.insert(self.last, element);
        if let Some(parent) = parent.and_then(|parent| self.elements.get_mut(&parent)) {
            parent.children.insert(at.min(parent.children.len()), self.last);
        }
        self.lay_out();
        self.last
    }

    pub(crate) fn remove(&mut self, id: u64) {
        self.take_out(id);
        for id in self.below(id) {
            self.elements.remove(&id);
        }
        if !self.elements.contains_key(&self.focus) {
            self.focus = ROOT;
        }
        self.lay_out();
    }

    pub(crate) fn move_to(&mut self, id: u64, parent: u64, at: usize) {
        self.take_out(id);
        if let Some(parent) = self.elements.get_mut(&parent) {
            parent.children.insert(at.min(parent.children.len()), id);
        }
        self.lay_out();
    }

    /// Changes one element.
    pub(crate) fn change(&mut self, id: u64, change: impl FnOnce(&mut Element)) {
        if let Some(element) = self.elements.get_mut(&id) {
            change(element);
        }
        self.lay_out();
    }

    fn take_out(&mut self, id: u64) {
        for element in self.elements.values_mut() {
            element.children.retain(|child| *child != id);
        }
    }

    /// An element and all that lies in it.
    pub(crate) fn below(&self, id: u64) -> Vec<u64> {
        let mut found = vec![id];
        let mut next = 0;
        while let Some(id) = found.get(next) {
            found.extend(self.elements.get(id).map(|e| e.children.clone()).unwrap_or_default());
            next += 1;
        }
        found
    }

    /// One line for each visible element, children below their parents.
    fn lay_out(&mut self) {
        self.place(ROOT, 0.0, 0.0, true);
        if let Some(root) = self.elements.get_mut(&ROOT) {
            root.bounds = Rect::new(0.0, 0.0, WIDTH, HEIGHT);
        }
    }

    /// Places an element at a height; returns where the next one begins.
    fn place(&mut self, id: u64, left: f64, top: f64, shown: bool) -> f64 {
        let Some(element) = self.elements.get(&id) else { return top };
        let shown = shown && element.visible;
        let children = element.children.clone();
        let mut bottom = if shown { top + LINE } else { top };
        for child in children {
            bottom = self.place(child, left + INDENT, bottom, shown);
        }
        if let Some(element) = self.elements.get_mut(&id) {
            element.bounds = Rect::new(left, top, WIDTH - left, bottom);
        }
        bottom
    }

    /// What an assistive tool asked for.
    pub(crate) fn perform(&mut self, request: &ActionRequest) {
        let NodeId(id) = request.target_node;
        match (request.action, &request.data) {
            (Action::Click, _) => self.click(id),
            (Action::Focus, _) if self.elements.contains_key(&id) => self.focus = id,
            (Action::SetValue, Some(ActionData::Value(text))) => {
                self.change(id, |element| element.text = text.to_string());
            }
            (Action::SetValue, Some(ActionData::NumericValue(value))) => {
                self.change(id, |element| element.value = value.clamp(0.0, 100.0));
            }
            _ => {}
        }
    }

    /// A press of the pointer.
    pub(crate) fn click_at(&mut self, x: f64, y: f64) {
        let inside = |e: &Element| e.bounds.contains(accesskit::Point::new(x, y)) && e.children.is_empty();
        let shown = self.shown();
        let hit = shown.into_iter().find(|id| self.elements.get(id).is_some_and(inside));
        if let Some(id) = hit {
            self.click(id);
        }
    }

    /// What is not hidden, nor lies in something hidden.
    pub(crate) fn shown(&self) -> Vec<u64> {
        let mut found = vec![ROOT];
        let mut next = 0;
        while let Some(id) = found.get(next) {
            let children = self.elements.get(id).map(|e| e.children.clone()).unwrap_or_default();
            found.extend(children.into_iter().filter(|c| self.elements.get(c).is_some_and(|c| c.visible)));
            next += 1;
        }
        found
    }

    fn click(&mut self, id: u64) {
        let Some(element) = self.elements.get_mut(&id).filter(|e| e.enabled) else { return };
        if element.kind == Kind::Check {
            element.checked = !element.checked;
        }
        let tag = element.tag.clone();
        let count = self.activations.entry(tag.clone()).or_default();
        *count += 1;
        let count = *count;
        if tag == "count" {
            self.set("counted", &format!("Counted: {count}"));
        }
        self.answer_the_awaited();
    }

    /// Sets an element by its tag: a text, `true` or `false`, a number, or a name.
    pub(crate) fn set(&mut self, tag: &str, to: &str) -> bool {
        let Some(id) = self.elements.iter().find(|(_, e)| e.tag == tag).map(|(id, _)| *id) else {
            return false;
        };
        self.change(id, |element| match element.kind {
            Kind::Entry | Kind::Password => to.clone_into(&mut element.text),
            Kind::Check => element.checked = to == "true",
            Kind::Slider => element.value = to.parse().unwrap_or_default(),
            _ => to.clone_into(&mut element.name),
        });
        true
    }

    /// Says `ok activated` once an element has been activated so many times in all.
    pub(crate) fn when_activated(&mut self, tag: String, count: u32) {
        self.awaited.push((tag, count));
        self.answer_the_awaited();
    }

    fn answer_the_awaited(&mut self) {
        let done = |tag: &str| self.activations.get(tag).copied().unwrap_or_default();
        self.awaited.retain(|(tag, count)| {
            let reached = done(tag) >= *count;
            if reached {
                crate::protocol::say(&format!("ok activated {tag} {count}"));
            }
            !reached
        });
    }

    /// What the app believes; of passwords only the length.
    pub(crate) fn truth(&self) -> Value {
        let told = |element: &Element| {
            let text = match element.kind {
                Kind::Password => json!(element.text.chars().count()),
                _ => json!(element.text),
            };
            json!({ "name": element.name, "text": text, "checked": element.checked,
                    "value": element.value, "enabled": element.enabled, "visible": element.visible })
        };
        let values: serde_json::Map<String, Value> =
            self.elements.values().map(|e| (e.tag.clone(), told(e))).collect();
        json!({ "values": values, "activations": self.activations })
    }
}
