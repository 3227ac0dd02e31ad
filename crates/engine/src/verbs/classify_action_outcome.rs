//! What came of an action?

use super::{Answer, Call, Verb, Verdict, to_json};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use stillpoint_core::judge::{
    Delivery, NetworkResult, OutcomeEvidence, OutcomeVerdict, classify_action_outcome,
};
use stillpoint_core::{Code, Error, Result};

/// The action, or what was seen of it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ClassifyParams {
    /// The action's name, from its envelope.
    pub action_id: Option<String>,
    /// Whether the UI changed, where the action was not one of ours.
    pub ui_changed: Option<bool>,
    /// Requests that the app made after it.
    pub network: Vec<NetworkResult>,
}

impl Answer for OutcomeVerdict {
    fn json(&self) -> Result<Value> {
        to_json(self)
    }

    fn text(&self) -> String {
        let outcome = serde_json::to_value(self.outcome).ok().and_then(|v| v.as_str().map(str::to_owned));
        format!("{}: {}\n", outcome.unwrap_or_default(), self.reasoning.join("; "))
    }

    fn verdict(&self) -> Verdict {
        use stillpoint_core::judge::Outcome;
        if matches!(self.outcome, Outcome::UiFailure | Outcome::BackendFailure) {
            Verdict::No
        } else {
            Verdict::Done
        }
    }
}

/// The verb.
pub struct ClassifyActionOutcome;

#[async_trait]
impl Verb for ClassifyActionOutcome {
    const NAME: &'static str = "classify_action_outcome";
    const ABOUT: &'static str = "Says what came of an action: success, no_op, ui_failure, backend_failure or unknown, with \
        reasons. Use it when an action's effect is not visible; where it is, give expect in the action itself.";
    const READ_ONLY: bool = true;
    type Params = ClassifyParams;
    type Answer = OutcomeVerdict;

    async fn run(session: &Session, params: ClassifyParams, _: &Call) -> Result<OutcomeVerdict> {
        let mut evidence = match &params.action_id {
            Some(id) => {
                let past = session.past_action(id).ok_or_else(|| unknown(id))?;
                past.evidence
            }
            None if params.ui_changed.is_some() => {
                OutcomeEvidence { delivery: Delivery::Unknown, ..OutcomeEvidence::default() }
            }
            None => {
                return Err(Error::invalid("there is nothing to judge by", "give action_id, or ui_changed"));
            }
        };
        evidence.ui_changed = params.ui_changed.or(evidence.ui_changed);
        evidence.network.extend(params.network);
        Ok(classify_action_outcome(&evidence))
    }
}

fn unknown(id: &str) -> Error {
    Error::new(
        Code::InvalidArgument,
        format!("no action {id} is remembered in this session"),
        "the last 64 actions are; the envelope of each names it",
    )
}
