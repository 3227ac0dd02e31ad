//! The server against raw sockets: what a careless, slow or hostile peer sends.
#![allow(clippy::unwrap_used, clippy::manual_assert, reason = "a test that cannot go on should stop there")]
#![allow(dead_code, unreachable_pub, reason = "the handler is shared with tests that use more of it")]

#[path = "agent/handler.rs"]
mod handler;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use handler::RecordingHandler;
use stillpoint_wire::codec::{ClientFrame, ClientHello, Decoder, Frame, Reply, Request, ServerFrame, Token};
use stillpoint_wire::{Server, ServerOptions, WireError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

struct Bench {
    addr: SocketAddr,
    handler: Arc<RecordingHandler>,
    pages: mpsc::UnboundedReceiver<String>,
    _stop: DropGuard,
}

impl Bench {
    async fn with(options: ServerOptions, shape: impl FnOnce(&mut RecordingHandler)) -> Self {
        let (mut handler, pages) = RecordingHandler::new();
        shape(&mut handler);
        let handler = Arc::new(handler);
        let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
        let server = Server::bind(any_port, Arc::clone(&handler), options).await.unwrap();
        let addr = server.local_addr();
        let stop = CancellationToken::new();
        tokio::spawn(server.serve(stop.clone()));
        Self { addr, handler, pages, _stop: stop.drop_guard() }
    }

    async fn new() -> Self {
        Self::with(ServerOptions::default(), |_| {}).await
    }

    async fn peer(&self) -> Peer {
        Peer { stream: TcpStream::connect(self.addr).await.unwrap(), decoder: Decoder::new() }
    }

    async fn until(&mut self, page: &str) {
        while self.pages.recv().await.unwrap() != page {}
    }
}

struct Peer {
    stream: TcpStream,
    decoder: Decoder<ServerFrame>,
}

impl Peer {
    async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    async fn send_frame(&mut self, frame: impl Into<ClientFrame>) {
        self.send(&frame.into().encode().unwrap()).await;
    }

    /// The next frame; `None` when the server has closed.
    async fn frame(&mut self) -> Option<ServerFrame> {
        let mut chunk = [0; 4096];
        loop {
            if let Some(frame) = self.decoder.next_frame().unwrap() {
                return Some(frame);
            }
            match self.stream.read(&mut chunk).await {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.decoder.feed(&chunk[..count]),
            }
        }
    }

    async fn reply(&mut self) -> Reply {
        match self.frame().await {
            Some(ServerFrame::Reply(reply)) => reply,
            other => panic!("{other:?}"),
        }
    }

    async fn error_text(&mut self) -> String {
        match self.reply().await {
            Reply::Error(text) => text,
            other => panic!("{other:?}"),
        }
    }

    async fn is_alive(&mut self) {
        self.send_frame(Request::Heartbeat).await;
        assert_eq!(self.reply().await, Reply::Ok);
    }
}

fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len() + 1).unwrap();
    [&length.to_le_bytes()[..], &[opcode], payload].concat()
}

#[tokio::test]
async fn a_missing_trailing_flag_reads_as_no_timeout() {
    let bench = Bench::new().await;
    let mut peer = bench.peer().await;
    peer.send(&frame(0x03, b"\x04\x00\x00\x00save")).await;
    assert_eq!(peer.reply().await, Reply::Ok);
    assert_eq!(bench.handler.log(), ["TapElement save None"]);
}

#[tokio::test]
async fn one_byte_at_a_time_is_as_good_as_all_at_once() {
    let bench = Bench::new().await;
    let mut peer = bench.peer().await;
    peer.stream.set_nodelay(true).unwrap();
    for byte in ClientFrame::from(Request::TapCoord { x: 1, y: 2 }).encode().unwrap() {
        peer.send(&[byte]).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(peer.reply().await, Reply::Ok);
    assert_eq!(bench.handler.log(), ["TapCoord 1 2"]);
}

#[tokio::test]
async fn bad_frames_get_an_error_and_the_connection_goes_on() {
    let bench = Bench::new().await;
    let mut peer = bench.peer().await;
    let cases: [(&str, Vec<u8>, &str); 6] = [
        ("zero length", vec![0; 4], "length 0"),
        ("unknown opcode", frame(0x7f, b""), "0x7f"),
        ("truncated payload", frame(0x02, &[1, 0, 0, 0, 2]), "`y`"),
        ("bad UTF-8", frame(0x06, b"\x02\x00\x00\x00\xff\xfe"), "UTF-8"),
        ("text longer than its frame", frame(0x06, b"\xff\xff\xff\xffab"), "`text`"),
        ("no number of seconds", frame(0x09, &[[0; 8], f64::NAN.to_le_bytes()].concat()), "duration"),
    ];
    for (name, bytes, expected) in cases {
        peer.send(&bytes).await;
        let text = peer.error_text().await;
        assert!(text.contains(expected), "{name}: {text}");
        peer.is_alive().await;
    }
    assert!(bench.handler.log().iter().all(|line| line == "Heartbeat"));
}

#[tokio::test]
async fn a_length_of_4_gib_is_refused_and_closed() {
    let bench = Bench::new().await;
    let mut peer = bench.peer().await;
    peer.send(&[0xff, 0xff, 0xff, 0xff, 0x01]).await;
    assert!(peer.error_text().await.contains("over the limit"));
    assert_eq!(peer.frame().await, None);
    bench.peer().await.is_alive().await;
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order_errors_included() {
    let bench = Bench::new().await;
    let mut peer = bench.peer().await;
    let mut stream = Vec::new();
    for number in 0..100 {
        stream.extend(ClientFrame::from(Request::TapCoord { x: number, y: 0 }).encode().unwrap());
        stream.extend(frame(0x7f, b""));
        stream.extend(ClientFrame::from(Request::DeviceUdid).encode().unwrap());
    }
    peer.send(&stream).await;
    for _ in 0..100 {
        assert_eq!(peer.reply().await, Reply::Ok);
        assert!(peer.error_text().await.contains("0x7f"));
        assert_eq!(peer.reply().await, Reply::Value(None));
    }
    let taps: Vec<String> = bench.handler.log().into_iter().filter(|line| line.starts_with("Tap")).collect();
    let expected: Vec<String> = (0..100).map(|number| format!("TapCoord {number} 0")).collect();
    assert_eq!(taps, expected);
}

#[tokio::test]
async fn a_second_connection_works_beside_the_first() {
    let bench = Bench::new().await;
    let (mut first, mut second) = (bench.peer().await, bench.peer().await);
    first.send(&[5, 0]).await;
    second.is_alive().await;
    drop(second);
    first.send(&[0, 0, 0x01, 0, 0, 0, 0]).await;
    assert_eq!(first.reply().await, Reply::Ok);
}

#[tokio::test]
async fn beyond_the_limit_of_connections_the_newest_is_closed() {
    let bench = Bench::with(ServerOptions { max_connections: 1, ..ServerOptions::default() }, |_| {}).await;
    let mut first = bench.peer().await;
    first.is_alive().await;
    assert_eq!(bench.peer().await.frame().await, None);
    first.is_alive().await;
}

#[tokio::test]
async fn a_slow_reader_is_bounded_and_then_closed_and_harms_nobody_else() {
    let patience = Duration::from_millis(300);
    let options =
        ServerOptions { write_timeout: patience, outbox: 1, backlog: 1, ..ServerOptions::default() };
    let mut bench = Bench::with(options, |handler| handler.screenshot_bytes = 16 << 20).await;
    let mut slow = bench.peer().await;
    for _ in 0..64 {
        slow.send_frame(Request::Screenshot).await;
    }
    bench.peer().await.is_alive().await;
    bench.until("disconnected").await;
    bench.until("disconnected").await;
    let made = bench.handler.log().iter().filter(|line| *line == "Screenshot").count();
    assert!(made < 16, "{made} screenshots were made for a peer that reads none");
    bench.peer().await.is_alive().await;
}

#[tokio::test]
async fn after_a_half_close_the_rest_is_still_answered() {
    let mut bench = Bench::new().await;
    let mut peer = bench.peer().await;
    for x in 0..3 {
        peer.send_frame(Request::TapCoord { x, y: 0 }).await;
    }
    peer.send(&[9, 0, 0]).await;
    peer.stream.shutdown().await.unwrap();
    for _ in 0..3 {
        assert_eq!(peer.reply().await, Reply::Ok);
    }
    assert_eq!(peer.frame().await, None);
    bench.until("disconnected").await;
}

#[tokio::test]
async fn a_handler_that_panics_costs_one_request() {
    let bench = Bench::new().await;
    let mut peer = bench.peer().await;
    peer.send_frame(Request::TapCoord { x: i32::MAX, y: 0 }).await;
    assert!(peer.error_text().await.starts_with("INTERNAL"));
    peer.is_alive().await;
}

fn guarded() -> ServerOptions {
    ServerOptions { token: Some(Token::new("s3cret")), ..ServerOptions::default() }
}

fn hello(token: Option<&str>) -> ClientFrame {
    ClientFrame::Hello(ClientHello::new(token.map(Token::new), &[]))
}

#[tokio::test]
async fn without_the_right_token_there_is_nothing_but_a_close() {
    let bench = Bench::with(guarded(), |_| {}).await;
    let strangers: Vec<Vec<u8>> = vec![
        hello(Some("wrong!")).encode().unwrap(),
        hello(Some("")).encode().unwrap(),
        hello(None).encode().unwrap(),
        ClientFrame::from(Request::Heartbeat).encode().unwrap(),
        frame(0x7f, b""),
        vec![0; 4],
        vec![0xff; 5],
        frame(0x40, b"\x02\x00\x00\x00hi"),
    ];
    for bytes in strangers {
        let mut peer = bench.peer().await;
        peer.send(&bytes).await;
        assert_eq!(peer.frame().await, None, "{bytes:?}");
    }
    assert!(bench.handler.log().is_empty());
    let mut friend = bench.peer().await;
    friend.send_frame(hello(Some("s3cret"))).await;
    assert!(matches!(friend.frame().await, Some(ServerFrame::Hello(_))));
    friend.is_alive().await;
}

#[tokio::test]
async fn a_stranger_may_neither_stay_nor_make_the_server_hold_much() {
    let options = ServerOptions { hello_timeout: Duration::from_millis(100), ..guarded() };
    let bench = Bench::with(options, |_| {}).await;
    assert_eq!(bench.peer().await.frame().await, None, "silence is not a token");

    let bench = Bench::with(guarded(), |_| {}).await;
    let mut greedy = bench.peer().await;
    let head = [&(32_u32 << 20).to_le_bytes()[..], &[0x40]].concat();
    greedy.send(&head).await;
    let filler = vec![0; 64 * 1024];
    while greedy.stream.write_all(&filler).await.is_ok() {}
}

#[tokio::test]
async fn beyond_loopback_a_token_and_tls_are_needed() {
    for open in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        for token in [None, Some(Token::new(""))] {
            let handler = Arc::new(RecordingHandler::new().0);
            let options = ServerOptions { token, ..ServerOptions::default() };
            let refused = Server::bind(open.parse().unwrap(), handler, options).await;
            assert!(matches!(refused, Err(WireError::TokenRequired { .. })), "{open}");
        }
    }
    let handler = Arc::new(RecordingHandler::new().0);
    let open = "0.0.0.0:0".parse().unwrap();
    let in_the_clear = Server::bind(open, Arc::clone(&handler), guarded()).await;
    assert!(matches!(in_the_clear, Err(WireError::TlsRequired { .. })));
    let allowed = ServerOptions { allow_plaintext: true, ..guarded() };
    assert!(Server::bind(open, handler, allowed).await.is_ok());
}

#[tokio::test]
async fn calls_without_hello_are_refused_under_their_own_id() {
    let bench = Bench::new().await;
    let mut peer = bench.peer().await;
    peer.send_frame(ClientFrame::Call { id: 7, method: "echo".into(), json: "{}".into() }).await;
    let Some(ServerFrame::Answer { id: 7, ok: false, json }) = peer.frame().await else { panic!() };
    assert!(json.contains("PROTOCOL"), "{json}");
}
