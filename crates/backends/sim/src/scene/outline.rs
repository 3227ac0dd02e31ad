//! Text → lines with their tokens, nested by indentation. Knows nothing of what the words mean.

use super::ParseError;
use super::layout::MOST;
use stillpoint_core::tree::Rect;

/// One piece of a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A bare word or an operator.
    Word(String),
    /// `"quoted"`.
    Text(String),
    /// `#id`.
    Id(String),
    /// `=value` or `="value"`.
    Value(String),
    /// `[state not state]`, its words.
    States(Vec<String>),
    /// `@x,y,w,h`.
    Place(Rect),
    /// `{expression}`.
    Expr(String),
    /// `name="text"` or `name=word`.
    Field(String, String),
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Word(w) => write!(f, "`{w}`"),
            Token::Text(t) => write!(f, "{t:?}"),
            Token::Id(id) => write!(f, "`#{id}`"),
            Token::Value(v) => write!(f, "`={v}`"),
            Token::States(words) => write!(f, "`[{}]`", words.join(" ")),
            Token::Place(_) => f.write_str("a place `@x,y,w,h`"),
            Token::Expr(e) => write!(f, "`{{{e}}}`"),
            Token::Field(name, _) => write!(f, "`{name}=`"),
        }
    }
}

/// One line with what is indented under it.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) tokens: Vec<Token>,
    /// It ended with a colon: what follows belongs to it.
    pub(super) opens: bool,
    pub(super) inside: Vec<Line>,
}

/// The first comment of a scene, and its lines.
pub(super) fn outline(text: &str) -> Result<(String, Vec<Line>), ParseError> {
    let mut about = None;
    let mut flat: Vec<(usize, Line)> = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let number = index + 1;
        let content = raw.trim();
        if let Some(comment) = content.strip_prefix("//") {
            about.get_or_insert_with(|| comment.trim().to_owned());
            continue;
        }
        if content.is_empty() {
            continue;
        }
        let indent = raw.len() - raw.trim_start().len();
        if raw[..indent].contains('\t') {
            return Err(ParseError::new(number, "spaces for indentation", "a tab"));
        }
        let (tokens, opens) = Lexer { rest: content, number }.tokens()?;
        flat.push((indent, Line { number, tokens, opens, inside: Vec::new() }));
    }
    Ok((about.unwrap_or_default(), nest(flat)?))
}

fn nest(flat: Vec<(usize, Line)>) -> Result<Vec<Line>, ParseError> {
    let mut open: Vec<(usize, Line)> = Vec::new();
    let mut done: Vec<Line> = Vec::new();
    let close = |open: &mut Vec<(usize, Line)>, done: &mut Vec<Line>| {
        if let Some((_, line)) = open.pop() {
            match open.last_mut() {
                Some((_, parent)) => parent.inside.push(line),
                None => done.push(line),
            }
        }
    };
    for (indent, line) in flat {
        let mut left = None;
        while open.last().is_some_and(|(at, _)| *at >= indent) {
            left = open.last().map(|(at, _)| *at);
            close(&mut open, &mut done);
        }
        let fits = left.is_none_or(|at| at == indent);
        if !fits || (open.is_empty() && indent != 0) {
            return Err(ParseError::new(
                line.number,
                "the indentation of one of the lines above",
                format!("{indent} spaces"),
            ));
        }
        open.push((indent, line));
    }
    while !open.is_empty() {
        close(&mut open, &mut done);
    }
    Ok(done)
}

struct Lexer<'a> {
    rest: &'a str,
    number: usize,
}

impl Lexer<'_> {
    fn tokens(mut self) -> Result<(Vec<Token>, bool), ParseError> {
        let mut tokens = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() || self.rest.starts_with("//") {
                return Ok((tokens, false));
            }
            if self.rest == ":" {
                return Ok((tokens, true));
            }
            tokens.push(self.token()?);
        }
    }

    fn token(&mut self) -> Result<Token, ParseError> {
        if self.rest.starts_with('"') {
            return Ok(Token::Text(self.quoted()?));
        }
        if self.rest.starts_with('[') {
            let words = self.until(']')?;
            return Ok(Token::States(
                words.split([' ', ',']).filter(|w| !w.is_empty()).map(str::to_owned).collect(),
            ));
        }
        if self.rest.starts_with('{') {
            let expr = self.until('}')?;
            // `{delay}ms` is one span of time.
            let unit = self.bare();
            return Ok(if unit.is_empty() {
                Token::Expr(expr)
            } else {
                Token::Word(format!("{{{expr}}}{unit}"))
            });
        }
        if self.rest.starts_with('@') {
            let word = self.bare();
            return place(&word[1..]).map(Token::Place).ok_or_else(|| {
                ParseError::new(self.number, "a place such as @10,20,300,40", format!("`{word}`"))
            });
        }
        if self.rest.starts_with('=') && !self.rest.starts_with("==") {
            self.rest = &self.rest[1..];
            let value = if self.rest.starts_with('"') { self.quoted()? } else { self.bare() };
            return Ok(Token::Value(value));
        }
        let word = self.bare();
        if let Some(id) = word.strip_prefix('#') {
            if id.is_empty() {
                return Err(ParseError::new(self.number, "an id after `#`", "nothing"));
            }
            return Ok(Token::Id(id.to_owned()));
        }
        match word.split_once('=') {
            Some((name, "")) if name.chars().all(char::is_alphabetic) && self.rest.starts_with('"') => {
                Ok(Token::Field(name.to_owned(), self.quoted()?))
            }
            Some((name, value))
                if !name.is_empty() && !value.is_empty() && name.chars().all(char::is_alphabetic) =>
            {
                Ok(Token::Field(name.to_owned(), value.to_owned()))
            }
            _ => Ok(Token::Word(word)),
        }
    }

    /// Everything up to white space, a quote, or the colon that ends the line.
    fn bare(&mut self) -> String {
        let end = self.rest.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(self.rest.len());
        let end = if self.rest[..end].ends_with(':') && end == self.rest.len() { end - 1 } else { end };
        let word = self.rest[..end].to_owned();
        self.rest = &self.rest[end..];
        word
    }

    fn until(&mut self, close: char) -> Result<String, ParseError> {
        let Some(end) = self.rest.find(close) else {
            return Err(ParseError::new(self.number, format!("`{close}`"), "the end of the line"));
        };
        let inside = self.rest[1..end].to_owned();
        self.rest = &self.rest[end + 1..];
        Ok(inside)
    }

    fn quoted(&mut self) -> Result<String, ParseError> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(text);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, c @ ('"' | '\\'))) => text.push(c),
                    _ => return Err(ParseError::new(self.number, r#"\n, \" or \\"#, "another escape")),
                },
                c => text.push(c),
            }
        }
        Err(ParseError::new(self.number, "a closing quote", "the end of the line"))
    }
}

/// `x,y,w,h` as a rectangle.
pub(super) fn place(text: &str) -> Option<Rect> {
    let numbers: Vec<i32> = text.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
    match numbers[..] {
        [x, y, w, h] if w >= 0 && h >= 0 && numbers.iter().all(|n| (-MOST..=MOST).contains(n)) => {
            Some(Rect::new(x, y, w, h))
        }
        _ => None,
    }
}
