//! Reading the selector language. Every failure knows where it is and what would have been right there.

use super::fault::{Fault, Problem};
use super::selector::{Attribute, Filter, Part, Pattern, Selector, Words, is_name_char};
use crate::tree::{ElementId, Role, State, StateValue};
use winnow::ascii::multispace0;
use winnow::combinator::{cut_err, opt, peek, preceded, separated};
use winnow::error::ErrMode;
use winnow::token::{any, one_of, take_while};
use winnow::{ModalResult, Parser};

type Parsed<T> = ModalResult<T, Fault>;

/// Selectors longer than this are refused: nobody means them.
const LONGEST: usize = 16 * 1024;

/// Reads a whole selector.
pub(super) fn parse(text: &str) -> crate::Result<Selector> {
    let mut rest = text;
    if text.len() > LONGEST {
        return Err(Fault::at("", "a selector of at most 16384 bytes").into_error(text));
    }
    match selector(&mut rest) {
        Ok(selector) => Ok(selector),
        Err(ErrMode::Backtrack(fault) | ErrMode::Cut(fault)) => Err(fault.into_error(text)),
        Err(ErrMode::Incomplete(_)) => Err(Fault::at(rest, ANYTHING).into_error(text)),
    }
}

const ANYTHING: &str = r#"a role, "text", ~"part of a text", /pattern/, #id, [state] or an element id"#;

/// Stops reading: what was read so far leaves no other choice.
fn wrong<T>(rest: &str, expected: &'static str) -> Parsed<T> {
    Err(ErrMode::Cut(Fault::at(rest, expected)))
}

fn wrong_because<T>(rest: &str, expected: &'static str, problem: Problem) -> Parsed<T> {
    Err(ErrMode::Cut(Fault::at(rest, expected).because(problem)))
}

fn selector(input: &mut &str) -> Parsed<Selector> {
    let parts: Vec<Part> = separated(1.., cut_err(part), (multispace0, ">>")).parse_next(input)?;
    multispace0(input)?;
    match (input.is_empty(), Selector::new(parts)) {
        (true, Some(selector)) => Ok(selector),
        _ => wrong(input, "`>>`, `[` or the end of the selector"),
    }
}

fn part(input: &mut &str) -> Parsed<Part> {
    multispace0(input)?;
    let start = *input;
    let mut part = Part::default();
    if let Some(word) = opt(word).parse_next(input)? {
        head(start, word, &mut part)?;
    }
    if part.element.is_none() {
        part.name = opt(preceded((multispace0, '#'), cut_err(name))).parse_next(input)?;
        multispace0(input)?;
        part.words = opt(words).parse_next(input)?;
    }
    brackets(input, &mut part)?;
    if part.is_empty() {
        return wrong(start, if part.index.is_some() { "what `[n]` counts, before it" } else { ANYTHING });
    }
    Ok(part)
}

/// A bare word: an element id or a role, and nothing else.
fn head(start: &str, word: &str, part: &mut Part) -> Parsed<()> {
    if let Ok(id) = word.parse::<ElementId>() {
        part.element = Some(id);
    } else if let Some(role) = role_named(word) {
        part.role = Some(role);
    } else {
        return wrong_because(
            start,
            "a role or a text in double quotes",
            Problem::UnknownWord(word.to_owned()),
        );
    }
    Ok(())
}

fn word<'i>(input: &mut &'i str) -> Parsed<&'i str> {
    (one_of(char::is_alphabetic), take_while(0.., |c: char| c.is_alphanumeric() || c == '_' || c == '-'))
        .take()
        .parse_next(input)
}

/// The role with this name, in any case and with `-` or `_` between its words, or by a name that other tools use
/// for exactly one role of ours.
pub(super) fn role_named(word: &str) -> Option<Role> {
    let plain: String =
        word.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect();
    Role::from_name(&plain).or_else(|| {
        Some(match plain.as_str() {
            "pushbutton" => Role::Button,
            "input" | "textfield" | "textinput" | "textarea" | "entry" | "edit" => Role::Textbox,
            "searchfield" => Role::Searchbox,
            "select" | "dropdown" => Role::Combobox,
            "radiobutton" => Role::Radio,
            "spinbox" => Role::Spinbutton,
            "tabitem" | "pagetab" => Role::Tab,
            "progress" => Role::Progressbar,
            "img" => Role::Image,
            "hyperlink" => Role::Link,
            _ => return None,
        })
    })
}

fn name(input: &mut &str) -> Parsed<String> {
    if input.starts_with('"') {
        let start = *input;
        let text = quoted(input)?;
        return if text.is_empty() { wrong(start, "a stable id or test tag") } else { Ok(text) };
    }
    let bare = take_while(1.., is_name_char).parse_next(input);
    bare.map(str::to_owned).or_else(|_: ErrMode<Fault>| wrong(input, "a stable id or test tag"))
}

fn words(input: &mut &str) -> Parsed<Words> {
    match peek(any).parse_next(input)? {
        '"' => quoted(input).map(Words::Exact),
        '~' => {
            any(input)?;
            multispace0(input)?;
            let start = *input;
            match quoted(input)? {
                text if text.is_empty() => wrong(start, "at least one character to look for"),
                text => Ok(Words::Contains(text)),
            }
        }
        '/' => pattern(input).map(Words::Matches),
        _ => Err(ErrMode::Backtrack(Fault::at(input, ANYTHING))),
    }
}

fn quoted(input: &mut &str) -> Parsed<String> {
    if !input.starts_with('"') {
        return wrong(input, "a text in double quotes");
    }
    any(input)?;
    let mut text = String::new();
    loop {
        let plain = take_while(0.., |c| c != '"' && c != '\\').parse_next(input)?;
        text.push_str(plain);
        let Some(mark) = input.chars().next() else { return wrong(input, "a closing `\"`") };
        any(input)?;
        if mark == '"' {
            return Ok(text);
        }
        text.push(escape(input)?);
    }
}

fn escape(input: &mut &str) -> Parsed<char> {
    const ESCAPES: &str = "one of the escapes \\\" \\\\ \\n \\t \\uXXXX";
    let start = *input;
    let Some(mark) = input.chars().next() else { return wrong(start, ESCAPES) };
    any(input)?;
    Ok(match mark {
        '"' | '\\' | '/' => mark,
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'u' => {
            let digits: Parsed<&str> = take_while(4..=4, |c: char| c.is_ascii_hexdigit()).parse_next(input);
            let code = digits.ok().and_then(|d| u32::from_str_radix(d, 16).ok()).and_then(char::from_u32);
            match code {
                Some(c) => c,
                None => return wrong(start, "four hexadecimal digits of a character after `\\u`"),
            }
        }
        _ => return wrong(start, ESCAPES),
    })
}

fn pattern(input: &mut &str) -> Parsed<Pattern> {
    let start = *input;
    any(input)?;
    let mut source = String::new();
    loop {
        let Some(c) = input.chars().next() else { return wrong(input, "a closing `/`") };
        any(input)?;
        match (c, input.chars().next()) {
            ('/', _) => break,
            // What follows a backslash belongs to it, whatever it is.
            ('\\', Some(next)) => {
                any(input)?;
                source.extend([c, next]);
            }
            _ => source.push(c),
        }
    }
    if source.is_empty() {
        return wrong(start, "a regular expression between the slashes");
    }
    let after = *input;
    let flags = take_while(0.., char::is_alphanumeric).parse_next(input)?;
    if !matches!(flags, "" | "i") {
        return wrong(after, "no flag, or `i` for any case");
    }
    Pattern::new(&source, flags == "i").or_else(|why| {
        wrong_because(start, "a regular expression that can be read", Problem::BadPattern(why.0))
    })
}

fn brackets(input: &mut &str, part: &mut Part) -> Parsed<()> {
    while opt((multispace0, '[')).parse_next(input)?.is_some() {
        multispace0(input)?;
        if part.index.is_some() {
            return wrong(input, "nothing more: an index comes last");
        }
        let start = *input;
        let digits = take_while(0.., |c: char| c.is_ascii_digit()).parse_next(input)?;
        if digits.is_empty() {
            part.filters.push(filter(input)?);
        } else {
            match digits.parse() {
                Ok(index) => part.index = Some(index),
                Err(_) => return wrong(start, "a smaller index"),
            }
        }
        multispace0(input)?;
        if opt(']').parse_next(input)?.is_none() {
            return wrong(input, "`]`");
        }
    }
    Ok(())
}

fn filter(input: &mut &str) -> Parsed<Filter> {
    const NAMES: &str =
        "an index, a state such as enabled, or one of value=, text=, label=, description=, native=, id=";
    let start = *input;
    let Some(word) = opt(word).parse_next(input)? else { return wrong(start, NAMES) };
    let equals = opt((multispace0, '=', multispace0)).parse_next(input)?.is_some();
    let key = word.to_lowercase().replace('-', "_");
    if let Some(attribute) = Attribute::from_name(&key) {
        if !equals {
            return wrong(input, "`=` and a text in double quotes");
        }
        return Ok(Filter::Attribute(attribute, attribute_text(input)?));
    }
    let Some(state) = State::from_name(&key) else {
        return wrong_because(start, NAMES, Problem::UnknownFilter(word.to_owned()));
    };
    if !equals {
        return Ok(Filter::State(state, StateValue::On));
    }
    let start = *input;
    let value = opt(word_of_value).parse_next(input)?;
    Ok(Filter::State(
        state,
        match value {
            Some("true") => StateValue::On,
            Some("false") => StateValue::Off,
            Some("mixed") if state == State::Checked => StateValue::Mixed,
            _ if state == State::Checked => return wrong(start, "true, false or mixed"),
            _ => return wrong(start, "true or false"),
        },
    ))
}

fn word_of_value<'i>(input: &mut &'i str) -> Parsed<&'i str> {
    take_while(1.., |c: char| c.is_alphanumeric() || "._-+%".contains(c)).parse_next(input)
}

/// A text in quotes; numbers and single words may go without.
fn attribute_text(input: &mut &str) -> Parsed<String> {
    if input.starts_with('"') {
        return quoted(input);
    }
    match opt(word_of_value).parse_next(input)? {
        Some(word) => Ok(word.to_owned()),
        None => wrong(input, "a text in double quotes"),
    }
}
