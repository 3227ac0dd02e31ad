//! What a server asks of the program behind it.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::broadcast;

use crate::codec::{Element, Reply, Request};
use crate::error::{ErrorCode, Fault};

/// One client connection, for as long as it lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectionId(pub u64);

/// A point of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// From the left.
    pub x: i32,
    /// From the top.
    pub y: i32,
}

/// Which element is meant, and how long to look for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup {
    /// Identifier or label.
    pub selector: String,
    /// Whether `selector` is a label.
    pub by_label: bool,
    /// The element type, where it matters.
    pub element_type: Option<String>,
    /// How long to look; none looks once. See [`crate::recovery::poll_until`].
    pub timeout: Option<Duration>,
}

type Done = Result<(), Fault>;

/// The program behind a server: one method for each thing that v1 can ask for, and [`Handler::call`] for v2.
///
/// The three element taps of v1 differ only in how they name the element, so they are one method here. v1 methods run
/// to their end once begun, even if the client goes away; a v2 call is dropped when it is cancelled or its client is
/// gone, so it must leave things in order at every await.
pub trait Handler: Send + Sync + 'static {
    /// Heartbeat: fine unless the handler knows better.
    fn heartbeat(&self) -> impl Future<Output = Done> + Send {
        async { Ok(()) }
    }

    /// `TapCoord`.
    fn tap_coord(&self, point: Point) -> impl Future<Output = Done> + Send;

    /// `TapElement`, `TapByLabel` and `TapWithType`.
    fn tap_element(&self, lookup: Lookup) -> impl Future<Output = Done> + Send;

    /// `TypeText`: into the focused field.
    fn type_text(&self, text: String) -> impl Future<Output = Done> + Send;

    /// `Swipe`.
    fn swipe(&self, from: Point, to: Point, duration: Option<Duration>) -> impl Future<Output = Done> + Send;

    /// `GetValue`.
    fn get_value(&self, lookup: Lookup) -> impl Future<Output = Result<Option<String>, Fault>> + Send;

    /// `LongPress`.
    fn long_press(&self, point: Point, duration: Duration) -> impl Future<Output = Done> + Send;

    /// `DumpTree`.
    fn dump_tree(&self) -> impl Future<Output = Result<Vec<Element>, Fault>> + Send;

    /// `Screenshot`, as PNG.
    fn screenshot(&self) -> impl Future<Output = Result<Vec<u8>, Fault>> + Send;

    /// `SetTarget`.
    fn set_target(&self, target: String) -> impl Future<Output = Done> + Send;

    /// `FindElement`: looks once; `hittable` is filled.
    fn find_element(&self, lookup: Lookup) -> impl Future<Output = Result<Option<Element>, Fault>> + Send;

    /// `GetTargetInfo`.
    fn target_info(&self) -> impl Future<Output = Result<Value, Fault>> + Send;

    /// `BridgeHealth`.
    fn bridge_health(&self) -> impl Future<Output = Done> + Send {
        async { Ok(()) }
    }

    /// `DeviceUdid`.
    fn device_udid(&self) -> impl Future<Output = Result<Option<String>, Fault>> + Send {
        async { Ok(None) }
    }

    /// A v2 call.
    fn call(
        &self,
        caller: ConnectionId,
        method: String,
        params: Value,
    ) -> impl Future<Output = Result<Value, Fault>> + Send {
        let _ = (caller, params);
        async move { Err(Fault::new(ErrorCode::Unsupported, format!("there is no method `{method}`"))) }
    }

    /// The events that a v2 client asked for, each one a JSON text. None: there are none to be had. A client that
    /// lags behind the channel is told how many it missed.
    fn events(&self, caller: ConnectionId) -> Option<broadcast::Receiver<Arc<str>>> {
        let _ = caller;
        None
    }

    /// A connection is over; whatever was kept for it can go.
    fn disconnected(&self, caller: ConnectionId) {
        let _ = caller;
    }
}

/// Runs one v1 request; a fault becomes an error reply.
pub(super) async fn dispatch<H: Handler>(handler: &H, request: Request) -> Reply {
    answer(handler, request).await.unwrap_or_else(|fault| Reply::Error(fault.to_v1_text()))
}

async fn answer<H: Handler>(handler: &H, request: Request) -> Result<Reply, Fault> {
    let lookup = |selector, by_label, element_type, timeout_ms: Option<u64>| Lookup {
        selector,
        by_label,
        element_type,
        timeout: timeout_ms.map(Duration::from_millis),
    };
    let done = |()| Reply::Ok;
    match request {
        Request::Heartbeat => handler.heartbeat().await.map(done),
        Request::TapCoord { x, y } => handler.tap_coord(Point { x, y }).await.map(done),
        Request::TapElement { id, timeout_ms } => {
            handler.tap_element(lookup(id, false, None, timeout_ms)).await.map(done)
        }
        Request::TapByLabel { label, timeout_ms } => {
            handler.tap_element(lookup(label, true, None, timeout_ms)).await.map(done)
        }
        Request::TapWithType { selector, by_label, element_type, timeout_ms } => {
            handler.tap_element(lookup(selector, by_label, Some(element_type), timeout_ms)).await.map(done)
        }
        Request::TypeText { text } => handler.type_text(text).await.map(done),
        Request::Swipe { start_x, start_y, end_x, end_y, duration_s } => {
            let (from, to) = (Point { x: start_x, y: start_y }, Point { x: end_x, y: end_y });
            handler.swipe(from, to, duration_s.map(seconds).transpose()?).await.map(done)
        }
        Request::GetValue { selector, by_label, element_type, timeout_ms } => {
            handler.get_value(lookup(selector, by_label, element_type, timeout_ms)).await.map(Reply::Value)
        }
        Request::LongPress { x, y, duration_s } => {
            handler.long_press(Point { x, y }, seconds(duration_s)?).await.map(done)
        }
        Request::DumpTree => json(&handler.dump_tree().await?).map(Reply::Tree),
        Request::Screenshot => handler.screenshot().await.map(Reply::Screenshot),
        Request::SetTarget { target } => handler.set_target(target).await.map(done),
        Request::FindElement { selector, by_label, element_type } => {
            let found = handler.find_element(lookup(selector, by_label, element_type, None)).await?;
            json(&found).map(Reply::Element)
        }
        Request::GetTargetInfo => json(&handler.target_info().await?).map(Reply::TargetInfo),
        Request::BridgeHealth => handler.bridge_health().await.map(done),
        Request::DeviceUdid => handler.device_udid().await.map(Reply::Value),
    }
}

/// A number of seconds from the wire may be anything that fits in 64 bits.
fn seconds(number: f64) -> Result<Duration, Fault> {
    Duration::try_from_secs_f64(number).map_err(|_| {
        Fault::new(ErrorCode::InvalidArgument, format!("{number} is no duration in seconds"))
            .hint("give a number from 0 up")
    })
}

fn json<T: serde::Serialize>(value: &T) -> Result<String, Fault> {
    serde_json::to_string(value)
        .map_err(|error| Fault::new(ErrorCode::Internal, format!("the answer has no JSON: {error}")))
}
