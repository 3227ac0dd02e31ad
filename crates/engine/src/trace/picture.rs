//! Pictures of what a failure left behind, beside the trace. They are taken on the side: no answer waits for one.

use super::entry::What;
use crate::backend::Deadline;
use crate::session::Session;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stillpoint_core::{Error, Result};

/// How long taking a picture may take, and closing a session may wait for it.
const PATIENCE: Duration = Duration::from_secs(2);
/// At most so many are under way at once; an app that fails a hundred times a second needs no picture of each.
const AT_ONCE: usize = 2;

impl Session {
    /// Takes a picture of the app, if a file is recorded and the app can be pictured.
    pub(crate) fn picture_failure(&self, of: &str) {
        let Some(trace) = self.recorder().path() else { return };
        if !self.capabilities().screenshots || self.end().is_some() {
            return;
        }
        let pictures = &self.recorder().pictures;
        let free = pictures.send_if_modified(|n| {
            let free = *n < AT_ONCE;
            *n += usize::from(free);
            free
        });
        if !free {
            return;
        }
        let (session, of, at) = (self.clone(), of.to_owned(), self.now());
        tokio::spawn(async move {
            match take(&session, &trace, at.as_millis()).await {
                Ok(file) => session.recorder().note(at, What::Picture { of, file }),
                Err(error) => tracing::info!(target = %session.target(), %error, "no picture of a failure"),
            }
            session.recorder().pictures.send_modify(|n| *n -= 1);
        });
    }

    /// Waits until the pictures that are being taken are there, or will not be.
    pub(crate) async fn pictures_taken(&self) {
        let mut pictures = self.recorder().pictures.subscribe();
        let done = pictures.wait_for(|n| *n == 0);
        if tokio::time::timeout(PATIENCE, done).await.is_err() {
            tracing::info!(target = %self.target(), "a picture of a failure took too long");
        }
    }
}

async fn take(session: &Session, trace: &Path, at_ms: u64) -> Result<String> {
    let deadline = Deadline::after(PATIENCE);
    let picture = session.backend().screenshot(None, deadline);
    let picture = deadline.bound("a picture of the failure", picture).await?;
    let path = beside(trace, at_ms);
    let told = |error: std::io::Error| {
        Error::invalid(format!("{} cannot be written: {error}", path.display()), "make room beside the trace")
    };
    std::fs::write(&path, picture).map_err(told)?;
    Ok(path.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

/// `run.jsonl` gets `run-1204ms.png`.
fn beside(trace: &Path, at_ms: u64) -> PathBuf {
    let stem = trace.file_stem().unwrap_or_default().to_string_lossy();
    trace.with_file_name(format!("{stem}-{at_ms}ms.png"))
}
