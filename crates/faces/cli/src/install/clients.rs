//! The clients that are known: where each keeps its configuration, and how it writes a server down.

use std::path::{Path, PathBuf};
use stillpoint_core::{Error, Result};

/// How a client writes a server down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON: an object of servers under this name; some want the kind of transport beside the command.
    Json {
        /// The object of servers.
        under: &'static str,
        /// A field that the client wants besides command and arguments.
        also: Option<(&'static str, &'static str)>,
    },
    /// TOML: a table of servers under this name.
    Toml {
        /// The table of servers.
        under: &'static str,
    },
}

/// A client.
#[derive(Debug)]
pub(super) struct Client {
    /// What is typed.
    pub(super) name: &'static str,
    /// The file from the folder of [`Base`].
    file: &'static str,
    base: Base,
    pub(super) form: Form,
}

#[derive(Clone, Copy, Debug)]
enum Base {
    /// The home folder.
    Home,
    /// Where programs of this system keep their settings.
    Settings,
}

const SERVERS: Form = Form::Json { under: "mcpServers", also: None };
const STDIO: Option<(&str, &str)> = Some(("type", "stdio"));

/// All of them.
pub(super) const CLIENTS: &[Client] = &[
    Client {
        name: "claude-desktop",
        file: "Claude/claude_desktop_config.json",
        base: Base::Settings,
        form: SERVERS,
    },
    Client {
        name: "claude-code",
        file: ".claude.json",
        base: Base::Home,
        form: Form::Json { under: "mcpServers", also: STDIO },
    },
    Client {
        name: "codex",
        file: ".codex/config.toml",
        base: Base::Home,
        form: Form::Toml { under: "mcp_servers" },
    },
    Client { name: "cursor", file: ".cursor/mcp.json", base: Base::Home, form: SERVERS },
    Client { name: "gemini", file: ".gemini/settings.json", base: Base::Home, form: SERVERS },
    Client {
        name: "vscode",
        file: "Code/User/mcp.json",
        base: Base::Settings,
        form: Form::Json { under: "servers", also: STDIO },
    },
    Client { name: "windsurf", file: ".codeium/windsurf/mcp_config.json", base: Base::Home, form: SERVERS },
    Client {
        name: "zed",
        file: "zed/settings.json",
        base: Base::Settings,
        form: Form::Json { under: "context_servers", also: None },
    },
];

impl Client {
    /// The client with this name.
    pub(super) fn named(name: &str) -> Result<&'static Client> {
        CLIENTS.iter().find(|client| client.name == name).ok_or_else(|| {
            let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
            Error::invalid(
                format!("there is no client called {name:?}"),
                format!("known are {}; any other starts `stillpoint mcp`", names.join(", ")),
            )
        })
    }

    /// Where it keeps its configuration for this user.
    pub(super) fn path(&self) -> Result<PathBuf> {
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let home = home.ok_or_else(|| Error::invalid("HOME is not set", "give the file with --file"))?;
        Ok(match self.base {
            Base::Home => home.join(self.file),
            Base::Settings => self.settings(&home).join(self.file),
        })
    }

    fn settings(&self, home: &Path) -> PathBuf {
        // Zed keeps its settings where Linux programs do on every system.
        if cfg!(target_os = "macos") && self.name != "zed" {
            return home.join("Library/Application Support");
        }
        let named = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
        named.unwrap_or_else(|| home.join(".config"))
    }
}
