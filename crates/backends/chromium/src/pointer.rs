//! Where things are for the pointer: points to press, what lies under a point, pictures.

use crate::frames::{Located, Shared};
use crate::node::{AxNodes, key};
use crate::socket::{Note, Pending, Session};
use base64::Engine;
use serde::Deserialize;
use serde_json::{Value, json};
use stillpoint_core::tree::NativeKey;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::Deadline;
use tokio::sync::oneshot;

/// A point of a window, with the session that takes its input.
pub(crate) struct Spot {
    pub(crate) window: Session,
    pub(crate) x: f64,
    pub(crate) y: f64,
}

#[derive(Deserialize)]
struct Quads {
    quads: Vec<[f64; 8]>,
}

/// Questions under way about where to press an element: it is scrolled into view, then measured.
pub(crate) struct Aim {
    scrolling: Pending,
    measuring: Pending,
}

impl Aim {
    pub(crate) fn start(at: &Located) -> Result<Self> {
        Ok(Aim { scrolling: start_scroll(at)?, measuring: start_extent(at)? })
    }

    /// The middle of the element.
    pub(crate) async fn spot(self, at: Located, deadline: Deadline) -> Result<Spot> {
        scrolled_in(self.scrolling, deadline).await?;
        let [x, y, width, height] = extent(&at, self.measuring, deadline).await?;
        Ok(Spot { window: at.reach.window, x: x + width / 2.0, y: y + height / 2.0 })
    }
}

/// Brings an element into view, in all scroll areas around it.
pub(crate) async fn scroll_into_view(at: &Located, deadline: Deadline) -> Result<()> {
    scrolled_in(start_scroll(at)?, deadline).await
}

fn start_scroll(at: &Located) -> Result<Pending> {
    at.reach.session.start("DOM.scrollIntoViewIfNeeded", json!({ "backendNodeId": at.node }))
}

async fn scrolled_in(scrolling: Pending, deadline: Deadline) -> Result<()> {
    match scrolling.read::<Value>(deadline).await {
        Ok(_) => Ok(()),
        // A text node has no scrolling of its own; its place is found all the same.
        Err(error) if error.code == Code::Protocol && error.message.contains("not an") => Ok(()),
        Err(error) if error.code == Code::Protocol => Err(gone_or_hidden(&error)),
        Err(error) => Err(error),
    }
}

fn start_extent(at: &Located) -> Result<Pending> {
    at.reach.session.start("DOM.getContentQuads", json!({ "backendNodeId": at.node }))
}

/// x, y, width, height in the window's viewport.
async fn extent(at: &Located, measuring: Pending, deadline: Deadline) -> Result<[f64; 4]> {
    let quads: Quads = match measuring.read(deadline).await {
        Err(error) if error.code == Code::Protocol => return Err(gone_or_hidden(&error)),
        other => other?,
    };
    let (dx, dy) = (f64::from(at.reach.offset.0), f64::from(at.reach.offset.1));
    let boxes = quads.quads.iter().map(|q| {
        let xs = [q[0], q[2], q[4], q[6]];
        let ys = [q[1], q[3], q[5], q[7]];
        let low = |v: [f64; 4]| v.into_iter().fold(f64::INFINITY, f64::min);
        let high = |v: [f64; 4]| v.into_iter().fold(f64::NEG_INFINITY, f64::max);
        [low(xs) + dx, low(ys) + dy, high(xs) - low(xs), high(ys) - low(ys)]
    });
    boxes.into_iter().find(|b| b[2] >= 1.0 && b[3] >= 1.0).ok_or_else(|| {
        Error::new(
            Code::NotActionable,
            "the element has no area on the screen",
            "wait until it is visible, then try again",
        )
    })
}

fn gone_or_hidden(error: &Error) -> Error {
    let message = format!("the element cannot be reached: {}", error.message);
    if error.message.contains("No node")
        || error.message.contains("detached")
        || error.message.contains("not find")
    {
        Error::new(Code::StaleReference, message, "take a new snapshot and use an element of it")
    } else {
        Error::new(Code::NotActionable, message, "wait until it is visible, then try again")
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct UnderPoint {
    backend_node_id: i64,
    frame_id: String,
}

/// `Page.getLayoutMetrics`, as far as it is used.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    css_layout_viewport: Viewport,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Viewport {
    page_x: i32,
    page_y: i32,
}

/// How far a document is scrolled. Hit tests and pictures are asked for in places of the document, while everything
/// else is told in places of the viewport.
async fn scrolled(session: &Session, deadline: Deadline) -> Result<(i32, i32)> {
    Ok(session.call::<Metrics>("Page.getLayoutMetrics", json!({}), deadline).await?.offset())
}

impl Metrics {
    fn offset(&self) -> (i32, i32) {
        (self.css_layout_viewport.page_x, self.css_layout_viewport.page_y)
    }
}

/// The element under a point of the window in front.
pub(crate) async fn hit_test(
    browser: &Session,
    shared: &Shared,
    from: (i32, i32),
    deadline: Deadline,
) -> Result<Option<NativeKey>> {
    let mut session = shared.front()?;
    let mut point = from;
    // A frame in a process of its own answers for what lies in it.
    for _ in 0..8 {
        let Some(under) = under(&session, shared, point, deadline).await? else { return Ok(None) };
        let (serial, embedded) = {
            let registry = shared.lock();
            let serial = registry.frames.get(&under.frame_id).copied();
            let element = serial.map(|serial| key(serial, under.backend_node_id));
            (
                serial,
                registry
                    .embedded
                    .iter()
                    .find(|e| Some(e.element) == element)
                    .map(|e| (e.session.clone(), e.offset)),
            )
        };
        if let Some((inner, offset)) = embedded {
            session = inner;
            point = (from.0 - offset.0, from.1 - offset.1);
            continue;
        }
        let Some(serial) = serial else { return Ok(None) };
        // Mostly it is an element of the mirror; only if not, whoever is around it is asked for.
        let itself = vec![key(serial, under.backend_node_id)];
        if let Some(found) = nearest(browser, itself, deadline).await? {
            return Ok(Some(found));
        }
        let params = json!({ "backendNodeId": under.backend_node_id });
        let chain: AxNodes = session.call("Accessibility.getAXNodeAndAncestors", params, deadline).await?;
        let keys = chain.nodes.iter().map(|node| key(serial, node.number())).collect();
        return nearest(browser, keys, deadline).await;
    }
    Ok(None)
}

/// What lies under a point of the viewport. How far the document is scrolled is asked along and taken to be as the last time;
/// only if it is not, the question is put again, once: a document that goes on scrolling is not run after.
async fn under(
    session: &Session,
    shared: &Shared,
    (x, y): (i32, i32),
    deadline: Deadline,
) -> Result<Option<UnderPoint>> {
    let mut again = true;
    loop {
        let (right, down) = shared.lock().scrolled.get(session.id()).copied().unwrap_or_default();
        let metrics = session.start("Page.getLayoutMetrics", json!({}))?;
        let params = json!({
            "x": x + right, "y": y + down, "includeUserAgentShadowDOM": false, "ignorePointerEventsNone": true,
        });
        let hit = session.start("DOM.getNodeForLocation", params)?;
        let now = metrics.read::<Metrics>(deadline).await?.offset();
        if now == (right, down) || !again {
            return match hit.read(deadline).await {
                Ok(under) => Ok(Some(under)),
                Err(error) if error.code == Code::Protocol => Ok(None),
                Err(error) => Err(error),
            };
        }
        again = false;
        shared.lock().scrolled.insert(session.id().to_owned(), now);
    }
}

/// The first of them that the mirror shows.
async fn nearest(browser: &Session, keys: Vec<NativeKey>, deadline: Deadline) -> Result<Option<NativeKey>> {
    let (answer, nearest) = oneshot::channel();
    browser.enqueue(Note::Nearest(keys, answer)).await?;
    deadline.bound("the mirror", async { nearest.await.map_err(|_| crate::socket::lost()) }).await
}

#[derive(Deserialize)]
struct Picture {
    data: String,
}

/// A PNG of the window in front, or of one element.
pub(crate) async fn screenshot(
    shared: &Shared,
    of: Option<NativeKey>,
    deadline: Deadline,
) -> Result<Vec<u8>> {
    let (window, clip) = match of {
        // A window of its own document is all of it.
        Some(key) => {
            let at = shared.locate(key)?;
            let is_window = shared.lock().windows.iter().any(|(window, _)| *window == key);
            if is_window {
                (at.reach.window, None)
            } else {
                scroll_into_view(&at, deadline).await?;
                let [x, y, width, height] = extent(&at, start_extent(&at)?, deadline).await?;
                let (right, down) = scrolled(&at.reach.window, deadline).await?;
                let (x, y) = (x + f64::from(right), y + f64::from(down));
                let clip = json!({ "x": x, "y": y, "width": width, "height": height, "scale": 1 });
                (at.reach.window, Some(clip))
            }
        }
        None => (shared.front()?, None),
    };
    let mut params = json!({ "format": "png", "optimizeForSpeed": true });
    if let Some(clip) = clip {
        params["clip"] = clip;
    }
    let picture: Picture = window.call("Page.captureScreenshot", params, deadline).await?;
    base64::engine::general_purpose::STANDARD.decode(picture.data).map_err(|error| {
        Error::new(Code::Protocol, format!("the picture cannot be read: {error}"), "try again")
    })
}
