//! What to run, as plain data.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// A program with its arguments and environment. Building one runs nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentCommand {
    /// What to run.
    pub program: OsString,
    /// With which arguments.
    pub args: Vec<OsString>,
    /// Variables that are added to this process's own.
    pub env: Vec<(OsString, OsString)>,
    /// Where to run it; none is here.
    pub current_dir: Option<PathBuf>,
}

impl AgentCommand {
    /// A program without arguments.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), args: Vec::new(), env: Vec::new(), current_dir: None }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Adds a variable.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Runs it elsewhere.
    pub fn current_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.current_dir = Some(dir.into());
        self
    }

    /// The program's name for messages.
    pub fn name(&self) -> String {
        OsStr::to_string_lossy(&self.program).into_owned()
    }
}
