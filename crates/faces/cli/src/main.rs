//! The program `stillpoint`: the command line as a process of its own.

use std::process::ExitCode;

/// A server lives long, and makes and drops answers as large as whole screens. This allocator gives their memory back soon after; glibc's
/// keeps up to four times of what is alive (figures in ARCHITECTURE.md). How it does so is set in `.cargo/config.toml`.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // A system that cannot say where the program lies gives none; what needs it says so then.
    let program = std::env::current_exe().unwrap_or_default();
    ExitCode::from(stillpoint_cli::main_from(program, std::env::args_os().collect()))
}
