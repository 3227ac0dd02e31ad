//! Requests: which are under way (for idleness), and which there were (for `get_network_activity`).

use crate::idle::{STUCK, resource};
use serde::Deserialize;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stillpoint_engine::backend::{BusyResource, NetworkRequest};
use tokio::time::Instant;

/// How many requests are remembered.
const REMEMBERED: usize = 2000;
/// A request that has been answered and goes on for longer than this is a stream.
const STREAMING: Duration = Duration::from_secs(2);

/// The requests there were, shared with those who ask.
#[derive(Clone)]
pub(crate) struct Log {
    entries: Arc<Mutex<VecDeque<(u64, NetworkRequest)>>>,
    start: Instant,
}

/// The requests under way.
pub(crate) struct Traffic {
    log: Log,
    next: u64,
    flying: HashMap<(String, String), Flying>,
    downloads: HashMap<String, (u64, Instant)>,
}

/// `Browser.downloadWillBegin` and `Browser.downloadProgress`.
#[derive(Deserialize)]
struct Download {
    guid: String,
    #[serde(default)]
    url: String,
    state: Option<String>,
}

struct Flying {
    entry: u64,
    /// The frame whose document it brings.
    document_of: Option<String>,
    since: Instant,
    answered: Option<Instant>,
    /// Things that stay open by design.
    is_stream: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NetworkEvent {
    request_id: String,
    frame_id: Option<String>,
    /// The document that asked; empty for the script of a worker, whose end is told to the worker alone.
    loader_id: Option<String>,
    #[serde(default)]
    request: RequestData,
    #[serde(rename = "type")]
    kind: Option<String>,
    redirect_response: Option<Response>,
    response: Option<Response>,
    error_text: Option<String>,
}

#[derive(Default, Deserialize)]
struct RequestData {
    #[serde(default)]
    url: String,
    #[serde(default)]
    method: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    status: u16,
    #[serde(default)]
    mime_type: String,
}

impl Log {
    /// A log on the time line that began at `start`.
    pub(crate) fn new(start: Instant) -> Self {
        Log { entries: Arc::default(), start }
    }

    /// The requests that were sent since `since_ms`.
    pub(crate) fn since(&self, since_ms: u64) -> Vec<NetworkRequest> {
        self.lock().iter().filter(|(_, r)| r.started_ms >= since_ms).map(|(_, r)| r.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(u64, NetworkRequest)>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }

    fn edit(&self, entry: u64, edit: impl FnOnce(&mut NetworkRequest)) {
        if let Some((_, request)) = self.lock().iter_mut().rev().find(|(number, _)| *number == entry) {
            edit(request);
        }
    }
}

impl Traffic {
    pub(crate) fn new(log: Log) -> Self {
        Traffic { log, next: 0, flying: HashMap::new(), downloads: HashMap::new() }
    }

    /// Takes in an event of the Network domain.
    pub(crate) fn event(&mut self, session: &str, method: &str, params: &str) {
        if method.starts_with("Browser.download") {
            return self.download(params);
        }
        let event: NetworkEvent = match serde_json::from_str(params) {
            Ok(event) => event,
            Err(error) => return tracing::debug!(%error, method, "a network event was not understood"),
        };
        let id = (session.to_owned(), event.request_id.clone());
        match method {
            "Network.requestWillBeSent" => {
                if let Some(redirect) = &event.redirect_response {
                    self.finish(&id, Some(redirect.status), None);
                }
                self.begin(id, event);
            }
            "Network.responseReceived" => {
                if let (Some(flying), Some(response)) = (self.flying.get_mut(&id), &event.response) {
                    flying.answered = Some(Instant::now());
                    flying.is_stream |= response.mime_type == "text/event-stream";
                    self.log.edit(flying.entry, |request| request.status = Some(response.status));
                }
            }
            "Network.loadingFinished" => self.finish(&id, None, None),
            "Network.loadingFailed" => self.finish(&id, None, event.error_text),
            _ => {}
        }
    }

    /// A download is busy until it is complete; it is in the log like a request, of its own kind.
    fn download(&mut self, params: &str) {
        tracing::trace!(params, "a download");
        let event: Download = match serde_json::from_str(params) {
            Ok(event) => event,
            Err(error) => return tracing::debug!(%error, "a download was not understood"),
        };
        match event.state.as_deref() {
            None => {
                let entry = self.log_request("GET".to_owned(), event.url, "download".to_owned());
                self.downloads.insert(event.guid, (entry, Instant::now()));
            }
            Some("inProgress") => {}
            Some(end) => {
                let Some((entry, since)) = self.downloads.remove(&event.guid) else { return };
                self.log.edit(entry, |request| {
                    request.duration_ms = Some(since.elapsed().as_millis() as u64);
                    request.error = (end != "completed").then(|| end.to_owned());
                });
            }
        }
    }

    /// Puts a request into the log; gives its number there.
    fn log_request(&mut self, method: String, url: String, kind: String) -> u64 {
        self.next += 1;
        let request = NetworkRequest {
            method,
            url,
            status: None,
            started_ms: self.log.now(),
            duration_ms: None,
            error: None,
            kind: Some(kind),
            action_id: None,
        };
        let mut entries = self.log.lock();
        if entries.len() >= REMEMBERED {
            entries.pop_front();
        }
        entries.push_back((self.next, request));
        self.next
    }

    fn begin(&mut self, id: (String, String), event: NetworkEvent) {
        let kind = event.kind.as_deref().unwrap_or("Other").to_ascii_lowercase();
        let is_stream =
            matches!(&*kind, "eventsource" | "websocket" | "ping" | "media" | "cspviolationreport");
        let is_worker = kind == "script" && event.loader_id.as_deref() == Some("");
        let kind_is_document = kind == "document";
        let url = event.request.url;
        if url.starts_with("data:") || url.starts_with("blob:") {
            return;
        }
        let entry = self.log_request(event.request.method, url, kind);
        if is_worker {
            return;
        }
        let document_of = event.frame_id.filter(|_| kind_is_document);
        let since = Instant::now();
        self.flying.insert(id, Flying { entry, document_of, since, answered: None, is_stream });
    }

    fn finish(&mut self, id: &(String, String), status: Option<u16>, error: Option<String>) {
        let Some(flying) = self.flying.remove(id) else { return };
        self.log.edit(flying.entry, |request| {
            request.duration_ms = Some(flying.since.elapsed().as_millis() as u64);
            request.status = status.or(request.status);
            request.error = error;
        });
    }

    /// A frame has got a process of its own, seen through `session`: whoever began to load its document is not told
    /// how that ends. From here on the document tells itself whether it is loading.
    pub(crate) fn handed_over(&mut self, frame: &str, session: &str) {
        let is_elsewhere = |(of, _): &&(String, String)| of != session;
        let begun = self.flying.iter().filter(|(_, f)| f.document_of.as_deref() == Some(frame));
        let ids: Vec<_> = begun.map(|(id, _)| id).filter(is_elsewhere).cloned().collect();
        for id in ids {
            self.finish(&id, None, None);
        }
    }

    /// A target is gone, and its requests with it.
    pub(crate) fn drop_session(&mut self, session: &str) {
        self.flying.retain(|(of, _), _| of != session);
    }

    /// What is under way; long polls and streams are named and do not block.
    pub(crate) fn busy(&self, now: Instant) -> Vec<BusyResource> {
        let mut sums = [("network", 0u32, Duration::ZERO, false), ("long request", 0, Duration::ZERO, true)];
        for flying in self.flying.values() {
            let age = now.saturating_duration_since(flying.since);
            let streams = flying.answered.is_some_and(|at| now.saturating_duration_since(at) > STREAMING);
            let slot = &mut sums[usize::from(flying.is_stream || streams || age > STUCK)];
            slot.1 += 1;
            slot.2 = slot.2.max(age);
        }
        let downloads = self.downloads.values().map(|(_, since)| now.saturating_duration_since(*since));
        let oldest = downloads.max().unwrap_or_default();
        let downloading = ("download", self.downloads.len() as u32, oldest, oldest > STUCK);
        sums.into_iter()
            .chain([downloading])
            .filter(|s| s.1 > 0)
            .map(|(name, n, age, stuck)| resource(name, n, age, stuck))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_request_blocks_until_it_ends_and_a_long_poll_only_for_ten_seconds() {
        let log = Log::new(Instant::now());
        let mut traffic = Traffic::new(log.clone());
        let sent = |id: &str| {
            format!(
                r#"{{"requestId":"{id}","type":"Fetch","request":{{"url":"http://h/{id}","method":"GET"}}}}"#
            )
        };
        traffic.event("s", "Network.requestWillBeSent", &sent("1"));
        traffic.event("s", "Network.requestWillBeSent", &sent("2"));
        traffic.event("s", "Network.responseReceived", r#"{"requestId":"1","response":{"status":200}}"#);
        traffic.event("s", "Network.loadingFinished", r#"{"requestId":"1"}"#);
        let busy = traffic.busy(Instant::now());
        assert_eq!((busy.len(), busy[0].count, busy[0].stuck), (1, 1, false));
        tokio::time::advance(STUCK + Duration::from_millis(1)).await;
        assert!(traffic.busy(Instant::now())[0].stuck);
        assert_eq!(log.since(0)[0].status, Some(200));
        assert_eq!(log.since(0)[1].duration_ms, None);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_goes_on_and_on_is_a_stream_and_does_not_block() {
        let mut traffic = Traffic::new(Log::new(Instant::now()));
        let sent = r#"{"requestId":"1","type":"Fetch","request":{"url":"http://h/stream","method":"GET"}}"#;
        traffic.event("s", "Network.requestWillBeSent", sent);
        traffic.event("s", "Network.responseReceived", r#"{"requestId":"1","response":{"status":200}}"#);
        tokio::time::advance(STREAMING).await;
        assert!(!traffic.busy(Instant::now())[0].stuck, "it may still end");
        tokio::time::advance(Duration::from_millis(1)).await;
        let busy = traffic.busy(Instant::now());
        assert_eq!((busy.len(), busy[0].name.as_str(), busy[0].stuck), (1, "long request", true));
        let events =
            r#"{"requestId":"2","type":"EventSource","request":{"url":"http://h/events","method":"GET"}}"#;
        traffic.event("s", "Network.requestWillBeSent", events);
        assert!(traffic.busy(Instant::now()).iter().all(|busy| busy.stuck), "a stream by its kind");
    }

    #[tokio::test(start_paused = true)]
    async fn the_script_of_a_worker_is_not_waited_for_because_its_end_is_told_elsewhere() {
        let mut traffic = Traffic::new(Log::new(Instant::now()));
        let sent = |id: &str, loader: &str| {
            let request = format!(r#"{{"url":"http://h/{id}.js","method":"GET"}}"#);
            format!(r#"{{"requestId":"{id}","loaderId":"{loader}","type":"Script","request":{request}}}"#)
        };
        traffic.event("page", "Network.requestWillBeSent", &sent("worker", ""));
        assert!(traffic.busy(Instant::now()).is_empty());
        traffic.event("page", "Network.requestWillBeSent", &sent("script", "L1"));
        assert_eq!(traffic.busy(Instant::now()).len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_document_that_another_process_takes_over_is_not_waited_for_where_it_began() {
        let mut traffic = Traffic::new(Log::new(Instant::now()));
        let sent = r#"{"requestId":"1","frameId":"f","type":"Document","request":{"url":"http://h/","method":"GET"}}"#;
        traffic.event("page", "Network.requestWillBeSent", sent);
        traffic.handed_over("other", "frame");
        traffic.handed_over("f", "page");
        assert_eq!(traffic.busy(Instant::now()).len(), 1);
        traffic.handed_over("f", "frame");
        assert!(traffic.busy(Instant::now()).is_empty());
    }
}
