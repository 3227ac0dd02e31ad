//! What a parameter's JSON schema says about the words that may be given for it on a command line.

use serde_json::{Number, Value};
use stillpoint_core::{Error, Result};

/// The kind of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A whole number, within bounds where there are any.
    Whole { min: Option<i128>, max: Option<i128> },
    /// Any number.
    Number,
    /// Yes or no.
    YesNo,
    /// One of a few words.
    Choice(Vec<String>),
    /// Several of a kind.
    List(Box<Kind>),
    /// Words; what looks like JSON of one of the other forms that are allowed is taken as such.
    Text { or_object: bool, or_number: bool, or_bool: bool },
    /// Anything that is written as JSON.
    Json,
    /// Anything at all: what is no JSON is words.
    Any,
}

/// A schema within the document that its `$ref`s point into.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) schema: &'a Value,
    pub(crate) document: &'a Value,
}

impl<'a> Place<'a> {
    fn at(self, schema: &'a Value) -> Self {
        Place { schema, ..self }
    }

    /// The schema that a `$ref` leads to; schemas here are at most a few refs deep.
    fn resolved(self) -> Self {
        let mut at = self;
        for _ in 0..8 {
            let Some(path) = at.schema.get("$ref").and_then(Value::as_str) else { break };
            let Some(found) = path.strip_prefix('#').and_then(|p| self.document.pointer(p)) else { break };
            at = self.at(found);
        }
        at
    }

    fn list(self, name: &str) -> Vec<Self> {
        let items = self.schema.get(name).and_then(Value::as_array);
        items.into_iter().flatten().map(|s| self.at(s).resolved()).collect()
    }

    fn types(self) -> Vec<&'a str> {
        match self.schema.get("type") {
            Some(Value::String(one)) => vec![one.as_str()],
            Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// The words that are allowed, where only some are.
    fn words(self) -> Option<Vec<String>> {
        let text = |v: &Value| v.as_str().map(str::to_owned);
        if let Some(Value::Array(values)) = self.schema.get("enum") {
            return values.iter().filter(|v| !v.is_null()).map(text).collect();
        }
        if let Some(only) = self.schema.get("const") {
            return text(only).map(|word| vec![word]);
        }
        let each: Vec<Vec<String>> =
            self.list("oneOf").into_iter().map(Place::words).collect::<Option<_>>()?;
        (!each.is_empty()).then(|| each.concat())
    }

    /// The kind that it describes.
    pub(crate) fn kind(self) -> Kind {
        let place = self.resolved();
        let says = |name| place.schema.get(name).is_some();
        if !["type", "enum", "const", "anyOf", "oneOf", "allOf"].into_iter().any(says) {
            return Kind::Any;
        }
        if let Some(words) = place.words() {
            return Kind::Choice(words);
        }
        let mut forms: Vec<Place<'_>> = place.list("anyOf");
        forms.extend(place.list("oneOf"));
        forms.retain(|form| form.types() != ["null"]);
        match forms.as_slice() {
            [] => place.plain(),
            [only] => only.kind(),
            several => several.iter().map(|form| form.kind()).reduce(either).unwrap_or(Kind::Json),
        }
    }

    fn plain(self) -> Kind {
        let types: Vec<&str> = self.types().into_iter().filter(|t| *t != "null").collect();
        let each = types.iter().map(|name| match *name {
            "integer" => Kind::Whole { min: self.bound("minimum"), max: self.bound("maximum") },
            "number" => Kind::Number,
            "boolean" => Kind::YesNo,
            "string" => Kind::Text { or_object: false, or_number: false, or_bool: false },
            "array" => {
                let items = self.schema.get("items").map(|items| self.at(items).kind());
                Kind::List(Box::new(items.unwrap_or(Kind::Json)))
            }
            _ => Kind::Json,
        });
        each.reduce(either).unwrap_or(Kind::Json)
    }

    fn bound(self, name: &str) -> Option<i128> {
        let bound = self.schema.get(name)?;
        let whole = bound.as_i64().map(i128::from).or(bound.as_u64().map(i128::from));
        whole.or(bound.as_f64().map(|b| b as i128))
    }
}

/// What may be either of two kinds.
fn either(one: Kind, other: Kind) -> Kind {
    let text = |or_object, or_number, or_bool| Kind::Text { or_object, or_number, or_bool };
    match (one, other) {
        (Kind::Text { or_object: a, or_number: b, or_bool: c }, other)
        | (other, Kind::Text { or_object: a, or_number: b, or_bool: c }) => match other {
            Kind::Text { or_object, or_number, or_bool } => {
                text(a || or_object, b || or_number, c || or_bool)
            }
            Kind::Whole { .. } | Kind::Number => text(a, true, c),
            Kind::YesNo => text(a, b, true),
            Kind::Choice(_) => text(a, b, c),
            Kind::List(_) | Kind::Json | Kind::Any => text(true, b, c),
        },
        (Kind::Whole { .. } | Kind::Number, Kind::Whole { .. } | Kind::Number) => Kind::Number,
        (Kind::Choice(one), Kind::Choice(other)) => Kind::Choice([one, other].concat()),
        _ => Kind::Json,
    }
}

impl Kind {
    /// What stands for the value in a usage line.
    pub(crate) fn placeholder(&self) -> String {
        match self {
            Kind::Whole { .. } => "N".to_owned(),
            Kind::Number => "NUMBER".to_owned(),
            Kind::YesNo => "true|false".to_owned(),
            Kind::Choice(words) => words.join("|"),
            Kind::List(of) => of.placeholder(),
            Kind::Text { .. } => "TEXT".to_owned(),
            Kind::Json => "JSON".to_owned(),
            Kind::Any => "VALUE".to_owned(),
        }
    }

    /// The value that a word on the command line means. `name` is how the caller said whose value it is.
    pub(crate) fn value(&self, name: &str, word: &str) -> Result<Value> {
        match self {
            Kind::Whole { min, max } => whole(name, word, *min, *max),
            Kind::Number => number(word).ok_or_else(|| {
                Error::invalid(format!("{name} takes a number, not {word:?}"), "write it as 12 or 0.5")
            }),
            Kind::YesNo => match word {
                "true" | "yes" => Ok(true.into()),
                "false" | "no" => Ok(false.into()),
                _ => Err(Error::invalid(
                    format!("{name} is true or false, not {word:?}"),
                    format!("{name}=false turns it off"),
                )),
            },
            Kind::Choice(words) if words.iter().any(|w| w == word) => Ok(word.into()),
            Kind::Choice(words) => Err(Error::invalid(
                format!("{name} cannot be {word:?}"),
                format!("it is one of {}", words.join(", ")),
            )),
            Kind::List(of) => of.value(name, word),
            Kind::Text { or_object, or_number, or_bool } => {
                if *or_object && word.trim_start().starts_with('{') {
                    return json(name, word);
                }
                if *or_bool && (word == "true" || word == "false") {
                    return Ok((word == "true").into());
                }
                // "007" and "1e3" are words; only what a number would be written as is one.
                let is_plain = |n: &Value| *or_number && format!("{n}") == word;
                let plain = number(word).filter(is_plain);
                Ok(plain.unwrap_or_else(|| word.into()))
            }
            Kind::Json => json(name, word),
            Kind::Any => Ok(serde_json::from_str(word).unwrap_or_else(|_| word.into())),
        }
    }
}

fn json(name: &str, word: &str) -> Result<Value> {
    serde_json::from_str(word).map_err(|e| {
        Error::invalid(
            format!("{name} takes JSON, and {word:?} is none: {e}"),
            r#"for example '{"role": "button"}'"#,
        )
    })
}

fn number(word: &str) -> Option<Value> {
    if let Ok(whole) = word.parse::<i64>() {
        return Some(whole.into());
    }
    word.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number)
}

fn whole(name: &str, word: &str, min: Option<i128>, max: Option<i128>) -> Result<Value> {
    let range = match (min, max) {
        (Some(min), Some(max)) => format!("from {min} to {max}"),
        (Some(min), None) => format!("of at least {min}"),
        (None, Some(max)) => format!("of at most {max}"),
        (None, None) => "that fits into 64 bits".to_owned(),
    };
    let wrong = |why: &str| {
        Error::invalid(
            format!("{name} {why}: {word}"),
            format!("give a whole number {range}, such as {name} 500"),
        )
    };
    let Ok(whole) = word.trim().parse::<i128>() else {
        let digits = word.trim().trim_start_matches(['-', '+']);
        let too_long = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        return Err(wrong(if too_long { "is absurdly large" } else { "is not a whole number" }));
    };
    if min.is_some_and(|min| whole < min) {
        return Err(wrong(if whole < 0 { "cannot be negative" } else { "is too small" }));
    }
    if max.is_some_and(|max| whole > max) {
        return Err(wrong("is too large"));
    }
    let fits = u64::try_from(whole).map(Value::from).or(i64::try_from(whole).map(Value::from));
    fits.map_err(|_| wrong("is absurdly large"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kind(schema: &Value) -> Kind {
        Place { schema, document: schema }.kind()
    }

    const TEXT: Kind = Kind::Text { or_object: false, or_number: false, or_bool: false };

    #[test]
    fn an_optional_number_is_a_number() {
        let schema = json!({"type": ["integer", "null"], "format": "uint64", "minimum": 0});
        assert_eq!(kind(&schema), Kind::Whole { min: Some(0), max: None });
    }

    #[test]
    fn documented_variants_are_choices() {
        let schema = json!({"anyOf": [{"$ref": "#/$defs/S"}, {"type": "null"}],
            "$defs": {"S": {"oneOf": [{"const": "screen", "type": "string"}, {"const": "subtree", "type": "string"}]}}});
        assert_eq!(kind(&schema), Kind::Choice(vec!["screen".into(), "subtree".into()]));
    }

    #[test]
    fn a_selector_is_text_or_an_object() {
        let schema = json!({"anyOf": [{"type": "string"}, {"type": "object"}]});
        let kind = kind(&schema);
        assert_eq!(kind.value("SELECTOR", "button \"Save\"").unwrap(), json!("button \"Save\""));
        assert_eq!(kind.value("SELECTOR", r#"{"role":"button"}"#).unwrap(), json!({"role": "button"}));
        assert!(kind.value("SELECTOR", "{oops").is_err());
    }

    #[test]
    fn a_list_takes_one_item_at_a_time() {
        let schema = json!({"type": "array", "items": {"type": "string"}});
        assert_eq!(kind(&schema), Kind::List(Box::new(TEXT)));
    }

    #[test]
    fn a_value_keeps_how_it_was_written_unless_it_is_a_number() {
        let kind = kind(&json!({"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "boolean"}]}));
        assert_eq!(kind.value("VALUE", "12").unwrap(), json!(12));
        assert_eq!(kind.value("VALUE", "0.5").unwrap(), json!(0.5));
        assert_eq!(kind.value("VALUE", "007").unwrap(), json!("007"));
        assert_eq!(kind.value("VALUE", "true").unwrap(), json!(true));
    }

    #[test]
    fn what_may_be_anything_is_json_or_words() {
        let kind = kind(&json!({"description": "What it must be."}));
        assert_eq!(kind.value("EXPECTED", "true").unwrap(), json!(true));
        assert_eq!(kind.value("EXPECTED", "\"12\"").unwrap(), json!("12"));
        assert_eq!(kind.value("EXPECTED", "boots").unwrap(), json!("boots"));
    }

    #[test]
    fn numbers_that_make_no_sense_are_explained() {
        let kind = Kind::Whole { min: Some(0), max: None };
        for (word, said) in [
            ("-5", "cannot be negative"),
            ("soon", "is not a whole number"),
            ("1.5", "is not a whole number"),
            ("99999999999999999999", "absurdly large"),
            ("9999999999999999999999999999999999999999999999", "absurdly large"),
        ] {
            let error = kind.value("--timeout-ms", word).unwrap_err();
            assert!(error.message.contains(said), "{word}: {error}");
            assert!(!error.hint.is_empty());
        }
        assert_eq!(kind.value("--timeout-ms", "18446744073709551615").unwrap(), json!(u64::MAX));
    }
}
