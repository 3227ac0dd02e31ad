//! The two Hello messages that open v2.

use serde::{Deserialize, Serialize};

use super::token::Token;

/// What a client says first when it wants more than v1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientHello {
    /// The highest version that the client speaks.
    pub version: u32,
    /// The shared secret, where the server asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Token>,
    /// What the client would like to have, such as `events`. Unknown wishes are ignored.
    #[serde(default)]
    pub wants: Vec<String>,
}

impl ClientHello {
    /// The wish for pushed events.
    pub const EVENTS: &'static str = "events";

    /// A hello of version 2.
    pub fn new(token: Option<Token>, wants: &[&str]) -> Self {
        Self { version: 2, token, wants: wants.iter().map(|want| (*want).to_owned()).collect() }
    }

    /// Whether `want` is among the wishes.
    pub fn wants(&self, want: &str) -> bool {
        self.wants.iter().any(|wish| wish == want)
    }
}

/// What a v2 server answers to a hello that it accepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerHello {
    /// The version that both sides speak from here on.
    pub version: u32,
    /// Which of the client's wishes are granted.
    #[serde(default)]
    pub grants: Vec<String>,
    /// How many calls may be in flight on this connection.
    #[serde(default)]
    pub max_calls: u32,
}
