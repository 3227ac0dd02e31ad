//! An element's properties as a JSON object: names of SPEC §2 for properties and states alike. In an update, `null` says
//! that the platform no longer tells it.

use super::not_understood;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::hash::{BuildHasher, RandomState};
use stillpoint_core::Result;
use stillpoint_core::tree::{Prop, Props, Rect, Role, State, StateValue, Str, ValueRange};

/// What a protected element holds is told as a salted digest: a change is seen, the content cannot be guessed back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Salt(RandomState);

impl Salt {
    fn veil(&self, digest: u64) -> Value {
        if digest == 0 { Value::Null } else { json!(format!("{:016x}", self.0.hash_one(digest))) }
    }
}

fn state(value: Option<StateValue>) -> Value {
    match value {
        None => Value::Null,
        Some(StateValue::On) => json!(true),
        Some(StateValue::Off) => json!(false),
        Some(StateValue::Mixed) => json!("mixed"),
    }
}

/// All that is known of an element.
pub(crate) fn write_props(props: &Props, salt: &Salt) -> Map<String, Value> {
    let mut told = Map::new();
    let mut tell = |name: &str, value: Value| {
        if !value.is_null() {
            told.insert(name.to_owned(), value);
        }
    };
    tell("role", json!(props.role().name()));
    tell("native_role", json!(props.native_role()));
    tell("stable_id", json!(props.stable_id()));
    tell("test_tag", json!(props.test_tag()));
    tell("label", json!(props.label()));
    if props.is_protected() {
        let (text, value) = props.secret_digests();
        tell("text", salt.veil(text));
        tell("value", salt.veil(value));
    } else {
        tell("text", json!(props.text()));
        tell("value", json!(props.value()));
        tell("raw_value", json!(props.raw_value()));
    }
    tell("value_range", json!(props.value_range()));
    tell("description", json!(props.description()));
    tell("bounds", json!(props.bounds().map(corners)));
    if !props.actions().is_empty() {
        tell("actions", json!(props.actions()));
    }
    if props.omitted() > 0 {
        tell("omitted", json!(props.omitted()));
    }
    for (which, value) in props.states().known() {
        tell(which.name(), state(Some(value)));
    }
    told
}

fn corners(bounds: Rect) -> [i32; 4] {
    [bounds.x, bounds.y, bounds.width, bounds.height]
}

/// One property of an update, of an element that is protected or not.
pub(crate) fn write_prop(prop: &Prop, protected: bool, salt: &Salt) -> (String, Value) {
    let named = |name: &str, value: Value| (name.to_owned(), value);
    let veiled = |prop: &Prop| {
        let secret = Props::default().state(State::Protected, true).with(prop.clone());
        let (text, value) = secret.secret_digests();
        salt.veil(text | value)
    };
    match prop {
        Prop::Text(_) if protected => named("text", veiled(prop)),
        Prop::Value(_) if protected => named("value", veiled(prop)),
        Prop::RawValue(_) if protected => named("raw_value", Value::Null),
        Prop::Role(role) => named("role", json!(role.name())),
        Prop::NativeRole(text) => named("native_role", json!(text)),
        Prop::StableId(text) => named("stable_id", json!(text)),
        Prop::TestTag(text) => named("test_tag", json!(text)),
        Prop::Label(text) => named("label", json!(text)),
        Prop::Text(text) => named("text", json!(text)),
        Prop::Value(text) => named("value", json!(text)),
        Prop::RawValue(number) => named("raw_value", json!(number)),
        Prop::ValueRange(range) => named("value_range", json!(range)),
        Prop::Description(text) => named("description", json!(text)),
        Prop::Bounds(bounds) => named("bounds", json!(bounds.map(corners))),
        Prop::State(which, value) => named(which.name(), state(*value)),
        Prop::Actions(names) => named("actions", json!(names)),
        Prop::Omitted(count) => named("omitted", json!(count)),
    }
}

/// The properties in a map, protection first: what is protected takes no content. Names that are not known are of a
/// later version, and passed over.
pub(crate) fn read_props(told: &Map<String, Value>) -> Result<Vec<Prop>> {
    let protected = State::Protected.name();
    let first = told.get_key_value(protected);
    let rest = told.iter().filter(|(name, _)| *name != protected);
    first.into_iter().chain(rest).filter_map(|(name, value)| read_prop(name, value).transpose()).collect()
}

fn read_prop(name: &str, value: &Value) -> Result<Option<Prop>> {
    fn read<T: for<'de> Deserialize<'de>>(name: &str, value: &Value) -> Result<T> {
        T::deserialize(value).map_err(|why| not_understood(&format!("the property {name}"), why))
    }
    let text = || read::<Option<Str>>(name, value);
    if let Some(which) = State::from_name(name) {
        let known = match value {
            Value::Null => None,
            Value::Bool(on) => Some(StateValue::from(*on)),
            Value::String(mixed) if mixed == "mixed" => Some(StateValue::Mixed),
            other => return Err(not_understood(&format!("the state {name}"), other)),
        };
        return Ok(Some(Prop::State(which, known)));
    }
    Ok(Some(match name {
        // A role that only the far side knows is an element all the same.
        "role" => Prop::Role(Role::from_name(&read::<String>(name, value)?).unwrap_or_default()),
        "native_role" => Prop::NativeRole(text()?),
        "stable_id" => Prop::StableId(text()?),
        "test_tag" => Prop::TestTag(text()?),
        "label" => Prop::Label(text()?),
        "text" => Prop::Text(text()?),
        "value" => Prop::Value(text()?),
        "raw_value" => Prop::RawValue(read(name, value)?),
        "value_range" => Prop::ValueRange(read::<Option<ValueRange>>(name, value)?),
        "description" => Prop::Description(text()?),
        "bounds" => {
            let corners: Option<[i32; 4]> = read(name, value)?;
            Prop::Bounds(corners.map(|[x, y, width, height]| Rect::new(x, y, width, height)))
        }
        "actions" => Prop::Actions(read::<Option<Vec<Str>>>(name, value)?.unwrap_or_default().into()),
        "omitted" => Prop::Omitted(read::<Option<u32>>(name, value)?.unwrap_or_default()),
        _ => return Ok(None),
    }))
}
