//! What `wait_for_ui` waits for (SPEC §6).

use super::actionability::{Actionability, Evidence, check};
use super::expectation::{Verdict, evaluate};
use super::{Property, Verb};
use crate::Error;
use crate::select::{Resolution, Step, is_hidden};
use crate::tree::{ElementId, State, TreeView};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use std::fmt;
use std::str::FromStr;

/// A condition on what a selector matches. With several matches, one that fulfils it is enough.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Condition {
    /// Something matches, shown or not.
    Exists,
    /// Nothing matches.
    Gone,
    /// A match is not hidden.
    #[default]
    Visible,
    /// No match is shown; nothing at all is hidden too.
    Hidden,
    /// A visible match is not disabled.
    Enabled,
    /// A tap could be dispatched to a match.
    Clickable,
    /// A match has the keyboard.
    Focused,
    /// A match is checked.
    Checked,
    /// A match has this value.
    Value(String),
}

impl Condition {
    /// Whether it holds for what a selector matched. A guess (text inference) proves nothing and counts as no match.
    ///
    /// Fails for a value of a protected element: that is never compared.
    pub fn evaluate(&self, tree: &TreeView, resolution: &Resolution) -> crate::Result<Verdict> {
        let matches: &[ElementId] =
            if resolution.step == Step::TextInference { &[] } else { &resolution.matches };
        let shown = || matches.iter().copied().filter(|id| !is_hidden(tree, *id));
        let count = |holds: bool| {
            let observed = json!({ "matches": matches.len(), "visible": shown().count() });
            Ok(Verdict { holds, observed })
        };
        match self {
            Condition::Exists => count(!matches.is_empty()),
            Condition::Gone => count(matches.is_empty()),
            Condition::Visible => count(shown().next().is_some()),
            Condition::Hidden => count(shown().next().is_none()),
            Condition::Enabled => Ok(any_is(tree, shown(), State::Enabled, true)),
            Condition::Focused => Ok(any_is(tree, matches.iter().copied(), State::Focused, false)),
            Condition::Checked => Ok(any_is(tree, matches.iter().copied(), State::Checked, false)),
            Condition::Clickable => Ok(any_is_clickable(tree, matches)),
            Condition::Value(wanted) => any_has_value(tree, matches, wanted),
        }
    }
}

/// `lenient`: what is not known counts as so, for a platform that never says it must not be waited for.
fn any_is(tree: &TreeView, ids: impl Iterator<Item = ElementId>, state: State, lenient: bool) -> Verdict {
    let mut observed = Value::Null;
    for node in ids.filter_map(|id| tree.get(id)) {
        let seen = node.states().get(state);
        if node.states().is(state) || (lenient && seen.is_none()) {
            return Verdict { holds: true, observed: Value::Bool(true) };
        }
        observed = seen.map(|v| Value::from(v.to_string())).into();
    }
    Verdict { holds: false, observed }
}

fn any_is_clickable(tree: &TreeView, matches: &[ElementId]) -> Verdict {
    let mut observed = Value::Null;
    for id in matches {
        match check(tree, *id, Verb::Tap, &Evidence::default()) {
            Actionability::Ready => return Verdict { holds: true, observed: Value::Bool(true) },
            Actionability::Blocked(failure) => observed = failure.message.into(),
        }
    }
    Verdict { holds: false, observed }
}

fn any_has_value(tree: &TreeView, matches: &[ElementId], wanted: &str) -> crate::Result<Verdict> {
    let number = wanted.trim().parse::<f64>().ok().filter(|n| n.is_finite());
    let mut last = Verdict { holds: false, observed: Value::Null };
    for id in matches {
        last = evaluate(tree, *id, Property::Value, &wanted.into())?;
        if let (Some(number), false) = (number, last.holds) {
            last.holds = evaluate(tree, *id, Property::Value, &number.into())?.holds;
        }
        if last.holds {
            break;
        }
    }
    Ok(last)
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Condition::Exists => "exists",
            Condition::Gone => "gone",
            Condition::Visible => "visible",
            Condition::Hidden => "hidden",
            Condition::Enabled => "enabled",
            Condition::Clickable => "clickable",
            Condition::Focused => "focused",
            Condition::Checked => "checked",
            Condition::Value(value) => return write!(f, "value={value}"),
        })
    }
}

impl FromStr for Condition {
    type Err = Error;
    fn from_str(text: &str) -> crate::Result<Self> {
        if let Some(value) = text.trim_start().strip_prefix("value=") {
            return Ok(Condition::Value(value.to_owned()));
        }
        Ok(match text.trim() {
            "exists" => Condition::Exists,
            "gone" => Condition::Gone,
            "visible" => Condition::Visible,
            "hidden" => Condition::Hidden,
            "enabled" => Condition::Enabled,
            "clickable" => Condition::Clickable,
            "focused" => Condition::Focused,
            "checked" => Condition::Checked,
            other => {
                return Err(Error::invalid(
                    format!("`{other}` is not a condition"),
                    "use exists, gone, visible, hidden, enabled, clickable, focused, checked or value=TEXT",
                ));
            }
        })
    }
}

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(|e: Error| serde::de::Error::custom(format!("{} ({})", e.message, e.hint)))
    }
}

impl schemars::JsonSchema for Condition {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Condition".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^(exists|gone|visible|hidden|enabled|clickable|focused|checked|value=.*)$"
        })
    }
    fn inline_schema() -> bool {
        true
    }
}
