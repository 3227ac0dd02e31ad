//! A file of flows: what was written where.
//!
//! One flow is a mapping with `name`, `target` and `steps`; several stand in a list under `flows`, beside a `target` for
//! those that name none.

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_saphyr::Spanned;
use std::path::Path;
use stillpoint_core::{Error, Result};

/// What a file may say, for hints.
const SHAPE: &str = "a flow has name, target and steps; several flows stand in a list under `flows`";

/// A flow as it was written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) target: Option<Spanned<String>>,
    pub(super) steps: Vec<Spanned<WrittenStep>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    target: Option<Spanned<String>>,
    #[serde(default)]
    steps: Option<Vec<Spanned<WrittenStep>>>,
    #[serde(default)]
    flows: Option<Vec<Written>>,
}

/// A step as it was written: its fields in order, for the first one says what to do.
#[derive(Debug)]
pub(super) struct WrittenStep(pub(super) Vec<(String, Value)>);

impl<'de> Deserialize<'de> for WrittenStep {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = WrittenStep;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a step: `tap: 'button \"Save\"'`, `{verb: tap, selector: …}`, or a bare verb such as wait_for_idle")
    }

    fn visit_str<E>(self, verb: &str) -> Result<WrittenStep, E> {
        Ok(WrittenStep(vec![(verb.to_owned(), Value::Null)]))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WrittenStep, A::Error> {
        let mut fields: Vec<(String, Value)> = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            if fields.iter().any(|(known, _)| *known == name) {
                return Err(A::Error::custom(format!("{name} stands there twice")));
            }
            fields.push((name, value));
        }
        Ok(WrittenStep(fields))
    }
}

/// Reads a file of flows; each has its name and its target.
pub(super) fn read(path: &Path) -> Result<Vec<Written>> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Error::invalid(format!("{} cannot be read: {error}", path.display()), "give a YAML file of flows")
    })?;
    parse(&text, path)
}

fn parse(text: &str, path: &Path) -> Result<Vec<Written>> {
    let wrong = |line: Option<u64>, why: &str| {
        let line = line.map_or(String::new(), |line| format!(" line {line}"));
        Error::invalid(format!("{}{line}: {why}", path.display()), SHAPE)
    };
    let file: File = serde_saphyr::from_str(text).map_err(|error| {
        let line = error.location().map(|at| at.line());
        wrong(line, &first_line(&error.without_snippet().to_string()))
    })?;
    let mut flows = match (file.steps, file.flows) {
        (Some(steps), None) => vec![Written { name: file.name.clone(), target: None, steps }],
        (None, Some(flows)) => flows,
        (Some(_), Some(_)) => return Err(wrong(None, "it has both steps and flows")),
        (None, None) => return Err(wrong(None, "it has neither steps nor flows")),
    };
    if flows.is_empty() {
        return Err(wrong(None, "it has no flows"));
    }
    let stem = path.file_stem().map_or_else(|| "flow".to_owned(), |s| s.to_string_lossy().into_owned());
    let alone = flows.len() == 1;
    for (number, flow) in flows.iter_mut().enumerate() {
        flow.target = flow.target.take().or_else(|| file.target.clone());
        let unnamed = || if alone { stem.clone() } else { format!("{stem} {}", number + 1) };
        flow.name = Some(flow.name.take().unwrap_or_else(unnamed));
    }
    Ok(flows)
}

fn first_line(said: &str) -> String {
    said.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<Written>> {
        parse(text, Path::new("checkout.yaml"))
    }

    #[test]
    fn one_flow_is_named_by_its_file() {
        let flows =
            parsed("target: sim:login\nsteps:\n  - wait_for_idle\n  - tap: button\n    expect: '#x'\n")
                .unwrap();
        assert_eq!(flows[0].name.as_deref(), Some("checkout"));
        assert_eq!(flows[0].steps[1].referenced.line(), 4);
        let names: Vec<&str> = flows[0].steps[1].value.0.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["tap", "expect"]);
    }

    #[test]
    fn several_flows_share_a_target_unless_they_name_one() {
        let text = "target: sim:login\nflows:\n  - name: a\n    steps: [wait_for_idle]\n  - target: sim:toast\n    steps: [wait_for_idle]\n";
        let flows = parsed(text).unwrap();
        let targets: Vec<&str> = flows.iter().map(|f| f.target.as_ref().unwrap().value.as_str()).collect();
        assert_eq!(targets, ["sim:login", "sim:toast"]);
        assert_eq!(flows[1].name.as_deref(), Some("checkout 2"));
    }

    #[test]
    fn a_mistake_names_its_line_and_what_was_expected() {
        let said = |text: &str| parsed(text).unwrap_err().message;
        assert!(said("steps:\n  - 7\n").contains("line 2"), "{}", said("steps:\n  - 7\n"));
        assert!(said("steps:\n  - 7\n").contains("a step"), "{}", said("steps:\n  - 7\n"));
        assert!(said("stepz: []\n").contains("line 1"), "{}", said("stepz: []\n"));
        assert!(said("name: x\n").contains("neither steps nor flows"));
        assert!(
            said("steps:\n  - tap: a\n   oops: [\n").contains("line 3"),
            "{}",
            said("steps:\n  - tap: a\n   oops: [\n")
        );
    }
}
