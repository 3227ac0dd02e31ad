//! What a server may be told when it is started.

use std::str::FromStr;
use stillpoint_core::Error;

/// Which tools are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolSet {
    /// What most journeys need.
    #[default]
    Usual,
    /// Every verb of the engine.
    All,
}

impl FromStr for ToolSet {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self, Error> {
        match word {
            "usual" | "default" => Ok(ToolSet::Usual),
            "all" => Ok(ToolSet::All),
            other => {
                Err(Error::invalid(format!("there is no set of tools called {other:?}"), "give usual or all"))
            }
        }
    }
}

/// What a server may be told, whatever it speaks over.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which tools are listed. A verb that is not listed is not callable either.
    pub tools: ToolSet,
}
