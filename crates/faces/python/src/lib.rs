//! The native half of the Python package `stillpoint`: sessions, calls that can be waited for in both ways, private
//! desktops, the verb table. What Python users see is in `python/stillpoint`; nothing is decided here.
//!
//! Everything hangs on [`process::Process`]: one runtime for each operating-system process, made when it is first
//! needed, made anew after a fork, and ended by the interpreter's exit.

mod answer;
mod call;
mod desktop;
mod failure;
mod owned;
mod process;
mod session;
mod table;

use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs the command line. `program` starts it again, as the daemon does.
#[pyfunction]
fn main(py: Python<'_>, program: PathBuf, arguments: Vec<OsString>) -> u8 {
    py.detach(|| stillpoint_cli::main_from(program, arguments))
}

/// Ends every session and desktop of this process. Called when the interpreter ends.
#[pyfunction]
fn shut_down(py: Python<'_>) {
    process::shut_down(py);
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("EngineError", module.py().get_type::<failure::EngineError>())?;
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<answer::Answer>()?;
    module.add_class::<call::Call>()?;
    module.add_class::<desktop::Desktop>()?;
    module.add_class::<session::Session>()?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(shut_down, module)?)?;
    module.add_function(wrap_pyfunction!(session::open, module)?)?;
    module.add_function(wrap_pyfunction!(session::open_later, module)?)?;
    module.add_function(wrap_pyfunction!(desktop::start_desktop, module)?)?;
    module.add_function(wrap_pyfunction!(desktop::start_desktop_later, module)?)?;
    module.add_function(wrap_pyfunction!(table::verbs, module)?)?;
    module.add_function(wrap_pyfunction!(table::codes, module)?)?;
    Ok(())
}
