//! What the kernel tells about processes: their programs, and the toolkit that they were built with.

use std::fs;
use std::path::Path;

/// The names under which people know a process: its executable and what it was started as.
pub(crate) fn names_of(pid: u32) -> Vec<String> {
    let mut names = Vec::new();
    let base = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
    if let Ok(exe) = fs::read_link(format!("/proc/{pid}/exe")) {
        names.extend(base(&exe).map(|n| n.trim_end_matches(" (deleted)").to_owned()));
    }
    if let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) {
        let mut arguments = line.split(|b| *b == 0).map(|a| String::from_utf8_lossy(a).into_owned());
        let program = arguments.next();
        names.extend(program.as_deref().and_then(|p| base(Path::new(p))));
        // A script is known by its own name, not by its interpreter's.
        let script = arguments.find(|a| !a.starts_with('-') && !a.is_empty());
        names.extend(
            script
                .as_deref()
                .and_then(|s| Path::new(s).file_stem())
                .map(|s| s.to_string_lossy().into_owned()),
        );
    }
    names.dedup();
    names
}

/// Running processes of that name.
pub(crate) fn find(name: &str) -> Vec<u32> {
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let own = std::process::id();
    all.flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != own && names_of(*pid).iter().take(2).any(|n| n == name))
        .collect()
}

/// Whether a process with this number runs. One that is dead and not yet taken notice of by its parent does not: it will
/// never come to the bus.
pub(crate) fn exists(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    // The state follows the name, which is in parentheses and may hold any character.
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    !matches!(state, Some('Z' | 'X'))
}

/// How to make a process show its tree, told by the libraries that it has loaded.
pub(crate) fn hint_for(pid: u32) -> &'static str {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let program = names_of(pid).join(" ").to_lowercase();
    let has = |library: &str| maps.contains(library);
    if has("libQt5") || has("libQt6") {
        "it is a Qt app: start it with QT_ACCESSIBILITY=1 and QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1"
    } else if program.contains("chrom") || program.contains("electron") || has("chrome_crashpad") {
        "it is a Chromium or Electron app: start it with --force-renderer-accessibility"
    } else if has("libgtk-4") {
        "it is a GTK 4 app: it looks for the accessibility bus only when it starts; start the bus first, then the app"
    } else if has("libgtk-3") {
        "it is a GTK 3 app: start it without NO_AT_BRIDGE=1, after the accessibility bus"
    } else if has("libjvm") {
        "it is a Java app: install libatk-wrapper-java and set assistive_technologies=org.GNOME.Accessibility.AtkWrapper"
    } else {
        "its toolkit may have no accessibility, or waits for it to be switched on (egui, Slint and others with AccessKit: \
         gsettings set org.gnome.desktop.interface toolkit-accessibility true), or it was started before the accessibility bus; see `stillpoint doctor`"
    }
}
