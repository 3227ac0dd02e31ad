//! Who is let in, and what a stranger learns.
#![allow(clippy::unwrap_used)]

mod support;

use std::net::SocketAddr;
use std::path::PathBuf;
use stillpoint_agent::{Agent, AgentBuilder, ServerOptions, ServerTls, Token};
use stillpoint_core::{Code, Error};
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::{Engine, Session};
use stillpoint_sim::Sim;
use stillpoint_wire::codec::{ClientFrame, ClientHello, Frame};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::sync::{CancellationToken, DropGuard};

const SECRET: &str = "a token of twenty-six chars";

/// A certificate for 127.0.0.1, its key and a token, in files.
struct Papers {
    folder: tempfile::TempDir,
}

impl Papers {
    fn new() -> Self {
        let papers = Papers { folder: tempfile::tempdir().unwrap() };
        let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
        std::fs::write(papers.file("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(papers.file("key.pem"), made.signing_key.serialize_pem()).unwrap();
        std::fs::write(papers.file("token"), format!("{SECRET}\n")).unwrap();
        std::fs::write(papers.file("wrong"), "another token of that sort").unwrap();
        papers
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tls(&self) -> ServerTls {
        ServerTls::from_pem_files(&self.file("cert.pem"), &self.file("key.pem")).unwrap()
    }

    fn settings(&self, names: &[(&str, &str)]) -> AttachOptions {
        let path = |name: &str| self.file(name).to_str().unwrap().to_owned();
        let settings = names.iter().map(|(name, file)| ((*name).to_owned(), path(file))).collect();
        AttachOptions { settings, ..AttachOptions::default() }
    }
}

async fn serve(addr: &str, options: ServerOptions) -> Result<(SocketAddr, DropGuard), Error> {
    let builder = AgentBuilder::new().with(Sim::new());
    let target = "sim:login".parse().unwrap();
    let server = builder.serve(&target, AttachOptions::default(), addr.parse().unwrap(), options).await?;
    let (addr, stop) = (server.local_addr(), CancellationToken::new());
    tokio::spawn(server.run(stop.clone()));
    Ok((addr, stop.drop_guard()))
}

async fn open(port: u16, options: &AttachOptions) -> Result<Session, Error> {
    Engine::new().with(Agent::new()).open(&format!("agent:127.0.0.1:{port}").parse().unwrap(), options).await
}

#[tokio::test]
async fn beyond_loopback_it_takes_a_token_and_tls_to_start() {
    let papers = Papers::new();
    let token = || Some(Token::new(SECRET));
    let refused = |options| async move { serve("0.0.0.0:0", options).await.map(|_| ()).unwrap_err() };
    let bare = refused(ServerOptions::default()).await;
    assert_eq!(bare.code, Code::PermissionDenied);
    assert!(bare.message.contains("token"), "{bare}");
    let tls_alone = refused(ServerOptions { tls: Some(papers.tls()), ..ServerOptions::default() }).await;
    assert!(tls_alone.message.contains("token"), "{tls_alone}");
    let in_the_clear = refused(ServerOptions { token: token(), ..ServerOptions::default() }).await;
    assert!(in_the_clear.message.contains("TLS"), "{in_the_clear}");
    let allowed = ServerOptions { token: token(), allow_plaintext: true, ..ServerOptions::default() };
    assert!(serve("0.0.0.0:0", allowed).await.is_ok());
    let secret = ServerOptions { token: token(), tls: Some(papers.tls()), ..ServerOptions::default() };
    let (addr, _stop) = serve("0.0.0.0:0", secret).await.unwrap();
    let app = open(addr.port(), &papers.settings(&[("ca", "cert.pem"), ("token_file", "token")])).await;
    app.unwrap().close().await;
}

#[tokio::test]
async fn a_wrong_token_gets_nothing_but_a_close() {
    let papers = Papers::new();
    let options = ServerOptions { token: Some(Token::new(SECRET)), ..ServerOptions::default() };
    let (addr, _stop) = serve("127.0.0.1:0", options).await.unwrap();
    for token in [None, Some(Token::new("")), Some(Token::new("wrong")), Some(Token::new(&SECRET[1..]))] {
        let mut stranger = TcpStream::connect(addr).await.unwrap();
        let hello = ClientFrame::Hello(ClientHello::new(token, &[]));
        stranger.write_all(&hello.encode().unwrap()).await.unwrap();
        let mut heard = Vec::new();
        // A reset is a close as well.
        let _ = stranger.read_to_end(&mut heard).await;
        assert_eq!(heard, Vec::<u8>::new());
    }
    let refused =
        open(addr.port(), &papers.settings(&[("token_file", "wrong")])).await.map(|_| ()).unwrap_err();
    assert!(refused.hint.contains("token"), "{refused:?}");
    open(addr.port(), &papers.settings(&[("token_file", "token")])).await.unwrap().close().await;
}

#[tokio::test]
async fn over_tls_only_the_right_authority_is_trusted_and_plain_text_is_not_understood() {
    let (papers, strange) = (Papers::new(), Papers::new());
    let options = ServerOptions { tls: Some(papers.tls()), ..ServerOptions::default() };
    let (addr, _stop) = serve("127.0.0.1:0", options).await.unwrap();
    open(addr.port(), &papers.settings(&[("ca", "cert.pem")])).await.unwrap().close().await;
    let wrong = open(addr.port(), &strange.settings(&[("ca", "cert.pem")])).await.map(|_| ()).unwrap_err();
    assert_eq!(wrong.code, Code::AgentUnavailable, "{wrong}");
    assert!(wrong.message.contains("TLS"), "{wrong}");
    open(addr.port(), &AttachOptions::default()).await.map(|_| ()).unwrap_err();
    let nonsense = ServerTls::from_pem_files(&papers.file("key.pem"), &papers.file("cert.pem")).unwrap_err();
    assert_eq!(Error::from(nonsense).code, Code::InvalidArgument);
}
