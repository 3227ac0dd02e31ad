//! Errors as values: a code, a message, a hint (SPEC §13).

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use stillpoint_core::error::Code as ErrorCode;

use crate::codec::{DecodeError, EncodeError};

/// An error as it travels: in a v2 answer as JSON, in a v1 reply as `CODE: message (hint)`.
///
/// It is the error of every face, but more lenient: an agent that somebody else wrote may leave out all but code and
/// message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Error)]
#[error("{code}: {message}")]
pub struct Fault {
    /// What kind of error it is.
    pub code: ErrorCode,
    /// What was wrong, in words.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether the same request may succeed later.
    #[serde(default)]
    pub retryable: bool,
    /// Whatever else is known.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub details: serde_json::Value,
}

impl Fault {
    /// A fault that is not retryable and has no hint.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, retryable: false, details: serde_json::Value::Null }
    }

    /// Says what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says that the same request may succeed later.
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Adds what else is known.
    pub fn details(mut self, details: serde_json::Value) -> Self {
        self.details = details;
        self
    }

    /// The one line that a v1 error reply has room for.
    pub fn to_v1_text(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{}: {} ({hint})", self.code, self.message),
            None => format!("{}: {}", self.code, self.message),
        }
    }

    /// Reads a v1 error reply. An agent that writes our codes in front is understood; any other text is an
    /// [`ErrorCode::ActionRejected`].
    pub fn from_v1_text(text: &str) -> Self {
        let coded = text.split_once(": ").and_then(|(code, message)| {
            let code = serde_json::from_value(serde_json::Value::String(code.to_owned())).ok()?;
            Some(Self::new(code, message))
        });
        coded.unwrap_or_else(|| Self::new(ErrorCode::ActionRejected, text))
    }
}

impl From<stillpoint_core::error::Error> for Fault {
    fn from(error: stillpoint_core::error::Error) -> Self {
        let hint = (!error.hint.is_empty()).then_some(error.hint);
        Self {
            code: error.code,
            message: error.message,
            hint,
            retryable: error.retryable,
            details: error.details,
        }
    }
}

impl From<Fault> for stillpoint_core::error::Error {
    fn from(fault: Fault) -> Self {
        Self::new(fault.code, fault.message, fault.hint.unwrap_or_default())
            .retryable(fault.retryable)
            .with_details(fault.details)
    }
}

impl From<WireError> for stillpoint_core::error::Error {
    fn from(error: WireError) -> Self {
        error.to_fault().into()
    }
}

/// What is known about a command whose answer never came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// Not a byte of it left this process.
    NotSent,
    /// It may have arrived, and may have been carried out.
    Unknown,
}

/// What can go wrong between here and an agent.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WireError {
    /// No connection could be made.
    #[error("cannot connect to the agent at {addr}: {reason}")]
    Connect {
        /// Where.
        addr: String,
        /// Why not.
        reason: String,
    },
    /// The connection ended before the answer came.
    #[error("the connection to the agent was lost during {during}: {reason}")]
    Lost {
        /// The command or step.
        during: String,
        /// Whether the command may have arrived.
        delivery: Delivery,
        /// What was seen.
        reason: String,
    },
    /// The agent did not answer in time.
    #[error("the agent did not answer {during} within {after:?}")]
    NoAnswer {
        /// The command.
        during: String,
        /// How long was waited.
        after: Duration,
    },
    /// A command that changes the app may or may not have been carried out. It was not sent again.
    #[error("{command} may or may not have been carried out: {reason}")]
    DeliveryUnknown {
        /// The command.
        command: String,
        /// How the answer was lost, and what recovery did.
        reason: String,
    },
    /// The agent said no.
    #[error(transparent)]
    Remote(#[from] Fault),
    /// The agent sent something that is not the protocol.
    #[error("the agent broke the protocol: {0}")]
    Protocol(String),
    /// The frame to be sent is too large.
    #[error(transparent)]
    TooLarge(#[from] EncodeError),
    /// The call needs v2 and the peer speaks v1.
    #[error("`{method}` needs protocol v2, and this agent speaks v1")]
    NeedsV2 {
        /// The call's method.
        method: String,
    },
    /// A listener beyond loopback must ask for a token.
    #[error("refusing to listen on {addr} without a token")]
    TokenRequired {
        /// The address that was asked for.
        addr: SocketAddr,
    },
    /// A listener beyond loopback must encrypt.
    #[error(
        "refusing to listen on {addr} without TLS: the token and everything typed would travel in the clear"
    )]
    TlsRequired {
        /// The address that was asked for.
        addr: SocketAddr,
    },
    /// A certificate or key is not as it should be.
    #[error("TLS cannot be set up: {reason}")]
    Tls {
        /// Which file, and what is wrong with it.
        reason: String,
    },
    /// The listener could not be opened.
    #[error("cannot listen on {addr}: {source}")]
    Listen {
        /// The address that was asked for.
        addr: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// A command of the agent's lifecycle could not be started.
    #[error("cannot start `{program}`: {source}")]
    Spawn {
        /// What was to be started.
        program: String,
        /// Why not.
        source: io::Error,
    },
    /// The agent (or a command that prepares it) ended before it was ready.
    #[error("`{program}` ended early ({status}); its last words:\n{}", .stderr.join("\n"))]
    EarlyExit {
        /// What was started.
        program: String,
        /// Exit code or signal.
        status: String,
        /// Up to 20 last lines of its stderr.
        stderr: Vec<String>,
    },
    /// The agent runs and does not answer.
    #[error("the agent did not become ready within {after:?}; its last words:\n{}", .stderr.join("\n"))]
    NotReady {
        /// The startup timeout.
        after: Duration,
        /// Up to 20 last lines of its stderr.
        stderr: Vec<String>,
    },
    /// Somebody else's process answers on the agent's port.
    #[error("port {port} is taken by a process that this session did not start")]
    PortTaken {
        /// The agent's port.
        port: u16,
    },
}

impl WireError {
    /// The code of SPEC §13.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Connect { .. }
            | Self::Listen { .. }
            | Self::Spawn { .. }
            | Self::EarlyExit { .. }
            | Self::NotReady { .. }
            | Self::PortTaken { .. } => ErrorCode::AgentUnavailable,
            Self::Lost { .. } | Self::DeliveryUnknown { .. } => ErrorCode::TargetLost,
            Self::NoAnswer { .. } => ErrorCode::TargetUnresponsive,
            Self::Remote(fault) => fault.code,
            Self::Protocol(_) => ErrorCode::Protocol,
            Self::TooLarge(_) => ErrorCode::InvalidArgument,
            Self::NeedsV2 { .. } => ErrorCode::Unsupported,
            Self::TokenRequired { .. } | Self::TlsRequired { .. } => ErrorCode::PermissionDenied,
            Self::Tls { .. } => ErrorCode::InvalidArgument,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        Some(match self {
            Self::Connect { .. } => "start the agent, or check host and port",
            Self::Lost { during, .. } if during == "Hello" => {
                "the token is missing or wrong; a server closes without a word then"
            }
            Self::Lost { .. } => "the agent ended or the network failed; look at the agent's log",
            Self::NoAnswer { .. } => "the agent or its app hangs; a longer timeout helps only if it is slow",
            Self::DeliveryUnknown { .. } => "look at the app before you send it again",
            Self::Remote(fault) => return fault.hint.as_deref(),
            Self::Protocol(_) => "check that the port belongs to an agent of this protocol",
            Self::TooLarge(_) => "send less at once",
            Self::NeedsV2 { .. } => "use an agent that answers Hello",
            Self::TokenRequired { .. } => "set a token, or listen on 127.0.0.1",
            Self::TlsRequired { .. } => {
                "give a certificate and its key, listen on 127.0.0.1, or say that plain text is allowed"
            }
            Self::Tls { .. } => "give PEM files: the certificate (with its chain) and its private key",
            Self::Listen { .. } => "choose another port, or stop what uses this one",
            Self::Spawn { .. } => "check that the program is installed and may be run",
            Self::EarlyExit { .. } => "the lines above say why it ended",
            Self::NotReady { .. } => "raise startup_timeout, or check that the agent listens on agent_port",
            Self::PortTaken { .. } => "stop that process, or choose another agent_port",
        })
    }

    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Connect { .. } | Self::NotReady { .. } => true,
            Self::Lost { delivery, .. } => *delivery == Delivery::NotSent,
            Self::Remote(fault) => fault.retryable,
            _ => false,
        }
    }

    /// Whether the command may have been carried out although no answer came; none where the question does not arise.
    pub fn delivery(&self) -> Option<Delivery> {
        match self {
            Self::Lost { delivery, .. } => Some(*delivery),
            Self::NoAnswer { .. } | Self::DeliveryUnknown { .. } => Some(Delivery::Unknown),
            Self::Connect { .. } => Some(Delivery::NotSent),
            _ => None,
        }
    }

    /// The error in the shape of SPEC §13.
    pub fn to_fault(&self) -> Fault {
        if let Self::Remote(fault) = self {
            return fault.clone();
        }
        let details = match self.delivery() {
            Some(delivery) => serde_json::json!({ "delivery_status": delivery }),
            None => serde_json::Value::Null,
        };
        Fault {
            code: self.code(),
            message: self.to_string(),
            hint: self.hint().map(str::to_owned),
            retryable: self.is_retryable(),
            details,
        }
    }
}

impl From<DecodeError> for WireError {
    fn from(error: DecodeError) -> Self {
        Self::Protocol(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_survives_the_one_line_of_v1() {
        let fault = Fault::new(ErrorCode::NotActionable, "`Save` is covered");
        assert_eq!(fault.to_v1_text(), "NOT_ACTIONABLE: `Save` is covered");
        assert_eq!(Fault::from_v1_text(&fault.to_v1_text()), fault);
    }

    #[test]
    fn foreign_error_text_is_kept_whole() {
        for text in ["Element not found: save", "ELEMENT: x", "", ": "] {
            let fault = Fault::from_v1_text(text);
            assert_eq!((fault.code, fault.message.as_str()), (ErrorCode::ActionRejected, text));
        }
    }

    #[test]
    fn a_fault_is_the_error_of_every_face_and_back() {
        let fault = Fault::new(ErrorCode::StaleRevision, "the tree has changed")
            .hint("look again")
            .retryable()
            .details(serde_json::json!({ "revision": 7 }));
        assert_eq!(Fault::from(stillpoint_core::error::Error::from(fault.clone())), fault);
    }

    #[test]
    fn an_unknown_delivery_is_named_in_the_details() {
        let error = WireError::DeliveryUnknown { command: "TapCoord".into(), reason: "killed".into() };
        let fault = error.to_fault();
        assert_eq!(fault.details["delivery_status"], "unknown");
        assert_eq!(fault.code, ErrorCode::TargetLost);
        assert!(!fault.retryable);
    }
}
