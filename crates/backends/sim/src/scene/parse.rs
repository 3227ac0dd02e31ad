//! Lines → a scene. Errors say where, what would have been right, and what was there.

use super::expr::Wording;
use super::outline::{Line, Token, outline};
use super::parse_steps::{handler, id_of};
use super::{Element, IdleWord, ParseError, Scene};
use std::collections::BTreeMap;
use stillpoint_core::tree::{Rect, Role, State, StateValue, ValueRange};

/// Understands the text of a scene.
///
/// ```
/// let scene = stillpoint_sim::scene::parse("// hello: one button.\nbutton \"Hello\" #hello").unwrap();
/// assert_eq!(scene.about(), "hello: one button.");
/// let error = stillpoint_sim::scene::parse("buton \"Hello\"").unwrap_err();
/// assert_eq!(error.line, 1);
/// ```
pub fn parse(text: &str) -> Result<Scene, ParseError> {
    let (about, lines) = outline(text)?;
    let mut scene = Scene {
        about,
        title: None,
        url: None,
        idle: IdleWord::Never,
        options: BTreeMap::new(),
        root: Element::default(),
        templates: BTreeMap::new(),
        handlers: Vec::new(),
    };
    let mut tops = Vec::new();
    for line in &lines {
        match word(line) {
            Some("title") => scene.title = Some(one_text(line)?),
            Some("url") => scene.url = Some(one_text(line)?),
            Some("idle") => scene.idle = idle_word(line)?,
            Some("option") => {
                let (name, number) = option(line)?;
                scene.options.insert(name, number);
            }
            Some("template") => {
                let (name, element) = template(line)?;
                scene.templates.insert(name, element);
            }
            Some("on") => scene.handlers.push(handler(line)?),
            _ => tops.push(element_tree(line)?),
        }
    }
    scene.root = rooted(tops, lines.last().map_or(1, |l| l.number))?;
    check_templates(&scene, &lines)?;
    Ok(scene)
}

/// One application around everything, as every platform has it.
fn rooted(mut tops: Vec<Element>, last: usize) -> Result<Element, ParseError> {
    let mut root = match tops.len() {
        0 => {
            return Err(ParseError::new(
                last,
                "an element, such as `window \"Main\"`",
                "no element in the scene",
            ));
        }
        1 if tops[0].role == Role::Application => tops.remove(0),
        _ => Element {
            role: Role::Application,
            label: "Simulator".into(),
            children: tops,
            ..Element::default()
        },
    };
    root.place.get_or_insert(Rect::new(0, 0, 800, 600));
    if !root.children.iter().any(|c| c.role.is_window()) {
        let children = std::mem::take(&mut root.children);
        let window =
            Element { role: Role::Window, label: root.label.clone(), children, ..Element::default() };
        root.children.push(window);
    }
    Ok(root)
}

fn check_templates(scene: &Scene, lines: &[Line]) -> Result<(), ParseError> {
    fn walk<'a>(line: &'a Line, found: &mut Vec<(usize, &'a str)>) {
        for pair in line.tokens.windows(2) {
            if let [Token::Word(verb), Token::Word(name)] = pair
                && (verb == "add" || verb == "with")
                && Role::from_name(name).is_none()
            {
                found.push((line.number, name));
            }
        }
        line.inside.iter().for_each(|l| walk(l, found));
    }
    let mut used = Vec::new();
    lines.iter().filter(|l| word(l) == Some("on")).for_each(|l| walk(l, &mut used));
    for (number, name) in used {
        if !scene.templates.contains_key(name) {
            return Err(ParseError::new(
                number,
                "a role or the name of a template of this scene",
                format!("`{name}`"),
            ));
        }
    }
    Ok(())
}

pub(super) fn word(line: &Line) -> Option<&str> {
    match line.tokens.first() {
        Some(Token::Word(word)) => Some(word),
        _ => None,
    }
}

fn one_text(line: &Line) -> Result<String, ParseError> {
    match &line.tokens[1..] {
        [Token::Text(text)] => Ok(text.clone()),
        other => Err(ParseError::new(line.number, "one quoted text", shown(other))),
    }
}

fn idle_word(line: &Line) -> Result<IdleWord, ParseError> {
    let words: Vec<String> = line.tokens[1..].iter().map(Token::to_string).collect();
    match words.join(" ").as_str() {
        "`sdk`" => Ok(IdleWord::Always),
        "`sdk` `on` `request`" => Ok(IdleWord::OnRequest),
        _ => {
            Err(ParseError::new(line.number, "`idle sdk` or `idle sdk on request`", shown(&line.tokens[1..])))
        }
    }
}

fn option(line: &Line) -> Result<(String, f64), ParseError> {
    if let [_, Token::Word(name), Token::Value(number)] = &line.tokens[..]
        && let Ok(number) = number.parse::<f64>()
    {
        return Ok((name.clone(), number));
    }
    Err(ParseError::new(line.number, "an option such as `option delay =500`", shown(&line.tokens[1..])))
}

fn template(line: &Line) -> Result<(String, Element), ParseError> {
    let [_, Token::Word(name)] = &line.tokens[..] else {
        return Err(ParseError::new(line.number, "`template NAME:`", shown(&line.tokens)));
    };
    if Role::from_name(name).is_some() {
        return Err(ParseError::new(line.number, "a name that is not a role", format!("`{name}`")));
    }
    match &line.inside[..] {
        [only] => Ok((name.clone(), element_tree(only)?)),
        many => Err(ParseError::new(
            line.number,
            "one element in the template",
            format!("{} of them", many.len()),
        )),
    }
}

pub(super) fn shown(tokens: &[Token]) -> String {
    if tokens.is_empty() {
        return "the end of the line".to_owned();
    }
    tokens.iter().map(Token::to_string).collect::<Vec<_>>().join(" ")
}

fn element_tree(line: &Line) -> Result<Element, ParseError> {
    if line.opens {
        return Err(ParseError::new(line.number, "an element without a colon", "a colon"));
    }
    let mut element = element(line.number, &line.tokens)?;
    element.children = line.inside.iter().map(element_tree).collect::<Result<_, _>>()?;
    Ok(element)
}

/// One element from the tokens of its line.
pub(super) fn element(number: usize, tokens: &[Token]) -> Result<Element, ParseError> {
    let role = match tokens.first() {
        Some(Token::Word(name)) => Role::from_name(name),
        _ => None,
    };
    let Some(role) = role else {
        return Err(ParseError::new(
            number,
            "a role such as `button`, or `on`, `template`, `title`, `url`, `idle`, `option`",
            shown(tokens.get(..1).unwrap_or_default()),
        ));
    };
    let mut element = Element { role, ..Element::default() };
    for token in &tokens[1..] {
        match token {
            Token::Text(text) => element.label = Wording(text.clone()),
            Token::Id(id) => element.id = Wording(id.clone()),
            Token::Value(value) => element.value = Some(Wording(value.clone())),
            Token::Place(place) => element.place = Some(*place),
            Token::States(words) => element.states = states(number, words)?,
            Token::Field(name, text) => field(number, &mut element, name, text)?,
            other => {
                return Err(ParseError::new(
                    number,
                    "\"label\", #id, =value, [states], @x,y,w,h, text=, hint=, tag= or range=",
                    other.to_string(),
                ));
            }
        }
    }
    Ok(element)
}

fn field(number: usize, element: &mut Element, name: &str, text: &str) -> Result<(), ParseError> {
    match name {
        "text" => element.text = Some(text.into()),
        "hint" => element.description = Some(text.into()),
        "tag" => element.tag = Some(text.to_owned()),
        "range" => {
            let range = range(text).ok_or_else(|| {
                ParseError::new(number, "a range such as range=0..100/5", format!("`{text}`"))
            })?;
            element.range = Some(range);
        }
        _ => return Err(ParseError::new(number, "text=, hint=, tag= or range=", format!("`{name}=`"))),
    }
    Ok(())
}

fn range(text: &str) -> Option<ValueRange> {
    let (limits, step) = match text.split_once('/') {
        Some((limits, step)) => (limits, Some(step.parse::<f64>().ok().filter(|s| *s > 0.0)?)),
        None => (text, None),
    };
    let (min, max) = limits.split_once("..")?;
    let (min, max) = (min.parse::<f64>().ok()?, max.parse::<f64>().ok()?);
    (min <= max).then_some(ValueRange { min, max, step })
}

fn states(number: usize, words: &[String]) -> Result<Vec<(State, StateValue)>, ParseError> {
    let mut states = Vec::new();
    let mut words = words.iter();
    while let Some(first) = words.next() {
        let (name, value) = match first.as_str() {
            "not" => (words.next(), StateValue::Off),
            "mixed" => (words.next(), StateValue::Mixed),
            _ => (Some(first), StateValue::On),
        };
        let name = name.map_or("", String::as_str);
        states.push((state(number, name)?, value));
    }
    Ok(states)
}

pub(super) fn state(number: usize, name: &str) -> Result<State, ParseError> {
    State::from_name(name).ok_or_else(|| {
        let known = State::ALL.map(State::name).join(", ");
        ParseError::new(number, format!("a state ({known})"), format!("`{name}`"))
    })
}

/// The id that a token must be.
pub(super) fn wanted_id(line: &Line, token: Option<&Token>) -> Result<Wording, ParseError> {
    id_of(token).ok_or_else(|| ParseError::new(line.number, "an id such as `#save`", token_text(token)))
}

pub(super) fn token_text(token: Option<&Token>) -> String {
    token.map_or_else(|| "the end of the line".to_owned(), Token::to_string)
}
