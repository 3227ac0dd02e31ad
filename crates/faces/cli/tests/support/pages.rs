//! The pages of `apps/web`, served on loopback.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;

/// A server that ends with the test's process.
pub(crate) struct Pages {
    address: SocketAddr,
}

impl Pages {
    /// Serves on a free port.
    pub(crate) fn start() -> Pages {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it has an address");
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A browser that hangs up early is no failure of the test.
                std::thread::spawn(move || drop(serve(stream)));
            }
        });
        Pages { address }
    }

    /// The address of a page.
    pub(crate) fn url(&self, page: &str) -> String {
        format!("http://{}/{page}", self.address)
    }
}

fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let asked = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    // The rest of the head is read, so that closing does not reset the connection.
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = asked.split(' ').nth(1).unwrap_or("/").trim_start_matches('/');
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../apps/web").join(path);
    let (status, body) = match std::fs::read(&file) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", b"no such page".to_vec()),
    };
    let is_script = file.extension().is_some_and(|kind| kind == "js");
    let kind = if is_script { "text/javascript" } else { "text/html" };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(&body)
}
