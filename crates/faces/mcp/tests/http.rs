//! The HTTP listener against whoever may come along: no token, foreign pages, garbage.
#![allow(clippy::unwrap_used)] // a test may panic

mod support;

use serde_json::{Value, json};
use std::net::SocketAddr;
use stillpoint_mcp::{HttpOptions, HttpServer, Options};
use support::engine;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::sync::{CancellationToken, DropGuard};

const TOKEN: &str = "open-sesame-open-sesame";

struct Served {
    addr: SocketAddr,
    _end: DropGuard,
}

async fn serve() -> Served {
    let addr = "127.0.0.1:0".parse().unwrap();
    let options =
        HttpOptions { addr, token: TOKEN.to_owned(), hosts: Vec::new(), options: Options::default() };
    let server = HttpServer::bind(engine(), options).await.unwrap();
    let (addr, end) = (server.addr(), CancellationToken::new());
    tokio::spawn(server.run(end.clone()));
    Served { addr, _end: end.drop_guard() }
}

/// Sends bytes and reads what comes back until the server closes.
async fn send(addr: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    // A server that has heard enough may close before all is sent.
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
    let mut back = Vec::new();
    let _ = stream.read_to_end(&mut back).await;
    String::from_utf8_lossy(&back).into_owned()
}

fn post(addr: SocketAddr, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let host = addr.to_string();
    let mut all =
        vec![("Host", host.as_str()), ("Content-Type", "application/json"), ("Connection", "close")];
    all.push(("Accept", "application/json, text/event-stream"));
    all.retain(|(name, _)| !headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name)));
    all.extend(headers);
    let head = all.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("\r\n");
    format!("POST /mcp HTTP/1.1\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn hello() -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    } })
    .to_string()
}

async fn status(addr: SocketAddr, headers: &[(&str, &str)], body: &str) -> u16 {
    let answer = send(addr, &post(addr, headers, body)).await;
    answer.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or_else(|| panic!("no answer: {answer:?}"))
}

#[tokio::test]
async fn only_our_own_name_with_the_token_is_served() {
    let served = serve().await;
    let addr = served.addr;
    let bearer = format!("Bearer {TOKEN}");
    let token = ("Authorization", bearer.as_str());
    assert_eq!(status(addr, &[token], &hello()).await, 200);
    assert_eq!(status(addr, &[], &hello()).await, 401);
    assert_eq!(status(addr, &[("Authorization", "Bearer wrong-wrong-wrong-wrong")], &hello()).await, 401);
    assert_eq!(status(addr, &[token, ("Host", "evil.example")], &hello()).await, 403);
    assert_eq!(status(addr, &[token, ("Origin", "http://evil.example")], &hello()).await, 403);
    assert_eq!(status(addr, &[token, ("Origin", "null")], &hello()).await, 403);
    let own = format!("http://localhost:{}", addr.port());
    assert_eq!(status(addr, &[token, ("Origin", own.as_str())], &hello()).await, 200);
}

#[tokio::test]
async fn a_server_without_a_real_token_does_not_start() {
    for token in ["", "short"] {
        let addr = "127.0.0.1:0".parse().unwrap();
        let options =
            HttpOptions { addr, token: token.to_owned(), hosts: Vec::new(), options: Options::default() };
        assert!(HttpServer::bind(engine(), options).await.is_err(), "{token:?}");
    }
}

#[tokio::test]
async fn a_thousand_garbage_and_oversized_requests_leave_it_serving() {
    let served = serve().await;
    let addr = served.addr;
    let bearer = format!("Bearer {TOKEN}");
    let token = ("Authorization", bearer.as_str());
    let huge =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "x": "x".repeat(2 << 20) } })
            .to_string();
    let too_long = format!("GET /mcp HTTP/1.1\r\nHost: {addr}\r\nX: {}\r\n\r\n", "y".repeat(1 << 20));
    let mut noise = 7_u64;
    let mut before = 0;
    for n in 0..1000_u64 {
        if n == 200 {
            // By then every kind of request has been seen, and buffers have the size that they need.
            before = resident_kib();
        }
        let bytes = match n % 50 {
            0 => post(addr, &[token], &huge),
            25 => too_long.clone().into_bytes(),
            _ => match n % 5 {
                0 => post(addr, &[token], "{\"jsonrpc\":"),
                1 => post(addr, &[token], &json!({ "jsonrpc": "2.0", "id": [n], "method": n }).to_string()),
                2 => post(
                    addr,
                    &[token, ("Mcp-Session-Id", "nobody")],
                    &hello().replace("initialize", "tools/call"),
                ),
                3 => (0..200)
                    .map(|_| {
                        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(n | 1);
                        (noise >> 56) as u8
                    })
                    .collect(),
                _ => post(addr, &[], &Value::Null.to_string()),
            },
        };
        let answer = send(addr, &bytes).await;
        assert!(!answer.starts_with("HTTP/1.1 200"), "request {n} was taken: {answer}");
    }
    // 800 requests of which 16 had 2 MiB: what was kept of them would be seen.
    let after = resident_kib();
    assert!(after < before + 16 * 1024, "memory grew from {before} KiB to {after} KiB");
    assert_eq!(status(addr, &[token], &hello()).await, 200);
}

/// What this process holds in memory, test and server together.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
