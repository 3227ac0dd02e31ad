//! Serving one client over a pair of streams.

use crate::options::Options;
use crate::server::Server;
use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use std::sync::Arc;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::Engine;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// Serves the client on standard input and output until it closes them or `cancel` is cancelled.
pub async fn serve_stdio(engine: Arc<Engine>, options: Options, cancel: CancellationToken) -> Result<()> {
    #[cfg(target_os = "linux")]
    if let Some((input, output)) = crate::sockets::standard() {
        return serve(engine, options, input, output, cancel).await;
    }
    let (input, output) = rmcp::transport::io::stdio_pipes();
    serve(engine, options, input, output, cancel).await
}

/// Serves the client on a pair of streams until it closes them or `cancel` is cancelled.
pub async fn serve(
    engine: Arc<Engine>,
    options: Options,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    cancel: CancellationToken,
) -> Result<()> {
    let server = Server::new(engine, &options);
    let running = match server.serve_with_ct((input, output), cancel).await {
        Ok(running) => running,
        // A client that goes before it said hello, and a server that is told to end, are no failures.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => return Ok(()),
        Err(error) => {
            return Err(Error::new(
                Code::Protocol,
                format!("the client did not start as the Model Context Protocol asks: {error}"),
                "an MCP client starts this command; it is not for typing into",
            ));
        }
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => {
            Err(Error::internal(format!("the server's own task ended badly: {error}")))
        }
        Ok(_) => Ok(()),
    }
}
