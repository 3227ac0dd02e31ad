//! What is counted, for Prometheus: `/metrics` over HTTP, with a token.

use crate::desk::Desk;
use crate::guard::{Guard, check};
use axum::Router;
use axum::http::header;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use std::net::SocketAddr;
use std::sync::Arc;
use stillpoint_core::{Code, Error, Result};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Where to tell what is counted, and to whom.
#[derive(Clone, Debug)]
pub struct MetricsOptions {
    /// The address; port 0 takes a free one.
    pub addr: SocketAddr,
    /// What a request must bring as `Authorization: Bearer TOKEN`; at least 16 characters.
    pub token: String,
}

/// A listener for Prometheus.
pub(crate) struct Metrics {
    listener: TcpListener,
    guard: Arc<Guard>,
    pub(crate) addr: SocketAddr,
}

impl Metrics {
    pub(crate) async fn bind(options: &MetricsOptions) -> Result<Self> {
        let unavailable = |e: std::io::Error| {
            Error::new(
                Code::AgentUnavailable,
                format!("cannot tell metrics on {}: {e}", options.addr),
                "choose another port, or 0 for a free one",
            )
        };
        let listener = TcpListener::bind(options.addr).await.map_err(unavailable)?;
        let addr = listener.local_addr().map_err(unavailable)?;
        let guard = Arc::new(Guard::new(&options.token, Vec::new(), addr)?);
        Ok(Metrics { listener, guard, addr })
    }

    pub(crate) async fn run(self, desk: Arc<Desk>, end: CancellationToken) {
        let tell = move || {
            let text = desk.metrics();
            async move { ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text) }
        };
        let app = Router::new().route("/metrics", get(tell)).layer(from_fn_with_state(self.guard, check));
        if let Err(error) =
            axum::serve(self.listener, app).with_graceful_shutdown(end.cancelled_owned()).await
        {
            tracing::warn!(%error, "metrics are no longer told");
        }
    }
}
