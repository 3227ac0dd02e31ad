//! Schemas as small as an agent's context deserves: inlined, without titles, without what goes without saying.
//!
//! What is left is true of every value that the full schema allows; it only says less.

use serde_json::{Map, Value, json};

/// How deep definitions are inlined before the rest is left open.
const DEEPEST: usize = 6;

/// A value with more fields than this is handed on as it was got, and told by its description alone.
const ROOMY: usize = 4;

/// Keywords that help a validator and not a reader, or that repeat the type.
const NOISE: [&str; 9] = [
    "$schema",
    "$defs",
    "title",
    "format",
    "minimum",
    "maximum",
    "additionalProperties",
    "examples",
    "pattern",
];

/// A schema of parameters: every property with its type, its description and its default.
pub(crate) fn input(schema: &schemars::Schema) -> Map<String, Value> {
    let full = schema.as_value();
    let small = small(full, definitions(full), 0);
    let mut small = match small {
        Value::Object(small) => small,
        _ => Map::new(),
    };
    small.remove("description");
    small.insert("type".to_owned(), "object".into());
    small.entry("properties").or_insert_with(|| json!({}));
    for (name, property) in small["properties"].as_object_mut().into_iter().flatten() {
        shorten(name, property);
    }
    small
}

/// Takes from a description what the name, the type and the choices say already.
fn shorten(name: &str, property: &mut Value) {
    let Some(said) = property["description"].as_str() else { return };
    let mut said = said.to_owned();
    if name.ends_with("_ms") {
        said = said.replace(", in milliseconds", "");
    }
    if let Some(choices) = property["enum"].as_array() {
        let repeats = choices.iter().filter_map(Value::as_str).all(|choice| said.contains(choice));
        if repeats && let Some((before, _)) = said.split_once(':') {
            said.truncate(before.len());
        }
    }
    property["description"] = said.into();
}

/// A schema of an answer: the type of each property that is always there, for one level.
pub(crate) fn output(schema: &schemars::Schema) -> Map<String, Value> {
    let full = schema.as_value();
    let defs = definitions(full);
    let mut properties = Map::new();
    // An answer of several kinds always has what all of its kinds always have.
    let kinds: Vec<&Value> = match full.get("oneOf").or_else(|| full.get("anyOf")).and_then(Value::as_array) {
        Some(kinds) => kinds.iter().map(|k| follow(k, defs)).collect(),
        None => vec![full],
    };
    for name in required(kinds.first().copied().unwrap_or(full)) {
        if !crate::tools::TELLING.contains(&name) || !kinds.iter().all(|k| required(k).contains(&name)) {
            continue;
        }
        let types: Vec<Value> =
            kinds.iter().filter_map(|k| kind_of(follow(&k["properties"][name], defs))).collect();
        let same = types.windows(2).all(|pair| pair[0] == pair[1]);
        if let Some(kind) = types.into_iter().next().filter(|_| same) {
            properties.insert(name.to_owned(), json!({ "type": kind }));
        }
    }
    let mut out = Map::new();
    out.insert("type".to_owned(), "object".into());
    if !properties.is_empty() {
        out.insert("properties".to_owned(), Value::Object(properties));
    }
    out
}

/// The schema of an answer of which nothing more is told.
pub(crate) fn any_object() -> Map<String, Value> {
    let mut out = Map::new();
    out.insert("type".to_owned(), "object".into());
    out
}

/// Leaves one type in each place, for clients whose schemas know no lists of types. A selector's written form stands
/// for both of its forms where `brief` is asked for; the other is accepted all the same.
pub(crate) fn single_types(schema: &mut Value, brief: bool) {
    let Value::Object(fields) = schema else { return };
    if let Some(Value::Array(kinds)) = fields.get("type").cloned() {
        if brief && kinds.contains(&"string".into()) && kinds.contains(&"object".into()) {
            fields.insert("type".to_owned(), "string".into());
        } else {
            fields.remove("type");
            let each = kinds.into_iter().map(|kind| json!({ "type": kind }));
            fields.insert("anyOf".to_owned(), Value::Array(each.collect()));
        }
    } else if !["type", "anyOf", "enum"].iter().any(|key| fields.contains_key(*key)) {
        // Any value: those that a state or a field can have.
        let each = ["boolean", "number", "string"].map(|kind| json!({ "type": kind }));
        fields.insert("anyOf".to_owned(), Value::Array(each.to_vec()));
    }
    if let Some(items) = fields.get_mut("items") {
        single_types(items, brief);
    }
    for (_, property) in fields.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        single_types(property, brief);
    }
}

fn definitions(schema: &Value) -> &Value {
    schema.get("$defs").unwrap_or(&Value::Null)
}

fn required(schema: &Value) -> Vec<&str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// What a reference points at.
fn follow<'a>(schema: &'a Value, defs: &'a Value) -> &'a Value {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|r| r.rsplit('/').next());
    name.and_then(|name| defs.get(name)).unwrap_or(schema)
}

/// The one type of a schema's values, where they have one.
fn kind_of(schema: &Value) -> Option<Value> {
    if let Some(kind) = schema.get("type") {
        return Some(kind.clone());
    }
    let constant = |s: &Value| s.get("const").is_some_and(Value::is_string) || s["type"] == "string";
    let choices = schema.get("oneOf").and_then(Value::as_array)?;
    choices.iter().all(constant).then(|| "string".into())
}

fn small(schema: &Value, defs: &Value, depth: usize) -> Value {
    let target = follow(schema, defs);
    let Value::Object(fields) = target else { return json!({}) };
    if depth > DEEPEST {
        return json!({});
    }
    // What is said where a definition is used says more than the definition's own words.
    let said = schema.get("description").or_else(|| fields.get("description"));
    let mut out = Map::new();
    if let Some(choices) = fields.get("oneOf").or_else(|| fields.get("anyOf")).and_then(Value::as_array) {
        out = union(choices, defs, depth);
    }
    for (key, value) in fields {
        match key.as_str() {
            noise if NOISE.contains(&noise) => {}
            "oneOf" | "anyOf" | "description" => {}
            "properties" => {
                let each = value.as_object().into_iter().flatten();
                if depth > 0 && each.clone().count() > ROOMY {
                    continue;
                }
                let each = each.map(|(name, s)| (name.clone(), small(s, defs, depth + 1)));
                out.insert(key.clone(), Value::Object(each.collect()));
            }
            "items" => {
                let mut item = small(value, defs, depth + 1);
                // The list's own description says what its items are.
                if let Value::Object(item) = &mut item {
                    item.remove("description");
                }
                out.insert(key.clone(), item);
            }
            "type" => drop(out.insert(key.clone(), without_null(value))),
            "const" => drop(out.insert("enum".to_owned(), json!([value]))),
            // Of a value whose fields are not told, what is required is not told either.
            "required" if depth > 0 && target["properties"].as_object().is_some_and(|p| p.len() > ROOMY) => {}
            _ => drop(out.insert(key.clone(), value.clone())),
        }
    }
    if let Some(default) = schema.get("default") {
        out.insert("default".to_owned(), default.clone());
    }
    out.retain(|key, value| {
        key != "default" || !(value.is_null() || value == &json!([]) || value == &json!(false))
    });
    if let Some(said) = said.and_then(Value::as_str) {
        out.insert("description".to_owned(), said.trim_end_matches('.').into());
    }
    Value::Object(out)
}

fn without_null(kind: &Value) -> Value {
    let Some(kinds) = kind.as_array() else { return kind.clone() };
    let mut kinds: Vec<Value> = kinds.iter().filter(|k| *k != "null").cloned().collect();
    if kinds.len() == 1 { kinds.remove(0) } else { Value::Array(kinds) }
}

/// Several possibilities: the only one that is not null, an enumeration, or the list of their types.
fn union(choices: &[Value], defs: &Value, depth: usize) -> Map<String, Value> {
    let choices = choices.iter().filter(|c| c["type"] != "null");
    let each: Vec<Value> = choices.map(|c| small(c, defs, depth + 1)).collect();
    if let [Value::Object(only)] = each.as_slice() {
        return only.clone();
    }
    let names: Vec<Value> = each.iter().filter_map(|c| c["enum"].as_array()).flatten().cloned().collect();
    let mut out = Map::new();
    if !names.is_empty() && each.iter().all(|c| c["enum"].is_array()) {
        out.insert("type".to_owned(), "string".into());
        out.insert("enum".to_owned(), Value::Array(names));
        return out;
    }
    let mut kinds: Vec<Value> = Vec::new();
    for choice in &each {
        let listed = choice["type"].as_array().cloned();
        for kind in listed.unwrap_or_else(|| vec![choice["type"].clone()]) {
            if !kind.is_null() && !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }
    if !kinds.is_empty() {
        out.insert("type".to_owned(), without_null(&Value::Array(kinds)));
    }
    out
}
