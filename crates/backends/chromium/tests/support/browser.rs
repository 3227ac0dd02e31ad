//! A browser of the test's own, and a way to run scripts in its pages beside the backend.

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

/// A running Chromium; killed with its whole group when dropped.
pub struct TestBrowser {
    child: Child,
    pub url: String,
    _profile: tempfile::TempDir,
}

/// A page, with a connection that the backend does not know of.
pub struct Tab {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    authority: String,
    id: String,
    last: u64,
}

impl TestBrowser {
    pub async fn start() -> TestBrowser {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new("chromium");
        command.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--remote-debugging-port=0",
            "--window-size=1280,800",
            "--disable-popup-blocking",
            "about:blank",
        ]);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        let mut child = command.spawn().expect("Chromium must be installed: apt install chromium");
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let url = loop {
            let line = lines.next_line().await.unwrap().expect("Chromium ended before it was ready");
            if let Some(url) = line.strip_prefix("DevTools listening on ") {
                break url.trim().to_owned();
            }
        };
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        TestBrowser { child, url, _profile: profile }
    }

    fn authority(&self) -> String {
        self.url.trim_start_matches("ws://").split('/').next().unwrap().to_owned()
    }

    /// Opens a page, and waits until it has loaded.
    pub async fn tab(&self, url: &str) -> Tab {
        let authority = self.authority();
        let answer = http(&authority, "PUT", "/json/new?about:blank").await;
        let info: Value = serde_json::from_str(&answer).unwrap();
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let address = info["webSocketDebuggerUrl"].as_str().unwrap();
        let (socket, _) =
            tokio_tungstenite::connect_async_with_config(address, Some(config), true).await.unwrap();
        let mut tab = Tab { socket, authority, id: info["id"].as_str().unwrap().to_owned(), last: 0 };
        if url != "about:blank" {
            tab.go(url).await;
        }
        tab
    }

    /// Closes every page but the ones opened through [`TestBrowser::tab`].
    pub async fn close_first(&self, keep: &Tab) {
        let authority = self.authority();
        let list: Vec<Value> = serde_json::from_str(&http(&authority, "GET", "/json/list").await).unwrap();
        for page in list.iter().filter(|p| p["type"] == "page" && p["id"] != keep.id.as_str()) {
            http(&authority, "GET", &format!("/json/close/{}", page["id"].as_str().unwrap())).await;
        }
    }

    pub fn pid(&self) -> i32 {
        self.child.id().unwrap() as i32
    }

    pub fn kill(&mut self) {
        let group = rustix::process::Pid::from_raw(self.pid()).unwrap();
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
    }
}

impl Drop for TestBrowser {
    fn drop(&mut self) {
        if let Some(group) = self.child.id().and_then(|id| rustix::process::Pid::from_raw(id as i32)) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Tab {
    /// Sends a command to the page.
    pub async fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        let command = json!({ "id": id, "method": method, "params": params });
        self.socket.send(Message::text(command.to_string())).await.unwrap();
        while let Some(Ok(message)) = self.socket.next().await {
            let Ok(text) = message.to_text() else { continue };
            let Ok(answer) = serde_json::from_str::<Value>(text) else { continue };
            if answer["id"] == id {
                return answer["result"].clone();
            }
        }
        Value::Null
    }

    /// Sends a command that gets no answer.
    pub async fn post(&mut self, method: &str, params: Value) {
        self.last += 1;
        let command = json!({ "id": self.last, "method": method, "params": params });
        self.socket.send(Message::text(command.to_string())).await.unwrap();
    }

    pub async fn eval(&mut self, script: &str) -> Value {
        let params = json!({ "expression": script, "returnByValue": true, "awaitPromise": true });
        self.call("Runtime.evaluate", params).await["result"]["value"].clone()
    }

    /// Goes to another page and waits until it has loaded.
    pub async fn go(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": url })).await;
        self.eval("new Promise((done) => document.readyState === 'complete' ? done(1) : addEventListener('load', () => done(1)))").await;
    }

    pub async fn close(self) {
        http(&self.authority, "GET", &format!("/json/close/{}", self.id)).await;
    }
}

async fn http(authority: &str, method: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(authority).await.unwrap();
    let request = format!("{method} {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    // The browser keeps the connection open, so the length is what counts.
    let mut answer = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&answer).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|l| {
                l.to_ascii_lowercase()
                    .strip_prefix("content-length:")
                    .map(|n| n.trim().parse::<usize>().unwrap())
            });
            if body.len() >= length.unwrap_or(0) {
                return body.to_owned();
            }
        }
        assert!(stream.read_buf(&mut answer).await.unwrap() > 0, "the browser hung up: {text}");
    }
}
