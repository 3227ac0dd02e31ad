//! Several steps in one call: stops at the first that fails.

use super::{Answer, Call, Verb, Verdict, by_name, to_json};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt::Write;
use stillpoint_core::revise::Revision;
use stillpoint_core::{Error, Result};

/// At most so many steps.
const MOST: usize = 50;

/// One step: a verb and its parameters.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FlowStep {
    /// The verb, such as tap, `wait_for_ui` or `expect_state`.
    pub verb: String,
    /// Its parameters.
    #[serde(flatten)]
    pub params: Map<String, Value>,
}

/// The steps.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct RunFlowParams {
    /// 1 to 50 steps of act, wait and expect.
    pub steps: Vec<FlowStep>,
}

/// How a step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// As it should.
    Passed,
    /// Not as it should.
    Failed,
    /// An earlier one failed.
    NotRun,
}

/// What came of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepReport {
    /// The verb.
    pub verb: String,
    /// How it went.
    pub status: StepStatus,
    /// How long it took.
    pub elapsed_ms: u64,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Error>,
    /// What the step told, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub told: String,
}

/// What came of the flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlowAnswer {
    /// Whether every step passed.
    pub passed: bool,
    /// Step by step.
    pub steps: Vec<StepReport>,
    /// The revision before the first step.
    pub revision_before: Revision,
    /// The revision after the last.
    pub revision_after: Revision,
}

impl Answer for FlowAnswer {
    fn json(&self) -> Result<Value> {
        to_json(self)
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for (n, step) in self.steps.iter().enumerate() {
            let mark = match step.status {
                StepStatus::Passed => "✓",
                StepStatus::Failed => "✗",
                StepStatus::NotRun => "·",
            };
            let _ = writeln!(out, "{mark} {} {} {} ms", n + 1, step.verb, step.elapsed_ms);
            if let Some(error) = &step.error {
                let _ = writeln!(out, "  {error}\n  {}", error.hint);
            }
        }
        let last = self.steps.iter().rev().find(|s| s.status == StepStatus::Passed);
        out.push_str(last.map_or("", |s| s.told.as_str()));
        out
    }

    fn verdict(&self) -> Verdict {
        let failed = self.steps.iter().find_map(|s| s.error.as_ref());
        match failed {
            None if self.passed => Verdict::Done,
            None => Verdict::No,
            Some(error) => Verdict::of(error).unwrap_or(Verdict::No),
        }
    }
}

/// The verb.
pub struct RunFlow;

#[async_trait]
impl Verb for RunFlow {
    const NAME: &'static str = "run_flow";
    const ABOUT: &'static str = "Does 1 to 50 steps (act, wait, expect) in one call, and stops at the first that fails. Use \
        it when the steps are known in advance; it saves a turn for each. Not where a step depends on what an earlier \
        one shows.";
    const READ_ONLY: bool = false;
    type Params = RunFlowParams;
    type Answer = FlowAnswer;

    async fn run(session: &Session, params: RunFlowParams, call: &Call) -> Result<FlowAnswer> {
        check(&params.steps)?;
        let revision_before = session.revision();
        let mut steps: Vec<StepReport> = Vec::new();
        let mut failed = false;
        for step in params.steps {
            let report = if failed { not_run(step) } else { run(session, step, call).await };
            failed |= report.status == StepStatus::Failed;
            steps.push(report);
        }
        Ok(FlowAnswer { passed: !failed, steps, revision_before, revision_after: session.revision() })
    }
}

/// Refuses a flow with a mistake in it before its first step is done.
fn check(steps: &[FlowStep]) -> Result<()> {
    if steps.is_empty() || steps.len() > MOST {
        let hint = "give 1 to 50 steps; a longer journey is several flows";
        return Err(Error::invalid(format!("a flow of {} steps", steps.len()), hint));
    }
    for (n, step) in steps.iter().enumerate() {
        if step.verb == RunFlow::NAME || by_name(&step.verb).is_none() {
            return Err(Error::invalid(
                format!("step {} names the verb {:?}, which is not one that a flow can do", n + 1, step.verb),
                "steps are verbs such as tap, type_text, set_value, wait_for_ui, expect_state",
            ));
        }
    }
    Ok(())
}

fn not_run(step: FlowStep) -> StepReport {
    StepReport {
        verb: step.verb,
        status: StepStatus::NotRun,
        elapsed_ms: 0,
        error: None,
        told: String::new(),
    }
}

async fn run(session: &Session, step: FlowStep, call: &Call) -> StepReport {
    let began = session.now();
    let outcome = match by_name(&step.verb) {
        Some(verb) => (verb.run)(session, Value::Object(step.params), call).await,
        None => Err(Error::internal("a verb vanished from the table")),
    };
    let (status, error, told) = match outcome {
        Err(error) => (StepStatus::Failed, Some(error), String::new()),
        Ok(answer) if answer.verdict() == Verdict::Done => (StepStatus::Passed, None, answer.text()),
        Ok(answer) => (StepStatus::Failed, answer.error(), answer.text()),
    };
    let elapsed_ms = session.now().since(began).as_millis() as u64;
    StepReport { verb: step.verb, status, elapsed_ms, error, told }
}
