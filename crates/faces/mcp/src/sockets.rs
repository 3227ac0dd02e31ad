//! Standard input and output that are sockets, as Node gives them to the programs that it starts. The runtime's own threads read and write
//! them; through the blocking handles every message would be passed to another thread and back, on either way.

use rustix::fs::FileType;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};

/// Standard input and output, if both are sockets.
pub(crate) fn standard() -> Option<(Socket, Socket)> {
    let input = Socket::behind(std::io::stdin(), Interest::READABLE)?;
    let output = Socket::behind(std::io::stdout(), Interest::WRITABLE)?;
    Some((input, output))
}

/// One end of a connected socket. Each call says itself that it must not block: the descriptor's flags stay as they are, for they belong
/// to everybody who holds it.
pub(crate) struct Socket(AsyncFd<OwnedFd>);

impl Socket {
    // Its successor is unsafe, because a descriptor might change or be closed meanwhile: an owned one is neither.
    #[expect(deprecated)]
    fn behind(descriptor: impl AsFd, interest: Interest) -> Option<Self> {
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&descriptor).ok()?.st_mode);
        if kind != FileType::Socket {
            return None;
        }
        let own = descriptor.as_fd().try_clone_to_owned().ok()?;
        AsyncFd::with_interest(own, interest).ok().map(Self)
    }
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.0.poll_read_ready(cx))?;
            let room = buf.initialize_unfilled();
            // It was not ready after all otherwise, and tells when it is.
            if let Ok(read) = ready.try_io(|socket| Ok(recv(socket, room, RecvFlags::DONTWAIT)?)) {
                let (count, _) = read?;
                buf.advance(count);
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.0.poll_write_ready(cx))?;
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            if let Ok(written) = ready.try_io(|socket| Ok(send(socket, bytes, flags)?)) {
                return Poll::Ready(written);
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rustix::fs::{OFlags, fcntl_getfl};
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn what_is_larger_than_the_sockets_buffer_comes_whole_on_either_way() {
        let (far, near) = UnixStream::pair().unwrap();
        let (mut input, mut output) = (
            Socket::behind(&near, Interest::READABLE).unwrap(),
            Socket::behind(&near, Interest::WRITABLE).unwrap(),
        );
        let sent: Vec<u8> = (0..4 << 20).map(|n: u32| n as u8).collect();
        let echo = std::thread::spawn(move || {
            let mut far = far;
            let mut all = vec![0; 4 << 20];
            far.read_exact(&mut all).unwrap();
            far.write_all(&all).unwrap();
        });
        output.write_all(&sent).await.unwrap();
        drop((near, output));
        let mut told = Vec::new();
        input.read_to_end(&mut told).await.unwrap();
        echo.join().unwrap();
        assert!(told == sent, "{} bytes came of {}", told.len(), sent.len());
    }

    #[tokio::test]
    async fn a_reader_that_went_is_an_error_and_no_signal() {
        let (far, near) = UnixStream::pair().unwrap();
        let mut output = Socket::behind(near, Interest::WRITABLE).unwrap();
        drop(far);
        assert_eq!(output.write(b"hello").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn whoever_shares_the_socket_finds_its_flags_unchanged() {
        let (_far, near) = UnixStream::pair().unwrap();
        let _socket = Socket::behind(&near, Interest::READABLE).unwrap();
        assert!(!fcntl_getfl(&near).unwrap().contains(OFlags::NONBLOCK));
    }

    #[tokio::test]
    async fn a_pipe_is_left_to_others() {
        let (reader, _writer) = std::io::pipe().unwrap();
        assert!(Socket::behind(&reader, Interest::READABLE).is_none());
    }
}
