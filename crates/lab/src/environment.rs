//! The environment that programs of a desktop see: nothing of the user's own session leaks in.

use crate::cookie::{COOKIE_VARIABLE, Cookie};
use crate::places::Places;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::process::Command;

/// Variables of the surrounding session that would lead a program out of its desktop, switch accessibility
/// off, or change how a toolkit behaves.
const REMOVED: &[&str] = &[
    "AT_SPI_BUS_ADDRESS",
    "DBUS_STARTER_ADDRESS",
    "DBUS_STARTER_BUS_TYPE",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "DESKTOP_STARTUP_ID",
    "GDK_DPI_SCALE",
    "GDK_SCALE",
    "GNOME_ACCESSIBILITY",
    "GTK_A11Y",
    "GTK_MODULES",
    "GTK_THEME",
    "NO_AT_BRIDGE",
    "QT_SCALE_FACTOR",
    "QT_STYLE_OVERRIDE",
    "SESSION_MANAGER",
    "SSH_AUTH_SOCK",
    "WAYLAND_DISPLAY",
    "WAYLAND_SOCKET",
    "XAUTHORITY",
    "XDG_SESSION_ID",
];

/// Pairs that are set, and names that are removed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Environment {
    set: BTreeMap<String, String>,
}

impl Environment {
    pub(crate) fn new(cookie: &Cookie, places: &Places, own_home: bool) -> Self {
        let mut environment = Self::default();
        environment.set(COOKIE_VARIABLE, cookie.variable());
        for (name, value) in [
            ("GDK_BACKEND", "x11"),
            ("GSETTINGS_BACKEND", "memory"),
            ("GSK_RENDERER", "cairo"),
            ("GTK_USE_PORTAL", "0"),
            ("LANG", "C.UTF-8"),
            ("LC_ALL", "C.UTF-8"),
            ("LIBGL_ALWAYS_SOFTWARE", "1"),
            // Drawn without OpenGL: a frame of software GL takes GTK 4 tens of milliseconds.
            ("GSK_RENDERER", "cairo"),
            ("QT_ACCESSIBILITY", "1"),
            ("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1"),
            ("QT_QPA_PLATFORM", "xcb"),
            ("XDG_CURRENT_DESKTOP", "stillpoint"),
            ("XDG_SESSION_TYPE", "x11"),
        ] {
            environment.set(name, value);
        }
        environment.set("XDG_RUNTIME_DIR", places.runtime().to_string_lossy());
        environment.set("TMPDIR", places.temporary().to_string_lossy());
        if own_home {
            environment.set("HOME", places.home().to_string_lossy());
            environment.set("XDG_CONFIG_HOME", places.config().to_string_lossy());
            environment.set("XDG_DATA_HOME", places.data().to_string_lossy());
            environment.set("XDG_CACHE_HOME", places.cache().to_string_lossy());
            environment.set("XDG_STATE_HOME", places.data().join("state").to_string_lossy());
        }
        environment
    }

    pub(crate) fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.set.insert(name.into(), value.into());
    }

    pub(crate) fn pairs(&self) -> Vec<(String, String)> {
        self.set.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    pub(crate) fn removed() -> &'static [&'static str] {
        REMOVED
    }

    pub(crate) fn apply(&self, command: &mut Command) {
        for name in REMOVED {
            command.env_remove(name);
        }
        command.envs(&self.set);
    }
}
