//! A client that is not ours: the official Python SDK plays a whole session, over both transports and in both
//! lifecycles of the protocol.
#![allow(clippy::unwrap_used)] // a test may panic

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use stillpoint_mcp::{HttpOptions, HttpServer, Options};
use support::engine;
use support::python::{done, python};
use tokio_util::sync::CancellationToken;

const TOKEN: &str = "open-sesame-open-sesame";

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/session.py")
}

fn over_stdio(mode: &str) -> String {
    done(
        &Command::new(python())
            .arg(script())
            .arg("stdio")
            .arg(support::example())
            .arg(mode)
            .output()
            .unwrap(),
    )
}

async fn over_http(mode: &'static str) -> String {
    let addr = "127.0.0.1:0".parse().unwrap();
    let options =
        HttpOptions { addr, token: TOKEN.to_owned(), hosts: Vec::new(), options: Options::default() };
    let server = HttpServer::bind(engine(), options).await.unwrap();
    let url = server.url();
    let end = CancellationToken::new();
    let serving = tokio::spawn(server.run(end.clone()));
    let play =
        move || Command::new(python()).arg(script()).args(["http", &url, TOKEN, mode]).output().unwrap();
    let played = done(&tokio::task::spawn_blocking(play).await.unwrap());
    end.cancel();
    serving.await.unwrap().unwrap();
    played
}

#[test]
fn a_session_over_stdio() {
    assert_eq!(over_stdio("auto").trim(), "played 2026-07-28");
}

#[test]
fn a_session_over_stdio_with_the_handshake_of_before() {
    assert!(over_stdio("legacy").starts_with("played 2025-"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_over_http() {
    assert_eq!(over_http("auto").await.trim(), "played 2026-07-28");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_over_http_with_the_handshake_of_before() {
    assert!(over_http("legacy").await.starts_with("played 2025-"));
}
