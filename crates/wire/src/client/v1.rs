//! The sixteen requests as methods.

use std::time::Duration;

use super::Client;
use crate::codec::{ClientFrame, Element, Frame, Reply, Request, ServerFrame};
use crate::error::{Fault, WireError};

impl Client {
    /// Sends one v1 request and returns its reply; an error reply is an `Err`.
    pub async fn request(&self, request: Request) -> Result<Reply, WireError> {
        let patience = self.options.answer_timeout(&request);
        self.request_within(request, patience).await
    }

    /// As [`Client::request`], with a patience of the caller's own.
    pub async fn request_within(&self, request: Request, patience: Duration) -> Result<Reply, WireError> {
        let during = request.name();
        let bytes = ClientFrame::from(request).encode()?;
        match self.link.exchange(bytes, during, patience).await? {
            ServerFrame::Reply(Reply::Error(text)) => Err(Fault::from_v1_text(&text).into()),
            ServerFrame::Reply(reply) => Ok(reply),
            other => Err(WireError::Protocol(format!("{during} was answered by {other:?}"))),
        }
    }

    async fn done(&self, request: Request) -> Result<(), WireError> {
        match self.request(request).await? {
            Reply::Ok => Ok(()),
            other => Err(unexpected("Ok", &other)),
        }
    }

    /// Is anybody there?
    pub async fn heartbeat(&self) -> Result<(), WireError> {
        self.done(Request::Heartbeat).await
    }

    /// Taps a point.
    pub async fn tap_coord(&self, x: i32, y: i32) -> Result<(), WireError> {
        self.done(Request::TapCoord { x, y }).await
    }

    /// Taps the element with an identifier.
    pub async fn tap_element(&self, id: &str, timeout_ms: Option<u64>) -> Result<(), WireError> {
        self.done(Request::TapElement { id: id.to_owned(), timeout_ms }).await
    }

    /// Taps the element with a label.
    pub async fn tap_by_label(&self, label: &str, timeout_ms: Option<u64>) -> Result<(), WireError> {
        self.done(Request::TapByLabel { label: label.to_owned(), timeout_ms }).await
    }

    /// Taps the element of a type.
    pub async fn tap_with_type(
        &self,
        selector: &str,
        by_label: bool,
        element_type: &str,
        timeout_ms: Option<u64>,
    ) -> Result<(), WireError> {
        let (selector, element_type) = (selector.to_owned(), element_type.to_owned());
        self.done(Request::TapWithType { selector, by_label, element_type, timeout_ms }).await
    }

    /// Types into the focused field.
    pub async fn type_text(&self, text: &str) -> Result<(), WireError> {
        self.done(Request::TypeText { text: text.to_owned() }).await
    }

    /// Drags from one point to another.
    pub async fn swipe(
        &self,
        (start_x, start_y): (i32, i32),
        (end_x, end_y): (i32, i32),
        duration_s: Option<f64>,
    ) -> Result<(), WireError> {
        self.done(Request::Swipe { start_x, start_y, end_x, end_y, duration_s }).await
    }

    /// An element's value.
    pub async fn get_value(
        &self,
        selector: &str,
        by_label: bool,
        element_type: Option<&str>,
        timeout_ms: Option<u64>,
    ) -> Result<Option<String>, WireError> {
        let (selector, element_type) = (selector.to_owned(), element_type.map(str::to_owned));
        self.value(Request::GetValue { selector, by_label, element_type, timeout_ms }).await
    }

    /// Presses a point and holds it.
    pub async fn long_press(&self, x: i32, y: i32, duration_s: f64) -> Result<(), WireError> {
        self.done(Request::LongPress { x, y, duration_s }).await
    }

    /// The whole tree.
    pub async fn dump_tree(&self) -> Result<Vec<Element>, WireError> {
        match self.request(Request::DumpTree).await? {
            Reply::Tree(json) => {
                Element::parse_tree(&json).map_err(|error| not_as_expected("the tree", &error))
            }
            other => Err(unexpected("Tree", &other)),
        }
    }

    /// The screen as PNG.
    pub async fn screenshot(&self) -> Result<Vec<u8>, WireError> {
        match self.request(Request::Screenshot).await? {
            Reply::Screenshot(png) => Ok(png),
            other => Err(unexpected("Screenshot", &other)),
        }
    }

    /// Switches to another application.
    pub async fn set_target(&self, target: &str) -> Result<(), WireError> {
        self.done(Request::SetTarget { target: target.to_owned() }).await
    }

    /// Looks once for an element, with its live `hittable`.
    pub async fn find_element(
        &self,
        selector: &str,
        by_label: bool,
        element_type: Option<&str>,
    ) -> Result<Option<Element>, WireError> {
        let (selector, element_type) = (selector.to_owned(), element_type.map(str::to_owned));
        match self.request(Request::FindElement { selector, by_label, element_type }).await? {
            Reply::Element(json) => {
                Element::parse_found(&json).map_err(|error| not_as_expected("the element", &error))
            }
            other => Err(unexpected("Element", &other)),
        }
    }

    /// What the target is.
    pub async fn target_info(&self) -> Result<serde_json::Value, WireError> {
        match self.request(Request::GetTargetInfo).await? {
            Reply::TargetInfo(json) => {
                serde_json::from_str(&json).map_err(|error| not_as_expected("the target info", &error))
            }
            other => Err(unexpected("TargetInfo", &other)),
        }
    }

    /// Whether whatever stands between agent and app works.
    pub async fn bridge_health(&self) -> Result<(), WireError> {
        self.done(Request::BridgeHealth).await
    }

    /// Which device the agent runs on.
    pub async fn device_udid(&self) -> Result<Option<String>, WireError> {
        self.value(Request::DeviceUdid).await
    }

    async fn value(&self, request: Request) -> Result<Option<String>, WireError> {
        match self.request(request).await? {
            Reply::Value(value) => Ok(value),
            other => Err(unexpected("Value", &other)),
        }
    }
}

fn unexpected(wanted: &str, got: &Reply) -> WireError {
    WireError::Protocol(format!("expected {wanted}, got {}", got.name()))
}

fn not_as_expected(what: &str, error: &dyn std::error::Error) -> WireError {
    WireError::Protocol(format!("{what} is not the JSON expected: {error}"))
}
