//! The parameters of a verb as flags and positional words, made from its JSON schema.

use crate::kind::{Kind, Place};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};
use serde_json::{Map, Value};
use stillpoint_core::{Error, Result};
use stillpoint_engine::verbs::VerbSpec;

/// One parameter of a verb.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    /// Its name in the verb.
    pub(crate) name: String,
    /// What may be given.
    pub(crate) kind: Kind,
    /// What it means.
    pub(crate) doc: String,
    /// Whether the verb does not go without it.
    pub(crate) required: bool,
    /// What holds if it is left out.
    pub(crate) default: Option<Value>,
}

/// The parameters that a verb's schema lists.
pub(crate) fn of(verb: &VerbSpec) -> Vec<Param> {
    let schema = (verb.params)();
    let document = schema.as_value();
    let required = document.get("required").and_then(Value::as_array);
    let required: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    let listed = document.get("properties").and_then(Value::as_object);
    let param = |(name, schema): (&String, &Value)| Param {
        name: name.clone(),
        kind: Place { schema, document }.kind(),
        doc: schema.get("description").and_then(Value::as_str).unwrap_or_default().replace('\n', " "),
        required: required.contains(&name.as_str()),
        default: schema.get("default").filter(|d| worth_telling(d)).cloned(),
    };
    listed.into_iter().flatten().map(param).collect()
}

fn worth_telling(default: &Value) -> bool {
    match default {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    }
}

/// The flag of a parameter: its name with dashes.
pub(crate) fn flag(name: &str) -> String {
    name.replace('_', "-")
}

impl Param {
    /// The flag that sets it. Words are taken as they are and judged by [`Kind::value`], so that every face gives
    /// the same kind of error.
    pub(crate) fn flag(&self) -> Arg {
        let mut help = self.doc.clone();
        if let Some(default) = &self.default {
            let told = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
            help = format!("{help} [default: {told}]");
        }
        let mut arg = Arg::new(self.name.clone())
            .long(flag(&self.name))
            .help(help)
            .value_name(self.kind.placeholder())
            .help_heading("Parameters");
        arg = match &self.kind {
            Kind::YesNo => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
            Kind::List(_) => arg.action(ArgAction::Append).allow_hyphen_values(true),
            Kind::Choice(_) => arg,
            Kind::Whole { .. } | Kind::Number | Kind::Text { .. } | Kind::Json | Kind::Any => {
                arg.allow_hyphen_values(true)
            }
        };
        arg
    }

    /// The name of its place on the command line.
    pub(crate) fn place(&self) -> String {
        self.name.to_uppercase()
    }

    /// What was given for it by its flag.
    pub(crate) fn given_by_flag(&self, matches: &ArgMatches) -> Result<Option<Value>> {
        if matches.value_source(&self.name) != Some(ValueSource::CommandLine) {
            return Ok(None);
        }
        let flag = format!("--{}", flag(&self.name));
        let words = matches.get_many::<String>(&self.name).into_iter().flatten();
        let values: Vec<Value> = words.map(|word| self.kind.value(&flag, word)).collect::<Result<_>>()?;
        Ok(match &self.kind {
            Kind::List(_) => Some(Value::Array(values)),
            _ => values.into_iter().next(),
        })
    }

    fn given_in_place(&self, word: &str) -> Result<Value> {
        let value = self.kind.value(&self.place(), word)?;
        Ok(match &self.kind {
            Kind::List(_) => Value::Array(vec![value]),
            _ => value,
        })
    }
}

/// Fills the places of a verb with the words that were given, in order. Where there are fewer words than places,
/// the optional places go empty from the left: `press TARGET Enter`, `press TARGET 'textbox "Name"' Enter`.
pub(crate) fn fill(
    places: &[&Param],
    words: &[&str],
    usage: &str,
    values: &mut Map<String, Value>,
) -> Result<()> {
    let mut open: Vec<&Param> = places.iter().filter(|p| !values.contains_key(&p.name)).copied().collect();
    if words.len() > open.len() {
        return Err(Error::invalid(
            format!("one word too many: {:?}", words[open.len()]),
            format!("usage: {usage}"),
        ));
    }
    while open.len() > words.len() {
        let Some(spare) = open.iter().position(|p| !p.required) else {
            let missing = open[words.len()];
            let about = if missing.doc.is_empty() { String::new() } else { format!(" ({})", missing.doc) };
            return Err(Error::invalid(
                format!("{} is missing{about}", missing.place()),
                format!("usage: {usage}"),
            ));
        };
        open.remove(spare);
    }
    for (param, word) in open.into_iter().zip(words) {
        values.insert(param.name.clone(), param.given_in_place(word)?);
    }
    Ok(())
}
