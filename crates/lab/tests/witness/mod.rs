//! What the tests of this crate look at from outside: what a desktop leaves behind, and what a picture shows.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "test code, of which each binary uses a part"
)]

use serde::{Deserialize, Serialize};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use stillpoint_lab::{Cookie, Desktop};

/// Everything that a desktop may leave behind, noted while it runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Footprint {
    cookie: Cookie,
    root: PathBuf,
    socket: PathBuf,
    made: (u64, i64, i64),
}

impl Footprint {
    pub fn of(desktop: &Desktop) -> Self {
        let socket = PathBuf::from(format!("/tmp/.X11-unix/X{}", &desktop.display()[1..]));
        Self {
            cookie: desktop.cookie().clone(),
            root: desktop.root().to_owned(),
            made: made(&socket).unwrap(),
            socket,
        }
    }

    /// What is still there: processes by their command line, files by their path.
    pub fn remains(&self) -> Vec<String> {
        let processes = self.cookie.carriers().into_iter().map(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            format!("{pid} {}", String::from_utf8_lossy(&line).replace('\0', " "))
        });
        // Another desktop may have taken the display number in the meantime: then the socket is another's.
        let socket = (made(&self.socket) == Some(self.made)).then_some(&self.socket);
        let root = self.root.exists().then_some(&self.root);
        processes.chain(socket.into_iter().chain(root).map(|path| path.display().to_string())).collect()
    }

    /// Blocks until the desktop's directory is removed, which a watchdog does last.
    pub fn wait_until_gone(&self, patience: Duration) {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        use rustix::fs::inotify;
        let watch: OwnedFd = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
        let parent = self.root.parent().unwrap();
        inotify::add_watch(&watch, parent, inotify::WatchFlags::DELETE).unwrap();
        let until = Instant::now() + patience;
        while self.root.exists() && Instant::now() < until {
            let left = Timespec::try_from(until.saturating_duration_since(Instant::now())).unwrap();
            poll(&mut [PollFd::new(&watch, PollFlags::IN)], Some(&left)).unwrap();
            let _ = rustix::io::read(&watch, &mut [0_u8; 4096][..]);
        }
    }
}

fn made(path: &Path) -> Option<(u64, i64, i64)> {
    let status = std::fs::symlink_metadata(path).ok()?;
    Some((status.ino(), status.ctime(), status.ctime_nsec()))
}

pub fn null() -> Stdio {
    Stdio::null()
}

/// A decoded picture.
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub pixels: Vec<u8>,
}

impl Picture {
    /// How many different colours it has.
    pub fn colours(&self) -> usize {
        self.pixels.chunks_exact(3).collect::<std::collections::BTreeSet<_>>().len()
    }
}

pub fn decode(file: &[u8]) -> Picture {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    Picture { width: info.width, height: info.height, pixels }
}
