//! One connection to an agent.
//!
//! [`Client`] is cheap to clone; requests of several clones are pipelined. v1 requests are answered in order; v2 calls
//! carry ids and may overtake each other. A client that was closed stays closed: [`crate::recovery`] makes new ones.

mod events;
mod link;
mod options;
mod pending;
mod v1;
mod v2;

use std::sync::{Arc, OnceLock};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::error::WireError;
use link::Link;

pub use events::{EventNotice, EventStream};
pub use options::ClientOptions;

/// What both sides agreed to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// The sixteen requests, one after the other.
    V1,
    /// v1 and calls with ids, events, waits on the far side.
    V2,
}

/// A connection to an agent.
#[derive(Debug, Clone)]
pub struct Client {
    link: Arc<Link>,
    options: ClientOptions,
    agreed: Arc<OnceLock<Version>>,
}

impl Client {
    /// Connects to `host:port`. The connection speaks v1 until [`Client::hello`].
    pub async fn connect(address: &str, options: ClientOptions) -> Result<Self, WireError> {
        let failed = |reason: String| WireError::Connect { addr: address.to_owned(), reason };
        let stream = tokio::time::timeout(options.connect_timeout, TcpStream::connect(address))
            .await
            .map_err(|_| failed(format!("no answer within {:?}", options.connect_timeout)))?
            .map_err(|error| failed(error.to_string()))?;
        options.tune(&stream).map_err(|error| failed(error.to_string()))?;
        let Some(tls) = options.tls.clone() else { return Ok(Self::over(stream, options)) };
        let secret = tokio::time::timeout(options.connect_timeout, tls.connect(stream))
            .await
            .map_err(|_| failed(format!("no TLS handshake within {:?}", options.connect_timeout)))?
            .map_err(|error| failed(format!("the TLS handshake failed: {error}")))?;
        Ok(Self::over(secret, options))
    }

    /// Speaks over any stream that is already open: a TLS session, a pipe, a tunnel.
    pub fn over<S>(stream: S, options: ClientOptions) -> Self
    where
        S: AsyncRead + AsyncWrite + Send + 'static,
    {
        let link = Arc::new(Link::open(stream, &options));
        Self { link, options, agreed: Arc::default() }
    }

    /// What was agreed; v1 until a hello succeeded.
    pub fn version(&self) -> Version {
        self.agreed.get().copied().unwrap_or(Version::V1)
    }

    /// Whether the connection has ended, as far as is known here.
    pub fn is_closed(&self) -> bool {
        self.link.is_ended()
    }

    /// Ends the connection for all clones. Commands in flight fail.
    pub fn close(&self) {
        self.link.end("closed by this side");
    }

    /// Resolves when the connection ends.
    pub async fn closed(&self) {
        self.link.ended().await;
    }
}
