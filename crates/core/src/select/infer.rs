//! The last step of the ladder: texts that say the same to a person, though not to a computer. Case, spaces,
//! punctuation, a trailing colon or ellipsis and the mark of a keyboard shortcut are not looked at.

use super::matching::spoken;
use crate::tree::{ElementId, TreeView};

/// Elements whose label or text says the same as `wanted`, in the order of their ids.
pub(super) fn infer(tree: &TreeView, wanted: &str) -> Vec<ElementId> {
    let Some(first) = gist(wanted).next() else { return Vec::new() };
    // Nearly all texts part ways at their first letter.
    let begins = |text: &str| {
        let letter = text.chars().find(|c| c.is_alphanumeric());
        letter.is_some_and(|c| c == first || c.to_lowercase().next() == Some(first))
    };
    let says = |text: &str| begins(text) && gist(text).eq(gist(wanted));
    tree.iter().filter(|(_, node)| spoken(node).any(says)).map(|(id, _)| id).collect()
}

/// What a text says: its letters and digits in lower case, with single spaces between words.
fn gist(text: &str) -> impl Iterator<Item = char> {
    let words = text.split_whitespace().filter(|w| w.chars().any(char::is_alphanumeric));
    words.enumerate().flat_map(|(i, word)| {
        let letters = word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
        (i > 0).then_some(' ').into_iter().chain(letters)
    })
}

#[cfg(test)]
mod tests {
    use super::gist;

    #[test]
    fn texts_that_differ_in_dress_only_say_the_same() {
        for (a, b) in [
            ("Save", "SAVE"),
            ("Save", "_Save"),
            ("Save as…", "Save As..."),
            ("Name", "Name:"),
            ("Sign  in", " Sign in "),
            ("E-mail", "Email"),
            ("&Open", "open"),
        ] {
            assert!(gist(a).eq(gist(b)), "{a} and {b}");
        }
        assert!(!gist("Save").eq(gist("Saved")));
        assert!(!gist("Sign in").eq(gist("Signin")));
    }
}
