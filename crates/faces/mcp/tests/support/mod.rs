//! A client that keeps what it hears, connected to a server with the simulator.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // each test file uses its own part; a test may panic

pub mod python;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientRequest, ProgressNotificationParam, Request,
    ResourceUpdatedNotificationParam, ServerResult,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestHandle, RunningService};
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use stillpoint_engine::Engine;
use stillpoint_mcp::{Options, serve};
use stillpoint_sim::Sim;
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;

/// What a server says by itself.
#[derive(Debug)]
pub enum Heard {
    Progress(ProgressNotificationParam),
    Updated(String),
}

/// A client's ears.
pub struct Ears(mpsc::UnboundedSender<Heard>);

impl ClientHandler for Ears {
    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.0.send(Heard::Progress(params));
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self.0.send(Heard::Updated(params.uri));
    }
}

/// A client.
pub struct Agent {
    pub service: RunningService<RoleClient, Ears>,
    heard: Mutex<mpsc::UnboundedReceiver<Heard>>,
}

pub fn engine() -> Arc<Engine> {
    Arc::new(Engine::new().with(Sim::new()))
}

pub fn scripted(scene: &str) -> Arc<Engine> {
    Arc::new(Engine::new().with(Sim::scripted(scene)))
}

/// A client of a server of its own, which shares the engine with others.
pub async fn connect(engine: &Arc<Engine>) -> Agent {
    connect_with(engine, Options::default()).await
}

pub async fn connect_with(engine: &Arc<Engine>, options: Options) -> Agent {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(theirs);
    tokio::spawn(serve(engine.clone(), options, input, output, CancellationToken::new()));
    let (heard, hears) = mpsc::unbounded_channel();
    let service = Ears(heard).serve(ours).await.unwrap();
    Agent { service, heard: Mutex::new(hears) }
}

impl Agent {
    fn request(tool: &str, params: &Value) -> CallToolRequestParams {
        CallToolRequestParams::new(tool.to_owned()).with_arguments(params.as_object().unwrap().clone())
    }

    pub async fn call(&self, tool: &str, params: Value) -> CallToolResult {
        self.service.call_tool(Self::request(tool, &params)).await.unwrap()
    }

    /// The answer's JSON of a call that went well.
    pub async fn ask(&self, tool: &str, params: Value) -> Value {
        let result = self.call(tool, params).await;
        assert_ne!(result.is_error, Some(true), "{tool}: {result:?}");
        result.structured_content.unwrap()
    }

    /// The error of a call that did not.
    pub async fn refused(&self, tool: &str, params: Value) -> Value {
        let result = self.call(tool, params).await;
        assert_eq!(result.is_error, Some(true), "{tool}: {result:?}");
        let error = result.structured_content.clone().unwrap()["error"].clone();
        for field in ["code", "message", "hint", "retryable"] {
            assert!(!error[field].is_null(), "{tool} has no {field}: {error}");
        }
        assert!(text(&result).contains(error["hint"].as_str().unwrap()), "{tool}: the text has no hint");
        error
    }

    /// A call that can be given up; every call of it has a progress token.
    pub async fn begin(&self, tool: &str, params: Value) -> RequestHandle<RoleClient> {
        let request = ClientRequest::CallToolRequest(Request::new(Self::request(tool, &params)));
        self.service.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap()
    }

    pub async fn hear(&self) -> Heard {
        // Long enough for any machine; what is never said fails the test instead of stopping it.
        let patience = std::time::Duration::from_secs(45);
        tokio::time::timeout(patience, async { self.heard.lock().await.recv().await.unwrap() }).await.unwrap()
    }
}

impl Agent {
    /// The resource that the next update is about.
    pub async fn hear_update(&self) -> String {
        loop {
            if let Heard::Updated(uri) = self.hear().await {
                return uri;
            }
        }
    }
}

/// The answer of a call that was begun.
pub async fn end(handle: RequestHandle<RoleClient>) -> CallToolResult {
    match handle.await_response().await.unwrap() {
        ServerResult::CallToolResult(result) => result,
        other => panic!("no result of a tool: {other:?}"),
    }
}

pub fn text(result: &CallToolResult) -> String {
    result.content.iter().filter_map(|c| c.as_text()).map(|t| t.text.as_str()).collect()
}

/// The example server, built if it is not there yet.
pub fn example() -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    if path.ends_with("deps") {
        path.pop();
    }
    path.push("examples/serve");
    if !path.exists() {
        let built = std::process::Command::new(env!("CARGO"))
            .args(["build", "-p", "stillpoint-mcp", "--example", "serve"])
            .status()
            .unwrap();
        assert!(built.success(), "the example server could not be built");
    }
    path
}
