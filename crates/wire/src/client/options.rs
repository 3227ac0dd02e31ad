//! How patient a client is.

use std::io;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;

use crate::codec::Request;
use crate::tls::ClientTls;

/// The times and bounds of one connection. The defaults are those of the contract.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// For the TCP handshake: 5 s.
    pub connect_timeout: Duration,
    /// For handing one frame to the network: 10 s.
    pub write_timeout: Duration,
    /// From the frame's last byte to its answer: 30 s.
    pub read_timeout: Duration,
    /// Added to the lookup time of element commands, in place of `read_timeout`: 15 s.
    pub lookup_margin: Duration,
    /// Idle time before TCP asks whether the peer is still there: 15 s.
    pub keepalive: Duration,
    /// Frames that may wait to be written: 64.
    pub queue: usize,
    /// Events that may wait to be read before the oldest are dropped and counted: 1024.
    pub event_queue: usize,
    /// TLS around the connection; none speaks in the clear.
    pub tls: Option<ClientTls>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            write_timeout: Duration::from_secs(10),
            read_timeout: Duration::from_secs(30),
            lookup_margin: Duration::from_secs(15),
            keepalive: Duration::from_secs(15),
            queue: 64,
            event_queue: 1024,
            tls: None,
        }
    }
}

impl ClientOptions {
    /// How long to wait for the answer to `request`.
    pub fn answer_timeout(&self, request: &Request) -> Duration {
        match request.lookup_timeout() {
            Some(lookup) => lookup.saturating_add(self.lookup_margin),
            None => self.read_timeout,
        }
    }

    pub(super) fn tune(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let keepalive = TcpKeepalive::new().with_time(self.keepalive).with_interval(self.keepalive / 3);
        SockRef::from(stream).set_tcp_keepalive(&keepalive)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_commands_wait_for_their_lookup_and_a_margin() {
        let options = ClientOptions::default();
        let tap = |timeout_ms| Request::TapElement { id: "x".into(), timeout_ms };
        assert_eq!(options.answer_timeout(&tap(Some(60_000))), Duration::from_secs(75));
        assert_eq!(options.answer_timeout(&tap(None)), Duration::from_secs(30));
        assert_eq!(options.answer_timeout(&Request::DumpTree), Duration::from_secs(30));
        assert!(options.answer_timeout(&tap(Some(u64::MAX))) > Duration::from_secs(u64::MAX / 1000));
    }
}
