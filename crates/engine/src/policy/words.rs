//! Words that announce something that cannot be taken back.

use stillpoint_core::{Error, Result};

/// What buttons say before they destroy, pay or send.
const USUAL: [&str; 30] = [
    "delete",
    "remove",
    "erase",
    "destroy",
    "discard",
    "wipe",
    "purge",
    "format",
    "uninstall",
    "reset",
    "revoke",
    "terminate",
    "trash",
    "overwrite",
    "drop",
    "shutdown",
    "shut down",
    "restart",
    "reboot",
    "deactivate",
    "unsubscribe",
    "pay",
    "purchase",
    "buy",
    "place order",
    "checkout",
    "transfer",
    "withdraw",
    "send",
    "publish",
];

/// Words and phrases, each as its parts in lower case.
#[derive(Clone, Debug)]
pub(super) struct Words(Vec<Vec<String>>);

impl Words {
    pub(super) fn usual() -> Self {
        Words(USUAL.iter().map(|phrase| parts(phrase)).collect())
    }

    pub(super) fn new(phrases: &[String]) -> Result<Self> {
        let mut words = Words(Vec::new());
        words.add(phrases)?;
        Ok(words)
    }

    pub(super) fn add(&mut self, phrases: &[String]) -> Result<()> {
        for phrase in phrases {
            let parts = parts(phrase);
            if parts.is_empty() {
                return Err(Error::invalid(
                    format!("{phrase:?} is not a word"),
                    "words of [destructive] are words or short phrases, such as \"delete\" or \"sign out\"",
                ));
            }
            self.0.push(parts);
        }
        Ok(())
    }

    /// The word or phrase that a text says, whole words only.
    pub(super) fn said_in(&self, text: &str) -> Option<String> {
        let said = parts(text);
        let found = self.0.iter().find(|phrase| said.windows(phrase.len()).any(|w| w == phrase.as_slice()));
        found.map(|phrase| phrase.join(" "))
    }

    /// The word that an identifier such as `btnDeleteAll` or `delete-all` says.
    pub(super) fn said_in_id(&self, id: &str) -> Option<String> {
        let mut spaced = String::new();
        let mut before = ' ';
        for c in id.chars() {
            if c.is_uppercase() && before.is_lowercase() {
                spaced.push(' ');
            }
            spaced.push(c);
            before = c;
        }
        self.said_in(&spaced)
    }
}

fn parts(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn only_whole_words_count() {
        let words = Words::usual();
        for (text, expected) in [
            ("Delete", Some("delete")),
            ("DELETE ALL…", Some("delete")),
            ("Place  order", Some("place order")),
            ("Undeleted items", None),
            ("Information", None),
            ("Payment methods", None),
            ("Order details", None),
            ("Re-send", Some("send")),
        ] {
            assert_eq!(words.said_in(text).as_deref(), expected, "{text}");
        }
        assert_eq!(words.said_in_id("btnDeleteAll").as_deref(), Some("delete"));
        assert_eq!(words.said_in_id("item_remove_3").as_deref(), Some("remove"));
        assert_eq!(words.said_in_id("sender"), None);
    }
}
