//! The one error of every face (SPEC §13): a code for programs, a message and a hint for people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// What went wrong, in a word that programs can match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)] // the names are the documentation; SPEC §13 lists them
pub enum Code {
    InvalidArgument,
    InvalidSelector,
    TargetNotFound,
    TargetLost,
    TargetUnresponsive,
    HierarchyEmpty,
    PermissionDenied,
    ElementNotFound,
    AmbiguousTarget,
    StaleReference,
    StaleRevision,
    NotActionable,
    ActionRejected,
    Timeout,
    VerificationFailed,
    ControlNotConverged,
    BaseRevisionUnavailable,
    Unsupported,
    PolicyDenied,
    RateLimited,
    AgentUnavailable,
    Protocol,
    Cancelled,
    Internal,
}

impl Code {
    /// Whether trying the same call again may help, unless the raiser knows better.
    pub const fn is_retryable(self) -> bool {
        matches!(
            self,
            Code::TargetUnresponsive
                | Code::ElementNotFound
                | Code::StaleRevision
                | Code::NotActionable
                | Code::Timeout
                | Code::RateLimited
                | Code::AgentUnavailable
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = serde_json::to_value(self).ok().and_then(|v| v.as_str().map(str::to_owned));
        f.write_str(name.as_deref().unwrap_or("INTERNAL"))
    }
}

/// An error that tells what was wrong and what to do about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Error {
    /// What went wrong, for programs.
    pub code: Code,
    /// What went wrong, for people.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// Facts that belong to the error: candidates, a delta, positions.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
}

/// The result of everything that can fail with an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with its message and its hint.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let retryable = code.is_retryable();
        Error { code, message: message.into(), hint: hint.into(), retryable, details: Value::Null }
    }

    /// The caller passed something that makes no sense.
    pub fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::new(Code::InvalidArgument, message, hint)
    }

    /// A broken promise inside Stillpoint; the message is for a bug report.
    pub fn internal(message: impl Into<String>) -> Self {
        Error::new(Code::Internal, message, "this is a bug in Stillpoint; please report it with the message")
    }

    /// The same error with facts attached.
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// The same error, marked as worth or not worth a retry.
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }
}
