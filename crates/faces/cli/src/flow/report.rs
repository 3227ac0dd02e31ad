//! What came of the flows: for people, for programs, and for CI.

use super::steps::Flow;
use crate::paint::{BAD, BOLD, DIM, GOOD, RESET};
use serde::Serialize;
use std::fmt::Write;
use stillpoint_core::Error;
use stillpoint_engine::verbs::{StepStatus, Verdict};

/// What came of a file.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) passed: bool,
    pub(super) flows: Vec<FlowReport>,
}

/// What came of a flow.
#[derive(Debug, Serialize)]
pub(super) struct FlowReport {
    pub(super) name: String,
    pub(super) target: String,
    pub(super) passed: bool,
    pub(super) elapsed_ms: u64,
    /// Why it could not be run at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<Error>,
    pub(super) steps: Vec<StepLine>,
    #[serde(skip)]
    pub(super) verdict: Verdict,
}

/// What came of a step.
#[derive(Debug, Serialize)]
pub(super) struct StepLine {
    pub(super) line: u64,
    pub(super) title: String,
    pub(super) verb: String,
    pub(super) status: StepStatus,
    pub(super) elapsed_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<Error>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) told: String,
}

impl FlowReport {
    /// A flow that could not be run.
    pub(super) fn refused(flow: &Flow, error: Error) -> Self {
        let steps = flow.steps.iter().map(|step| StepLine {
            line: step.line,
            title: step.title.clone(),
            verb: step.does.verb.clone(),
            status: StepStatus::NotRun,
            elapsed_ms: 0,
            error: None,
            told: String::new(),
        });
        FlowReport {
            name: flow.name.clone(),
            target: flow.target.to_string(),
            passed: false,
            elapsed_ms: 0,
            verdict: Verdict::of(&error).unwrap_or(Verdict::No),
            steps: steps.collect(),
            error: Some(error),
        }
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "{BOLD}{}{RESET} {DIM}{}{RESET}", self.name, self.target);
        if let Some(error) = &self.error {
            tell(&mut out, error);
        }
        for step in &self.steps {
            let mark = match step.status {
                StepStatus::Passed => format!("{GOOD}✔{RESET}"),
                StepStatus::Failed => format!("{BAD}✘{RESET}"),
                StepStatus::NotRun => format!("{DIM}·{RESET}"),
            };
            let time = match step.status {
                StepStatus::NotRun => "not run".to_owned(),
                _ => format!("{} ms", step.elapsed_ms),
            };
            let _ = writeln!(out, "  {mark} {} {DIM}{time}{RESET}", step.title);
            if let Some(error) = &step.error {
                let _ = writeln!(out, "      {DIM}line {}{RESET}", step.line);
                tell(&mut out, error);
            }
        }
        out
    }
}

fn tell(out: &mut String, error: &Error) {
    let _ = writeln!(out, "      {BAD}{}{RESET} {}", error.code, error.message);
    let _ = writeln!(out, "      {DIM}hint:{RESET} {}", error.hint);
}

impl Report {
    /// The last line for people.
    pub(super) fn summary(&self) -> String {
        let failed = self.flows.iter().filter(|f| !f.passed).count();
        let all = self.flows.len();
        let noun = if all == 1 { "flow" } else { "flows" };
        let milliseconds: u64 = self.flows.iter().map(|f| f.elapsed_ms).sum();
        if failed == 0 {
            format!("\n{GOOD}{all} {noun} passed{RESET} {DIM}in {milliseconds} ms{RESET}\n")
        } else {
            format!("\n{BAD}{failed} of {all} {noun} failed{RESET} {DIM}after {milliseconds} ms{RESET}\n")
        }
    }

    /// The verdict of the first flow that did not pass.
    pub(super) fn verdict(&self) -> Verdict {
        self.flows.iter().find(|f| !f.passed).map_or(Verdict::Done, |f| f.verdict)
    }
}
