//! The report as `JUnit` XML, which CI systems read: a suite for each flow, a case for each step.

use super::report::{FlowReport, Report, StepLine};
use std::fmt::Write;
use stillpoint_core::Error;
use stillpoint_engine::verbs::StepStatus;

/// The whole file.
pub(super) fn xml(report: &Report) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let count = |of: fn(&FlowReport) -> usize| report.flows.iter().map(of).sum::<usize>();
    let milliseconds = report.flows.iter().map(|f| f.elapsed_ms).sum();
    let _ = writeln!(
        out,
        "<testsuites tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{}\">",
        count(cases),
        count(failures),
        count(errors),
        seconds(milliseconds)
    );
    for flow in &report.flows {
        suite(&mut out, flow);
    }
    out.push_str("</testsuites>\n");
    out
}

fn suite(out: &mut String, flow: &FlowReport) {
    let _ = writeln!(
        out,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\">",
        escaped(&flow.name),
        cases(flow),
        failures(flow),
        errors(flow),
        flow.steps.iter().filter(|s| s.status == StepStatus::NotRun).count(),
        seconds(flow.elapsed_ms)
    );
    let class = escaped(&flow.name);
    if let Some(error) = &flow.error {
        let name = escaped(&format!("open {}", flow.target));
        let _ = writeln!(out, "    <testcase classname=\"{class}\" name=\"{name}\" time=\"0.000\">");
        problem(out, "error", error, "");
        out.push_str("    </testcase>\n");
    }
    for (number, step) in flow.steps.iter().enumerate() {
        case(out, &class, number + 1, step);
    }
    out.push_str("  </testsuite>\n");
}

fn case(out: &mut String, class: &str, number: usize, step: &StepLine) {
    let name = escaped(&format!("{number} {}", step.title));
    let time = seconds(step.elapsed_ms);
    let _ = write!(out, "    <testcase classname=\"{class}\" name=\"{name}\" time=\"{time}\"");
    match (step.status, &step.error) {
        (StepStatus::Passed, _) => out.push_str("/>\n"),
        (StepStatus::NotRun, _) => out.push_str("><skipped/></testcase>\n"),
        (StepStatus::Failed, error) => {
            out.push_str(">\n");
            let unsaid = Error::internal("a step failed without a reason");
            problem(out, "failure", error.as_ref().unwrap_or(&unsaid), &step.told);
            out.push_str("    </testcase>\n");
        }
    }
}

fn problem(out: &mut String, kind: &str, error: &Error, told: &str) {
    let (code, message) = (escaped(&error.code.to_string()), escaped(&error.message));
    let words = escaped(&format!("{}\n{}\n{told}", error.message, error.hint));
    let _ = writeln!(out, "      <{kind} type=\"{code}\" message=\"{message}\">{words}</{kind}>");
}

fn cases(flow: &FlowReport) -> usize {
    flow.steps.len() + errors(flow)
}

fn failures(flow: &FlowReport) -> usize {
    flow.steps.iter().filter(|s| s.status == StepStatus::Failed).count()
}

fn errors(flow: &FlowReport) -> usize {
    usize::from(flow.error.is_some())
}

fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}

/// Text as XML can carry it; control characters have no form there.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn what_xml_cannot_carry_is_replaced() {
        assert_eq!(escaped("a<b> & \"c\"\u{1b}[0m\n"), "a&lt;b&gt; &amp; &quot;c&quot;\u{fffd}[0m&#10;");
    }
}
