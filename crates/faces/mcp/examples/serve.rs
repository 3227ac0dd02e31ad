//! A server whose only targets are the simulator's scenes: `serve` speaks over standard input and output,
//! `serve http TOKEN` over HTTP on a free port, whose URL it prints; `all` lists every tool.

use std::sync::Arc;
use stillpoint_core::Error;
use stillpoint_engine::Engine;
use stillpoint_mcp::{HttpOptions, HttpServer, Options, serve_stdio};
use stillpoint_sim::Sim;
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let engine = Arc::new(Engine::new().with(Sim::new()));
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let forever = CancellationToken::new();
    let all = words.contains(&"all");
    let tools = if all { stillpoint_mcp::ToolSet::All } else { stillpoint_mcp::ToolSet::Usual };
    let options = Options { tools };
    match words.as_slice() {
        ["http", token, ..] => {
            let addr = ([127, 0, 0, 1], 0).into();
            let http = HttpOptions { addr, token: (*token).to_owned(), hosts: Vec::new(), options };
            let server = HttpServer::bind(engine, http).await?;
            println!("{}", server.url());
            server.run(forever).await
        }
        _ => serve_stdio(engine, options, forever).await,
    }
}
