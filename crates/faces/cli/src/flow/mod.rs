//! `stillpoint flow FILE.yaml`: steps as data, for CI. Each flow is one `run_flow` in a session of its own.

mod file;
mod junit;
mod report;
mod steps;

use crate::engine::{Desk, interrupted, open};
use crate::exit::Exit;
use crate::progress;
use clap::{Arg, ArgMatches, Command, value_parser};
use report::{FlowReport, Report, StepLine};
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;
use steps::Flow;
use stillpoint_core::{Error, Result, Target};
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::verbs::{Answer, Call, FlowAnswer, FlowStep, RunFlow, RunFlowParams, Verb};

/// The command of this room.
pub(crate) fn command() -> Command {
    let path = |id: &'static str| Arg::new(id).value_name("FILE").value_parser(value_parser!(PathBuf));
    Command::new("flow")
        .about("Run flows from a YAML file: steps as data, with a report for people, programs and CI")
        .arg(path("file").required(true).help("Flows: name, target, steps"))
        .arg(
            Arg::new("target")
                .long("target")
                .value_name("TARGET")
                .help("Run them on this target instead of the file's"),
        )
        .arg(path("junit").long("junit").help("Write a report there that CI systems read (JUnit XML)"))
        .after_help(crate::help::examples("flow"))
}

/// Runs all flows of a file, one after the other; a flow that fails does not keep the next from running.
pub(crate) async fn run(desk: &Desk, matches: &ArgMatches) -> anyhow::Result<Exit> {
    let Some(path) = matches.get_one::<PathBuf>("file") else { return Ok(Exit::Usage) };
    let target = matches.get_one::<String>("target").map(|t| t.parse::<Target>()).transpose()?;
    let written = file::read(path)?;
    let flows = written
        .into_iter()
        .map(|flow| steps::understand(flow, target.as_ref()))
        .collect::<Result<Vec<Flow>>>();
    let flows = flows.map_err(|error| {
        let message = format!("{}: {}", path.display(), error.message);
        Error { message, ..error }
    })?;
    let mut done = Vec::new();
    for flow in flows {
        if desk.cancel.is_cancelled() {
            done.push(FlowReport::refused(&flow, interrupted()));
            continue;
        }
        let report = play(desk, &flow).await;
        if !desk.out.json {
            desk.out.text(&report.text())?;
        }
        done.push(report);
    }
    let report = Report { passed: done.iter().all(|f| f.passed), flows: done };
    if let Some(junit) = matches.get_one::<PathBuf>("junit") {
        std::fs::write(junit, junit::xml(&report)).map_err(|error| {
            Error::invalid(
                format!("{} cannot be written: {error}", junit.display()),
                "give --junit another file",
            )
        })?;
    }
    if desk.out.json {
        desk.out.value(&json!(report))?;
    } else {
        desk.out.text(&report.summary())?;
    }
    Ok(report.verdict().into())
}

async fn play(desk: &Desk, flow: &Flow) -> FlowReport {
    let began = Instant::now();
    match answer(desk, flow).await {
        Ok(answer) => told(flow, &answer, began.elapsed().as_millis() as u64),
        Err(error) => FlowReport::refused(flow, error),
    }
}

async fn answer(desk: &Desk, flow: &Flow) -> Result<FlowAnswer> {
    // A session of its own: what an earlier flow left behind is not there.
    let session = open(&desk.engine, &flow.target, &AttachOptions::default(), &desk.cancel).await?;
    let steps: Vec<FlowStep> = flow.steps.iter().map(|s| s.does.clone()).collect();
    let call = Call { cancel: desk.cancel.clone(), ..Call::default() };
    let running = RunFlow::run(&session, RunFlowParams { steps }, &call);
    let answer = progress::during(Some(&session), &format!("flow {}", flow.name), running).await;
    desk.engine.close(&flow.target).await;
    answer
}

fn told(flow: &Flow, answer: &FlowAnswer, elapsed_ms: u64) -> FlowReport {
    let line = |(step, report): (&steps::Step, &stillpoint_engine::verbs::StepReport)| StepLine {
        line: step.line,
        title: step.title.clone(),
        verb: report.verb.clone(),
        status: report.status,
        elapsed_ms: report.elapsed_ms,
        error: report.error.clone(),
        told: report.told.clone(),
    };
    FlowReport {
        name: flow.name.clone(),
        target: flow.target.to_string(),
        passed: answer.passed,
        elapsed_ms,
        error: None,
        steps: flow.steps.iter().zip(&answer.steps).map(line).collect(),
        verdict: answer.verdict(),
    }
}
