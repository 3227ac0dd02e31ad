//! Whether an element has a state or a value (SPEC §9), and what to say when it has not.

use super::actionability::called;
use crate::select::{Candidate, Generator, Selector, candidate, nearest};
use crate::tree::{ElementId, Node, State, StateValue, TreeView};
use crate::{Code, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What can be expected of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Property {
    /// true, false or "mixed".
    Checked,
    /// true or false.
    Selected,
    /// true or false.
    Focused,
    /// true or false.
    Expanded,
    /// true or false.
    Enabled,
    /// The text it shows.
    TextValue,
    /// Its value as it is shown, or a number to compare with it.
    Value,
    /// Its value as a number.
    RawValue,
}

impl Property {
    /// All of them.
    pub const ALL: [Property; 8] = [
        Property::Checked,
        Property::Selected,
        Property::Focused,
        Property::Expanded,
        Property::Enabled,
        Property::TextValue,
        Property::Value,
        Property::RawValue,
    ];

    /// Its name in every face.
    pub const fn name(self) -> &'static str {
        match self {
            Property::Checked => "checked",
            Property::Selected => "selected",
            Property::Focused => "focused",
            Property::Expanded => "expanded",
            Property::Enabled => "enabled",
            Property::TextValue => "text_value",
            Property::Value => "value",
            Property::RawValue => "raw_value",
        }
    }

    /// The property with this name.
    pub fn from_name(name: &str) -> Option<Property> {
        Property::ALL.into_iter().find(|p| p.name() == name)
    }

    fn state(self) -> Option<State> {
        Some(match self {
            Property::Checked => State::Checked,
            Property::Selected => State::Selected,
            Property::Focused => State::Focused,
            Property::Expanded => State::Expanded,
            Property::Enabled => State::Enabled,
            Property::TextValue | Property::Value | Property::RawValue => return None,
        })
    }
}

/// Whether something holds, and what was seen instead or as well. `null` was not known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Whether it holds.
    pub holds: bool,
    /// What was seen.
    pub observed: Value,
}

/// Compares a property of an element with what is expected. A state that is not known holds for nothing.
pub fn evaluate(
    tree: &TreeView,
    element: ElementId,
    property: Property,
    expected: &Value,
) -> crate::Result<Verdict> {
    let Some(node) = tree.get(element) else {
        let hint = "take a new snapshot, and find it again";
        return Err(Error::new(Code::StaleReference, format!("the element {element} is gone"), hint));
    };
    if let Some(state) = property.state() {
        return compare_state(node, state, expected);
    }
    refuse_protected(tree, element, node)?;
    match property {
        Property::RawValue => {
            let wanted =
                number(expected).ok_or_else(|| unfit(property, expected, "a number, such as 37.5"))?;
            let observed = node.raw_value();
            let holds = observed.is_some_and(|seen| close(seen, wanted));
            Ok(Verdict { holds, observed: observed.map_or(Value::Null, Value::from) })
        }
        Property::Value => compare_value(node, expected),
        _ => {
            let Value::String(wanted) = expected else {
                return Err(unfit(property, expected, "a text, such as \"Saved\""));
            };
            let observed = node.text().or(node.value()).or(node.label());
            Ok(Verdict { holds: observed == Some(wanted), observed: observed.into() })
        }
    }
}

/// A protected element's content is never told, so nothing can be proven about it.
fn refuse_protected(tree: &TreeView, id: ElementId, node: &Node) -> crate::Result<()> {
    if !node.is_protected() {
        return Ok(());
    }
    let message = format!(
        "{} is protected (a password field): what it holds is never read or compared",
        called(tree, id)
    );
    let hint = "expect what follows from it instead: the next screen, or that the submit button is enabled";
    Err(Error::new(Code::Unsupported, message, hint))
}

fn compare_state(node: &Node, state: State, expected: &Value) -> crate::Result<Verdict> {
    let wanted = match expected {
        Value::Bool(on) => StateValue::from(*on),
        Value::String(word) if word == "true" => StateValue::On,
        Value::String(word) if word == "false" => StateValue::Off,
        Value::String(word) if word == "mixed" && state == State::Checked => StateValue::Mixed,
        _ => {
            let fitting = if state == State::Checked { "true, false or \"mixed\"" } else { "true or false" };
            let message = format!("{} is compared with {fitting}, not with {expected}", state.name());
            return Err(Error::invalid(message, format!("give {fitting} as `expected`")));
        }
    };
    let seen = node.states().get(state);
    let observed = match seen {
        None => Value::Null,
        Some(StateValue::On) => Value::Bool(true),
        Some(StateValue::Off) => Value::Bool(false),
        Some(StateValue::Mixed) => "mixed".into(),
    };
    Ok(Verdict { holds: seen == Some(wanted), observed })
}

/// A number is compared as a number, a text as a text.
fn compare_value(node: &Node, expected: &Value) -> crate::Result<Verdict> {
    let shown = node.value().or(node.text());
    match expected {
        Value::String(wanted) => Ok(Verdict {
            holds: shown == Some(wanted),
            observed: shown.map_or_else(|| raw(node), Value::from),
        }),
        Value::Number(_) => {
            let seen = node.raw_value().or_else(|| shown.and_then(|s| s.trim().parse().ok()));
            let holds = matches!((seen, number(expected)), (Some(a), Some(b)) if close(a, b));
            Ok(Verdict { holds, observed: seen.map(Value::from).or(shown.map(Value::from)).into() })
        }
        _ => Err(unfit(Property::Value, expected, "a text or a number")),
    }
}

fn raw(node: &Node) -> Value {
    node.raw_value().map_or(Value::Null, Value::from)
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|n| n.is_finite())
}

/// Equal but for the last bits, which arithmetic on the way may have changed.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

fn unfit(property: Property, expected: &Value, fitting: &str) -> Error {
    let message = format!("{} is compared with {fitting}, not with {expected}", property.name());
    Error::invalid(message, format!("give {fitting} as `expected`"))
}

/// The error for an expectation that did not come true: what was expected, what was seen, and what was near.
pub fn unmet(
    tree: &TreeView,
    selector: &Selector,
    element: Option<ElementId>,
    expected: &str,
    observed: &Value,
) -> Error {
    let subject = element.map_or_else(|| selector.to_string(), |id| called(tree, id));
    let seen = match observed {
        Value::Null => "that is not known".to_owned(),
        seen => format!("it is {seen}"),
    };
    let near = match element {
        Some(_) => None,
        None => nearest_candidate(tree, selector),
    };
    let message = match (element, &near) {
        (Some(_), _) => format!("expected {subject} to be {expected}, but {seen}"),
        (None, Some(near)) => {
            format!(
                "expected {subject} to be {expected}, but nothing matches it; the nearest is {}",
                near.selector
            )
        }
        (None, None) => format!("expected {subject} to be {expected}, but nothing matches it"),
    };
    let hint = "if it comes later, wait for it with wait_for_ui or a longer timeout; else look at a snapshot";
    Error::new(Code::VerificationFailed, message, hint).with_details(json!({
        "expected": expected,
        "observed": observed,
        "element_id": element,
        "nearest": near,
    }))
}

fn nearest_candidate(tree: &TreeView, selector: &Selector) -> Option<Candidate> {
    let near = nearest(tree, selector, 1);
    candidate(&Generator::new(tree), near.first()?.id)
}
