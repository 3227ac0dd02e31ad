//! Connections from clients, in front of a [`Handler`].
//!
//! The server knows frames, order, limits and tokens; what a verb means is the handler's. It never waits for a slow
//! peer without a bound: queues are short, and a peer that takes nothing for a while is closed.

mod calls;
mod connection;
mod handler;
mod outbox;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::codec::Token;
use crate::error::WireError;
use crate::tls::ServerTls;

pub use connection::serve_connection;
pub use handler::{ConnectionId, Handler, Lookup, Point};

/// The bounds of a server.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The secret that clients must show in their Hello. Needed for any address but loopback.
    pub token: Option<Token>,
    /// The certificate for TLS. Needed for any address but loopback, unless `allow_plaintext`.
    pub tls: Option<ServerTls>,
    /// Listen beyond loopback without TLS all the same: something else, such as a tunnel, keeps the stream secret.
    pub allow_plaintext: bool,
    /// How long a client with a token may take to show it: 10 s.
    pub hello_timeout: Duration,
    /// How long a peer may take nothing before it is closed: 10 s.
    pub write_timeout: Duration,
    /// How long work in flight may go on after a peer stopped sending: 30 s.
    pub drain_timeout: Duration,
    /// Frames that may wait to be written to one peer: 32.
    pub outbox: usize,
    /// v1 requests of one peer that may wait: 16. The next are left in the socket.
    pub backlog: usize,
    /// Calls that one peer may have in flight: 64.
    pub max_calls: u32,
    /// Peers at the same time: 32.
    pub max_connections: usize,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            token: None,
            tls: None,
            allow_plaintext: false,
            hello_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(10),
            drain_timeout: Duration::from_secs(30),
            outbox: 32,
            backlog: 16,
            max_calls: 64,
            max_connections: 32,
        }
    }
}

/// A listener and the handler behind it.
#[derive(Debug)]
pub struct Server<H> {
    listener: TcpListener,
    local_addr: SocketAddr,
    handler: Arc<H>,
    options: ServerOptions,
}

impl<H: Handler> Server<H> {
    /// Listens on `addr`. Anything but loopback needs a token and TLS, and is refused without.
    pub async fn bind(addr: SocketAddr, handler: Arc<H>, options: ServerOptions) -> Result<Self, WireError> {
        let has_token = options.token.as_ref().is_some_and(|token| !token.is_empty());
        if !addr.ip().to_canonical().is_loopback() {
            if !has_token {
                return Err(WireError::TokenRequired { addr });
            }
            if options.tls.is_none() && !options.allow_plaintext {
                return Err(WireError::TlsRequired { addr });
            }
        }
        let failed = |source| WireError::Listen { addr, source };
        let listener = TcpListener::bind(addr).await.map_err(failed)?;
        let local_addr = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, local_addr, handler, options })
    }

    /// Where it listens; of use when port 0 was asked for.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Serves until `stop` is cancelled, then closes every connection.
    pub async fn serve(self, stop: CancellationToken) {
        let places = Arc::new(Semaphore::new(self.options.max_connections));
        let options = Arc::new(self.options);
        let mut connections = JoinSet::new();
        let mut next_id = 1;
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                Some(_) = connections.join_next() => continue,
                accepted = self.listener.accept() => accepted,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Out of descriptors, most likely: let some connections end first.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                tracing::warn!(limit = options.max_connections, "too many connections; closing the newest");
                continue;
            };
            tune(&stream);
            let (handler, options) = (Arc::clone(&self.handler), Arc::clone(&options));
            let id = ConnectionId(next_id);
            next_id += 1;
            connections.spawn(async move {
                greet(stream, handler, options, id).await;
                drop(place);
            });
        }
        connections.shutdown().await;
    }
}

/// The handshake, where there is one, and then the frames.
async fn greet<H: Handler>(
    stream: TcpStream,
    handler: Arc<H>,
    options: Arc<ServerOptions>,
    id: ConnectionId,
) {
    let Some(tls) = options.tls.clone() else { return serve_connection(stream, handler, options, id).await };
    match tokio::time::timeout(options.hello_timeout, tls.accept(stream)).await {
        Ok(Ok(secret)) => serve_connection(secret, handler, options, id).await,
        Ok(Err(error)) => tracing::warn!(connection = id.0, %error, "a TLS handshake failed"),
        Err(_) => tracing::warn!(connection = id.0, "a client did not finish its TLS handshake"),
    }
}

fn tune(stream: &TcpStream) {
    let keepalive = socket2::TcpKeepalive::new().with_time(Duration::from_secs(15));
    let tuned =
        stream.set_nodelay(true).and_then(|()| socket2::SockRef::from(stream).set_tcp_keepalive(&keepalive));
    if let Err(error) = tuned {
        tracing::debug!(%error, "a connection could not be tuned");
    }
}
