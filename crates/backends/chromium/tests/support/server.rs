//! A small web server on loopback: the pages of `apps/web`, and endpoints with known delays.

use futures_util::{SinkExt, StreamExt};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::Message;

/// A running server; it ends with the runtime.
pub struct Server {
    address: SocketAddr,
    /// Whether what waits for a word to go on may go on.
    gate: watch::Sender<bool>,
}

impl Server {
    /// Serves on a free port of loopback.
    pub async fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let twin = TcpListener::bind(format!("[::1]:{}", address.port())).await.ok();
        let gate = watch::Sender::new(false);
        for listener in [Some(listener), twin].into_iter().flatten() {
            let gate = gate.subscribe();
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(serve(stream, gate.clone()));
                }
            });
        }
        Server { address, gate }
    }

    /// Lets downloads, and the page that is sent in halves, come to their end.
    pub fn let_go(&self) {
        self.gate.send_replace(true);
    }

    /// The address of a page.
    pub fn url(&self, page: &str) -> String {
        format!("http://{}/{page}", self.address)
    }
}

/// Above whichever crate this is compiled into: the benches serve the same pages.
fn pages() -> PathBuf {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("apps/web"));
    above.find(|folder| folder.is_dir()).unwrap()
}

/// A script that has the page to itself for a while, and then makes more elements than are read.
const TOIL: &str = "<script>
  const until = performance.now() + 600;
  while (performance.now() < until);
  document.body.innerHTML = Array.from({ length: 80 }, (_, n) => `<section aria-label=\"Part ${n}\">${'<p>one</p>'.repeat(200)}</section>`).join('');
</script>";

async fn serve(mut stream: TcpStream, gate: watch::Receiver<bool>) {
    let mut head = vec![0; 16384];
    let mut have = 0;
    // A web socket needs the head again, so it is looked at before it is taken.
    let text = loop {
        let Ok(n) = stream.peek(&mut head).await else { return };
        if n == 0 {
            return;
        }
        let text = String::from_utf8_lossy(&head[..n]).into_owned();
        if text.contains("\r\n\r\n") {
            have = text.find("\r\n\r\n").unwrap() + 4;
            break text;
        }
        if n == have {
            tokio::task::yield_now().await;
        }
        have = n;
    };
    if text.to_ascii_lowercase().contains("upgrade: websocket") {
        return ticker(stream).await;
    }
    stream.read_exact(&mut head[..have]).await.unwrap();
    let target = text.split(' ').nth(1).unwrap_or("/").to_owned();
    let _ = answer(&mut stream, &target, gate).await;
}

async fn ticker(stream: TcpStream) {
    let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else { return };
    let mut tick = tokio::time::interval(Duration::from_millis(50));
    for n in 0u64.. {
        tokio::select! {
            _ = tick.tick() => if socket.send(Message::text(n.to_string())).await.is_err() { return },
            other = socket.next() => if other.is_none_or(|m| m.is_err()) { return },
        }
    }
}

async fn answer(
    stream: &mut TcpStream,
    target: &str,
    mut gate: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let query: HashMap<&str, String> = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(k, v)| (k, v.replace("%20", " ")))
        .collect();
    let number = |name: &str| query.get(name).and_then(|v| v.parse::<u64>().ok()).unwrap_or(0);
    let pause = || tokio::time::sleep(Duration::from_millis(number("ms")));
    match path {
        "/api/slow" => {
            pause().await;
            let status = query.get("status").map_or("200", String::as_str);
            let body = query.get("say").map_or("done", String::as_str);
            reply(stream, status, "text/plain", "", body.as_bytes()).await
        }
        "/api/picture" => {
            pause().await;
            let body = b"<svg xmlns='http://www.w3.org/2000/svg' width='60' height='40'><rect width='60' height='40'/></svg>";
            reply(stream, "200", "image/svg+xml", "", body).await
        }
        "/redirect" => {
            let left = number("n");
            let to = query.get("to").cloned().unwrap_or_default();
            let next = if left <= 1 { to } else { format!("/redirect?n={}&to={to}", left - 1) };
            reply(stream, "302", "text/plain", &format!("Location: {next}\r\n"), b"").await
        }
        "/longpoll" => {
            // Answers when the page goes away, which is never in time.
            let mut end = [0; 1];
            stream.read(&mut end).await.map(drop)
        }
        "/stream" => {
            stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n")
                .await?;
            for n in 1..=number("n") {
                stream.write_all(format!("Item {n}\n").as_bytes()).await?;
                stream.flush().await?;
                pause().await;
            }
            Ok(())
        }
        "/halves.html" => {
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n";
            let first = "<!doctype html><title>Halves</title><h1>First half</h1>";
            stream.write_all(format!("{head}{first}").as_bytes()).await?;
            stream.flush().await?;
            if query.contains_key("ms") {
                pause().await;
                return stream.write_all(TOIL.as_bytes()).await;
            }
            // A server that is gone lets go too.
            let _ = gate.wait_for(|open| *open).await;
            stream.write_all(b"<h2>Second half</h2>").await
        }
        "/report.txt" => {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment\r\nConnection: close\r\n\r\n";
            stream.write_all(head.as_bytes()).await?;
            // The browser looks at the first bytes of a file before it takes it for a download.
            stream.write_all(&[b'.'; 8192]).await?;
            stream.flush().await?;
            // A server that is gone lets go too.
            let _ = gate.wait_for(|open| *open).await;
            stream.write_all(b"end").await
        }
        _ => {
            let file = pages().join(path.trim_start_matches('/'));
            let is_script = file.extension().is_some_and(|kind| kind == "js");
            let kind = if is_script { "text/javascript" } else { "text/html" };
            let strict = if path.starts_with("/traces") {
                "Content-Security-Policy: default-src 'none'; script-src 'self'; frame-src 'self' about:\r\n"
            } else {
                ""
            };
            let keep = if query.contains_key("keep") { "" } else { "Cache-Control: no-store\r\n" };
            let more = format!("{strict}{keep}");
            match tokio::fs::read(&file).await {
                Ok(body) => reply(stream, "200", kind, &more, &body).await,
                Err(_) => reply(stream, "404", "text/plain", "", b"no such page").await,
            }
        }
    }
}

async fn reply(
    stream: &mut TcpStream,
    status: &str,
    kind: &str,
    more: &str,
    body: &[u8],
) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{more}Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await?;
    stream.shutdown().await
}
