//! The JSON that trees and elements travel as.

use serde::{Deserialize, Serialize};

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
    #[serde(default, deserialize_with = "null_is_empty", skip_serializing_if = "Vec::is_empty")]
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

fn null_is_empty<'de, D: serde::Deserializer<'de>>(source: D) -> Result<Vec<Element>, D::Error> {
    Ok(Option::<Vec<Element>>::deserialize(source)?.unwrap_or_default())
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
}
