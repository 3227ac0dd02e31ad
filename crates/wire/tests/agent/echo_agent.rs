//! An agent without an app: it writes down what it is asked to do, and dies by `kill -9` where it is told to.
//!
//! | variable | meaning |
//! |---|---|
//! | `STILLPOINT_AGENT_PORT` | where to listen on loopback |
//! | `ECHO_AGENT_LOG` | file that gets one line per command carried out |
//! | `ECHO_AGENT_UDID` | the device it pretends to be |
//! | `ECHO_AGENT_PLAN` | file with `MOMENT COMMAND`; it is deleted when the agent dies by it |
#![allow(clippy::unwrap_used, clippy::manual_assert, reason = "a part of the tests")]
#![allow(dead_code, unreachable_pub, reason = "the handler is shared with tests that use more of it")]

mod handler;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use handler::{Moment, RecordingHandler};
use stillpoint_wire::ServerOptions;
use stillpoint_wire::server::{ConnectionId, serve_connection};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

fn die(plan: &Path) -> ! {
    // The plan goes first: the next agent shall live.
    std::fs::remove_file(plan).unwrap();
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::abort();
}

/// A connection that is cut in the middle of a reply, when it is time.
struct Cuttable {
    inner: TcpStream,
    cut: Arc<AtomicBool>,
    plan: PathBuf,
}

impl AsyncRead for Cuttable {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

impl AsyncWrite for Cuttable {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        if self.cut.load(Ordering::SeqCst) {
            let _ = ready!(Pin::new(&mut self.inner).poll_write(cx, &buf[..buf.len() / 2]));
            die(&self.plan);
        }
        Pin::new(&mut self.inner).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let variable = |name: &str| std::env::var(name).ok();
    let port: u16 = variable("STILLPOINT_AGENT_PORT").unwrap().parse().unwrap();
    let plan = PathBuf::from(variable("ECHO_AGENT_PLAN").unwrap_or_default());
    let cut = Arc::new(AtomicBool::new(false));

    let (mut handler, _pages) = RecordingHandler::new();
    handler.log_file = variable("ECHO_AGENT_LOG").map(PathBuf::from);
    handler.udid = variable("ECHO_AGENT_UDID");
    let (planned, cut_replies) = (plan.clone(), Arc::clone(&cut));
    handler.hook = Box::new(move |command, moment| {
        let Ok(text) = std::fs::read_to_string(&planned) else { return };
        let Some((when, whom)) = text.trim().split_once(' ') else { return };
        match (when, moment) {
            _ if whom != command => {}
            ("received", Moment::Received) | ("carried-out", Moment::CarriedOut) => die(&planned),
            ("mid-reply", Moment::CarriedOut) => cut_replies.store(true, Ordering::SeqCst),
            _ => {}
        }
    });
    let handler = Arc::new(handler);
    let options = Arc::new(ServerOptions::default());
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await.unwrap();
    for id in 1.. {
        let (inner, _) = listener.accept().await.unwrap();
        let stream = Cuttable { inner, cut: Arc::clone(&cut), plan: plan.clone() };
        tokio::spawn(serve_connection(stream, Arc::clone(&handler), Arc::clone(&options), ConnectionId(id)));
    }
}
