//! The lines that a program writes, read by a thread as they come, the last ones kept.

use crate::deadline::Deadline;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Enough for any reply that nobody has taken yet, small enough to forget.
const KEPT: usize = 4096;

#[derive(Debug, Default)]
struct State {
    lines: VecDeque<String>,
    closed: bool,
}

/// A growing list of lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    shared: Arc<(Mutex<State>, Condvar)>,
}

impl Lines {
    /// Reads `source` to its end on a thread of its own.
    pub(crate) fn read(source: impl Read + Send + 'static) -> Self {
        let lines = Self::default();
        let writer = lines.clone();
        std::thread::spawn(move || {
            let mut source = BufReader::new(source);
            let mut line = Vec::new();
            while matches!(source.read_until(b'\n', &mut line), Ok(count) if count > 0) {
                let text = String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned();
                line.clear();
                let mut state = writer.lock();
                if state.lines.len() == KEPT {
                    state.lines.pop_front();
                }
                state.lines.push_back(text);
                drop(state);
                writer.shared.1.notify_all();
            }
            writer.lock().closed = true;
            writer.shared.1.notify_all();
        });
        lines
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere does not make the lines wrong.
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next line; `Err(true)` when the source has ended, `Err(false)` when the deadline passed.
    pub(crate) fn next(&self, deadline: Deadline) -> Result<String, bool> {
        let mut state = self.lock();
        loop {
            if let Some(line) = state.lines.pop_front() {
                return Ok(line);
            }
            let remaining = deadline.remaining();
            if state.closed || remaining.is_zero() {
                return Err(state.closed);
            }
            let waited = self.shared.1.wait_timeout(state, remaining);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Blocks until the source has ended, or the deadline passes.
    pub(crate) fn wait_for_end(&self, deadline: Deadline) {
        let open = |state: &mut State| !state.closed;
        let _ = self.shared.1.wait_timeout_while(self.lock(), deadline.remaining(), open);
    }

    /// The last `count` lines that nobody took, joined.
    pub(crate) fn tail(&self, count: usize) -> String {
        let state = self.lock();
        let skipped = state.lines.len().saturating_sub(count);
        state.lines.iter().skip(skipped).map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn lines_come_in_order_and_the_end_is_told() {
        let lines = Lines::read(&b"one\ntwo\r\nhalf"[..]);
        let deadline = Deadline::after(Duration::from_secs(10));
        assert_eq!(lines.next(deadline).unwrap(), "one");
        assert_eq!(lines.next(deadline).unwrap(), "two");
        assert_eq!(lines.next(deadline).unwrap(), "half");
        assert_eq!(lines.next(deadline), Err(true));
    }

    #[test]
    fn a_silent_source_is_late_not_ended() {
        let (source, _open) = std::io::pipe().unwrap();
        let lines = Lines::read(source);
        assert_eq!(lines.next(Deadline::after(Duration::ZERO)), Err(false));
    }
}
