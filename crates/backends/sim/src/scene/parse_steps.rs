//! Handlers: what starts them, and their steps.

use super::expr::{COMPARISONS, Condition, Operand, Span, Test, Wording};
use super::outline::{Line, Token, place};
use super::parse::{element, shown, state, token_text, wanted_id};
use super::{Again, Deed, Handler, ParseError, Piece, Setting, Step, Trigger, VERBS};
use std::sync::Arc;
use stillpoint_core::tree::{Role, State, StateValue};

/// `on TRIGGER [restart|once]:` with its steps.
pub(super) fn handler(line: &Line) -> Result<Handler, ParseError> {
    if !line.opens {
        return Err(ParseError::new(line.number, "a colon at the end of `on …:`", "the end of the line"));
    }
    let mut tokens = &line.tokens[1..];
    let mut again = Again::Parallel;
    if let [rest @ .., Token::Word(last)] = tokens {
        match last.as_str() {
            "restart" => (again, tokens) = (Again::Restart, rest),
            "once" => (again, tokens) = (Again::Once, rest),
            _ => {}
        }
    }
    Ok(Handler { on: triggers(line, tokens)?, again, body: steps(&line.inside)? })
}

fn triggers(line: &Line, tokens: &[Token]) -> Result<Vec<Trigger>, ParseError> {
    let expected = || {
        let verbs = VERBS.map(|(name, _)| name).join(", ");
        format!("`attach`, `key ctrl+s [in #id]`, `drop #source on #target`, or one of {verbs} with ids")
    };
    let fail = || ParseError::new(line.number, expected(), shown(tokens));
    match tokens {
        [Token::Word(w)] if w == "attach" => Ok(vec![Trigger::Attach]),
        [Token::Word(w), Token::Word(chord)] if w == "key" => {
            Ok(vec![Trigger::Key { chord: chord_name(chord), within: None }])
        }
        [Token::Word(w), Token::Word(chord), Token::Word(i), Token::Id(id)] if w == "key" && i == "in" => {
            Ok(vec![Trigger::Key { chord: chord_name(chord), within: Some(id.clone()) }])
        }
        [Token::Word(w), Token::Id(source), Token::Word(on), Token::Id(target)]
            if w == "drop" && on == "on" =>
        {
            Ok(vec![Trigger::Drop { source: source.clone(), target: target.clone() }])
        }
        [Token::Word(name), ids @ ..] if !ids.is_empty() => {
            let (_, verb) = VERBS.into_iter().find(|(known, _)| known == name).ok_or_else(fail)?;
            let id = |token: &Token| id_of(Some(token)).map(|id| Trigger::On(verb, id.0));
            ids.iter().map(|token| id(token).ok_or_else(fail)).collect()
        }
        _ => Err(fail()),
    }
}

/// A key in one spelling: modifiers in a fixed order, letters small.
pub(crate) fn chord_name(written: &str) -> String {
    let mut parts: Vec<&str> = written.split('+').collect();
    let key = parts.pop().unwrap_or_default();
    let mut name = String::new();
    for modifier in ["ctrl", "alt", "shift", "meta"] {
        if parts.iter().any(|p| p.eq_ignore_ascii_case(modifier)) {
            name.push_str(modifier);
            name.push('+');
        }
    }
    name + &key.to_lowercase()
}

/// The id in a token; a comma after it is allowed in lists.
pub(super) fn id_of(token: Option<&Token>) -> Option<Wording> {
    match token {
        Some(Token::Id(id)) => Some(Wording(id.trim_end_matches(',').to_owned())),
        _ => None,
    }
}

fn steps(lines: &[Line]) -> Result<Arc<[Step]>, ParseError> {
    let mut steps = Vec::new();
    for line in lines {
        step(line, &line.tokens, &mut steps)?;
    }
    Ok(steps.into())
}

fn step(line: &Line, tokens: &[Token], steps: &mut Vec<Step>) -> Result<(), ParseError> {
    let Some(Token::Word(first)) = tokens.first() else {
        return Err(ParseError::new(
            line.number,
            "a step such as `after 100ms set #x visible`",
            shown(tokens),
        ));
    };
    match first.as_str() {
        "after" => {
            let span = span(line, tokens.get(1))?;
            steps.push(Step::Wait(span));
            body_or_step(line, &tokens[2..], steps)
        }
        "every" => {
            let period = span(line, tokens.get(1))?;
            let (times, rest) = times(line, &tokens[2..])?;
            if times.is_none() && period == Span::Fixed(std::time::Duration::ZERO) {
                return Err(ParseError::new(line.number, "a period above zero", "`0ms` for ever"));
            }
            let body = looped(line, rest)?;
            steps.push(Step::Every { period, times, body });
            Ok(())
        }
        "repeat" => {
            let times = number::<u64>(line, tokens.get(1), "how often, such as `repeat 10:`")?;
            let body = looped(line, &tokens[2..])?;
            steps.push(Step::Every {
                period: Span::Fixed(std::time::Duration::ZERO),
                times: Some(times),
                body,
            });
            Ok(())
        }
        "when" => when(line, &tokens[1..], steps),
        "otherwise" => otherwise(line, tokens, steps),
        "flush" if tokens.len() == 1 => {
            steps.push(Step::Flush);
            Ok(())
        }
        _ => {
            no_block(line)?;
            steps.push(Step::Do(deed(line, first, &tokens[1..])?));
            Ok(())
        }
    }
}

fn no_block(line: &Line) -> Result<(), ParseError> {
    match line.inside.first() {
        Some(inner) => Err(ParseError::new(inner.number, "a step of the handler", "a line indented too far")),
        None => Ok(()),
    }
}

/// After a prefix: a step on the same line, the lines below, or nothing.
fn body_or_step(line: &Line, rest: &[Token], into: &mut Vec<Step>) -> Result<(), ParseError> {
    if rest.is_empty() {
        for inner in &line.inside {
            step(inner, &inner.tokens, into)?;
        }
        return Ok(());
    }
    step(line, rest, into)
}

fn looped(line: &Line, rest: &[Token]) -> Result<Arc<[Step]>, ParseError> {
    let mut body = Vec::new();
    body_or_step(line, rest, &mut body)?;
    if body.is_empty() {
        return Err(ParseError::new(line.number, "steps to repeat", "none"));
    }
    Ok(body.into())
}

fn times<'a>(line: &Line, rest: &'a [Token]) -> Result<(Option<u64>, &'a [Token]), ParseError> {
    match rest {
        [Token::Word(w), count, rest @ ..] if w == "times" => {
            Ok((Some(number(line, Some(count), "how often, such as `times 30`")?), rest))
        }
        _ => Ok((None, rest)),
    }
}

fn span(line: &Line, token: Option<&Token>) -> Result<Span, ParseError> {
    let parsed = match token {
        Some(Token::Word(word)) => Span::parse(word),
        _ => None,
    };
    parsed.ok_or_else(|| ParseError::new(line.number, "a time such as `120ms` or `2s`", token_text(token)))
}

fn number<T: std::str::FromStr>(line: &Line, token: Option<&Token>, what: &str) -> Result<T, ParseError> {
    let parsed = match token {
        Some(Token::Word(word)) => word.parse().ok(),
        _ => None,
    };
    parsed.ok_or_else(|| ParseError::new(line.number, what, token_text(token)))
}

fn when(line: &Line, tokens: &[Token], steps: &mut Vec<Step>) -> Result<(), ParseError> {
    if !line.opens {
        return Err(ParseError::new(line.number, "a colon at the end of `when …:`", "the end of the line"));
    }
    let tests = tokens
        .split(|t| matches!(t, Token::Word(w) if w == "and"))
        .map(|part| test(line, part))
        .collect::<Result<_, _>>()?;
    let body = self::steps(&line.inside)?;
    steps.push(Step::When { arms: vec![(Condition(tests), body)], otherwise: Arc::new([]) });
    Ok(())
}

fn otherwise(line: &Line, tokens: &[Token], steps: &mut [Step]) -> Result<(), ParseError> {
    let Some(Step::When { arms, otherwise }) = steps.last_mut().filter(|_| line.opens) else {
        return Err(ParseError::new(line.number, "`otherwise:` right below a `when …:`", shown(tokens)));
    };
    match tokens {
        [_] => *otherwise = self::steps(&line.inside)?,
        [_, Token::Word(w), condition @ ..] if w == "when" => {
            let mut inner = Vec::new();
            when(line, condition, &mut inner)?;
            if let Some(Step::When { arms: more, .. }) = inner.pop() {
                arms.extend(more);
            }
        }
        other => {
            return Err(ParseError::new(line.number, "`otherwise:` or `otherwise when …:`", shown(other)));
        }
    }
    Ok(())
}

fn test(line: &Line, tokens: &[Token]) -> Result<Test, ParseError> {
    let compare = |word: &str| COMPARISONS.into_iter().find(|(known, _)| *known == word).map(|(_, how)| how);
    let right = |token: &Token| match token {
        Token::Text(text) => Some(Wording(text.clone())),
        Token::Word(word) => Some(Wording(word.clone())),
        Token::Expr(e) => Some(Wording(format!("{{{e}}}"))),
        _ => None,
    };
    let parsed = match tokens {
        [Token::Id(id), Token::Word(w)] if w == "exists" || w == "gone" => {
            Some(Test::Exists { id: id.as_str().into(), wanted: w == "exists" })
        }
        [Token::Id(id), Token::Word(name)] => {
            Some(Test::State { id: id.as_str().into(), state: state(line.number, name)?, wanted: true })
        }
        [Token::Id(id), Token::Word(not), Token::Word(name)] if not == "not" => {
            Some(Test::State { id: id.as_str().into(), state: state(line.number, name)?, wanted: false })
        }
        [Token::Id(id), Token::Word(property), Token::Word(how), other] => {
            let left = match property.as_str() {
                "value" | "text" => Some(Operand::Content(id.as_str().into())),
                "label" => Some(Operand::Label(id.as_str().into())),
                _ => None,
            };
            left.zip(compare(how)).zip(right(other)).map(|((left, how), right)| Test::Compare {
                left,
                how,
                right,
            })
        }
        [Token::Expr(e), Token::Word(how), other] => compare(how)
            .zip(right(other))
            .map(|(how, right)| Test::Compare { left: Operand::Expression(e.clone()), how, right }),
        _ => None,
    };
    parsed.ok_or_else(|| {
        let expected =
            "a condition such as `#user value != \"\"`, `#agree checked`, `#row gone` or `{n} < 10`";
        ParseError::new(line.number, expected, shown(tokens))
    })
}

fn deed(line: &Line, verb: &str, rest: &[Token]) -> Result<Deed, ParseError> {
    let id = || wanted_id(line, rest.first());
    let text = || match rest {
        [Token::Text(text)] => Ok(Wording(text.clone())),
        other => Err(ParseError::new(line.number, "one quoted text", shown(other))),
    };
    let name = || match rest {
        [Token::Word(name)] => Ok(name.clone()),
        other => Err(ParseError::new(line.number, "one name", shown(other))),
    };
    match verb {
        "set" => Ok(Deed::Set { id: id()?, to: setting(line, &rest[1..])? }),
        "nudge" => nudge(line, id()?, &rest[1..]),
        "add" => add(line, rest),
        "remove" => Ok(Deed::Remove(id()?)),
        "recreate" => Ok(Deed::Recreate(id()?)),
        "replace" => match &rest[1..] {
            [Token::Word(with), what @ ..] if with == "with" => {
                Ok(Deed::Replace { id: id()?, with: piece(line, what)? })
            }
            other => Err(ParseError::new(line.number, "`with` and a template or an element", shown(other))),
        },
        "move" => {
            let (under, at) = under(line, &rest[1..])?;
            Ok(Deed::Move { id: id()?, under, at })
        }
        "focus" => Ok(Deed::Focus(id()?)),
        "tap" => Ok(Deed::Tap(id()?)),
        "title" => Ok(Deed::Title(text()?)),
        "url" => Ok(Deed::Url(text()?)),
        "count" => count(line, rest),
        "busy" => Ok(Deed::Busy(name()?)),
        "done" => Ok(Deed::Done(name()?)),
        "crash" => Ok(Deed::Crash),
        "hang" => Ok(Deed::Hang),
        "close" => Ok(Deed::Close),
        other => Err(ParseError::new(
            line.number,
            "a step (after, every, repeat, when, otherwise, flush, set, nudge, add, remove, replace, recreate, \
             move, focus, tap, title, url, count, busy, done, crash, hang, close)",
            format!("`{other}`"),
        )),
    }
}

fn nudge(line: &Line, id: Wording, rest: &[Token]) -> Result<Deed, ParseError> {
    if let [Token::Word(by), Token::Word(pixels)] = rest
        && by == "by"
        && let Some((dx, dy)) = pixels.split_once(',')
        && let (Ok(dx), Ok(dy)) = (dx.parse(), dy.parse())
    {
        return Ok(Deed::Nudge { id, dx, dy });
    }
    Err(ParseError::new(line.number, "`by DX,DY` such as `by 4,0`", shown(rest)))
}

fn count(line: &Line, rest: &[Token]) -> Result<Deed, ParseError> {
    match rest {
        [Token::Word(counter)] => Ok(Deed::Count { counter: counter.clone(), by: 1.0 }),
        [Token::Word(counter), Token::Word(by), amount] if by == "by" => {
            let by = number(line, Some(amount), "by how much, such as `by -1`")?;
            Ok(Deed::Count { counter: counter.clone(), by })
        }
        other => Err(ParseError::new(line.number, "a counter, such as `count items`", shown(other))),
    }
}

fn add(line: &Line, rest: &[Token]) -> Result<Deed, ParseError> {
    let to = rest.iter().position(|t| matches!(t, Token::Word(w) if w == "to"));
    let Some(to) = to else {
        return Err(ParseError::new(line.number, "`to #parent`", shown(rest)));
    };
    let (under, at) = under(line, &rest[to..])?;
    Ok(Deed::Add { what: piece(line, &rest[..to])?, under, at })
}

fn under(line: &Line, rest: &[Token]) -> Result<(Wording, Option<usize>), ParseError> {
    match rest {
        [Token::Word(to), Token::Id(id)] if to == "to" => Ok((id.as_str().into(), None)),
        [Token::Word(to), Token::Id(id), Token::Word(at), place] if to == "to" && at == "at" => {
            Ok((id.as_str().into(), Some(number(line, Some(place), "a place such as `at 0`")?)))
        }
        other => Err(ParseError::new(line.number, "`to #parent` or `to #parent at 0`", shown(other))),
    }
}

fn piece(line: &Line, tokens: &[Token]) -> Result<Piece, ParseError> {
    match tokens {
        [Token::Word(name)] if Role::from_name(name).is_none() => Ok(Piece::Template(name.clone())),
        other => Ok(Piece::Inline(Box::new(element(line.number, other)?))),
    }
}

fn setting(line: &Line, rest: &[Token]) -> Result<Setting, ParseError> {
    let bounds = |words: &str| {
        place(words)
            .map(Setting::Bounds)
            .ok_or_else(|| ParseError::new(line.number, "bounds such as 10,20,300,40", format!("`{words}`")))
    };
    match rest {
        [Token::Word(name), Token::Text(text)] => match name.as_str() {
            "label" => Ok(Setting::Label(text.as_str().into())),
            "text" => Ok(Setting::Text(text.as_str().into())),
            "value" => Ok(Setting::Value(text.as_str().into())),
            "description" => Ok(Setting::Description(text.as_str().into())),
            other => {
                Err(ParseError::new(line.number, "label, text, value or description", format!("`{other}`")))
            }
        },
        [Token::Word(name), Token::Word(words)] if name == "bounds" => bounds(words),
        [Token::Word(not), Token::Word(name)] if not == "not" => set_state(line, name, Some(StateValue::Off)),
        [Token::Word(unknown), Token::Word(name)] if unknown == "unknown" => set_state(line, name, None),
        [Token::Word(name), Token::Word(mixed)] if mixed == "mixed" => {
            set_state(line, name, Some(StateValue::Mixed))
        }
        [Token::Word(name)] => set_state(line, name, Some(StateValue::On)),
        other => Err(ParseError::new(line.number, "a property with its value, or a state", shown(other))),
    }
}

fn set_state(line: &Line, name: &str, value: Option<StateValue>) -> Result<Setting, ParseError> {
    let state: State = state(line.number, name)?;
    Ok(Setting::State(state, value))
}
