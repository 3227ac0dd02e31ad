//! Colour for what is told to people. Everything here only adds styles; the stream drops them where nobody sees them.

use anstyle::{AnsiColor, Reset, Style};

/// What went well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What went wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What is new or needs a look.
pub(crate) const NEWS: Style = AnsiColor::Yellow.on_default();
/// What came and went.
pub(crate) const FLEETING: Style = AnsiColor::Magenta.on_default();
/// What is being waited for.
pub(crate) const CALM: Style = AnsiColor::Cyan.on_default();
/// What may be passed over.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What is read first.
pub(crate) const BOLD: Style = Style::new().bold();
/// Back to plain.
pub(crate) const RESET: Reset = Reset;

/// `text` in a style.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{RESET}")
}

/// A verb's text: the first line stands out, changes are coloured by kind, words on the screen and ids by what they
/// are.
pub(crate) fn answer(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for (number, line) in text.lines().enumerate() {
        let mark = match line.get(..2) {
            Some("+ ") => Some(GOOD),
            Some("- ") => Some(BAD),
            Some("~ ") => Some(NEWS),
            Some("! ") => Some(FLEETING),
            _ => None,
        };
        match mark {
            _ if number == 0 => out.push_str(&styled(BOLD, line)),
            Some(style) => {
                out.push_str(&styled(style, &line[..1]));
                out.push_str(&words(&line[1..]));
            }
            None => out.push_str(&words(line)),
        }
        out.push('\n');
    }
    out
}

/// A line with what is on the screen in green and element ids dimmed.
pub(crate) fn words(line: &str) -> String {
    let mut out = String::with_capacity(line.len() * 2);
    for (number, part) in split_quotes(line).into_iter().enumerate() {
        if number % 2 == 1 {
            out.push_str(&styled(GOOD, part));
            continue;
        }
        for (at, word) in part.split(' ').enumerate() {
            if at > 0 {
                out.push(' ');
            }
            let bare = word.trim_end_matches([':', ',', '.']);
            let is_id = bare
                .strip_prefix('e')
                .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
            if is_id { out.push_str(&styled(DIM, word)) } else { out.push_str(word) }
        }
    }
    out
}

/// Parts outside and inside of double quotes, in turn; the quotes belong to the inside.
fn split_quotes(line: &str) -> Vec<&str> {
    let (mut parts, mut from, mut inside, mut escaped) = (Vec::new(), 0, false, false);
    for (at, c) in line.char_indices() {
        if c == '"' && !escaped {
            let end = if inside { at + 1 } else { at };
            parts.push(&line[from..end]);
            from = end;
            inside = !inside;
        }
        escaped = c == '\\' && !escaped;
    }
    parts.push(&line[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paint_adds_nothing_but_styles() {
        for text in
            ["rev 1 stable\n  button \"Say \\\"hi\\\"\" e12: x\n+ text \"é\" e3\n", "\"open\n", "", "é\n"]
        {
            let painted = answer(text);
            assert_eq!(anstream::adapter::strip_str(&painted).to_string(), text, "{painted:?}");
        }
    }
}
