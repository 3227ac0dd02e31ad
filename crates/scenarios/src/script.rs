//! A scenario's text, read.

use serde_json::{Map, Value};

/// A scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The file's name without its ending.
    pub name: String,
    /// What it shows.
    pub about: String,
    /// What is done.
    pub steps: Vec<Step>,
}

/// One call and what must be true of its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Where it stands in the file.
    pub line: usize,
    /// The verb.
    pub verb: String,
    /// Its parameters.
    pub params: Map<String, Value>,
    /// What must be true of its answer.
    pub claims: Vec<Claim>,
}

/// What must be true of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// It was done, as far as is known.
    Done,
    /// It was done, and there is proof.
    Verified,
    /// It failed with this code.
    Fails(String),
    /// Its text or its error has these words.
    Says(String),
    /// Nothing of it has these words.
    Hides(String),
    /// What is at this path of the answer.
    Holds(String, Value),
    /// Keeps what is at this path under a name.
    Save(String, String),
}

/// A scenario that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{file}, line {line}: {problem}")]
pub struct Malformed {
    file: String,
    line: usize,
    problem: String,
}

impl Malformed {
    pub(crate) fn in_file(file: &str, line: usize, problem: impl std::fmt::Display) -> Self {
        Malformed { file: file.to_owned(), line, problem: problem.to_string() }
    }
}

/// Reads a scenario.
pub fn parse(name: &str, text: &str) -> Result<Scenario, Malformed> {
    let mut steps: Vec<Step> = Vec::new();
    let about = text.lines().next().and_then(|l| l.strip_prefix('#')).unwrap_or_default().trim().to_owned();
    for (index, whole) in text.lines().enumerate() {
        let line = index + 1;
        let wrong = |problem: &str| Malformed::in_file(name, line, problem);
        let trimmed = whole.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if !whole.starts_with(' ') {
            steps.push(step(line, trimmed));
            continue;
        }
        let step = steps.last_mut().ok_or_else(|| wrong("a parameter or claim before the first step"))?;
        if let Some(said) = trimmed.strip_prefix("=>") {
            step.claims.push(claim(said.trim()).ok_or_else(|| wrong("no such claim"))?);
        } else {
            let (key, value) = trimmed.split_once(": ").ok_or_else(|| wrong("expected `name: value`"))?;
            step.params.insert(key.to_owned(), plain(value));
        }
    }
    Ok(Scenario { name: name.to_owned(), about, steps })
}

fn step(line: usize, text: &str) -> Step {
    let call = |verb: &str, selector: Option<String>| Step {
        line,
        verb: verb.to_owned(),
        params: selector.into_iter().map(|s| ("selector".to_owned(), Value::String(s))).collect(),
        claims: Vec::new(),
    };
    if let Some(page) = text.strip_prefix("page ") {
        let (name, shows) = page.split_once(" shows ").unwrap_or((page, ""));
        let mut step = call("tap", Some(format!("button \"{name} page\"")));
        if shows.is_empty() {
            step.claims.push(Claim::Done);
        } else {
            step.params.insert("expect".to_owned(), Value::String(shows.to_owned()));
            step.claims.push(Claim::Verified);
        }
        return step;
    }
    match text.split_once(": ") {
        Some((verb, selector)) => call(verb, Some(selector.to_owned())),
        None => call(text.trim_end_matches(':'), None),
    }
}

fn claim(text: &str) -> Option<Claim> {
    let quoted = |rest: &str| serde_json::from_str::<String>(rest.trim()).ok();
    Some(match text.split_once(' ') {
        None if text == "done" => Claim::Done,
        None if text == "verified" => Claim::Verified,
        None if text.chars().all(|c| c.is_ascii_uppercase() || c == '_') => Claim::Fails(text.to_owned()),
        Some(("says", words)) => Claim::Says(quoted(words)?),
        Some(("hides", words)) => Claim::Hides(quoted(words)?),
        Some(("save", rest)) => {
            let (name, path) = rest.split_once(" = ")?;
            Claim::Save(name.to_owned(), path.to_owned())
        }
        Some(_) => {
            let (path, value) = text.split_once(" = ")?;
            Claim::Holds(path.to_owned(), serde_json::from_str(value).ok()?)
        }
        None => return None,
    })
}

/// JSON where it reads as such, else the text itself: selectors are written as they are.
fn plain(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::String(_)) | Err(_) => Value::String(text.to_owned()),
        Ok(value) => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_step_has_its_selector_its_parameters_and_its_claims() {
        let text = "# About\ntap: button \"A\"\n  timeout_ms: 40\n  expect: text \"B\"\n  => verified\n  => a.b = [1]\n";
        let scenario = parse("x", text).expect("it reads");
        assert_eq!(scenario.about, "About");
        let [step] = scenario.steps.as_slice() else { panic!("{scenario:?}") };
        assert_eq!(step.line, 2);
        assert_eq!(
            Value::Object(step.params.clone()),
            json!({ "selector": "button \"A\"", "timeout_ms": 40, "expect": "text \"B\"" })
        );
        assert_eq!(step.claims, [Claim::Verified, Claim::Holds("a.b".into(), json!([1]))]);
    }

    #[test]
    fn a_mistake_is_told_with_its_line() {
        let wrong = parse("x", "tap: a\n  => perhaps\n").expect_err("no such claim");
        assert_eq!(wrong.to_string(), "x, line 2: no such claim");
        let wrong = parse("x", "  a: b\n").expect_err("no step");
        assert!(wrong.to_string().contains("before the first step"), "{wrong}");
    }
}
