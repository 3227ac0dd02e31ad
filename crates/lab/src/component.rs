//! One process that a desktop is built from: started in its own group, its stderr kept in a file.

use crate::deadline::Deadline;
use crate::environment::Environment;
use crate::error::LabError;
use crate::places::Places;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

const TAIL_LINES: usize = 12;

/// How long a process that has closed its output may take to end, or its last words to arrive.
pub(crate) const LAST_WORDS: Duration = Duration::from_secs(2);

/// What to start, and what to tell the user when it is not there.
pub(crate) struct Recipe<'a> {
    /// In words, e.g. "the display (Xvfb)".
    pub(crate) component: &'static str,
    pub(crate) program: &'a str,
    pub(crate) package: &'static str,
    pub(crate) arguments: &'a [String],
}

/// A running component.
#[derive(Debug)]
pub(crate) struct Component {
    name: &'static str,
    child: Child,
    process: OwnedFd,
    stdout: Option<ChildStdout>,
    log: PathBuf,
    lasting: bool,
}

impl Component {
    pub(crate) fn start(
        recipe: &Recipe<'_>,
        environment: &Environment,
        places: &Places,
    ) -> Result<Self, LabError> {
        let file_name = recipe.program.rsplit('/').next().unwrap_or(recipe.program);
        let log = places.log().join(format!("{file_name}.log"));
        let stderr = File::create(&log).map_err(LabError::file(format!("creating {}", log.display())))?;
        let mut command = Command::new(recipe.program);
        command.args(recipe.arguments).current_dir(&places.root);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr).process_group(0);
        environment.apply(&mut command);
        let mut child = command.spawn().map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => LabError::Missing {
                component: recipe.component,
                program: recipe.program.to_owned(),
                package: recipe.package,
            },
            _ => LabError::Spawn { component: recipe.component.to_owned(), source },
        })?;
        let stdout = child.stdout.take();
        let process = match open_child(&child) {
            Ok(process) => process,
            Err(source) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(LabError::Spawn { component: recipe.component.to_owned(), source });
            }
        };
        Ok(Self { name: recipe.component, child, process, stdout, log, lasting: false })
    }

    pub(crate) fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// The descriptor that becomes readable when the process ends.
    pub(crate) fn process(&self) -> &OwnedFd {
        &self.process
    }

    /// The first line of its stdout, where it says that it is ready.
    pub(crate) fn first_line(&mut self, awaited: &str, deadline: Deadline) -> Result<String, LabError> {
        let mut line = Vec::new();
        // Closed afterwards: a component has nothing else to say there.
        let Some(mut stdout) = self.stdout.take() else { return Err(self.ended(awaited)) };
        loop {
            let readable = deadline.is_readable(&stdout).map_err(|source| self.broken(source))?;
            if !readable {
                return Err(self.late(awaited, deadline));
            }
            let mut byte = [0];
            match stdout.read(&mut byte) {
                Ok(0) => return Err(self.ended(awaited)),
                Ok(_) if byte[0] == b'\n' => break,
                Ok(_) => line.push(byte[0]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(self.broken(source)),
            }
        }
        Ok(String::from_utf8_lossy(&line).trim().to_owned())
    }

    /// Reads its whole stdout until it ends well, for components that answer one question.
    pub(crate) fn answer(mut self, awaited: &str, deadline: Deadline) -> Result<String, LabError> {
        let ended = deadline.is_readable(&self.process).map_err(|source| self.broken(source))?;
        if !ended {
            return Err(self.late(awaited, deadline));
        }
        let status = self.child.wait().map_err(|source| self.broken(source))?;
        let mut answer = String::new();
        if let Some(mut stdout) = self.stdout.take() {
            stdout.read_to_string(&mut answer).map_err(|source| self.broken(source))?;
        }
        if status.success() { Ok(answer) } else { Err(self.ended(awaited)) }
    }

    pub(crate) fn late(&self, awaited: &str, deadline: Deadline) -> LabError {
        LabError::Late {
            component: self.name.to_owned(),
            awaited: awaited.to_owned(),
            waited: deadline.span(),
            last_output: self.last_output(),
        }
    }

    pub(crate) fn ended(&mut self, awaited: &str) -> LabError {
        // Its output ends a moment before the process does.
        let _ = Deadline::after(LAST_WORDS).is_readable(&self.process);
        let status = match self.child.try_wait() {
            Ok(Some(status)) => status.to_string(),
            _ => "it closed its output".to_owned(),
        };
        LabError::Ended {
            component: self.name.to_owned(),
            awaited: awaited.to_owned(),
            status,
            last_output: self.last_output(),
        }
    }

    pub(crate) fn nonsense(&self, awaited: &str, answer: &str) -> LabError {
        LabError::Nonsense {
            component: self.name.to_owned(),
            awaited: awaited.to_owned(),
            answer: answer.to_owned(),
            last_output: self.last_output(),
        }
    }

    fn broken(&self, source: io::Error) -> LabError {
        LabError::Spawn { component: self.name.to_owned(), source }
    }

    fn last_output(&self) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        last_lines(&String::from_utf8_lossy(&text), TAIL_LINES)
    }

    /// Lets the process outlive this value, for desktops that last.
    pub(crate) fn release(mut self) {
        self.lasting = true;
        // Should this process live longer than the desktop, somebody must still collect the exit status.
        std::thread::spawn(move || self.child.wait());
    }
}

impl Drop for Component {
    fn drop(&mut self) {
        if !self.lasting {
            // Not waited for yet, so the number is still ours; ended already is fine.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A descriptor for a child that has not been waited for: its number cannot have been recycled yet.
pub(crate) fn open_child(child: &Child) -> io::Result<OwnedFd> {
    let pid = Pid::from_raw(child.id() as i32).ok_or_else(|| io::Error::other("process id 0"))?;
    Ok(pidfd_open(pid, PidfdFlags::empty())?)
}

pub(crate) fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
