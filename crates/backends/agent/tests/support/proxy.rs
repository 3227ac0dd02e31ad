//! Somebody between client and agent who counts frames, delays them, and can cut the line.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What went through, by direction.
#[derive(Debug, Default)]
pub struct Traffic {
    pub requests: AtomicUsize,
    pub answers: AtomicUsize,
    pub events: AtomicUsize,
    pub bytes_down: AtomicUsize,
}

impl Traffic {
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    pub fn answers(&self) -> usize {
        self.answers.load(Ordering::SeqCst)
    }

    pub fn events(&self) -> usize {
        self.events.load(Ordering::SeqCst)
    }
}

/// A proxy in front of an agent.
pub struct Proxy {
    pub addr: SocketAddr,
    pub traffic: Arc<Traffic>,
    cut: Arc<std::sync::Mutex<CancellationToken>>,
}

const EVENT: u8 = 0x43;

impl Proxy {
    /// Frames take `delay` in each direction.
    pub async fn new(agent: SocketAddr, delay: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let traffic = Arc::new(Traffic::default());
        let cut = Arc::new(std::sync::Mutex::new(CancellationToken::new()));
        let (seen, cutting) = (Arc::clone(&traffic), Arc::clone(&cut));
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let Ok(far) = TcpStream::connect(agent).await else { continue };
                let over = cutting.lock().unwrap().clone();
                let (near_in, near_out) = near.into_split();
                let (far_in, far_out) = far.into_split();
                let (up, down) = (Arc::clone(&seen), Arc::clone(&seen));
                let count_up = move |_: u8, _: usize| {
                    up.requests.fetch_add(1, Ordering::SeqCst);
                };
                let count_down = move |opcode: u8, length: usize| {
                    let which = if opcode == EVENT { &down.events } else { &down.answers };
                    which.fetch_add(1, Ordering::SeqCst);
                    down.bytes_down.fetch_add(length, Ordering::SeqCst);
                };
                tokio::spawn(pass(near_in, far_out, delay, over.clone(), count_up));
                tokio::spawn(pass(far_in, near_out, delay, over, count_down));
            }
        });
        Proxy { addr, traffic, cut }
    }

    /// Cuts every connection that is open; new ones are let through.
    pub fn cut(&self) {
        let mut cut = self.cut.lock().unwrap();
        cut.cancel();
        *cut = CancellationToken::new();
    }
}

/// Passes frames on, each a while after it came.
async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    delay: Duration,
    over: CancellationToken,
    count: impl Fn(u8, usize),
) {
    let (queue, mut queued) = mpsc::unbounded_channel::<(Instant, Vec<u8>)>();
    let reading = async {
        while let Ok(length) = from.read_u32_le().await {
            let mut frame = length.to_le_bytes().to_vec();
            frame.resize(4 + length as usize, 0);
            if from.read_exact(&mut frame[4..]).await.is_err() {
                break;
            }
            count(frame[4], frame.len());
            let _ = queue.send((Instant::now() + delay, frame));
        }
        drop(queue);
    };
    let writing = async {
        while let Some((due, frame)) = queued.recv().await {
            // The link's own delay; nobody waits for a UI here.
            tokio::time::sleep_until(due).await;
            if to.write_all(&frame).await.is_err() {
                break;
            }
        }
    };
    tokio::select! {
        _ = async { tokio::join!(reading, writing) } => {}
        () = over.cancelled() => {}
    }
}
