//! Keys by name, as the browser's input pipeline wants them.

use serde_json::{Value, json};
use stillpoint_core::{Error, Result};
use stillpoint_engine::backend::Key;

/// Named keys: name, code, key code, the text that it puts in.
const NAMED: &[(&str, &str, u32, &str)] = &[
    ("Enter", "Enter", 13, "\r"),
    ("Tab", "Tab", 9, ""),
    ("Escape", "Escape", 27, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Delete", "Delete", 46, ""),
    ("Insert", "Insert", 45, ""),
    ("Space", "Space", 32, " "),
    ("ArrowLeft", "ArrowLeft", 37, ""),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("ArrowRight", "ArrowRight", 39, ""),
    ("ArrowDown", "ArrowDown", 40, ""),
    ("Home", "Home", 36, ""),
    ("End", "End", 35, ""),
    ("PageUp", "PageUp", 33, ""),
    ("PageDown", "PageDown", 34, ""),
    ("ContextMenu", "ContextMenu", 93, ""),
];

/// Other spellings of the same keys.
const ALIASES: &[(&str, &str)] = &[
    ("Return", "Enter"),
    ("Esc", "Escape"),
    ("Left", "ArrowLeft"),
    ("Right", "ArrowRight"),
    ("Up", "ArrowUp"),
    ("Down", "ArrowDown"),
    ("Del", "Delete"),
    (" ", "Space"),
];

/// The two events of a key stroke: down and up.
pub(crate) fn stroke(key: &Key) -> Result<[Value; 2]> {
    let modifiers =
        u32::from(key.alt) | u32::from(key.ctrl) << 1 | u32::from(key.meta) << 2 | u32::from(key.shift) << 3;
    let (name, code, number, text) = lookup(&key.name)?;
    // With control or alt held, a key is a command, not a character.
    let text = if key.ctrl || key.alt || key.meta { String::new() } else { text };
    let event = |kind: &str, text: &str| {
        let mut event = json!({ "type": kind, "key": name, "code": code, "windowsVirtualKeyCode": number,
                                "nativeVirtualKeyCode": number, "modifiers": modifiers });
        if !text.is_empty() {
            event["text"] = text.into();
            event["unmodifiedText"] = text.into();
        }
        if key.ctrl && name.eq_ignore_ascii_case("a") && kind != "keyUp" {
            event["commands"] = json!(["selectAll"]);
        }
        event
    };
    Ok([event(if text.is_empty() { "rawKeyDown" } else { "keyDown" }, &text), event("keyUp", "")])
}

fn lookup(wanted: &str) -> Result<(String, String, u32, String)> {
    let wanted =
        ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(wanted)).map_or(wanted, |(_, name)| name);
    if let Some((name, code, number, text)) =
        NAMED.iter().find(|(name, ..)| name.eq_ignore_ascii_case(wanted))
    {
        let key = if *name == "Space" { " " } else { name };
        return Ok((key.to_owned(), (*code).to_owned(), *number, (*text).to_owned()));
    }
    if let Some(number) =
        wanted.strip_prefix(['F', 'f']).and_then(|n| n.parse::<u32>().ok()).filter(|n| (1..=24).contains(n))
    {
        return Ok((format!("F{number}"), format!("F{number}"), 111 + number, String::new()));
    }
    let mut letters = wanted.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => {
            let upper = letter.to_ascii_uppercase();
            let code = match upper {
                'A'..='Z' => format!("Key{upper}"),
                '0'..='9' => format!("Digit{upper}"),
                _ => String::new(),
            };
            let number = if upper.is_ascii_alphanumeric() { upper as u32 } else { 0 };
            Ok((letter.to_string(), code, number, letter.to_string()))
        }
        _ => Err(Error::invalid(
            format!("there is no key called {wanted:?}"),
            "use a character, or a name such as Enter, Tab, Escape, ArrowDown, PageUp, F5",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, ctrl: bool) -> Key {
        Key { name: name.into(), ctrl, shift: false, alt: false, meta: false }
    }

    #[test]
    fn a_character_brings_its_text_and_a_command_does_not() {
        let [down, _] = stroke(&key("a", false)).unwrap();
        assert_eq!((down["type"].as_str(), down["text"].as_str()), (Some("keyDown"), Some("a")));
        let [down, _] = stroke(&key("a", true)).unwrap();
        assert_eq!((down["type"].as_str(), down.get("text")), (Some("rawKeyDown"), None));
        assert!(stroke(&key("NoSuchKey", false)).is_err());
    }
}
