//! The JSON that trees and elements travel as.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// One element, as an agent describes it. Every field is optional, and unknown fields are ignored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// The stable identifier.
    #[serde(rename = "AXUniqueId", default, skip_serializing_if = "Option::is_none")]
    pub unique_id: Option<String>,
    /// The label that a person reads or hears.
    #[serde(rename = "AXLabel", default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The value: text of a field, state of a switch.
    #[serde(rename = "AXValue", default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The type, such as `Button`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub element_type: Option<String>,
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<Rect>,
    /// What it contains. Absent and `null` both read as nothing.
    #[serde(
        default,
        deserialize_with = "read_children",
        serialize_with = "write_children",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub children: Vec<Element>,
    /// The accessibility role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Whether a tap would reach it. Filled by `FindElement`, which asks the live element; a tree leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hittable: Option<bool>,
}

/// A rectangle in points.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    /// From the left.
    #[serde(default)]
    pub x: f64,
    /// From the top.
    #[serde(default)]
    pub y: f64,
    /// To the right of `x`.
    #[serde(default)]
    pub width: f64,
    /// Down from `y`.
    #[serde(default)]
    pub height: f64,
}

/// How deep a tree may be. Real trees stay below a hundred; this keeps a hostile one from using up the stack.
pub const MAX_TREE_DEPTH: usize = 2048;

impl Element {
    /// Reads the JSON array of a tree reply, however deep it is, up to [`MAX_TREE_DEPTH`].
    pub fn parse_tree(json: &str) -> Result<Vec<Self>, ElementError> {
        parse(json)
    }

    /// Reads the JSON of an element reply; `null` is none.
    pub fn parse_found(json: &str) -> Result<Option<Self>, ElementError> {
        parse(json)
    }
}

/// JSON that is no element.
#[derive(Debug, Error)]
pub enum ElementError {
    /// Deeper than [`MAX_TREE_DEPTH`].
    #[error("the tree is deeper than {MAX_TREE_DEPTH} elements")]
    TooDeep,
    /// Not the JSON that was expected.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

fn parse<'de, T: Deserialize<'de>>(json: &'de str) -> Result<T, ElementError> {
    // An element is an object in an array: two brackets for each level, and its frame inside.
    if nesting(json) > 2 * MAX_TREE_DEPTH + 1 {
        return Err(ElementError::TooDeep);
    }
    let mut source = serde_json::Deserializer::from_str(json);
    // Its own limit of 128 is too low for trees; ours was checked above, and the stack grows as needed below.
    source.disable_recursion_limit();
    let value = T::deserialize(&mut source)?;
    source.end()?;
    Ok(value)
}

/// The most brackets that are open at once, outside of strings.
fn nesting(json: &str) -> usize {
    let (mut open, mut most, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                open += 1;
                most = most.max(open);
            }
            b']' | b'}' if !in_string => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// Runs one level of a tree on a stack that has room for it.
fn with_room<T>(level: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, level)
}

fn read_children<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Vec<Element>, D::Error> {
    with_room(|| Ok(Option::<Vec<Element>>::deserialize(source)?.unwrap_or_default()))
}

fn write_children<S: serde::Serializer>(children: &[Element], target: S) -> Result<S::Ok, S::Error> {
    with_room(|| children.serialize(target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_may_be_missing_or_null() {
        let bare: Element = serde_json::from_str("{}").unwrap();
        assert_eq!(bare, Element::default());
        let nulls = r#"{"AXUniqueId":null,"AXLabel":null,"AXValue":null,"type":null,"frame":null,
                        "children":null,"role":null,"hittable":null,"later":1}"#;
        assert_eq!(serde_json::from_str::<Element>(nulls).unwrap(), Element::default());
    }

    #[test]
    fn names_are_those_of_the_wire() {
        let element = Element {
            unique_id: Some("save".into()),
            label: Some("Save".into()),
            value: Some("1".into()),
            element_type: Some("Button".into()),
            frame: Some(Rect { x: 1.0, y: 2.0, width: 3.5, height: 4.0 }),
            children: vec![Element::default()],
            role: Some("button".into()),
            hittable: Some(true),
        };
        let json = serde_json::to_value(&element).unwrap();
        let expected = serde_json::json!({
            "AXUniqueId": "save", "AXLabel": "Save", "AXValue": "1", "type": "Button",
            "frame": {"x": 1.0, "y": 2.0, "width": 3.5, "height": 4.0},
            "children": [{}], "role": "button", "hittable": true,
        });
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_value::<Element>(json).unwrap(), element);
    }

    fn chain(depth: usize) -> Vec<Element> {
        (0..depth).fold(Vec::new(), |children, _| vec![Element { children, ..Element::default() }])
    }

    #[test]
    fn a_tree_may_be_deep_but_not_without_end() {
        let deep = chain(MAX_TREE_DEPTH);
        let json = serde_json::to_string(&deep).unwrap();
        assert_eq!(serde_json::to_string(&Element::parse_tree(&json).unwrap()).unwrap(), json);
        let deeper = serde_json::to_string(&chain(MAX_TREE_DEPTH + 1)).unwrap();
        assert!(matches!(Element::parse_tree(&deeper), Err(ElementError::TooDeep)));
        let hostile = "[{\"children\":".repeat(1_000_000);
        assert!(matches!(Element::parse_tree(&hostile), Err(ElementError::TooDeep)));
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        let label = "[{".repeat(MAX_TREE_DEPTH * 2) + "\\\" [";
        let json = format!("[{{\"AXLabel\":\"{label}\"}}]");
        assert_eq!(Element::parse_tree(&json).unwrap().len(), 1);
    }

    #[test]
    fn null_is_no_element() {
        assert_eq!(Element::parse_found("null").unwrap(), None);
        assert!(Element::parse_found("null null").is_err());
    }
}
