//! Our own test programs, in `apps/`.

use crate::app::App;
use crate::desktop::Desktop;
use crate::error::LabError;
use std::path::PathBuf;
use std::time::Duration;

/// Debian's Python, which sees Debian's `PyGObject` and `PyQt`; another `python3` may come first on PATH.
pub const DEBIAN_PYTHON: &str = "/usr/bin/python3";

/// A fixture app. All of them have the screens that `apps/README.md` describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fixture {
    /// GTK 3 through `PyGObject`.
    Gtk3,
    /// GTK 4 through `PyGObject`.
    Gtk4,
    /// Qt 5 widgets through `PyQt5`.
    Qt,
    /// Qt 6 widgets through `PyQt6`: the same program.
    Qt6,
}

impl Fixture {
    /// Every fixture.
    pub const ALL: [Self; 4] = [Self::Gtk3, Self::Gtk4, Self::Qt, Self::Qt6];

    /// The toolkit's name, as in its ready line.
    pub fn toolkit(self) -> &'static str {
        match self {
            Self::Gtk3 => "gtk3",
            Self::Gtk4 => "gtk4",
            Self::Qt => "qt",
            Self::Qt6 => "qt6",
        }
    }

    /// The name under which it appears on the accessibility bus.
    pub fn accessible_name(self) -> &'static str {
        match self {
            Self::Gtk3 => "fixture-gtk3",
            Self::Gtk4 => "fixture-gtk4",
            Self::Qt => "fixture-qt",
            Self::Qt6 => "fixture-qt6",
        }
    }

    /// The program's source.
    pub fn path(self) -> PathBuf {
        let folder = if self == Self::Qt6 { "qt" } else { self.toolkit() };
        apps_dir().join(folder).join("fixture.py")
    }
}

/// The folder of the fixture apps in the source tree.
pub fn apps_dir() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../apps"))
}

pub(crate) fn start(desktop: &Desktop, fixture: Fixture, arguments: &[&str]) -> Result<App, LabError> {
    let mut command = desktop.command(DEBIAN_PYTHON);
    // No byte code beside the sources: nothing is left in the source tree.
    command.arg("-B").arg(fixture.path()).args(arguments);
    if fixture == Fixture::Qt6 {
        command.env("STILLPOINT_QT", "6");
    }
    let app = desktop.spawn(command)?.renamed(fixture.accessible_name().to_owned());
    app.wait_ready(Duration::from_secs(60))?;
    Ok(app)
}
