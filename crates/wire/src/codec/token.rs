//! The shared secret of a connection.

use std::fmt;

use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

/// A token that never shows itself in logs and is compared in constant time.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Token(String);

impl Token {
    /// A token with this text.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// Whether both are the same. The time taken depends on the lengths alone, never on where the texts differ.
    pub fn matches(&self, other: &Self) -> bool {
        bool::from(self.0.as_bytes().ct_eq(other.0.as_bytes()))
    }

    /// An empty token protects nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl PartialEq for Token {
    fn eq(&self, other: &Self) -> bool {
        self.matches(other)
    }
}

impl Eq for Token {}

impl fmt::Debug for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_text_matches() {
        let token = Token::new("open sesame");
        assert!(token.matches(&Token::new("open sesame")));
        for other in ["", "open sesam", "open sesame!", "Open sesame"] {
            assert!(!token.matches(&Token::new(other)), "{other:?}");
        }
    }

    #[test]
    fn a_token_does_not_show_itself() {
        assert!(!format!("{:?}", Token::new("secret")).contains("secret"));
    }
}
