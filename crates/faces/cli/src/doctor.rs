//! `stillpoint doctor`: what each kind of target needs on this machine, and whether it is there.

use crate::engine::Desk;
use crate::exit::Exit;
use crate::paint::{BAD, BOLD, DIM, GOOD, NEWS, RESET};
use serde_json::json;
use std::fmt::Write;
use stillpoint_engine::backend::Check;

/// The heading of what concerns no backend: how Stillpoint itself is set up.
const SETTINGS: &str = "settings";
/// The heading of what private desktops need.
const DESKTOPS: &str = "desktop";

/// Whether `stillpoint desktop` has what it starts. The programs are looked for where the shell would.
#[cfg(target_os = "linux")]
fn private_desktops() -> Check {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places: Vec<std::path::PathBuf> = std::env::split_paths(&path).collect();
    let there = |program: &str| places.iter().any(|place| place.join(program).is_file());
    let launcher = ["/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher"];
    let mut missing: Vec<&str> = [("Xvfb", "xvfb"), ("dbus-daemon", "dbus-daemon"), ("openbox", "openbox")]
        .into_iter()
        .filter(|(program, _)| !there(program))
        .map(|(_, package)| package)
        .collect();
    if !launcher.iter().any(|file| std::path::Path::new(file).is_file()) {
        missing.push("at-spi2-core");
    }
    let name = "private desktops".to_owned();
    if missing.is_empty() {
        let found = "Xvfb, dbus-daemon, openbox and the accessibility bus are there".to_owned();
        return Check { name, ok: true, found, fix: None };
    }
    let fix = Some(format!("apt install {}", missing.join(" ")));
    Check { name, ok: false, found: format!("missing: {}", missing.join(", ")), fix }
}

/// Tells every check. Done if at least one kind of real target can be driven; the simulator is not one.
pub(crate) async fn run(desk: &Desk) -> anyhow::Result<Exit> {
    let mut backends = desk.engine.diagnose().await;
    #[cfg(target_os = "linux")]
    backends.push((DESKTOPS.to_owned(), vec![private_desktops()]));
    backends.push((SETTINGS.to_owned(), vec![crate::policy::check()]));
    let fine = |checks: &[Check]| checks.iter().all(|c| c.ok);
    let real = |schemes: &str| !["sim:", DESKTOPS, SETTINGS].contains(&schemes);
    let ready: Vec<&str> =
        backends.iter().filter(|(s, c)| real(s) && fine(c)).map(|(s, _)| s.as_str()).collect();
    let exit = if ready.is_empty() { Exit::Unavailable } else { Exit::Done };
    if desk.out.json {
        let told = backends.iter().map(|(schemes, checks)| {
            let schemes: Vec<&str> = schemes.split(' ').collect();
            json!({ "schemes": schemes, "ok": fine(checks), "checks": checks })
        });
        let backends: Vec<serde_json::Value> = told.collect();
        desk.out.value(&json!({
            "ok": exit == Exit::Done,
            "version": env!("CARGO_PKG_VERSION"),
            "backends": backends,
        }))?;
        return Ok(exit);
    }
    let mut text = String::new();
    for (schemes, checks) in &backends {
        let _ = writeln!(text, "{BOLD}{schemes}{RESET}");
        for check in checks {
            let mark = if check.ok { format!("{GOOD}✔{RESET}") } else { format!("{BAD}✘{RESET}") };
            let _ = writeln!(
                text,
                "  {mark} {} {DIM}·{RESET} {}",
                check.name,
                check.found.replace('\n', "\n      ")
            );
            if let Some(fix) = check.fix.as_ref().filter(|_| !check.ok) {
                let _ = writeln!(text, "      {NEWS}→ {}{RESET}", fix.replace('\n', "\n        "));
            }
        }
    }
    if ready.is_empty() {
        let _ = writeln!(
            text,
            "\n{NEWS}No real target can be driven here yet{RESET}; the simulator can: try `stillpoint demo`."
        );
    } else {
        let _ = writeln!(text, "\n{GOOD}Ready for {}{RESET}", ready.join(", "));
    }
    desk.out.text(&text)?;
    Ok(exit)
}
