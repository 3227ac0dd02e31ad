//! Serves `apps/web` with its endpoints on a free port of loopback, says where, and ends when its stdin does.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../../../crates/backends/chromium/tests/support/server.rs"]
#[allow(dead_code, unreachable_pub)]
mod server;

use std::io::Read;

#[tokio::main]
async fn main() {
    let server = server::Server::start().await;
    println!("{}", server.url(""));
    let waiting = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    waiting.await.unwrap().unwrap();
}
