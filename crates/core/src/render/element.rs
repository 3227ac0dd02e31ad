//! One element as JSON (SPEC §2, §10): only what is known is said.

use crate::tree::{ElementId, Node, Rect, Role, State, StateValue, Str, ValueRange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The selector that would find an element again, and how sure that is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ElementSelector {
    /// The selector.
    pub value: String,
    /// How sure it is.
    pub confidence: crate::select::Confidence,
}

/// One element, as a program reads it. Its children are the elements that name it as `parent`, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Element {
    /// The session's handle for it.
    pub element_id: ElementId,
    /// The element around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ElementId>,
    /// The window that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<ElementId>,
    /// What kind of thing it is.
    pub role: Role,
    /// The platform's own word for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub native_role: Option<Str>,
    /// The identifier that the developer or the platform gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub stable_id: Option<Str>,
    /// Another element has the same stable id.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stable_id_collision: bool,
    /// The tag that a developer gave it for tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_tag: Option<String>,
    /// Its accessible name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub label: Option<Str>,
    /// The text that it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub text: Option<Str>,
    /// Its value, as it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub value: Option<Str>,
    /// Its value as a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_value: Option<f64>,
    /// The limits of its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_range: Option<ValueRange>,
    /// What the platform says beyond its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where it is, in screen pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Rect>,
    /// Its states, as far as they are known: true, false, or "mixed".
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub states: Map<String, Value>,
    /// The platform's actions on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub actions: Vec<Str>,
    /// The selector that would find it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<ElementSelector>,
}

impl Element {
    /// What is known of `node`, under the emitted element `parent`.
    pub fn of(id: ElementId, node: &Node, parent: Option<ElementId>) -> Self {
        Element {
            element_id: id,
            parent,
            window: node.window(),
            role: node.role(),
            native_role: node.props().native_role.clone(),
            stable_id: node.props().stable_id.clone(),
            stable_id_collision: false,
            test_tag: node.test_tag().map(Into::into),
            label: node.props().label.clone(),
            text: node.props().text.clone(),
            value: node.props().value.clone(),
            raw_value: node.raw_value(),
            value_range: node.value_range(),
            description: node.description().map(Into::into),
            bounds: node.bounds(),
            states: states(node.states().known()),
            actions: node.actions().to_vec(),
            selector: None,
        }
    }
}

fn states(known: impl Iterator<Item = (State, StateValue)>) -> Map<String, Value> {
    let value = |v| match v {
        StateValue::On => Value::Bool(true),
        StateValue::Off => Value::Bool(false),
        StateValue::Mixed => "mixed".into(),
    };
    known.map(|(state, v)| (state.name().to_owned(), value(v))).collect()
}
