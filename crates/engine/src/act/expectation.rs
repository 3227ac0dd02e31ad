//! What must be true after an action, and the wait for it.

use crate::backend::Deadline;
use crate::session::Session;
use crate::verbs::Until;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stillpoint_core::judge::{Condition, Property, Verdict, evaluate, unmet};
use stillpoint_core::select::{Resolution, Selector, SelectorInput, Visibility, resolve};
use stillpoint_core::settle::Reason;
use stillpoint_core::tree::Tree;
use stillpoint_core::{Code, Error, Result};
use tokio_util::sync::CancellationToken;

/// What must be true: a selector whose element must be visible, or an object that says more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ExpectInput {
    /// This must be visible.
    Visible(String),
    /// This must be so.
    Detailed(Box<Expectation>),
}

/// What must be true of an element: a condition, or a property with its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The element.
    pub selector: SelectorInput,
    /// What must be true of it; visible if neither this nor a property is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
    /// A property of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<Property>,
    /// What that property must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// How long it may take, in milliseconds.
    #[serde(default = "five_seconds")]
    pub timeout_ms: u64,
}

fn five_seconds() -> u64 {
    5_000
}

enum Test {
    Condition(Condition),
    Property(Property, Value),
}

/// An expectation that has been read and can be looked at.
pub struct Proof {
    selector: Selector,
    test: Test,
    timeout_ms: u64,
}

impl ExpectInput {
    /// Reads it; what makes no sense is refused before anything is done.
    pub fn proof(&self) -> Result<Proof> {
        match self {
            ExpectInput::Visible(line) => Ok(Proof {
                selector: Selector::parse(line)?,
                test: Test::Condition(Condition::Visible),
                timeout_ms: five_seconds(),
            }),
            ExpectInput::Detailed(expectation) => expectation.proof(),
        }
    }
}

impl Expectation {
    /// Reads it.
    pub fn proof(&self) -> Result<Proof> {
        let test = match (&self.condition, self.property, &self.expected) {
            (Some(condition), None, None) => Test::Condition(condition.clone()),
            (None, Some(property), Some(expected)) => Test::Property(property, expected.clone()),
            (None, None, None) => Test::Condition(Condition::Visible),
            _ => {
                return Err(Error::invalid(
                    "an expectation is a condition, or a property with what is expected",
                    "give `condition`, or `property` and `expected`",
                ));
            }
        };
        Ok(Proof { selector: self.selector.selector()?, test, timeout_ms: self.timeout_ms })
    }
}

impl Proof {
    /// What is expected, in words.
    pub fn in_words(&self) -> String {
        format!("{} {}", self.selector, self.what())
    }

    fn what(&self) -> String {
        match &self.test {
            Test::Condition(condition) => condition.to_string(),
            Test::Property(property, expected) => format!("{} {expected}", property.name()),
        }
    }

    /// What is seen now.
    pub fn look(&self, tree: &Tree) -> Result<Verdict> {
        let found = resolve(tree, &self.selector, Visibility::VisibleFirst);
        match &self.test {
            Test::Condition(condition) => condition.evaluate(tree, &found),
            Test::Property(property, expected) => match found.matches[..] {
                [] => Ok(Verdict { holds: false, observed: Value::Null }),
                [id] => evaluate(tree, id, *property, expected),
                _ => Err(ambiguous(tree, &self.selector, &found)),
            },
        }
    }

    /// Waits until it holds. The last look before it fails comes after a fresh word from the app.
    pub async fn hold(&self, session: &Session, cancel: &CancellationToken) -> Result<Verdict> {
        let deadline = Deadline::after(std::time::Duration::from_millis(self.timeout_ms));
        let look = |session: &Session| session.read(|tree| self.look(tree)).map(|seen| seen.holds);
        let watched = Until::new(session, deadline, cancel).holds(None, look).await?;
        match watched.outcome.reason {
            Reason::TargetLost => session.alive()?,
            Reason::TargetUnresponsive => {
                return Err(Error::new(
                    Code::TargetUnresponsive,
                    format!("the app did not answer while {} was awaited", self.in_words()),
                    "look at the app; try again when it answers",
                ));
            }
            Reason::Cancelled => {
                let hint = "call again if the answer is still wanted";
                return Err(Error::new(Code::Cancelled, "cancelled by the caller", hint));
            }
            _ => {}
        }
        session.read(|tree| self.look(tree))
    }

    /// The error for what did not come true.
    pub fn failure(&self, tree: &Tree, observed: &Value) -> Error {
        let found = resolve(tree, &self.selector, Visibility::VisibleFirst);
        unmet(tree, &self.selector, found.only(), &self.what(), observed)
    }
}

fn ambiguous(tree: &Tree, selector: &Selector, found: &Resolution) -> Error {
    match stillpoint_core::select::resolve_one(tree, selector, Visibility::VisibleFirst) {
        Err(error) => error,
        Ok(_) => Error::internal(format!("{} matches were one after all", found.matches.len())),
    }
}
