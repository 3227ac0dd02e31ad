//! Blanking what changes on a screen that stays the same: times, dates, percentages and plain numbers become `#`.

use std::borrow::Cow;

/// A piece of a text.
#[derive(Debug, PartialEq)]
enum Piece<'t> {
    Number,
    Word(&'t str),
    Gap(&'t str),
}

/// The text with every time, date, percentage and plain number as `#`. Digits that belong to a word ("MP3", "v2",
/// "3D") stay.
///
/// ```
/// use stillpoint_core::judge::blank;
/// assert_eq!(blank("Inbox (3)"), "Inbox (#)");
/// assert_eq!(blank("Updated 12 March 2024, 14:05"), "Updated #");
/// assert_eq!(blank("MP3 player"), "MP3 player");
/// ```
pub fn blank(text: &str) -> Cow<'_, str> {
    if !text.contains(char::is_numeric) {
        return Cow::Borrowed(text);
    }
    let mut pieces = pieces(text);
    absorb_calendar(&mut pieces);
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < pieces.len() {
        match &pieces[i] {
            Piece::Number => {
                out.push('#');
                while let Some(more) = continuation(&pieces[i + 1..]) {
                    i += more;
                }
            }
            Piece::Word(word) | Piece::Gap(word) => out.push_str(word),
        }
        i += 1;
    }
    Cow::Owned(out)
}

/// A path of an address: numbers, UUIDs and long hexadecimal ids are blanked; what comes after `?` is left out.
pub(super) fn blank_path(url: &str) -> String {
    let (place, fragment) = url.split_once('#').unwrap_or((url, ""));
    let place = place.split_once('?').map_or(place, |(path, _)| path);
    let path = match place.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => place,
    };
    // Pages that route by fragment say so with a slash.
    let route = fragment.trim_start_matches('!');
    let route = if route.starts_with('/') { route.split('?').next().unwrap_or_default() } else { "" };
    let segments = path.split('/').chain(route.split('/')).filter(|s| !s.is_empty());
    let blanked: Vec<Cow<'_, str>> =
        segments.map(|s| if is_opaque(s) { "#".into() } else { blank(s) }).collect();
    blanked.join("/")
}

/// A machine's name for something: hexadecimal digits and dashes, at least eight, with a number among them.
fn is_opaque(segment: &str) -> bool {
    segment.len() >= 8
        && segment.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
        && segment.contains(|c: char| c.is_ascii_digit())
}

/// What may stand inside one date or one number.
fn joins(gap: &str) -> bool {
    matches!(gap.trim(), "" | ",") && !gap.is_empty() && gap.len() <= 4
}

/// How many pieces go on with the number before them: a date and its time, or digits in groups, are one thing.
fn continuation(after: &[Piece<'_>]) -> Option<usize> {
    match after {
        [Piece::Number, ..] => Some(1),
        [Piece::Gap(gap), Piece::Number, ..] if joins(gap) => Some(2),
        _ => None,
    }
}

/// Makes the names of months and days beside a number part of it.
fn absorb_calendar(pieces: &mut [Piece<'_>]) {
    let close = |gap: &str| matches!(gap.trim(), "" | "," | "." | "-" | "/");
    let mut changed = true;
    while changed {
        changed = false;
        for at in 0..pieces.len() {
            let before = match &pieces[..at] {
                [.., Piece::Number] => true,
                [.., Piece::Number, Piece::Gap(gap)] => close(gap),
                _ => false,
            };
            let after = match &pieces[at + 1..] {
                [Piece::Number, ..] => true,
                [Piece::Gap(gap), Piece::Number, ..] => close(gap),
                _ => false,
            };
            if let Piece::Word(word) = pieces[at]
                && (before || after)
                && is_calendar_word(word)
            {
                pieces[at] = Piece::Number;
                changed = true;
            }
        }
    }
}

/// Names of months and days, and the halves of a day.
fn is_calendar_word(word: &str) -> bool {
    const NAMES: [&str; 19] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    let word = word.to_lowercase();
    let word = word.as_str();
    matches!(word, "am" | "pm" | "utc" | "gmt" | "sept" | "tues" | "thur" | "thurs")
        || NAMES.iter().any(|name| *name == word || (word.len() == 3 && name.starts_with(word)))
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (piece, length) = if let Some(length) = number(rest, &pieces) {
            (Piece::Number, length)
        } else if first.is_alphanumeric() {
            let length = run(rest, char::is_alphanumeric);
            (Piece::Word(&rest[..length]), length)
        } else {
            let length = gap(rest);
            (Piece::Gap(&rest[..length]), length)
        };
        pieces.push(piece);
        rest = &rest[length..];
    }
    pieces
}

/// The length of what stands between two words; it ends before the sign of a number.
fn gap(text: &str) -> usize {
    let mut before = None;
    for (at, c) in text.char_indices() {
        let signs = is_sign(c)
            && before.is_some_and(opens)
            && text[at..].chars().nth(1).is_some_and(char::is_numeric);
        if c.is_alphanumeric() || signs {
            return at;
        }
        before = Some(c);
    }
    text.len()
}

fn is_sign(c: char) -> bool {
    "+-−".contains(c)
}

/// What may stand before the sign of a number.
fn opens(c: char) -> bool {
    c.is_whitespace() || "([{<".contains(c)
}

fn run(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

/// The length of the number, time, date or percentage that `text` starts with.
fn number(text: &str, before: &[Piece<'_>]) -> Option<usize> {
    let after_word = matches!(before.last(), Some(Piece::Word(_)));
    let open = match before.last() {
        None => true,
        Some(Piece::Gap(gap)) => gap.ends_with(opens),
        Some(_) => false,
    };
    let sign = text.chars().next().filter(|c| open && is_sign(*c)).map_or(0, char::len_utf8);
    let digits = run(&text[sign..], char::is_numeric);
    if digits == 0 || after_word {
        return None;
    }
    let mut end = sign + digits;
    loop {
        let mut ahead = text[end..].chars();
        let (Some(mark), Some(next)) = (ahead.next(), ahead.next()) else { break };
        if !(".,:/-–'’T".contains(mark) && next.is_numeric()) {
            break;
        }
        end += mark.len_utf8();
        end += run(&text[end..], char::is_numeric);
    }
    let tail = &text[end..];
    let letters = run(tail, char::is_alphanumeric);
    if letters > 0 {
        return is_unit(&tail[..letters]).then(|| if &tail[..letters] == "Z" { end + 1 } else { end });
    }
    let percent = run(tail, char::is_whitespace);
    if tail[percent..].starts_with(['%', '‰']) && percent <= 2 {
        end += percent + tail[percent..].chars().next().map_or(0, char::len_utf8);
    }
    Some(end)
}

/// What may follow a number without making it a name: "5s", "12kB", "3rd".
fn is_unit(word: &str) -> bool {
    const UNITS: [&str; 25] = [
        "sec", "secs", "ms", "min", "mins", "hr", "hrs", "am", "pm", "kb", "mb", "gb", "tb", "kib", "mib",
        "gib", "kg", "km", "cm", "mm", "px", "st", "nd", "rd", "th",
    ];
    // "5s" and "7d" are amounts; "3D" and "4K" are names.
    matches!(word, "s" | "m" | "h" | "d" | "w" | "y" | "g" | "x" | "B" | "Z")
        || UNITS.contains(&word.to_lowercase().as_str())
}
