//! The client against real servers, v1 peers, a proxy with delay, and peers that misbehave.
#![allow(clippy::unwrap_used, clippy::manual_assert, reason = "a test that cannot go on should stop there")]
#![allow(dead_code, unreachable_pub, reason = "the handler is shared with tests that use more of it")]

#[path = "agent/handler.rs"]
mod handler;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use handler::RecordingHandler;
use serde_json::json;
use stillpoint_wire::codec::{ClientFrame, ClientHello, Decoder, Frame, ServerFrame};
use stillpoint_wire::{
    Client, ClientOptions, Delivery, ErrorCode, EventNotice, Reply, Server, ServerOptions, Token, Version,
    WireError,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

struct Bench {
    addr: SocketAddr,
    handler: Arc<RecordingHandler>,
    pages: mpsc::UnboundedReceiver<String>,
    _stop: DropGuard,
}

impl Bench {
    async fn with(options: ServerOptions) -> Self {
        let (handler, pages) = RecordingHandler::new();
        let handler = Arc::new(handler);
        let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
        let server = Server::bind(any_port, Arc::clone(&handler), options).await.unwrap();
        let addr = server.local_addr();
        let stop = CancellationToken::new();
        tokio::spawn(server.serve(stop.clone()));
        Self { addr, handler, pages, _stop: stop.drop_guard() }
    }

    async fn new() -> Self {
        Self::with(ServerOptions::default()).await
    }

    async fn until(&mut self, page: &str) {
        while self.pages.recv().await.unwrap() != page {}
    }
}

async fn connect(addr: SocketAddr) -> Client {
    Client::connect(&addr.to_string(), ClientOptions::default()).await.unwrap()
}

async fn connect_v2(addr: SocketAddr) -> Client {
    let client = connect(addr).await;
    assert_eq!(client.hello(ClientHello::new(None, &[ClientHello::EVENTS])).await.unwrap(), Version::V2);
    client
}

#[tokio::test]
async fn every_v1_request_has_its_typed_answer() {
    let bench = Bench::new().await;
    let client = connect(bench.addr).await;
    client.heartbeat().await.unwrap();
    client.tap_coord(1, -2).await.unwrap();
    client.tap_element("save", Some(5)).await.unwrap();
    client.tap_by_label("Save", None).await.unwrap();
    client.tap_with_type("Save", true, "Button", None).await.unwrap();
    client.type_text("hi").await.unwrap();
    client.swipe((1, 2), (3, 4), Some(0.5)).await.unwrap();
    assert_eq!(client.get_value("name", false, None, None).await.unwrap().as_deref(), Some("value of name"));
    client.long_press(5, 6, 1.5).await.unwrap();
    assert_eq!(client.dump_tree().await.unwrap()[0].unique_id.as_deref(), Some("save"));
    assert_eq!(client.screenshot().await.unwrap(), vec![0x89; 8]);
    client.set_target("com.example.notes").await.unwrap();
    assert_eq!(client.find_element("ok", false, None).await.unwrap().unwrap().hittable, Some(true));
    assert_eq!(client.find_element("nowhere", false, None).await.unwrap(), None);
    assert_eq!(client.target_info().await.unwrap()["target"], "com.example.notes");
    client.bridge_health().await.unwrap();
    assert_eq!(client.device_udid().await.unwrap(), None);
    let log = bench.handler.log();
    assert_eq!(log[2], "TapElement save Some(5ms)");
    assert_eq!(log[6], "Swipe 1 2 3 4 Some(500ms)");
    assert_eq!(log.len(), 17);
}

#[tokio::test]
async fn an_error_reply_keeps_its_code() {
    let bench = Bench::new().await;
    let error = connect(bench.addr).await.tap_element("nowhere", None).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ElementNotFound);
    assert_eq!(error.delivery(), None);
}

/// A peer that answers every frame with the next of `answers`, and then goes on reading.
async fn scripted_peer(answers: Vec<Vec<u8>>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut decoder = Decoder::<ClientFrame>::new();
        let mut answers = answers.into_iter();
        let mut chunk = [0; 1024];
        loop {
            let count = stream.read(&mut chunk).await.unwrap_or(0);
            if count == 0 {
                return;
            }
            decoder.feed(&chunk[..count]);
            while decoder.next_frame().unwrap().is_some() {
                match answers.next() {
                    Some(answer) => stream.write_all(&answer).await.unwrap(),
                    None => return,
                }
            }
        }
    });
    addr
}

fn reply(reply: Reply) -> Vec<u8> {
    ServerFrame::from(reply).encode().unwrap()
}

#[tokio::test]
async fn a_v1_peer_that_refuses_hello_is_spoken_to_in_v1() {
    let refusals =
        [reply(Reply::Error("unknown opcode 64".into())), b"\x07\x00\x00\x00\x99\x02\x00\x00\x00no".to_vec()];
    for refusal in refusals {
        let addr = scripted_peer(vec![refusal, reply(Reply::Ok)]).await;
        let client = connect(addr).await;
        assert_eq!(client.hello(ClientHello::new(Some(Token::new("x")), &[])).await.unwrap(), Version::V1);
        client.heartbeat().await.unwrap();
        let error = client.call("echo", &json!({})).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::Unsupported);
    }
}

#[tokio::test]
async fn a_malformed_reply_fails_its_request_alone() {
    let bad = b"\x02\x00\x00\x00\xa0\x2a".to_vec();
    let client = connect(scripted_peer(vec![bad, reply(Reply::Ok)]).await).await;
    assert_eq!(client.heartbeat().await.unwrap_err().code(), ErrorCode::Protocol);
    client.heartbeat().await.unwrap();
}

#[tokio::test]
async fn a_reply_of_4_gib_ends_the_connection() {
    let client = connect(scripted_peer(vec![vec![0xff; 8]]).await).await;
    let error = client.screenshot().await.unwrap_err();
    assert_eq!(error.delivery(), Some(Delivery::Unknown));
    client.closed().await;
    assert_eq!(client.heartbeat().await.unwrap_err().delivery(), Some(Delivery::NotSent));
}

#[tokio::test]
async fn silence_is_an_error_of_unknown_delivery_and_ends_a_v1_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let options = ClientOptions { read_timeout: Duration::from_millis(30), ..ClientOptions::default() };
    let client = Client::connect(&listener.local_addr().unwrap().to_string(), options).await.unwrap();
    let error = client.tap_coord(1, 2).await.unwrap_err();
    assert!(matches!(error, WireError::NoAnswer { .. }), "{error}");
    assert_eq!(error.delivery(), Some(Delivery::Unknown));
    assert!(client.is_closed());
}

#[tokio::test]
async fn nobody_there_says_where_it_looked() {
    let addr = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().to_string();
    let error = Client::connect(&addr, ClientOptions::default()).await.unwrap_err();
    assert!(error.to_string().contains(&addr), "{error}");
    assert_eq!(error.code(), ErrorCode::AgentUnavailable);
    assert!(error.hint().is_some());
}

#[tokio::test]
async fn a_wrong_token_is_told_by_a_hint() {
    let options = ServerOptions { token: Some(Token::new("right")), ..ServerOptions::default() };
    let bench = Bench::with(options).await;
    let error =
        connect(bench.addr).await.hello(ClientHello::new(Some(Token::new("wrong")), &[])).await.unwrap_err();
    assert!(error.hint().unwrap().contains("token"), "{error}");
    assert_eq!(
        connect(bench.addr).await.hello(ClientHello::new(Some(Token::new("right")), &[])).await.unwrap(),
        Version::V2
    );
}

#[tokio::test]
async fn pipelined_v1_requests_of_clones_get_their_own_replies() {
    let bench = Bench::new().await;
    let client = connect(bench.addr).await;
    let tasks: Vec<_> = (0..50)
        .map(|number| {
            let client = client.clone();
            tokio::spawn(async move {
                let name = format!("n{number}");
                assert_eq!(
                    client.get_value(&name, false, None, None).await.unwrap(),
                    Some(format!("value of {name}"))
                );
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn calls_overtake_each_other_and_v1_goes_on_beside_them() {
    let mut bench = Bench::new().await;
    let client = connect_v2(bench.addr).await;
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.call("wait", &json!({})).await }
    });
    bench.until("began wait").await;
    assert_eq!(client.call("echo", &json!({ "n": 1 })).await.unwrap(), json!({ "n": 1 }));
    client.tap_coord(1, 1).await.unwrap();
    bench.handler.release.notify_one();
    assert_eq!(waiting.await.unwrap().unwrap()["satisfied"], true);
}

#[tokio::test]
async fn faults_of_calls_keep_their_shape_and_a_panic_costs_one_call() {
    let bench = Bench::new().await;
    let client = connect_v2(bench.addr).await;
    assert_eq!(client.call("fly", &json!({})).await.unwrap_err().code(), ErrorCode::Unsupported);
    assert_eq!(client.call("panic", &json!({})).await.unwrap_err().code(), ErrorCode::Internal);
    assert_eq!(client.call("echo", &json!(1)).await.unwrap(), json!(1));
}

#[tokio::test]
async fn more_calls_than_allowed_are_refused_and_may_come_later() {
    let mut bench = Bench::with(ServerOptions { max_calls: 1, ..ServerOptions::default() }).await;
    let client = connect_v2(bench.addr).await;
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.call("wait", &json!({})).await }
    });
    bench.until("began wait").await;
    let error = client.call("echo", &json!({})).await.unwrap_err();
    assert_eq!((error.code(), error.is_retryable()), (ErrorCode::RateLimited, true));
    bench.handler.release.notify_one();
    waiting.await.unwrap().unwrap();
    client.call("echo", &json!({})).await.unwrap();
}

#[tokio::test]
async fn a_dropped_call_is_dropped_on_the_far_side_too() {
    let mut bench = Bench::new().await;
    let client = connect_v2(bench.addr).await;
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.call("wait", &json!({})).await }
    });
    bench.until("began wait").await;
    waiting.abort();
    bench.until("dropped wait").await;
    client.call("echo", &json!({})).await.unwrap();
}

#[tokio::test]
async fn a_call_that_outlives_patience_is_cancelled_and_the_connection_stays() {
    let mut bench = Bench::new().await;
    let client = connect_v2(bench.addr).await;
    let error = client.call_within("wait", &json!({}), Duration::from_millis(20)).await.unwrap_err();
    assert!(matches!(error, WireError::NoAnswer { .. }), "{error}");
    bench.until("dropped wait").await;
    client.heartbeat().await.unwrap();
}

#[tokio::test]
async fn calls_of_a_client_that_went_away_are_dropped() {
    let mut bench = Bench::new().await;
    let client = connect_v2(bench.addr).await;
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.call("wait", &json!({})).await }
    });
    bench.until("began wait").await;
    client.close();
    assert!(matches!(waiting.await.unwrap(), Err(WireError::Lost { delivery: Delivery::Unknown, .. })));
    bench.until("dropped wait").await;
}

#[tokio::test]
async fn events_come_in_order_and_the_stream_ends_with_the_connection() {
    let bench = Bench::new().await;
    let client = connect_v2(bench.addr).await;
    let mut events = client.events().unwrap();
    // The greeting is answered before the subscription begins to flow; a round trip makes sure that it does.
    client.heartbeat().await.unwrap();
    for number in 1..=3 {
        bench.handler.events.send(format!("{{\"n\":{number}}}").into()).unwrap();
    }
    for number in 1..=3_u64 {
        let expected = EventNotice::Event { seq: number, json: format!("{{\"n\":{number}}}").into() };
        assert_eq!(events.next().await, Some(expected));
    }
    client.close();
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_burst_that_the_server_cannot_keep_is_told_as_a_resync() {
    let bench = Bench::new().await;
    let client = connect_v2(bench.addr).await;
    let mut events = client.events().unwrap();
    client.heartbeat().await.unwrap();
    // One synchronous burst, more than the channel of 16 holds: the pushing task cannot run in between.
    for number in 0..100 {
        bench.handler.events.send(format!("{{\"n\":{number}}}").into()).unwrap();
    }
    let Some(EventNotice::Event { seq: 1, json }) = events.next().await else { panic!() };
    let resync: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(resync["type"], "resync");
    assert_eq!(resync["missed"], 84);
}

/// Forwards frames both ways, each one 100 ms late, and counts them.
async fn delaying_proxy(target: SocketAddr) -> (SocketAddr, Arc<AtomicUsize>, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let (there, back) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counters = (Arc::clone(&there), Arc::clone(&back));
    tokio::spawn(async move {
        let (client_side, _) = listener.accept().await.unwrap();
        let (client_read, client_write) = client_side.into_split();
        let (server_read, server_write) = TcpStream::connect(target).await.unwrap().into_split();
        tokio::spawn(forward::<ClientFrame>(client_read, server_write, counters.0));
        tokio::spawn(forward::<ServerFrame>(server_read, client_write, counters.1));
    });
    (addr, there, back)
}

async fn forward<F: Frame>(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    count: Arc<AtomicUsize>,
) {
    let mut decoder = Decoder::<F>::new();
    let mut chunk = [0; 4096];
    while let Ok(got @ 1..) = from.read(&mut chunk).await {
        decoder.feed(&chunk[..got]);
        while let Some(frame) = decoder.next_frame().unwrap() {
            count.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(100)).await;
            to.write_all(&frame.encode().unwrap()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_v2_wait_over_a_slow_link_is_one_round_trip() {
    let mut bench = Bench::new().await;
    let (proxy, there, back) = delaying_proxy(bench.addr).await;
    let client = connect(proxy).await;
    client.hello(ClientHello::new(None, &[])).await.unwrap();
    let before = (there.load(Ordering::SeqCst), back.load(Ordering::SeqCst));
    assert_eq!(before, (1, 1), "Hello is one round trip");
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.call("wait", &json!({ "for": "#done" })).await }
    });
    bench.until("began wait").await;
    bench.handler.release.notify_one();
    assert_eq!(waiting.await.unwrap().unwrap()["satisfied"], true);
    let after = (there.load(Ordering::SeqCst), back.load(Ordering::SeqCst));
    assert_eq!(after, (2, 2), "one call there, one answer back");
}
