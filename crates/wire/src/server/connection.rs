//! One client, from its first byte to its last.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use super::ServerOptions;
use super::calls::Calls;
use super::handler::{ConnectionId, Handler, dispatch};
use super::outbox::{Outbox, PeerGone, refusal, write_frames};
use crate::codec::{
    ClientFrame, ClientHello, DecodeError, Decoder, Reply, Request, ServerFrame, ServerHello, Token,
};
use crate::error::{ErrorCode, Fault};

const READ_CHUNK: usize = 16 * 1024;
/// What a client that has not shown its token yet may make the server hold.
const STRANGERS_LIMIT: usize = 64 * 1024;

/// Something that is answered in the order in which it came.
enum InOrder {
    Request(Request),
    Ready(ServerFrame),
    /// The answer to Hello, and the events that may follow it but never overtake it.
    Greeting(ServerHello, Option<broadcast::Receiver<Arc<str>>>),
}

/// Why reading stopped.
enum Stop {
    /// No more frames will come; what came is still answered.
    Drain,
    /// Nothing more is said.
    Silent,
}

impl From<PeerGone> for Stop {
    fn from(_: PeerGone) -> Self {
        Self::Silent
    }
}

/// Serves one client over any stream: plain TCP, or a TLS session. Returns when the connection is over.
pub async fn serve_connection<S, H>(stream: S, handler: Arc<H>, options: Arc<ServerOptions>, id: ConnectionId)
where
    S: AsyncRead + AsyncWrite + Send + 'static,
    H: Handler,
{
    let (read_half, write_half) = tokio::io::split(stream);
    let over = CancellationToken::new();
    let pushing = over.child_token();
    let _end_on_drop = over.clone().drop_guard();
    let (outbox, queue) = Outbox::new(options.outbox);
    let writer = tokio::spawn(write_frames(write_half, queue, options.write_timeout, over.clone()));
    let (jobs, backlog) = mpsc::channel(options.backlog.max(1));
    let worker = Worker {
        handler: Arc::clone(&handler),
        outbox: outbox.clone(),
        over: over.clone(),
        pushing: pushing.clone(),
    };
    let worker = tokio::spawn(worker.answer_in_order(backlog));

    let mut session = Session {
        calls: Calls::new(Arc::clone(&handler), id, options.max_calls),
        trusted: options.token.is_none(),
        agreed: false,
        options: Arc::clone(&options),
        handler: Arc::clone(&handler),
        jobs,
        outbox,
        id,
    };
    let stop = tokio::select! {
        stop = session.read(read_half) => stop,
        () = over.cancelled() => Stop::Silent,
    };
    pushing.cancel();
    // Whoever speaks v2 has no use for half a connection: the client is gone, and so are the calls that it waited for.
    // v1 requests are finished and answered in any case.
    drop(session);
    let finishing = async {
        let _ = worker.await;
        let _ = writer.await;
    };
    match stop {
        Stop::Drain => {
            let _ = tokio::time::timeout(options.drain_timeout, finishing).await;
        }
        Stop::Silent => drop(finishing),
    }
    handler.disconnected(id);
}

struct Worker<H> {
    handler: Arc<H>,
    outbox: Outbox,
    over: CancellationToken,
    pushing: CancellationToken,
}

impl<H: Handler> Worker<H> {
    /// Runs v1 requests one after the other. A request that began is finished, even when nobody reads its reply; one
    /// that did not begin before the connection was lost never does.
    async fn answer_in_order(self, mut backlog: mpsc::Receiver<InOrder>) {
        while let Some(next) = backlog.recv().await {
            if self.over.is_cancelled() {
                break;
            }
            let (frame, events) = match next {
                InOrder::Ready(frame) => (frame, None),
                InOrder::Request(request) => (self.run(request).await.into(), None),
                InOrder::Greeting(hello, events) => (ServerFrame::Hello(hello), events),
            };
            if self.outbox.put(frame).await.is_err() {
                break;
            }
            if let Some(events) = events {
                tokio::spawn(push_events(events, self.outbox.clone(), self.pushing.clone()));
            }
        }
    }

    /// In a task of its own, so that a panic costs one request and not the connection.
    async fn run(&self, request: Request) -> Reply {
        let handler = Arc::clone(&self.handler);
        let work = tokio::spawn(async move { dispatch(&*handler, request).await });
        let failed = || Fault::new(ErrorCode::Internal, "the request failed inside the agent");
        work.await.unwrap_or_else(|_| Reply::Error(failed().to_v1_text()))
    }
}

struct Session<H> {
    handler: Arc<H>,
    options: Arc<ServerOptions>,
    id: ConnectionId,
    calls: Calls<H>,
    jobs: mpsc::Sender<InOrder>,
    outbox: Outbox,
    /// The client has shown the token, or none is asked for.
    trusted: bool,
    /// Hello was answered: v2.
    agreed: bool,
}

impl<H: Handler> Session<H> {
    async fn read<R: AsyncRead>(&mut self, stream: R) -> Stop {
        tokio::pin!(stream);
        let mut decoder = Decoder::<ClientFrame>::new();
        let mut chunk = vec![0; READ_CHUNK];
        let deadline = tokio::time::Instant::now() + self.options.hello_timeout;
        loop {
            let got = tokio::select! {
                got = stream.read(&mut chunk) => got,
                Some(answer) = self.calls.next_answer(), if !self.calls.is_empty() => {
                    if self.outbox.put(answer).await.is_err() {
                        return Stop::Silent;
                    }
                    continue;
                }
                () = tokio::time::sleep_until(deadline), if !self.trusted => return Stop::Silent,
            };
            match got {
                Ok(0) => return if self.trusted { Stop::Drain } else { Stop::Silent },
                Ok(count) => decoder.feed(&chunk[..count]),
                Err(_) => return Stop::Silent,
            }
            loop {
                let handled = match decoder.next_frame() {
                    Ok(None) => break,
                    Ok(Some(frame)) => self.take(frame).await,
                    Err(error) => self.complain(error).await,
                };
                if let Err(stop) = handled {
                    return stop;
                }
            }
            if !self.trusted && decoder.buffered() > STRANGERS_LIMIT {
                return Stop::Silent;
            }
        }
    }

    async fn take(&mut self, frame: ClientFrame) -> Result<(), Stop> {
        match frame {
            ClientFrame::Hello(hello) => self.greet(hello).await,
            _ if !self.trusted => Err(Stop::Silent),
            ClientFrame::Request(request) => self.in_order(InOrder::Request(request)).await,
            ClientFrame::Call { id, .. } if !self.agreed => {
                let fault =
                    Fault::new(ErrorCode::Protocol, "calls need a Hello first").hint("send Hello (0x40)");
                Ok(self.outbox.put(refusal(id, &fault)).await?)
            }
            ClientFrame::Call { id, method, json } => match self.calls.begin(id, method, &json) {
                Ok(()) => Ok(()),
                Err(fault) => Ok(self.outbox.put(refusal(id, &fault)).await?),
            },
            ClientFrame::Cancel { id } => {
                self.calls.cancel(id);
                Ok(())
            }
        }
    }

    async fn greet(&mut self, hello: ClientHello) -> Result<(), Stop> {
        if let Some(expected) = &self.options.token {
            let shown = hello.token.clone().unwrap_or_else(|| Token::new(""));
            if !expected.matches(&shown) {
                tracing::warn!(connection = self.id.0, "a client showed a wrong token");
                return Err(Stop::Silent);
            }
        }
        self.trusted = true;
        if hello.version < 2 {
            let fault = Fault::new(
                ErrorCode::Unsupported,
                format!("Hello of version {} is not known", hello.version),
            );
            return self.in_order(InOrder::Ready(Reply::Error(fault.to_v1_text()).into())).await;
        }
        // A second Hello changes nothing and is answered like the first.
        let mut grants = Vec::new();
        let mut events = None;
        if hello.wants(ClientHello::EVENTS) {
            events = if self.agreed { None } else { self.handler.events(self.id) };
            if events.is_some() {
                grants.push(ClientHello::EVENTS.to_owned());
            }
        }
        self.agreed = true;
        let answer = ServerHello { version: 2, grants, max_calls: self.options.max_calls };
        self.in_order(InOrder::Greeting(answer, events)).await
    }

    /// Answers a frame that could not be read, in its place in the order.
    async fn complain(&mut self, error: DecodeError) -> Result<(), Stop> {
        if !self.trusted {
            return Err(Stop::Silent);
        }
        let fault = Fault::new(ErrorCode::Protocol, error.to_string());
        match error.call_id {
            Some(id) => self.outbox.put(refusal(id, &fault)).await?,
            None => self.in_order(InOrder::Ready(Reply::Error(fault.to_v1_text()).into())).await?,
        }
        if error.is_fatal() { Err(Stop::Drain) } else { Ok(()) }
    }

    async fn in_order(&mut self, job: InOrder) -> Result<(), Stop> {
        self.jobs.send(job).await.map_err(|_| Stop::Silent)
    }
}

/// Forwards events until the client stops sending. Whoever reads too slowly is told what was left out.
async fn push_events(mut events: broadcast::Receiver<Arc<str>>, outbox: Outbox, until: CancellationToken) {
    let mut seq = 0;
    loop {
        let next = tokio::select! {
            () = until.cancelled() => return,
            next = events.recv() => next,
        };
        let json = match next {
            Ok(json) => json.as_ref().to_owned(),
            Err(broadcast::error::RecvError::Lagged(missed)) => {
                serde_json::json!({ "type": "resync", "missed": missed }).to_string()
            }
            Err(broadcast::error::RecvError::Closed) => return,
        };
        seq += 1;
        let sent = tokio::select! {
            () = until.cancelled() => return,
            sent = outbox.put(ServerFrame::Event { seq, json }) => sent,
        };
        if sent.is_err() {
            return;
        }
    }
}
