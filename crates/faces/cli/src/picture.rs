//! Where a picture goes: into a file, or to whoever reads standard output.

use crate::grammar::FILE;
use crate::output::Out;
use clap::ArgMatches;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use stillpoint_core::{Error, Result};

/// The place of a picture.
pub(crate) enum Picture {
    /// A file.
    File(PathBuf),
    /// Standard output, which a program reads.
    Stdout,
}

impl Picture {
    /// Where the caller wants it; asked before it is taken.
    pub(crate) fn wanted(out: Out, matches: &ArgMatches) -> Result<Picture> {
        match matches.get_one::<PathBuf>(FILE) {
            Some(file) => Ok(Picture::File(file.clone())),
            None if !out.json && !std::io::stdout().is_terminal() => Ok(Picture::Stdout),
            None => {
                Err(Error::invalid("a picture needs a place", "give --file shot.png, or pipe it: > shot.png"))
            }
        }
    }

    /// Puts it there.
    pub(crate) fn keep(&self, png: &[u8]) -> Result<()> {
        let kept = match self {
            Picture::File(file) => std::fs::write(file, png),
            Picture::Stdout => std::io::stdout().lock().write_all(png),
        };
        kept.map_err(|error| {
            Error::invalid(format!("the picture cannot be kept: {error}"), "give --file another place")
        })
    }
}
