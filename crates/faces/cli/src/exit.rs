//! Exit codes (SPEC §12).

use stillpoint_core::Error;
use stillpoint_engine::verbs::Verdict;

/// How the process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done as asked.
    Done,
    /// The UI said no: not found, not verified.
    No,
    /// The command line makes no sense.
    Usage,
    /// The target or its backend is not available.
    Unavailable,
    /// The time was over first.
    Timeout,
    /// Ctrl-C.
    Interrupted,
    /// Another program's own code, passed on.
    Of(u8),
}

impl Exit {
    /// The number that the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::No => 1,
            Exit::Usage => 2,
            Exit::Unavailable => 3,
            Exit::Timeout => 4,
            Exit::Interrupted => 130,
            Exit::Of(code) => code,
        }
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Done => Exit::Done,
            Verdict::No => Exit::No,
            Verdict::Unavailable => Exit::Unavailable,
            Verdict::Timeout => Exit::Timeout,
            Verdict::Cancelled => Exit::Interrupted,
        }
    }
}

impl From<&Error> for Exit {
    fn from(error: &Error) -> Self {
        Verdict::of(error).map_or(Exit::Usage, Exit::from)
    }
}
