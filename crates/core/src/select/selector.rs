//! What a selector says, once it is read: parts, from the outermost to the element that is meant.

use super::grammar;
use crate::tree::{ElementId, Role, State, StateValue};
use crate::{Code, Error};
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A selector: `dialog "Settings" >> button "OK"` has two [`Part`]s, and means what the last one matches.
///
/// ```
/// use stillpoint_core::select::Selector;
/// let selector: Selector = r#"dialog "Settings" >> button "OK""#.parse()?;
/// assert_eq!(selector.parts().len(), 2);
/// assert_eq!(selector.to_string(), r#"dialog "Settings" >> button "OK""#);
/// # Ok::<(), stillpoint_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    parts: Vec<Part>,
}

/// What one part asks of an element. Everything that is given must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// `e12`: exactly this element.
    pub element: Option<ElementId>,
    /// `button`: its role.
    pub role: Option<Role>,
    /// `#save`: its stable id or test tag.
    pub name: Option<String>,
    /// `"Save"`, `~"sav"` or `/sav/`: what it is called or shows.
    pub words: Option<Words>,
    /// `[enabled]`, `[value="x"]`: what else must be so.
    pub filters: Vec<Filter>,
    /// `[2]`: which of all matches, counted from zero in document order.
    pub index: Option<usize>,
}

/// How a label or text is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Words {
    /// `"Save"`: exactly this.
    Exact(String),
    /// `~"sav"`: this somewhere in it, in any case.
    Contains(String),
    /// `/sav(e|ing)/i`: whatever the regular expression finds.
    Matches(Pattern),
}

/// One condition in brackets.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// `[checked=false]`: the state is known, and is this.
    State(State, StateValue),
    /// `[value="x"]`: the property is exactly this.
    Attribute(Attribute, String),
}

/// The properties that can be asked for in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each is the field of SPEC §2 with its name
pub enum Attribute {
    Value,
    Text,
    Label,
    Description,
    /// The platform's own word for the role.
    Native,
    /// Stable id or test tag, as with `#`.
    Id,
}

impl Attribute {
    /// All of them.
    pub const ALL: [Attribute; 6] = [
        Attribute::Value,
        Attribute::Text,
        Attribute::Label,
        Attribute::Description,
        Attribute::Native,
        Attribute::Id,
    ];

    /// Its name in brackets.
    pub const fn name(self) -> &'static str {
        match self {
            Attribute::Value => "value",
            Attribute::Text => "text",
            Attribute::Label => "label",
            Attribute::Description => "description",
            Attribute::Native => "native",
            Attribute::Id => "id",
        }
    }

    /// The property with this name.
    pub fn from_name(name: &str) -> Option<Attribute> {
        Attribute::ALL.into_iter().find(|a| a.name() == name)
    }
}

/// A regular expression as it was written, ready for use.
#[derive(Clone, Debug)]
pub struct Pattern {
    source: String,
    ignore_case: bool,
    regex: Regex,
}

/// The text was not a regular expression; says why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct NotAPattern(pub String);

/// A selector's pattern may not grow beyond this when it is compiled.
const PATTERN_BYTES: usize = 1 << 20;

impl Pattern {
    /// Compiles `source`.
    pub fn new(source: &str, ignore_case: bool) -> Result<Self, NotAPattern> {
        let source = plain_slashes(source);
        let built =
            RegexBuilder::new(&source).case_insensitive(ignore_case).size_limit(PATTERN_BYTES).build();
        match built {
            Ok(regex) => Ok(Pattern { source, ignore_case, regex }),
            Err(error) => {
                let text = error.to_string();
                let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
                Err(NotAPattern(reason.to_owned()))
            }
        }
    }

    /// Whether it is found in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The expression, without its slashes.
    pub fn source(&self) -> &str {
        &self.source
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source && self.ignore_case == other.ignore_case
    }
}

/// `\/` means `/` in every place of a regular expression; one spelling makes equal patterns equal.
fn plain_slashes(source: &str) -> String {
    let mut plain = String::with_capacity(source.len());
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match (c, chars.clone().next()) {
            ('\\', Some('/')) => {}
            ('\\', Some(next)) => {
                plain.push(c);
                plain.push(next);
                chars.next();
            }
            _ => plain.push(c),
        }
    }
    plain
}

impl Selector {
    /// Reads a selector; the error says where it went wrong and what was expected there.
    pub fn parse(text: &str) -> crate::Result<Self> {
        grammar::parse(text)
    }

    /// A selector of these parts; `None` if there are none, or one that asks for nothing.
    pub fn new(parts: Vec<Part>) -> Option<Self> {
        let sound = !parts.is_empty() && parts.iter().all(|p| !p.is_empty());
        sound.then_some(Selector { parts })
    }

    /// The selector that means exactly this element, in this session.
    pub fn element(id: ElementId) -> Self {
        Selector { parts: vec![Part { element: Some(id), ..Part::default() }] }
    }

    /// The selector for a stable id or test tag.
    pub fn named(name: &str) -> Self {
        Selector { parts: vec![Part { name: Some(name.to_owned()), ..Part::default() }] }
    }

    /// The selector for a role with an exact label.
    pub fn labelled(role: Role, label: &str) -> Self {
        Selector { parts: vec![Part::labelled(role, label)] }
    }

    /// The parts, from the outermost to the element that is meant.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The part that matches the element that is meant.
    pub fn last(&self) -> &Part {
        // A selector has at least one part: every way to make one sees to that.
        &self.parts[self.parts.len() - 1]
    }

    /// What encloses the element that is meant, from the outside in.
    pub fn scopes(&self) -> &[Part] {
        &self.parts[..self.parts.len() - 1]
    }
}

impl Part {
    /// A role with an exact label.
    pub fn labelled(role: Role, label: &str) -> Self {
        Part { role: Some(role), words: Some(Words::Exact(label.to_owned())), ..Part::default() }
    }

    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.element.is_none()
            && self.role.is_none()
            && self.name.is_none()
            && self.words.is_none()
            && self.filters.is_empty()
    }
}

impl FromStr for Selector {
    type Err = Error;
    fn from_str(text: &str) -> crate::Result<Self> {
        Selector::parse(text)
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            if i > 0 {
                f.write_str(" >> ")?;
            }
            part.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.element {
            id.fmt(f)?;
        }
        if let Some(role) = self.role {
            f.write_str(role.name())?;
        }
        if let Some(name) = &self.name {
            f.write_str("#")?;
            if !name.is_empty() && name.chars().all(is_name_char) {
                f.write_str(name)?;
            } else {
                quoted(f, name)?;
            }
        }
        if let Some(words) = &self.words {
            if self.role.is_some() || self.name.is_some() {
                f.write_str(" ")?;
            }
            words.fmt(f)?;
        }
        for filter in &self.filters {
            filter.fmt(f)?;
        }
        self.index.map_or(Ok(()), |index| write!(f, "[{index}]"))
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Words::Exact(text) => quoted(f, text),
            Words::Contains(text) => {
                f.write_str("~")?;
                quoted(f, text)
            }
            Words::Matches(pattern) => pattern.fmt(f),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("/")?;
        let mut escaped = false;
        for c in self.source.chars() {
            if c == '/' && !escaped {
                f.write_str("\\")?;
            }
            escaped = c == '\\' && !escaped;
            write!(f, "{c}")?;
        }
        f.write_str(if self.ignore_case { "/i" } else { "/" })
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Filter::State(state, StateValue::On) => write!(f, "[{}]", state.name()),
            Filter::State(state, value) => write!(f, "[{}={value}]", state.name()),
            Filter::Attribute(attribute, text) => {
                write!(f, "[{}=", attribute.name())?;
                quoted(f, text)?;
                f.write_str("]")
            }
        }
    }
}

/// Characters that a stable id may have without quotes.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || "_-.:/$@+".contains(c)
}

fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

impl Serialize for Selector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Selector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Selector::parse(&text).map_err(|e| serde::de::Error::custom(format!("{} ({})", e.message, e.hint)))
    }
}

impl schemars::JsonSchema for Selector {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Selector".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "#id, button \"Save\", \"Save\", ~\"sav\", /re/, [enabled], dialog \"X\" >> button \"OK\", button[2], e12"
        })
    }
    fn inline_schema() -> bool {
        true
    }
}

/// The error for a selector that does not name one thing.
pub(super) fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::new(Code::InvalidSelector, message, hint)
}
