//! What each side may send.

use super::error::{DecodeError, EncodeError, Malformation};
use super::extension::{ClientHello, ServerHello};
use super::fields::{FieldReader, FieldWriter};
use super::reply::{BARE_ERROR, REPLY, Reply};
use super::request::Request;
use super::{HEADER, MAX_FRAME};

const HELLO: u8 = 0x40;
const CALL: u8 = 0x41;
const ANSWER: u8 = 0x42;
const EVENT: u8 = 0x43;
const CANCEL: u8 = 0x44;

/// One direction of the protocol.
pub trait Frame: Sized {
    /// The frame's opcode.
    fn opcode(&self) -> u8;

    /// Reads the frame behind an opcode. Trailing bytes that this version does not know are ignored.
    fn decode(opcode: u8, payload: &[u8]) -> Result<Self, DecodeError>;

    /// Appends the payload.
    fn write_payload(&self, out: &mut Vec<u8>);

    /// The frame's bytes, length field included.
    fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let mut out = vec![0; HEADER];
        out.push(self.opcode());
        self.write_payload(&mut out);
        let length = out.len() - HEADER;
        if length > MAX_FRAME {
            return Err(EncodeError { length });
        }
        // MAX_FRAME fits in u32, so nothing is cut.
        out[..HEADER].copy_from_slice(&(length as u32).to_le_bytes());
        Ok(out)
    }
}

/// What a client sends.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientFrame {
    /// A v1 request; its reply comes in order.
    Request(Request),
    /// The wish to speak v2.
    Hello(ClientHello),
    /// A v2 call; its answer carries the same id and may overtake others.
    Call {
        /// Chosen by the client, unique among its calls in flight.
        id: u64,
        /// The verb.
        method: String,
        /// Its parameters.
        json: String,
    },
    /// A call is no longer wanted. It is still answered, once.
    Cancel {
        /// The call's id.
        id: u64,
    },
}

/// What a server sends.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerFrame {
    /// The reply to the oldest unanswered v1 request.
    Reply(Reply),
    /// v2 is open.
    Hello(ServerHello),
    /// The answer to a call.
    Answer {
        /// The call's id.
        id: u64,
        /// Whether `json` is the result, or else the fault.
        ok: bool,
        /// Result or fault.
        json: String,
    },
    /// Something happened.
    Event {
        /// Counts up by one for each event of a connection.
        seq: u64,
        /// What happened.
        json: String,
    },
}

impl From<Request> for ClientFrame {
    fn from(request: Request) -> Self {
        Self::Request(request)
    }
}

impl From<Reply> for ServerFrame {
    fn from(reply: Reply) -> Self {
        Self::Reply(reply)
    }
}

impl Frame for ClientFrame {
    fn opcode(&self) -> u8 {
        match self {
            Self::Request(request) => request.opcode(),
            Self::Hello(_) => HELLO,
            Self::Call { .. } => CALL,
            Self::Cancel { .. } => CANCEL,
        }
    }

    fn decode(opcode: u8, payload: &[u8]) -> Result<Self, DecodeError> {
        let mut fields = FieldReader::new(payload);
        let mut call_id = None;
        let mut read = || {
            Ok(match opcode {
                _ if Request::is_opcode(opcode) => Self::Request(Request::decode(opcode, payload)?),
                HELLO => Self::Hello(json_field(&fields.str("hello")?, "hello")?),
                CALL => {
                    let id = fields.u64("id")?;
                    call_id = Some(id);
                    Self::Call { id, method: fields.str("method")?, json: fields.str("params")? }
                }
                CANCEL => Self::Cancel { id: fields.u64("id")? },
                _ => return Err(Malformation::UnknownOpcode { opcode }),
            })
        };
        read().map_err(|reason| DecodeError { reason, opcode: Some(opcode), call_id })
    }

    fn write_payload(&self, out: &mut Vec<u8>) {
        match self {
            Self::Request(request) => request.write_payload(out),
            Self::Hello(hello) => write_json(hello, out),
            Self::Call { id, method, json } => {
                FieldWriter::new(out).u64(*id).str(method).str(json);
            }
            Self::Cancel { id } => {
                FieldWriter::new(out).u64(*id);
            }
        }
    }
}

impl Frame for ServerFrame {
    fn opcode(&self) -> u8 {
        match self {
            Self::Reply(_) => REPLY,
            Self::Hello(_) => HELLO,
            Self::Answer { .. } => ANSWER,
            Self::Event { .. } => EVENT,
        }
    }

    fn decode(opcode: u8, payload: &[u8]) -> Result<Self, DecodeError> {
        let mut fields = FieldReader::new(payload);
        let mut call_id = None;
        let mut read = || {
            Ok(match opcode {
                REPLY => Self::Reply(Reply::decode(payload)?),
                BARE_ERROR => Self::Reply(Reply::decode_bare_error(payload)?),
                HELLO => Self::Hello(json_field(&fields.str("hello")?, "hello")?),
                ANSWER => {
                    let id = fields.u64("id")?;
                    call_id = Some(id);
                    Self::Answer { id, ok: fields.bool("ok")?, json: fields.str("answer")? }
                }
                EVENT => Self::Event { seq: fields.u64("seq")?, json: fields.str("event")? },
                _ => return Err(Malformation::UnknownOpcode { opcode }),
            })
        };
        read().map_err(|reason| DecodeError { reason, opcode: Some(opcode), call_id })
    }

    fn write_payload(&self, out: &mut Vec<u8>) {
        match self {
            Self::Reply(reply) => reply.write_payload(out),
            Self::Hello(hello) => write_json(hello, out),
            Self::Answer { id, ok, json } => {
                FieldWriter::new(out).u64(*id).bool(*ok).str(json);
            }
            Self::Event { seq, json } => {
                FieldWriter::new(out).u64(*seq).str(json);
            }
        }
    }
}

fn json_field<T: serde::de::DeserializeOwned>(text: &str, field: &'static str) -> Result<T, Malformation> {
    serde_json::from_str(text).map_err(|_| Malformation::BadJson { field })
}

fn write_json<T: serde::Serialize>(value: &T, out: &mut Vec<u8>) {
    // The hello types hold only strings and integers, which serde_json never refuses.
    let text = serde_json::to_string(value).unwrap_or_default();
    FieldWriter::new(out).str(&text);
}
