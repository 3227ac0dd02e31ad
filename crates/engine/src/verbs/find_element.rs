//! Which elements does a selector mean?

use super::limits;
use super::{Answer, Call, Verb, Verdict, to_json};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write;
use stillpoint_core::render::{Element, ElementSelector};
use stillpoint_core::revise::Revision;
use stillpoint_core::select::{
    Confidence, Fingerprint, Generator, SelectorInput, Step, Visibility, resolve, resolve_one,
};
use stillpoint_core::{Code, Result};

/// What to find.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindParams {
    /// What is meant.
    pub selector: SelectorInput,
    /// At most this many matches are told.
    #[serde(default = "default_limit")]
    pub limit: usize,
    /// Tell what finds each again after the screen has changed, for actions with heal: true.
    #[serde(default)]
    pub fingerprint: bool,
}

fn default_limit() -> usize {
    20
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// How many elements match.
    pub count: usize,
    /// Which step of the resolution found them.
    pub step: Step,
    /// How sure it is.
    pub confidence: Confidence,
    /// The matches in document order.
    pub elements: Vec<Element>,
    /// The record of each, in the same order; where it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fingerprints: Vec<Fingerprint>,
    /// The revision that was searched.
    pub snapshot_revision: Revision,
}

impl Answer for Found {
    fn json(&self) -> Result<Value> {
        to_json(self)
    }

    fn text(&self) -> String {
        let mut out = format!(
            "{} at rev {} ({})\n",
            matches(self.count),
            self.snapshot_revision,
            self.confidence.reason
        );
        for e in &self.elements {
            let label = e.label.as_deref().or(e.text.as_deref()).unwrap_or_default();
            let selector = e.selector.as_ref().map_or("", |s| s.value.as_str());
            let _ = writeln!(out, "  {} {} {label:?}  {selector}", e.element_id, e.role);
        }
        out
    }

    fn verdict(&self) -> Verdict {
        if self.count == 0 { Verdict::No } else { Verdict::Done }
    }
}

fn matches(n: usize) -> String {
    if n == 1 { "1 match".to_owned() } else { format!("{n} matches") }
}

/// The verb.
pub struct FindElement;

#[async_trait]
impl Verb for FindElement {
    const NAME: &'static str = "find_element";
    const ABOUT: &'static str = "Finds the elements that a selector means, with the step that found them and how sure \
        that is. Not needed before an action: actions find their target themselves and refuse what is ambiguous.";
    const READ_ONLY: bool = true;
    type Params = FindParams;
    type Answer = Found;

    async fn run(session: &Session, params: FindParams, _: &Call) -> Result<Found> {
        session.alive()?;
        let selector = params.selector.selector()?;
        session.catch_up(limits::reading()).await?;
        session.read_mirror(|mirror| {
            let tree = mirror.tree();
            let found = resolve(tree, &selector, Visibility::Any);
            if found.matches.is_empty() {
                // The miss itself is the error, with what is near; anything else would be a broken promise.
                if let Err(miss) = resolve_one(tree, &selector, Visibility::Any)
                    && matches!(miss.code, Code::ElementNotFound | Code::StaleReference)
                {
                    return Err(miss);
                }
            }
            let generator = Generator::living(tree);
            let told = found.matches.iter().take(params.limit).filter_map(|id| {
                let node = tree.get(*id)?;
                let mut element = Element::of(*id, node, node.parent());
                element.selector = generator
                    .selector(*id)
                    .map(|g| ElementSelector { value: g.value, confidence: g.confidence });
                Some(element)
            });
            let shown = found.matches.iter().take(if params.fingerprint { params.limit } else { 0 });
            let fingerprints = shown.filter_map(|id| Fingerprint::of(tree, *id)).collect();
            Ok(Found {
                count: found.matches.len(),
                step: found.step,
                elements: told.collect(),
                fingerprints,
                confidence: found.confidence,
                snapshot_revision: mirror.revision(),
            })
        })
    }
}
