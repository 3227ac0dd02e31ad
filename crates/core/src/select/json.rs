//! The selector as JSON, for callers who would rather fill in fields than write a line.

use super::grammar::role_named;
use super::selector::{Attribute, Filter, Part, Selector, Words, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A selector in a verb's parameters: the line, or the object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SelectorInput {
    /// `button "Save"`, `#id`, `"text"`, `~"part"`, `/re/`, `[enabled]`, `dialog "X" >> button "OK"`, `button[2]`, `e12`
    Line(String),
    /// The same as fields.
    Fields(SelectorObject),
}

/// The JSON form of a selector. All fields that are given must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelectorObject {
    /// Exact label or text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Stable id or test tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<String>,
    /// Stable id or test tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accessibility_id: Option<String>,
    /// Part of the label or text, in any case; `true` reads `text` or `label` that way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contains: Option<Contains>,
    /// Role, such as button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Exact label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Which match, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
}

/// The two ways in which callers say `contains`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Contains {
    /// The part itself.
    Part(String),
    /// Whether `text` or `label` is only a part.
    Loosely(bool),
}

const EXAMPLE: &str = r#"for example {"role": "button", "label": "Save"} or the line button "Save""#;

impl SelectorInput {
    /// The selector that is meant.
    pub fn selector(&self) -> crate::Result<Selector> {
        match self {
            SelectorInput::Line(line) => Selector::parse(line),
            SelectorInput::Fields(fields) => fields.selector(),
        }
    }
}

impl TryFrom<&SelectorInput> for Selector {
    type Error = crate::Error;
    fn try_from(input: &SelectorInput) -> crate::Result<Selector> {
        input.selector()
    }
}

impl From<Selector> for SelectorInput {
    fn from(selector: Selector) -> Self {
        SelectorInput::Line(selector.to_string())
    }
}

impl From<&str> for SelectorInput {
    fn from(line: &str) -> Self {
        SelectorInput::Line(line.to_owned())
    }
}

impl SelectorObject {
    /// The selector that is meant.
    pub fn selector(&self) -> crate::Result<Selector> {
        for (field, value) in self.texts() {
            if value.is_empty() {
                return Err(invalid(format!("the selector's `{field}` is empty"), EXAMPLE));
            }
        }
        let mut part = Part { index: self.index, role: self.role()?, ..Part::default() };
        for id in [&self.resource_id, &self.accessibility_id].into_iter().flatten() {
            match &part.name {
                None => part.name = Some(id.clone()),
                Some(name) if name == id => {}
                Some(_) => part.filters.push(Filter::Attribute(Attribute::Id, id.clone())),
            }
        }
        self.words(&mut part)?;
        Selector::new(vec![part])
            .ok_or_else(|| invalid("the selector asks for nothing: none of its fields is given", EXAMPLE))
    }

    fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let part = match &self.contains {
            Some(Contains::Part(part)) => Some(part),
            _ => None,
        };
        let fields = [
            ("text", self.text.as_ref()),
            ("resource_id", self.resource_id.as_ref()),
            ("accessibility_id", self.accessibility_id.as_ref()),
            ("contains", part),
            ("role", self.role.as_ref()),
            ("label", self.label.as_ref()),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name, value?.as_str())))
    }

    fn role(&self) -> crate::Result<Option<crate::tree::Role>> {
        let Some(name) = &self.role else { return Ok(None) };
        match role_named(name) {
            Some(role) => Ok(Some(role)),
            None => Err(invalid(
                format!("`{name}` is not a role"),
                "for example button, textbox, checkbox or link",
            )),
        }
    }

    fn words(&self, part: &mut Part) -> crate::Result<()> {
        if self.contains == Some(Contains::Loosely(true)) {
            let word = self.text.as_ref().or(self.label.as_ref());
            let Some(word) = word else {
                let hint = r#"give the part itself: {"contains": "sav"}"#;
                return Err(invalid("`contains: true` needs a `text` or a `label`", hint));
            };
            part.words = Some(Words::Contains(word.clone()));
            return Ok(());
        }
        if let Some(Contains::Part(text)) = &self.contains {
            part.words = Some(Words::Contains(text.clone()));
        }
        match (&self.text, &part.words) {
            (Some(text), None) => part.words = Some(Words::Exact(text.clone())),
            (Some(text), Some(_)) => part.filters.push(Filter::Attribute(Attribute::Text, text.clone())),
            (None, _) => {}
        }
        match (&self.label, &part.words) {
            // With a role, words mean the label first of all, as in `button "Save"`.
            (Some(label), None) if part.role.is_some() => part.words = Some(Words::Exact(label.clone())),
            (Some(label), _) => part.filters.push(Filter::Attribute(Attribute::Label, label.clone())),
            (None, _) => {}
        }
        Ok(())
    }
}
