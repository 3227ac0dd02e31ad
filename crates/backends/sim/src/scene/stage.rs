//! The app as it is now: elements with their places, and the record of what changed since it was last told.

mod edit;

use super::Element;
use super::expr::Scope;
use crate::node;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use stillpoint_core::tree::{Change, NativeKey, NewNode, Prop, Props, Rect, Role, State, StateValue, Str};

/// What was typed into a protected field. The scene can compare it; nobody can print it.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl From<String> for Secret {
    fn from(content: String) -> Self {
        Secret(content)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

/// One living element.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) parent: Option<NativeKey>,
    pub(crate) children: Vec<NativeKey>,
    /// What a reader of the tree is told.
    pub(crate) props: Props,
    /// Where the scene put it; without this it flows with its siblings.
    pub(crate) place: Option<Rect>,
    /// Whether it is shown by itself; its ancestors may still hide it.
    pub(crate) visible: bool,
    pub(crate) scroll: i32,
    pub(crate) secret: Secret,
    /// Whether its existence has been told: before that, changes need no telling of their own.
    pub(crate) told: bool,
}

/// The stage on which a scene is played.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    items: HashMap<NativeKey, Item>,
    root: Option<NativeKey>,
    by_id: HashMap<String, Vec<NativeKey>>,
    last_key: u64,
    pub(crate) focused: Option<NativeKey>,
    /// The next input replaces what is in the focused field (`ctrl+a`).
    pub(crate) all_marked: bool,
    title: Option<Str>,
    url: Option<Str>,
    counters: BTreeMap<String, f64>,
    out: Vec<Change>,
    pub(super) dirty: BTreeSet<NativeKey>,
}

impl Stage {
    /// A stage that shows `root`; nothing of it needs telling.
    pub(crate) fn new(root: &Element, title: Option<&str>, url: Option<&str>) -> Self {
        let mut stage = Stage { title: title.map(Str::from), url: url.map(Str::from), ..Stage::default() };
        let key = stage.build(None, root, &BTreeMap::new());
        stage.root = Some(key);
        stage.dirty.insert(key);
        stage.settle();
        stage.tell(key);
        stage.out.clear();
        stage
    }

    fn build(
        &mut self,
        parent: Option<NativeKey>,
        element: &Element,
        names: &BTreeMap<String, String>,
    ) -> NativeKey {
        let made = node::describe(element, &Scope { stage: self, names });
        let key = self.adopt(parent, made);
        let children = element.children.iter().map(|child| self.build(Some(key), child, names)).collect();
        if let Some(item) = self.items.get_mut(&key) {
            item.children = children;
        }
        key
    }

    /// Gives an item its key and its entry in the index of ids.
    fn adopt(&mut self, parent: Option<NativeKey>, mut item: Item) -> NativeKey {
        self.last_key += 1;
        let key = NativeKey(self.last_key);
        if let Some(id) = item.props.stable_id() {
            self.by_id.entry(id.to_owned()).or_default().push(key);
        }
        item.parent = parent;
        self.items.insert(key, item);
        key
    }

    pub(crate) fn root(&self) -> Option<NativeKey> {
        self.root
    }

    pub(crate) fn get(&self, key: NativeKey) -> Option<&Item> {
        self.items.get(&key)
    }

    pub(super) fn get_mut(&mut self, key: NativeKey) -> Option<&mut Item> {
        self.items.get_mut(&key)
    }

    /// The first living element with this id.
    pub(crate) fn find(&self, id: &str) -> Option<NativeKey> {
        self.by_id.get(id)?.first().copied()
    }

    pub(crate) fn children(&self, key: NativeKey) -> &[NativeKey] {
        self.get(key).map(|item| item.children.as_slice()).unwrap_or_default()
    }

    /// The element and those around it, inside out.
    pub(crate) fn lineage(&self, key: NativeKey) -> impl Iterator<Item = NativeKey> {
        std::iter::successors(Some(key), |key| self.get(*key)?.parent)
    }

    /// The subtree in document order.
    pub(crate) fn walk(&self, top: NativeKey) -> impl Iterator<Item = (NativeKey, &Item)> {
        let mut stack = vec![top];
        std::iter::from_fn(move || {
            let key = stack.pop()?;
            let item = self.items.get(&key)?;
            stack.extend(item.children.iter().rev());
            Some((key, item))
        })
    }

    pub(crate) fn role(&self, key: NativeKey) -> Role {
        self.get(key).map_or(Role::Unknown, |item| item.props.role())
    }

    pub(crate) fn state(&self, key: NativeKey, state: State) -> Option<StateValue> {
        self.get(key)?.props.states().get(state)
    }

    pub(crate) fn is(&self, key: NativeKey, state: State) -> bool {
        self.state(key, state) == Some(StateValue::On)
    }

    pub(crate) fn label(&self, key: NativeKey) -> String {
        self.get(key).and_then(|item| item.props.label()).unwrap_or_default().to_owned()
    }

    /// Value or text, a secret included: only for comparing.
    pub(crate) fn content(&self, key: NativeKey) -> String {
        match self.get(key) {
            Some(item) if item.props.is_protected() => item.secret.0.clone(),
            _ => self.shown_content(key),
        }
    }

    /// Value or text as anybody may see it.
    pub(crate) fn shown_content(&self, key: NativeKey) -> String {
        let props = self.get(key).map(|item| &item.props);
        props.and_then(|p| p.value().or(p.text())).unwrap_or_default().to_owned()
    }

    pub(crate) fn counter(&self, name: &str) -> Option<f64> {
        self.counters.get(name).copied()
    }

    pub(crate) fn count(&mut self, name: &str, by: f64) {
        *self.counters.entry(name.to_owned()).or_default() += by;
    }

    /// Sets one property and records it, if it is any different.
    pub(crate) fn set(&mut self, key: NativeKey, prop: Prop) -> bool {
        let Some(item) = self.items.get_mut(&key) else { return false };
        let before = item.props.clone();
        item.props.set(prop.clone());
        if item.props == before {
            return false;
        }
        if !item.told {
            return true;
        }
        if item.props.is_protected() && matches!(prop, Prop::Value(_) | Prop::Text(_)) {
            // The content stays here; what leaves is the element with its digest.
            let change = self.node(key).map(Change::Replace);
            self.out.extend(change);
        } else {
            self.out.push(Change::Update { key, props: vec![prop] });
        }
        true
    }

    /// Sets a state; visibility goes by way of the layout, since it reaches down to what lies inside.
    pub(crate) fn set_state(&mut self, key: NativeKey, state: State, value: Option<StateValue>) -> bool {
        match state {
            State::Visible => {
                let visible = value == Some(StateValue::On);
                let Some(item) = self.items.get_mut(&key) else { return false };
                let changed = item.visible != visible;
                item.visible = visible;
                self.dirty.insert(key);
                changed
            }
            State::Focused => {
                let on = value == Some(StateValue::On);
                self.focus(on.then_some(key).or(self.focused.filter(|f| *f != key)));
                true
            }
            State::Expanded => {
                let changed = self.set(key, Prop::State(state, value));
                self.mark_flow(key);
                changed
            }
            _ => self.set(key, Prop::State(state, value)),
        }
    }

    /// Sets a value, with its number where the element has a range.
    pub(crate) fn set_value(&mut self, key: NativeKey, value: &str) -> bool {
        let Some(item) = self.items.get_mut(&key) else { return false };
        if item.props.is_protected() {
            value.clone_into(&mut item.secret.0);
        }
        if item.props.value_range().is_some() {
            let number = value.trim().parse::<f64>().ok();
            self.set(key, Prop::RawValue(number));
        }
        self.set(key, Prop::Value(Some(value.into())))
    }

    /// Moves the focus; only one element has it.
    pub(crate) fn focus(&mut self, key: Option<NativeKey>) {
        if self.focused == key {
            return;
        }
        self.all_marked = false;
        if let Some(old) = std::mem::replace(&mut self.focused, key) {
            self.set(old, Prop::State(State::Focused, Some(StateValue::Off)));
        }
        if let Some(new) = key {
            self.set(new, Prop::State(State::Focused, Some(StateValue::On)));
        }
    }

    /// Says that another screen is shown.
    pub(crate) fn screen(&mut self, title: Option<&str>, url: Option<&str>) {
        let (title, url) = (title.map(Str::from), url.map(Str::from));
        self.title = title.clone().or(self.title.take());
        self.url = url.clone().or(self.url.take());
        self.out.push(Change::Screen { title, url, active: None });
    }

    /// The last window in document order that can be seen.
    pub(crate) fn front_window(&self) -> Option<NativeKey> {
        let windows = self.children(self.root?).iter().rev().copied();
        windows.into_iter().find(|w| self.role(*w).is_window() && self.get(*w).is_some_and(|i| i.visible))
    }

    /// The element with all that lies in it, as it is now.
    pub(crate) fn node(&self, key: NativeKey) -> Option<NewNode> {
        let item = self.get(key)?;
        let mut node = NewNode::new(key, item.props.clone());
        node.children = item.children.iter().filter_map(|child| self.node(*child)).collect();
        Some(node)
    }

    /// The truth about everything, as changes that lead to it from any state.
    pub(crate) fn truth(&self) -> Vec<Change> {
        let screen =
            Change::Screen { title: self.title.clone(), url: self.url.clone(), active: self.front_window() };
        self.root.and_then(|root| self.node(root)).map(Change::Replace).into_iter().chain([screen]).collect()
    }

    /// What changed since the last time, as one batch.
    pub(crate) fn flush(&mut self) -> Vec<Change> {
        self.settle();
        std::mem::take(&mut self.out)
    }

    pub(crate) fn is_pending(&self) -> bool {
        !self.out.is_empty() || !self.dirty.is_empty()
    }
}
