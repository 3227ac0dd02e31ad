//! Is it as it should be? Expectations wait until they hold or their time is over (SPEC §9).

use super::limits;
use super::until::Until;
use super::{Answer, Call, Verb, Verdict, to_json};
use crate::act::{Expectation, Proof};
use crate::session::Session;
use crate::trace::{ExpectationRecord, What};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stillpoint_core::judge::{Condition, Property, fingerprint};
use stillpoint_core::revise::Revision;
use stillpoint_core::select::SelectorInput;
use stillpoint_core::tree::Tree;
use stillpoint_core::{Code, Error, Result};

/// What an expectation answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expected {
    /// Whether it holds.
    pub holds: bool,
    /// What was expected, in words.
    pub expected: String,
    /// What was seen.
    pub observed: Value,
    /// The revision that was looked at.
    pub snapshot_revision: Revision,
    /// How long it took.
    pub elapsed_ms: u64,
    /// Why it failed: what was expected, what was seen, what was near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Error>,
}

impl Answer for Expected {
    fn json(&self) -> Result<Value> {
        to_json(self)
    }

    fn text(&self) -> String {
        match &self.error {
            None => format!("✓ {} (rev {}, {} ms)\n", self.expected, self.snapshot_revision, self.elapsed_ms),
            Some(error) => format!("✗ {}\n{error}\n  {}\n", self.expected, error.hint),
        }
    }

    fn error(&self) -> Option<Error> {
        self.error.clone()
    }

    fn verdict(&self) -> Verdict {
        if self.holds { Verdict::Done } else { Verdict::No }
    }
}

/// The same answer, kept in the trace.
fn noted(session: &Session, answer: Expected) -> Expected {
    if answer.error.is_some() {
        session.picture_failure(&format!("what was expected: {}", answer.expected));
    }
    let record = ExpectationRecord {
        expected: answer.expected.clone(),
        holds: answer.holds,
        observed: answer.observed.clone(),
        elapsed_ms: answer.elapsed_ms,
        error: answer.error.clone(),
    };
    session.recorder().note(session.now(), What::Expectation(Box::new(record)));
    answer
}

async fn expect(session: &Session, proof: Proof, call: &Call) -> Result<Expected> {
    session.alive()?;
    let began = session.now();
    let seen = proof.hold(session, &call.cancel).await?;
    let error = (!seen.holds).then(|| session.read(|tree| proof.failure(tree, &seen.observed)));
    let answer = Expected {
        holds: seen.holds,
        expected: proof.in_words(),
        observed: seen.observed,
        snapshot_revision: session.revision(),
        elapsed_ms: session.now().since(began).as_millis() as u64,
        error,
    };
    Ok(noted(session, answer))
}

/// Which element must be visible.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ExpectVisibleParams {
    /// The element.
    pub selector: SelectorInput,
    /// How long it may take, in milliseconds.
    #[serde(default = "limits::default_timeout")]
    pub timeout_ms: u64,
}

/// An element is visible.
pub struct ExpectElementVisible;

#[async_trait]
impl Verb for ExpectElementVisible {
    const NAME: &'static str = "expect_element_visible";
    const ABOUT: &'static str = "Verifies that an element is visible, waiting for it if need be. To verify a state or a \
        value use expect_state.";
    const READ_ONLY: bool = true;
    type Params = ExpectVisibleParams;
    type Answer = Expected;

    async fn run(session: &Session, params: Self::Params, call: &Call) -> Result<Expected> {
        limits::deadline(params.timeout_ms)?;
        let condition = Some(Condition::Visible);
        let expectation = Expectation {
            selector: params.selector,
            condition,
            property: None,
            expected: None,
            timeout_ms: params.timeout_ms,
        };
        expect(session, expectation.proof()?, call).await
    }
}

/// Which property of which element must be what.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ExpectStateParams {
    /// The element.
    pub selector: SelectorInput,
    /// The property: checked, selected, focused, expanded, enabled, `text_value`, value, `raw_value`.
    pub property: Property,
    /// What it must be.
    pub expected: Value,
    /// How long it may take, in milliseconds.
    #[serde(default = "limits::default_timeout")]
    pub timeout_ms: u64,
}

/// A property of an element has a value.
pub struct ExpectState;

#[async_trait]
impl Verb for ExpectState {
    const NAME: &'static str = "expect_state";
    const ABOUT: &'static str = "Verifies a state or a value of an element, waiting for it if need be; a failure \
        tells what was seen. To wait for what comes by itself use wait_for_ui.";
    const READ_ONLY: bool = true;
    type Params = ExpectStateParams;
    type Answer = Expected;

    async fn run(session: &Session, params: Self::Params, call: &Call) -> Result<Expected> {
        limits::deadline(params.timeout_ms)?;
        let expectation = Expectation {
            selector: params.selector,
            condition: None,
            property: Some(params.property),
            expected: Some(params.expected),
            timeout_ms: params.timeout_ms,
        };
        expect(session, expectation.proof()?, call).await
    }
}

/// Which screen must be shown; all that is given must fit.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ExpectScreenParams {
    /// Its fingerprint, from `get_screen_fingerprint`.
    #[serde(default)]
    pub fingerprint: Option<String>,
    /// Its title.
    #[serde(default)]
    pub title: Option<String>,
    /// Its address, or how that begins.
    #[serde(default)]
    pub url: Option<String>,
    /// How long it may take, in milliseconds.
    #[serde(default = "limits::default_timeout")]
    pub timeout_ms: u64,
}

/// A certain screen is shown.
pub struct ExpectScreen;

#[async_trait]
impl Verb for ExpectScreen {
    const NAME: &'static str = "expect_screen";
    const ABOUT: &'static str = "Verifies which screen is shown, by its title, address or fingerprint, waiting for it if \
        need be. To verify what is on the screen use expect_element_visible or expect_state.";
    const READ_ONLY: bool = true;
    type Params = ExpectScreenParams;
    type Answer = Expected;

    async fn run(session: &Session, params: Self::Params, call: &Call) -> Result<Expected> {
        if params.fingerprint.is_none() && params.title.is_none() && params.url.is_none() {
            return Err(Error::invalid(
                "nothing is expected of the screen",
                "give fingerprint, title or url",
            ));
        }
        session.alive()?;
        let began = session.now();
        let until = Until::new(session, limits::deadline(params.timeout_ms)?, &call.cancel);
        until.holds(None, |session| Ok(session.read(|tree| fits(tree, &params)))).await?;
        let (holds, observed) = session.read(|tree| (fits(tree, &params), observed(tree)));
        let expected = in_words(&params);
        let error = (!holds).then(|| {
            Error::new(
                Code::VerificationFailed,
                format!("expected the screen with {expected}, but it is {observed}"),
                "if it comes later, give a longer timeout_ms; else look at a snapshot",
            )
            .with_details(json!({ "expected": expected, "observed": observed }))
        });
        let answer = Expected {
            holds,
            expected,
            observed,
            snapshot_revision: session.revision(),
            elapsed_ms: session.now().since(began).as_millis() as u64,
            error,
        };
        Ok(noted(session, answer))
    }
}

fn fits(tree: &Tree, params: &ExpectScreenParams) -> bool {
    let screen = tree.screen();
    let wanted = params.fingerprint.as_deref().map(stillpoint_core::judge::ScreenFingerprint::from);
    wanted.is_none_or(|wanted| fingerprint(tree) == wanted)
        && params.title.as_deref().is_none_or(|t| screen.title.as_deref() == Some(t))
        && params.url.as_deref().is_none_or(|u| screen.url.as_deref().is_some_and(|seen| seen.starts_with(u)))
}

fn observed(tree: &Tree) -> Value {
    json!({ "title": tree.screen().title, "url": tree.screen().url, "fingerprint": fingerprint(tree) })
}

fn in_words(params: &ExpectScreenParams) -> String {
    let parts = [("fingerprint", &params.fingerprint), ("title", &params.title), ("url", &params.url)];
    let told = parts.iter().filter_map(|(name, value)| value.as_ref().map(|v| format!("{name} {v:?}")));
    told.collect::<Vec<_>>().join(" and ")
}
