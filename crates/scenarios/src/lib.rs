//! Journeys through the fixture apps, written as text (`apps/scenarios/*.scenario`), and what plays them. A scenario
//! never names a backend or a face: the same file runs on the simulator, GTK 3, GTK 4, Qt and Chromium, in process,
//! through an agent or from Python.
//!
//! ```text
//! # The first line says what the scenario shows.
//! page Dialog shows button "Settings"
//!
//! tap: button "Settings"
//!   expect: dialog "Settings"
//!   => verified
//!
//! tap: button "Delete"
//!   timeout_ms: 400
//!   => NOT_ACTIONABLE
//!   => says "Settings"
//! ```
//!
//! `page NAME shows SELECTOR` goes to a page of the app, with a tap on its button, and expects to see it. A step is a verb, a colon and its selector; what is
//! indented below are its parameters (JSON where it reads as such, else text) and, behind `=>`, what must be true of its
//! answer: `done`, `verified`, an error code, `says "words"`, `hides "words"`, `PATH = JSON`, or `save NAME = PATH`,
//! which a later parameter takes as `$NAME`.

mod play;
mod script;

pub use play::{Ask, Reply, play};
pub use script::{Claim, Malformed, Scenario, Step, parse};

use std::path::PathBuf;

/// Every scenario, in the order of their names.
pub fn all() -> Result<Vec<Scenario>, Malformed> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../apps/scenarios");
    let unreadable = |source: std::io::Error| Malformed::in_file(&folder.display().to_string(), 0, source);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .and_then(|entries| entries.map(|entry| entry.map(|e| e.path())).collect())
        .map_err(unreadable)?;
    files.retain(|file| file.extension().is_some_and(|e| e == "scenario"));
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            parse(&name, &std::fs::read_to_string(&file).map_err(unreadable)?)
        })
        .collect()
}
