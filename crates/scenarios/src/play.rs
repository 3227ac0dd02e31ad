//! Plays a scenario on whatever answers verbs, and says where an answer was not as it should be.

use crate::script::{Claim, Scenario, Step};
use async_trait::async_trait;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use stillpoint_core::Error;
use stillpoint_engine::Session;
use stillpoint_engine::verbs::{Call, by_name};

/// What a call answered: the verb's JSON, and its words for people.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// The verb's answer.
    pub json: Value,
    /// The same in words.
    pub text: String,
}

/// Whoever answers verbs: a session, or a face in front of one.
#[async_trait]
pub trait Ask: Send + Sync {
    /// Does a verb.
    async fn ask(&self, verb: &str, params: Value) -> Result<Reply, Error>;
}

#[async_trait]
impl Ask for Session {
    async fn ask(&self, verb: &str, params: Value) -> Result<Reply, Error> {
        let spec =
            by_name(verb).ok_or_else(|| Error::invalid(format!("no verb {verb:?}"), "see verbs::table"))?;
        let answer = (spec.run)(self, params, &Call::default()).await?;
        Ok(Reply { json: answer.json()?, text: answer.text() })
    }
}

/// Plays it to its end. The error tells the step, what was claimed and what was answered.
pub async fn play(app: &dyn Ask, scenario: &Scenario) -> Result<(), String> {
    let mut saved = BTreeMap::new();
    for step in &scenario.steps {
        let params = filled(&step.params, &saved);
        let answer = app.ask(&step.verb, Value::Object(params.clone())).await;
        for claim in &step.claims {
            check(claim, &answer, &mut saved)
                .map_err(|observed| told(scenario, step, &params, claim, &observed))?;
        }
    }
    Ok(())
}

fn told(
    scenario: &Scenario,
    step: &Step,
    params: &Map<String, Value>,
    claim: &Claim,
    observed: &str,
) -> String {
    let params = Value::Object(params.clone());
    let (name, line, verb) = (&scenario.name, step.line, &step.verb);
    format!("{name}, line {line}: {verb} {params}\n  expected {claim:?}\n  observed {observed}")
}

fn filled(params: &Map<String, Value>, saved: &BTreeMap<String, Value>) -> Map<String, Value> {
    let fill = |value: &Value| match value.as_str().and_then(|s| s.strip_prefix('$')) {
        Some(name) => saved.get(name).cloned().unwrap_or(Value::Null),
        None => value.clone(),
    };
    params.iter().map(|(key, value)| (key.clone(), fill(value))).collect()
}

fn check(
    claim: &Claim,
    answer: &Result<Reply, Error>,
    saved: &mut BTreeMap<String, Value>,
) -> Result<(), String> {
    let whole = match answer {
        Ok(reply) => format!("{}\n{:#}", reply.text, reply.json),
        Err(error) => format!("{error}\n{}\n{:#}", error.hint, error.details),
    };
    let at = |path: &str| match answer {
        Ok(reply) => {
            reply.json.pointer(&format!("/{}", path.replace('.', "/"))).cloned().unwrap_or(Value::Null)
        }
        Err(_) => Value::Null,
    };
    // An action that failed says so in its envelope, every other verb by an error.
    let code = match answer {
        Ok(reply) => reply.json["failure_code"].as_str().map(str::to_owned),
        Err(error) => serde_json::to_value(error.code).ok().and_then(|c| c.as_str().map(str::to_owned)),
    };
    let holds = match claim {
        Claim::Done => code.is_none() && at("success") != Value::Bool(false) && at("status") != "timeout",
        Claim::Verified => code.is_none() && at("lifecycle_state") == "verified",
        Claim::Fails(expected) => code.as_deref() == Some(expected),
        Claim::Says(words) => whole.contains(words.as_str()),
        Claim::Hides(words) => !whole.contains(words.as_str()),
        Claim::Holds(path, expected) => at(path) == *expected,
        Claim::Save(name, path) => {
            saved.insert(name.clone(), at(path));
            at(path) != Value::Null
        }
    };
    if holds { Ok(()) } else { Err(whole) }
}
