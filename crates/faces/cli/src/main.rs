//! The program `stillpoint`: the command line as a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A system that cannot say where the program lies gives none; what needs it says so then.
    let program = std::env::current_exe().unwrap_or_default();
    ExitCode::from(stillpoint_cli::main_from(program, std::env::args_os().collect()))
}
