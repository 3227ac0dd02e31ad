//! One element (SPEC §2): the platform's layer in [`Props`], its place in the tree in [`Node`].

use super::{ElementId, NativeKey, Rect, Role, State, StateValue, States};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Text that many revisions share.
pub type Str = Arc<str>;

/// The limits between which a value moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ValueRange {
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Step between values, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
}

/// What most elements do not have, kept apart so that they do not pay for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Extra {
    pub(crate) test_tag: Option<Str>,
    pub(crate) description: Option<Str>,
    pub(crate) raw_value: Option<f64>,
    pub(crate) value_range: Option<Box<ValueRange>>,
    pub(crate) actions: Option<Arc<[Str]>>,
    pub(crate) veil: Veil,
}

/// Digests of what a protected field holds, so that a change is seen though the content is not kept.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) struct Veil {
    /// Zero where there is nothing.
    text: u64,
    value: u64,
}

impl Veil {
    /// What it adds to the digest of its element; `None` if nothing is veiled.
    pub(crate) fn digest(self) -> Option<u64> {
        (self != Veil::default()).then(|| super::hash::mix(self.text, self.value))
    }
}

/// A digest of a short secret can be guessed back, so not even that is shown.
impl std::fmt::Debug for Veil {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Veil")
    }
}

/// What the platform says about one element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Props {
    pub(crate) role: Role,
    pub(crate) states: States,
    pub(crate) omitted: u32,
    pub(crate) native_role: Option<Str>,
    pub(crate) stable_id: Option<Str>,
    pub(crate) label: Option<Str>,
    pub(crate) text: Option<Str>,
    pub(crate) value: Option<Str>,
    pub(crate) bounds: Option<Rect>,
    pub(crate) extra: Option<Box<Extra>>,
}

/// One property with its new value: what an update from the platform is made of.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // each is the field of SPEC §2 with its name
pub enum Prop {
    Role(Role),
    NativeRole(Option<Str>),
    StableId(Option<Str>),
    TestTag(Option<Str>),
    Label(Option<Str>),
    Text(Option<Str>),
    Value(Option<Str>),
    RawValue(Option<f64>),
    ValueRange(Option<ValueRange>),
    Description(Option<Str>),
    Bounds(Option<Rect>),
    State(State, Option<StateValue>),
    Actions(Arc<[Str]>),
    /// Children that the platform has and the mirror does not.
    Omitted(u32),
}

impl Props {
    /// An element of this role, nothing else known.
    pub fn new(role: Role) -> Self {
        Props { role, ..Props::default() }
    }

    /// The same with one property set; an empty string counts as none.
    pub fn with(mut self, prop: Prop) -> Self {
        self.set(prop);
        self
    }

    /// The same with its accessible name.
    pub fn labelled(self, label: &str) -> Self {
        self.with(Prop::Label(Some(label.into())))
    }

    /// The same with a state known.
    pub fn state(self, state: State, value: impl Into<StateValue>) -> Self {
        self.with(Prop::State(state, Some(value.into())))
    }

    /// The same with its place on the screen.
    pub fn at(mut self, x: i32, y: i32, width: i32, height: i32) -> Self {
        self.bounds = Some(Rect::new(x, y, width, height));
        self
    }

    /// Its role.
    pub fn role(&self) -> Role {
        self.role
    }
    /// The platform's own word for its role.
    pub fn native_role(&self) -> Option<&str> {
        self.native_role.as_deref()
    }
    /// The identifier that the developer or the platform gave it.
    pub fn stable_id(&self) -> Option<&str> {
        self.stable_id.as_deref()
    }
    /// The tag that a developer gave it for tests.
    pub fn test_tag(&self) -> Option<&str> {
        self.extra.as_ref()?.test_tag.as_deref()
    }
    /// Its accessible name.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }
    /// The text that it shows.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }
    /// Its value, as it is shown.
    pub fn value(&self) -> Option<&str> {
        self.value.as_deref()
    }
    /// Its value as a number.
    pub fn raw_value(&self) -> Option<f64> {
        self.extra.as_ref()?.raw_value
    }
    /// The limits of its value.
    pub fn value_range(&self) -> Option<ValueRange> {
        self.extra.as_ref()?.value_range.as_deref().copied()
    }
    /// What the platform says about it beyond its name.
    pub fn description(&self) -> Option<&str> {
        self.extra.as_ref()?.description.as_deref()
    }
    /// Where it is on the screen.
    pub fn bounds(&self) -> Option<Rect> {
        self.bounds
    }
    /// What is known of its states.
    pub fn states(&self) -> States {
        self.states
    }
    /// The actions that the platform offers on it, by their platform names.
    pub fn actions(&self) -> &[Str] {
        self.extra.as_ref().and_then(|e| e.actions.as_deref()).unwrap_or_default()
    }
    /// How many children the platform has that are not mirrored.
    pub fn omitted(&self) -> u32 {
        self.omitted
    }
    /// Whether its content must never be told.
    pub fn is_protected(&self) -> bool {
        self.states.is(State::Protected)
    }

    /// Digests of the text and the value that a protected element holds, zero where there is nothing. A short secret
    /// can be guessed from its digest: whoever tells it on has to salt it.
    pub fn secret_digests(&self) -> (u64, u64) {
        let veil = self.veil();
        (veil.text, veil.value)
    }

    /// Sets one property and gives back what was there. A protected element keeps no content: text and value are
    /// replaced by a digest as they come in, so that no later layer can give them out.
    pub fn set(&mut self, prop: Prop) -> Prop {
        use std::mem::replace;
        let clean = |s: Option<Str>| s.filter(|s| !s.is_empty());
        match prop {
            Prop::Role(v) => Prop::Role(replace(&mut self.role, v)),
            Prop::NativeRole(v) => Prop::NativeRole(replace(&mut self.native_role, clean(v))),
            Prop::StableId(v) => Prop::StableId(replace(&mut self.stable_id, clean(v))),
            Prop::Label(v) => Prop::Label(replace(&mut self.label, clean(v))),
            Prop::Text(v) if self.is_protected() => {
                self.set_veil(Veil { text: digest(clean(v).as_deref()), ..self.veil() });
                Prop::Text(None)
            }
            Prop::Value(v) if self.is_protected() => {
                self.set_veil(Veil { value: digest(clean(v).as_deref()), ..self.veil() });
                Prop::Value(None)
            }
            Prop::Text(v) => Prop::Text(replace(&mut self.text, clean(v))),
            Prop::Value(v) => Prop::Value(replace(&mut self.value, clean(v))),
            Prop::Bounds(v) => Prop::Bounds(replace(&mut self.bounds, v)),
            Prop::Omitted(v) => Prop::Omitted(replace(&mut self.omitted, v)),
            Prop::State(state, v) => {
                let old = self.states.get(state);
                self.states.set(state, v);
                if state == State::Protected && old != v {
                    self.draw_veil();
                }
                Prop::State(state, old)
            }
            Prop::TestTag(v) => self.set_extra(clean(v), |e| &mut e.test_tag, Prop::TestTag),
            Prop::Description(v) => self.set_extra(clean(v), |e| &mut e.description, Prop::Description),
            Prop::RawValue(v) => {
                let v = if self.is_protected() { None } else { v };
                self.set_extra(v, |e| &mut e.raw_value, Prop::RawValue)
            }
            Prop::ValueRange(v) => self.set_extra(
                v.map(Box::new),
                |e| &mut e.value_range,
                |old| Prop::ValueRange(old.map(|r| *r)),
            ),
            Prop::Actions(v) => {
                let v = Some(v).filter(|v| !v.is_empty());
                self.set_extra(
                    v,
                    |e| &mut e.actions,
                    |old| Prop::Actions(old.unwrap_or_else(|| Arc::new([]))),
                )
            }
        }
    }

    fn set_extra<T>(
        &mut self,
        value: Option<T>,
        field: impl FnOnce(&mut Extra) -> &mut Option<T>,
        back: impl FnOnce(Option<T>) -> Prop,
    ) -> Prop {
        if value.is_none() && self.extra.is_none() {
            return back(None);
        }
        let extra = self.extra_mut();
        let old = std::mem::replace(field(extra), value);
        if *extra == Extra::default() {
            self.extra = None;
        }
        back(old)
    }

    fn extra_mut(&mut self) -> &mut Extra {
        self.extra.get_or_insert_default()
    }

    /// Puts digests in the place of content once it is protected, and forgets them once it is not.
    fn draw_veil(&mut self) {
        if !self.is_protected() {
            self.set_veil(Veil::default());
        } else if self.text.is_some() || self.value.is_some() || self.raw_value().is_some() {
            self.set_veil(self.content());
            self.text = None;
            self.value = None;
            self.set(Prop::RawValue(None));
        }
    }

    /// The digests of what it shows openly.
    pub(crate) fn content(&self) -> Veil {
        Veil { text: digest(self.text()), value: digest(self.value()) }
    }

    pub(crate) fn set_veil(&mut self, veil: Veil) {
        if veil == Veil::default() && self.extra.is_none() {
            return;
        }
        let extra = self.extra_mut();
        extra.veil = veil;
        if *extra == Extra::default() {
            self.extra = None;
        }
    }

    pub(crate) fn veil(&self) -> Veil {
        self.extra.as_ref().map(|e| e.veil).unwrap_or_default()
    }

    /// Puts a mark in the place of content that must not be told, so that one still sees that there was some.
    pub(crate) fn blot(&mut self) {
        for content in [&mut self.text, &mut self.value].into_iter().filter(|c| c.is_some()) {
            *content = Some(BLOT.into());
        }
        if self.raw_value().is_some() {
            self.set(Prop::RawValue(Some(0.0)));
        }
    }
}

/// What stands where something protected stood.
pub(crate) const BLOT: &str = "•";

/// Never zero for content that is there.
fn digest(content: Option<&str>) -> u64 {
    content.map_or(0, |c| super::hash::of_text(0x5EC2, c) | 1)
}

/// An element in its place.
#[derive(Clone, Debug)]
pub struct Node {
    pub(crate) key: NativeKey,
    pub(crate) parent: Option<ElementId>,
    pub(crate) window: Option<ElementId>,
    pub(crate) children: Children,
    pub(crate) props: Props,
    pub(crate) semantic: super::hash::NodeHash,
    pub(crate) layout: super::hash::NodeHash,
}

/// The children of an element, in order. Thin, because most elements have none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Children(Option<Arc<Vec<ElementId>>>);

impl Children {
    pub(crate) fn as_slice(&self) -> &[ElementId] {
        self.0.as_deref().map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn edit(&mut self) -> &mut Vec<ElementId> {
        Arc::make_mut(self.0.get_or_insert_default())
    }
}

impl From<Vec<ElementId>> for Children {
    fn from(ids: Vec<ElementId>) -> Self {
        Children(if ids.is_empty() { None } else { Some(Arc::new(ids)) })
    }
}

impl PartialEq for Children {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
            _ => self.as_slice() == other.as_slice(),
        }
    }
}

/// Two nodes are equal when a reader could not tell them apart; platform keys and hashes do not count.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.parent == other.parent
            && self.window == other.window
            && self.children == other.children
            && self.props == other.props
    }
}

impl Node {
    /// The backend's name for the platform object behind it.
    pub fn key(&self) -> NativeKey {
        self.key
    }
    /// The element that it lies in.
    pub fn parent(&self) -> Option<ElementId> {
        self.parent
    }
    /// The window that it belongs to.
    pub fn window(&self) -> Option<ElementId> {
        self.window
    }
    /// The elements that lie in it, in order.
    pub fn children(&self) -> &[ElementId] {
        self.children.as_slice()
    }
    /// What the platform says about it.
    pub fn props(&self) -> &Props {
        &self.props
    }
}

impl std::ops::Deref for Node {
    type Target = Props;
    fn deref(&self) -> &Props {
        &self.props
    }
}
