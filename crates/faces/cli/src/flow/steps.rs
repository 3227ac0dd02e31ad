//! Steps as people write them, as the engine takes them. A mistake is found before the first step is done.

use super::file::{Written, WrittenStep};
use crate::words::{self, Use};
use serde_json::{Map, Value, json};
use serde_saphyr::Spanned;
use stillpoint_core::select::Selector;
use stillpoint_core::{Error, Result, Target};
use stillpoint_engine::verbs::FlowStep;

/// A flow that can be run.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) name: String,
    pub(super) target: Target,
    pub(super) steps: Vec<Step>,
}

/// A step with its place in the file and its words for people.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) line: u64,
    pub(super) title: String,
    pub(super) does: FlowStep,
}

/// Understands a flow; `target` takes the place of the file's.
pub(super) fn understand(written: Written, target: Option<&Target>) -> Result<Flow> {
    let name = written.name.unwrap_or_default();
    let target = match (target, &written.target) {
        (Some(given), _) => given.clone(),
        (None, Some(written)) => written.value.parse().map_err(|error: Error| {
            let message = format!("line {}: {}", written.referenced.line(), error.message);
            Error { message, ..error }
        })?,
        (None, None) => {
            return Err(Error::invalid(
                format!("the flow {name:?} has no target"),
                "write `target: sim:login` in the file, or give --target",
            ));
        }
    };
    let steps = written.steps.into_iter().enumerate().map(|(number, step)| {
        let line = step.referenced.line();
        one(step).map_err(|error| {
            let message = format!("{name:?}, step {} (line {line}): {}", number + 1, error.message);
            Error { message, ..error }
        })
    });
    let steps = steps.collect::<Result<Vec<Step>>>()?;
    Ok(Flow { name, target, steps })
}

fn one(written: Spanned<WrittenStep>) -> Result<Step> {
    let line = written.referenced.line();
    let mut fields = written.value.0.into_iter();
    let (first, value) = fields.next().ok_or_else(|| Error::invalid("it is empty", known()))?;
    let mut params: Map<String, Value> = fields.collect();
    let (word, shorthand) = if first == "verb" {
        let Value::String(word) = value else {
            return Err(Error::invalid(format!("verb is {value}"), known()));
        };
        (word, Value::Null)
    } else {
        (first, value)
    };
    let uses = words::uses(&word.replace('-', "_"));
    let uses = if uses.is_empty() { words::uses(&word) } else { uses };
    if uses.is_empty() {
        return Err(Error::invalid(format!("{word:?} is no verb"), known()));
    }
    let places = match shorthand {
        Value::Null => Vec::new(),
        Value::Object(more) => {
            params.extend(more);
            Vec::new()
        }
        Value::Array(places) => places,
        one => vec![one],
    };
    let title = title(&word, &places, &params);
    let (using, places) = choose(&uses, places, &params)?;
    fill(using, places, &mut params)?;
    check(using, &params)?;
    Ok(Step { line, title, does: FlowStep { verb: using.verb.name.to_owned(), params } })
}

/// Of a word with several forms, the one that a keyword or the parameters mean.
fn choose<'a>(
    uses: &'a [Use],
    mut places: Vec<Value>,
    params: &Map<String, Value>,
) -> Result<(&'a Use, Vec<Value>)> {
    let keyword = places.first().and_then(Value::as_str);
    let meant = keyword.and_then(|word| uses.iter().find(|u| u.form.keyword == Some(word)));
    if let Some(using) = meant {
        places.remove(0);
        return Ok((using, places));
    }
    let knows_all = |u: &&Use| params.keys().all(|name| u.params.iter().any(|p| p.name == *name));
    let plain = || uses.iter().filter(|u| u.form.keyword.is_none());
    let using = plain().find(knows_all).or_else(|| plain().next());
    using.map(|using| (using, places)).ok_or_else(|| {
        let keywords: Vec<&str> = uses.iter().filter_map(|u| u.form.keyword).collect();
        Error::invalid("it does not say what is meant", format!("give one of {}", keywords.join(", ")))
    })
}

/// Values without names belong to the places of the verb, as on the command line: the optional ones go empty first.
fn fill(using: &Use, values: Vec<Value>, params: &mut Map<String, Value>) -> Result<()> {
    let mut open: Vec<_> = using.places().into_iter().filter(|p| !params.contains_key(&p.name)).collect();
    if values.len() > open.len() {
        return Err(Error::invalid(
            format!("{} values have no place: {}", values.len() - open.len(), json!(values)),
            takes(using),
        ));
    }
    while open.len() > values.len() {
        let spare = open.iter().position(|p| !p.required).unwrap_or(open.len() - 1);
        open.remove(spare);
    }
    for (place, value) in open.into_iter().zip(values) {
        params.insert(place.name.clone(), value);
    }
    Ok(())
}

fn check(using: &Use, params: &Map<String, Value>) -> Result<()> {
    let verb = using.verb.name;
    if let Some(stray) = params.keys().find(|name| !using.params.iter().any(|p| p.name == **name)) {
        return Err(Error::invalid(format!("{verb} does not take {stray:?}"), takes(using)));
    }
    if let Some(missing) = using.params.iter().find(|p| p.required && !params.contains_key(&p.name)) {
        return Err(Error::invalid(format!("{verb} needs {}", missing.name), takes(using)));
    }
    for name in ["selector", "to", "target", "under"] {
        if let Some(Value::String(selector)) = params.get(name) {
            Selector::parse(selector)?;
        }
    }
    Ok(())
}

fn takes(using: &Use) -> String {
    let names: Vec<&str> = using.params.iter().map(|p| p.name.as_str()).collect();
    format!("{} takes {}", using.verb.name, names.join(", "))
}

fn known() -> String {
    let names: Vec<&str> = stillpoint_engine::verbs::table().iter().map(|v| v.name).collect();
    format!("the first field is a verb: {}", names.join(", "))
}

/// The step in words, for reports. What is typed may be secret, and is left out.
fn title(word: &str, places: &[Value], params: &Map<String, Value>) -> String {
    let mut title = word.to_owned();
    let named =
        ["selector", "condition", "property", "expected", "key"].iter().filter_map(|n| params.get(*n));
    let typed = ["type", "type_text"].contains(&word);
    for value in places.iter().take(if typed { 1 } else { usize::MAX }).chain(named) {
        title.push(' ');
        title.push_str(&value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    title
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(yaml: &str) -> Result<Step> {
        one(serde_saphyr::from_str(yaml).unwrap())
    }

    fn understood(yaml: &str) -> Value {
        serde_json::to_value(step(yaml).unwrap().does).unwrap()
    }

    #[test]
    fn a_step_is_a_verb_or_a_word_with_its_places() {
        let tap = json!({ "verb": "tap", "selector": "button \"Save\"", "expect": "#saved" });
        assert_eq!(understood("tap: 'button \"Save\"'\nexpect: '#saved'\n"), tap);
        assert_eq!(understood("verb: tap\nselector: 'button \"Save\"'\nexpect: '#saved'\n"), tap);
        assert_eq!(understood("tap: {selector: 'button \"Save\"', expect: '#saved'}\n"), tap);
        let typed = json!({ "verb": "type_text", "selector": "#name", "text": "ada" });
        assert_eq!(understood("type: ['#name', ada]\n"), typed);
        assert_eq!(understood("type: '#name'\ntext: ada\n"), typed);
        assert_eq!(understood("wait: idle\n"), json!({ "verb": "wait_for_idle" }));
        assert_eq!(understood("wait-for-idle:\n"), json!({ "verb": "wait_for_idle" }));
        let state =
            json!({ "verb": "expect_state", "selector": "#box", "property": "checked", "expected": true });
        assert_eq!(understood("expect: ['#box', checked, true]\n"), state);
        assert_eq!(understood("press: Enter\n"), json!({ "verb": "press_key", "key": "Enter" }));
    }

    #[test]
    fn a_mistake_says_what_was_expected() {
        let refused = |yaml: &str| step(yaml).unwrap_err();
        assert!(refused("tup: x\n").hint.contains("wait_for_ui"));
        let stray = refused("tap: '#x'\ncolour: red\n");
        assert!(stray.message.contains("colour") && stray.hint.contains("expect"), "{stray:?}");
        assert!(refused("tap:\n").message.contains("needs selector"));
        assert_eq!(refused("tap: 'button \"open'\n").code, stillpoint_core::Code::InvalidSelector);
    }

    #[test]
    fn what_is_typed_is_not_told() {
        assert_eq!(step("type: ['#password', secret]\n").unwrap().title, "type #password");
    }
}
