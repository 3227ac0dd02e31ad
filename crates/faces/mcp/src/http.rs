//! Serving many clients over streamable HTTP.

use crate::options::Options;
use crate::server::Server;
use axum::Router;
use axum::middleware::from_fn_with_state;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::net::SocketAddr;
use std::sync::Arc;
use stillpoint_core::{Code, Error, Result};
use stillpoint_daemon::guard::{Guard, check};
use stillpoint_engine::Engine;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Where the endpoint is.
const PATH: &str = "/mcp";
/// No request of a client is longer: flows of 50 steps are a few kilobytes.
const LARGEST: usize = 1 << 20;

/// Where to listen, and to whom.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The address; port 0 takes a free one.
    pub addr: SocketAddr,
    /// What every request must bring as `Authorization: Bearer TOKEN`; at least 16 characters.
    pub token: String,
    /// Names under which clients may ask for the server, besides loopback's and its address.
    pub hosts: Vec<String>,
    /// Which tools are listed.
    pub options: Options,
}

/// A server that listens, and serves once it is run.
pub struct HttpServer {
    listener: TcpListener,
    addr: SocketAddr,
    guard: Arc<Guard>,
    options: Options,
    engine: Arc<Engine>,
}

/// Serves clients over HTTP until `cancel` is cancelled.
pub async fn serve_http(engine: Arc<Engine>, options: HttpOptions, cancel: CancellationToken) -> Result<()> {
    HttpServer::bind(engine, options).await?.run(cancel).await
}

impl HttpServer {
    /// Starts to listen.
    pub async fn bind(engine: Arc<Engine>, http: HttpOptions) -> Result<Self> {
        let listener = TcpListener::bind(http.addr).await.map_err(|e| unavailable(http.addr, &e))?;
        let addr = listener.local_addr().map_err(|e| unavailable(http.addr, &e))?;
        let guard = Guard::new(&http.token, http.hosts, addr)?;
        Ok(HttpServer { listener, addr, guard: Arc::new(guard), options: http.options, engine })
    }

    /// The address that it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Where clients find it.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.addr)
    }

    /// Serves until `cancel` is cancelled.
    pub async fn run(self, cancel: CancellationToken) -> Result<()> {
        let HttpServer { listener, addr, guard, options, engine } = self;
        let first = Server::new(engine, &options);
        // Host and Origin are the guard's, which knows the port and the names that were given.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_max_request_body_bytes(LARGEST)
            .with_cancellation_token(cancel.child_token());
        let sessions = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(first.another()), sessions, config);
        let app = Router::new().route_service(PATH, service).layer(from_fn_with_state(guard, check));
        let served = axum::serve(listener, app).with_graceful_shutdown(cancel.cancelled_owned()).await;
        served.map_err(|e| unavailable(addr, &e))
    }
}

fn unavailable(addr: SocketAddr, error: &std::io::Error) -> Error {
    Error::new(
        Code::AgentUnavailable,
        format!("cannot serve on {addr}: {error}"),
        "choose another port, or 0 for a free one",
    )
}
