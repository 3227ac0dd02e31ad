//! Single questions to an object, and what their answers teach. Many are in flight at once.

use crate::bus::{ACCESSIBLE, PROPERTIES, message};
use crate::node::{Facts, Interfaces};
use crate::object::{Object, is_null};
use crate::role::NativeRole;
use crate::state::NativeStates;
use std::collections::HashMap;
use stillpoint_core::tree::{Rect, Str, ValueRange};
use zbus::{Message, ObjectPath, Variant};

const COMPONENT: &str = "org.a11y.atspi.Component";
const TEXT: &str = "org.a11y.atspi.Text";
const VALUE: &str = "org.a11y.atspi.Value";
const ACTION: &str = "org.a11y.atspi.Action";

/// Text beyond this is not mirrored.
pub(crate) const TEXT_LIMIT: i32 = 10_000;
/// Positions are asked for in screen coordinates.
pub(crate) const SCREEN: u32 = 0;

/// One question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Facet {
    /// Name, description, id and child count at once, where the toolkit can.
    Identity,
    Name,
    Description,
    ChildCount,
    Id,
    Attributes,
    Role,
    States,
    Interfaces,
    Children,
    Extents,
    TextLength,
    Text,
    Value,
    ValueNow,
    ValueMin,
    ValueMax,
    ValueStep,
    Actions,
    /// One step of a gathering.
    Step,
}

impl Facet {
    /// Its place in a set of facets.
    pub(crate) fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// How an app has to be asked, found out by looking at its root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// It answers `Properties.GetAll`. Qt 5 crashes on it (5.15.8, seen on kcalc and on our own fixture).
    pub(crate) get_all: bool,
    /// It has the `AccessibleId` property.
    pub(crate) accessible_id: bool,
    /// Ids may be in the attributes: the property is missing, or it is a web engine.
    pub(crate) attributes: bool,
    /// Its extents are relative to the window, whatever was asked for (GTK 4).
    pub(crate) window_relative: bool,
    /// It tells what got another size, and not what only moved because of that (GTK 4.8).
    pub(crate) moves_untold: bool,
    /// Children come and go without `children-changed`. Seen on the fixtures: GTK 4.8.3 told neither, GTK 3.24.38 told
    /// removals but not what `pack_start` put into a box, Qt 5.15.8 told only that a widget is showing.
    pub(crate) structure_untold: bool,
    /// It shows pages (Chromium): what a frame holds comes and goes without a word about the frame, and a text that is
    /// taken from a name changes with the name alone.
    pub(crate) web: bool,
    /// Answers overtake the events: they are given from the newest state, while the events wait in a queue (AccessKit).
    pub(crate) events_lag: bool,
    /// The list of an object's children can leave out a level (GTK 4.8).
    pub(crate) lists_skip: bool,
    /// Its widgets come and go with a single word about it, so that states have to be asked for (Qt 5).
    pub(crate) terse_states: bool,
    /// Whether something shows depends on where it is scrolled to, and a change of that is told as a move at best (GTK 3,
    /// Chromium).
    pub(crate) showing_by_place: bool,
    /// A frame takes its name from a label that is no child of it, and does not tell when it gets another (GTK 3).
    pub(crate) frames_named_untold: bool,
    /// The path of an object that is gone is given to the next one, without a word about the first (Qt 5.15.8: the
    /// search for a free number begins with the last one given out).
    pub(crate) paths_reused: bool,
    /// What has no name of its own takes that of the group it is in, and does not tell when it changes (Qt 5).
    pub(crate) names_from_groups: bool,
    /// Only its windows say that they are showing (GTK 4.8): of the rest, "visible" has to do.
    pub(crate) showing_untold: bool,
    /// It draws its own widgets under GTK's name, and tells less of them (`LibreOffice` 7.4.7).
    pub(crate) office: bool,
}

impl Dialect {
    /// What has to be asked of an object about which nothing is known.
    pub(crate) fn first_questions(self) -> &'static [Facet] {
        use Facet::{ChildCount, Description, Identity, Interfaces, Name, Role, States};
        if self.get_all {
            &[Identity, Role, States, Interfaces]
        } else {
            &[Name, Description, ChildCount, Role, States, Interfaces]
        }
    }

    /// What has to be asked of an object whose role, states and interfaces are known; children and id not included.
    pub(crate) fn next_questions(self, facts: &Facts) -> Vec<Facet> {
        let mut ask = Self::questions_when_shown(facts);
        if facts.has_text() {
            ask.push(text_question(facts));
        }
        if facts.interfaces.has(Interfaces::VALUE) && !facts.is_protected() {
            ask.extend(self.value_questions());
        }
        ask
    }

    /// What means nothing for an object that is not on the screen, and is asked when it comes there: where it is,
    /// and what can be done with it. In a GTK 3 editor, nine of ten objects are items of closed menus.
    pub(crate) fn questions_when_shown(facts: &Facts) -> Vec<Facet> {
        let mut ask = Vec::new();
        if facts.has_place() {
            ask.push(Facet::Extents);
        }
        if facts.is_showing() && facts.interfaces.has(Interfaces::ACTION) {
            ask.push(Facet::Actions);
        }
        ask
    }

    /// How an object is asked for its id, where `Identity` did not tell it.
    pub(crate) fn id_questions(self) -> &'static [Facet] {
        match (self.accessible_id, self.attributes) {
            (true, true) => &[Facet::Id, Facet::Attributes],
            (true, false) => &[Facet::Id],
            (false, true) => &[Facet::Attributes],
            (false, false) => &[],
        }
    }

    pub(crate) fn value_questions(self) -> &'static [Facet] {
        if self.get_all {
            &[Facet::Value]
        } else {
            &[Facet::ValueNow, Facet::ValueMin, Facet::ValueMax, Facet::ValueStep]
        }
    }

    pub(crate) fn name_question(self) -> &'static [Facet] {
        if self.get_all { &[Facet::Identity] } else { &[Facet::Name, Facet::Description, Facet::ChildCount] }
    }
}

/// Long texts are asked for their length first, so that no more than the limit travels.
pub(crate) fn text_question(facts: &Facts) -> Facet {
    let may_be_long =
        facts.states.has(NativeStates::MULTI_LINE) || matches!(facts.role.0, 60 | 61 | 73 | 82..=96);
    if may_be_long { Facet::TextLength } else { Facet::Text }
}

/// The message that asks.
pub(crate) fn question(object: &Object, facet: Facet, length: i32) -> zbus::Result<Message> {
    let get = |interface: &str, name: &str| message(object, PROPERTIES, "Get", &(interface, name));
    match facet {
        Facet::Identity => message(object, PROPERTIES, "GetAll", &ACCESSIBLE),
        Facet::Name => get(ACCESSIBLE, "Name"),
        Facet::Description => get(ACCESSIBLE, "Description"),
        Facet::ChildCount => get(ACCESSIBLE, "ChildCount"),
        Facet::Id => get(ACCESSIBLE, "AccessibleId"),
        Facet::Attributes => message(object, ACCESSIBLE, "GetAttributes", &()),
        Facet::Role => message(object, ACCESSIBLE, "GetRole", &()),
        Facet::States => message(object, ACCESSIBLE, "GetState", &()),
        Facet::Interfaces => message(object, ACCESSIBLE, "GetInterfaces", &()),
        Facet::Children => message(object, ACCESSIBLE, "GetChildren", &()),
        Facet::Extents => message(object, COMPONENT, "GetExtents", &SCREEN),
        Facet::TextLength => get(TEXT, "CharacterCount"),
        Facet::Text => message(object, TEXT, "GetText", &(0i32, length)),
        Facet::Value => message(object, PROPERTIES, "GetAll", &VALUE),
        Facet::ValueNow => get(VALUE, "CurrentValue"),
        Facet::ValueMin => get(VALUE, "MinimumValue"),
        Facet::ValueMax => get(VALUE, "MaximumValue"),
        Facet::ValueStep => get(VALUE, "MinimumIncrement"),
        Facet::Actions => message(object, ACTION, "GetActions", &()),
        Facet::Step => Err(zbus::Error::Unsupported),
    }
}

/// What an answer asks for in turn.
#[derive(Debug, PartialEq)]
pub(crate) enum Lesson {
    /// It is in the facts now.
    Learned,
    /// These are the children now, in order.
    Children(Vec<Object>),
    /// The text is this long; now it can be asked for.
    TextLength(i32),
}

/// Puts an answer into the facts.
pub(crate) fn learn(facts: &mut Facts, facet: Facet, reply: &Message) -> zbus::Result<Lesson> {
    let body = reply.body();
    match facet {
        Facet::Identity => identity(facts, &body.deserialize()?),
        Facet::Name => facts.name = string(&body.deserialize()?),
        Facet::Description => facts.description = string(&body.deserialize()?),
        Facet::ChildCount => facts.child_count = count(&body.deserialize()?),
        Facet::Id => set_id(facts, string(&body.deserialize()?)),
        Facet::Attributes => {
            let attributes: HashMap<&str, &str> = body.deserialize()?;
            set_id(facts, attributes.get("id").map(|id| (*id).into()));
        }
        Facet::Role => facts.role = NativeRole(body.deserialize()?),
        Facet::States => facts.states = NativeStates::from_halves(&body.deserialize::<Vec<u32>>()?),
        Facet::Interfaces => {
            facts.interfaces = Interfaces::from_names(body.deserialize::<Vec<&str>>()?);
        }
        Facet::Children => {
            let children: Vec<(&str, ObjectPath<'_>)> = body.deserialize()?;
            return Ok(Lesson::Children(objects(&children)));
        }
        Facet::Extents => {
            let ((x, y, width, height),): ((i32, i32, i32, i32),) = body.deserialize()?;
            facts.extents = Some(Rect::new(x, y, width, height));
        }
        Facet::TextLength => {
            let length = i32::try_from(count(&body.deserialize()?)).unwrap_or(i32::MAX);
            return Ok(Lesson::TextLength(length));
        }
        Facet::Text => facts.text = visible_text(body.deserialize()?),
        Facet::Value => value(facts, &body.deserialize()?),
        Facet::ValueNow => facts.value = double(&body.deserialize()?),
        Facet::ValueMin => range(facts).min = double(&body.deserialize()?).unwrap_or_default(),
        Facet::ValueMax => range(facts).max = double(&body.deserialize()?).unwrap_or_default(),
        Facet::ValueStep => range(facts).step = double(&body.deserialize()?).filter(|step| *step > 0.0),
        Facet::Actions => {
            let actions: Vec<(&str, &str, &str)> = body.deserialize()?;
            facts.actions = actions.iter().map(|(name, ..)| Str::from(*name)).collect();
        }
        Facet::Step => {}
    }
    Ok(Lesson::Learned)
}

/// References to objects, without those to nothing.
pub(crate) fn objects(references: &[(&str, ObjectPath<'_>)]) -> Vec<Object> {
    let real = references.iter().filter(|(name, path)| !is_null(name, path.as_str()));
    real.map(|(name, path)| Object::new(name, path.as_str())).collect()
}

fn identity(facts: &mut Facts, all: &HashMap<&str, Variant<'_>>) {
    facts.name = all.get("Name").and_then(string);
    facts.description = all.get("Description").and_then(string);
    facts.child_count = all.get("ChildCount").map(count).unwrap_or_default();
    facts.claimed_parent = all.get("Parent").and_then(reference);
    set_id(facts, all.get("AccessibleId").and_then(string));
}

/// A reference to an object in a value.
pub(crate) fn reference(value: &Variant<'_>) -> Option<Object> {
    let Variant::Structure(pair) = value else { return None };
    match pair.fields() {
        [Variant::Str(name), Variant::ObjectPath(path)] => Some(Object::new(name, path.as_str())),
        _ => None,
    }
}

/// An id is only ever added: the property and the attribute are two ways to the same thing.
fn set_id(facts: &mut Facts, id: Option<Str>) {
    if let Some(id) = id.filter(|id| !id.is_empty()) {
        facts.stable_id = Some(id);
    }
}

fn value(facts: &mut Facts, all: &HashMap<&str, Variant<'_>>) {
    let read = |name| all.get(name).and_then(double);
    facts.value = read("CurrentValue");
    facts.range = match (read("MinimumValue"), read("MaximumValue")) {
        (Some(min), Some(max)) => {
            Some(ValueRange { min, max, step: read("MinimumIncrement").filter(|s| *s > 0.0) })
        }
        _ => None,
    };
}

fn range(facts: &mut Facts) -> &mut ValueRange {
    facts.range.get_or_insert(ValueRange { min: 0.0, max: 0.0, step: None })
}

/// Stands in a text for an object that lies in it.
const EMBEDDED: char = '\u{fffc}';

/// Text without the marks that stand for embedded objects: those are children, and change with them.
fn visible_text(text: &str) -> Option<Str> {
    if !text.contains(EMBEDDED) {
        return Some(text.into()).filter(|t: &Str| !t.is_empty());
    }
    let text: String = text.chars().filter(|c| *c != EMBEDDED).collect();
    Some(text.as_str().into()).filter(|t: &Str| !t.trim().is_empty())
}

fn string(value: &Variant<'_>) -> Option<Str> {
    match value {
        Variant::Str(text) => Some(text.as_str().into()),
        Variant::Variant(inner) => string(inner),
        _ => None,
    }
    .filter(|text: &Str| !text.is_empty())
}

pub(crate) fn count(value: &Variant<'_>) -> usize {
    match value {
        Variant::I32(n) => usize::try_from(*n).unwrap_or_default(),
        Variant::U32(n) => *n as usize,
        Variant::Variant(inner) => count(inner),
        _ => 0,
    }
}

fn double(value: &Variant<'_>) -> Option<f64> {
    match value {
        Variant::F64(n) => Some(*n).filter(|n| n.is_finite()),
        Variant::I32(n) => Some(f64::from(*n)),
        Variant::Variant(inner) => double(inner),
        _ => None,
    }
}
