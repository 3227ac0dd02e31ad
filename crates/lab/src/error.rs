//! What can go wrong while a desktop starts or runs, told so that a person knows what to do next.

use std::io;
use std::time::Duration;

/// A failure of the lab. The message names the component, what was awaited, and its last output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// A program that a desktop is built from is not installed.
    #[error("{component} cannot start: `{program}` was not found\nhint: apt-get install {package}")]
    Missing {
        /// What the program is for, e.g. "the display".
        component: &'static str,
        /// The program that was looked for.
        program: String,
        /// The Debian package that provides it.
        package: &'static str,
    },

    /// A program exists but could not be started.
    #[error("{component} cannot start: {source}")]
    Spawn {
        /// What was started.
        component: String,
        /// Why the system refused.
        source: io::Error,
    },

    /// A component ended before it was ready.
    #[error("{component} ended before {awaited} ({status}){}", story(last_output))]
    Ended {
        /// Which component.
        component: String,
        /// What was awaited of it.
        awaited: String,
        /// How it ended.
        status: String,
        /// The last lines it wrote.
        last_output: String,
    },

    /// A component did not become ready before its deadline.
    #[error("{component}: waited {waited:?} for {awaited}{}", story(last_output))]
    Late {
        /// Which component.
        component: String,
        /// What was awaited of it.
        awaited: String,
        /// How long the caller was ready to wait.
        waited: Duration,
        /// The last lines it wrote.
        last_output: String,
    },

    /// A component answered with something that is not an answer.
    #[error("{component} answered {answer:?} where {awaited} was expected{}", story(last_output))]
    Nonsense {
        /// Which component.
        component: String,
        /// What was awaited of it.
        awaited: String,
        /// What came instead.
        answer: String,
        /// The last lines it wrote.
        last_output: String,
    },

    /// The X server refused a request or closed the connection.
    #[error("the display :{display} failed at {doing}: {reason}")]
    Display {
        /// The display number.
        display: u32,
        /// What was being done.
        doing: &'static str,
        /// What the X server or the connection said.
        reason: String,
    },

    /// A fixture app refused a command of the line protocol.
    #[error("{app} refused `{command}`: {reply}{}", story(last_output))]
    Refused {
        /// Which app.
        app: String,
        /// The line that was sent.
        command: String,
        /// The line that came back.
        reply: String,
        /// The last lines of its stderr.
        last_output: String,
    },

    /// No lasting desktop has this name, or one already has it.
    #[error("desktop {name:?} {problem}\nhint: {hint}")]
    Name {
        /// The name as given.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
        /// What to do instead.
        hint: &'static str,
    },

    /// Processes of a desktop outlived every signal.
    #[error("{} processes of the desktop are still alive after SIGKILL: {pids:?}", pids.len())]
    Survivors {
        /// Their process ids.
        pids: Vec<i32>,
    },

    /// A file or directory of the desktop could not be used.
    #[error("{doing}: {source}")]
    File {
        /// What was being done, with the path.
        doing: String,
        /// What the system said.
        source: io::Error,
    },
}

impl LabError {
    pub(crate) fn file(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::File { doing, source }
    }

    pub(crate) fn display(display: u32, doing: &'static str, reason: impl std::fmt::Display) -> Self {
        Self::Display { display, doing, reason: reason.to_string() }
    }
}

fn story(last_output: &str) -> String {
    if last_output.is_empty() {
        "; it wrote nothing".to_owned()
    } else {
        format!("; it last wrote:\n  {}", last_output.replace('\n', "\n  "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_names_its_debian_package() {
        let error =
            LabError::Missing { component: "the display", program: "Xvfb".to_owned(), package: "xvfb" };
        assert!(error.to_string().ends_with("apt-get install xvfb"));
    }

    #[test]
    fn a_late_component_tells_what_it_wrote_last() {
        let error = LabError::Late {
            component: "the window manager".to_owned(),
            awaited: "_NET_SUPPORTING_WM_CHECK".to_owned(),
            waited: Duration::from_secs(3),
            last_output: "one\ntwo".to_owned(),
        };
        assert_eq!(
            error.to_string(),
            "the window manager: waited 3s for _NET_SUPPORTING_WM_CHECK; it last wrote:\n  one\n  two"
        );
    }
}
