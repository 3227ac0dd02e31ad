//! What AT-SPI needs on this machine, whether it is there, and how to get it.

use crate::attach;
use crate::bus::Desktop;
use stillpoint_engine::backend::{Check, Deadline};
use x11rb::connection::RequestConnection as _;

/// Looks at everything that an attach would need, in the order in which it would need it.
pub(crate) async fn diagnose(desktop: &Desktop, deadline: Deadline) -> Vec<Check> {
    let mut checks = vec![display(desktop), session_bus(desktop)];
    checks.push(xtest(desktop).await);
    match desktop.find_bus(deadline).await {
        Ok(address) => checks.push(good("accessibility bus", address)),
        Err(error) => checks.push(bad(
            "accessibility bus",
            error.message,
            "apt-get install at-spi2-core, then log in again, or run /usr/libexec/at-spi-bus-launcher --launch-immediately",
        )),
    }
    match desktop.connect(deadline).await {
        Ok(bus) => match attach::apps(&bus, deadline).await {
            Ok(apps) => checks.push(registry(&apps)),
            Err(error) => checks.push(bad(
                "accessibility registry",
                error.message,
                "apt-get install at-spi2-core; the registry is started by the accessibility bus",
            )),
        },
        Err(error) => {
            checks.push(bad("accessibility registry", error.message, "see the accessibility bus above"));
        }
    }
    checks.push(qt_switch());
    checks.push(gtk_switch());
    checks
}

fn good(name: &str, found: impl Into<String>) -> Check {
    Check { name: name.to_owned(), ok: true, found: found.into(), fix: None }
}

fn bad(name: &str, found: impl Into<String>, fix: &str) -> Check {
    Check { name: name.to_owned(), ok: false, found: found.into(), fix: Some(fix.to_owned()) }
}

fn display(desktop: &Desktop) -> Check {
    match &desktop.display {
        Some(display) => good("X display", display),
        None => bad(
            "X display",
            "DISPLAY is not set: no screenshots, no synthesised input",
            "run inside a desktop session, or apt-get install xvfb openbox and use `stillpoint desktop run -- CMD`",
        ),
    }
}

fn session_bus(desktop: &Desktop) -> Check {
    match &desktop.session_bus {
        Some(address) => good("session bus", address),
        None if desktop.accessibility_bus.is_some() => good("session bus", "not set, and not needed here"),
        None => bad(
            "session bus",
            "DBUS_SESSION_BUS_ADDRESS is not set",
            "apt-get install dbus, and run inside a desktop session or under dbus-run-session",
        ),
    }
}

async fn xtest(desktop: &Desktop) -> Check {
    let Some(display) = desktop.display.clone() else {
        return bad("XTEST (synthesised input)", "there is no display", "see the X display above");
    };
    let looked = tokio::task::spawn_blocking(move || {
        let (x, _) = crate::windows::connect(&display).map_err(|error| error.to_string())?;
        let extension = x.extension_information("XTEST").map_err(|error| error.to_string())?;
        Ok::<bool, String>(extension.is_some())
    });
    match looked.await {
        Ok(Ok(true)) => good("XTEST (synthesised input)", "there"),
        Ok(Ok(false)) => bad(
            "XTEST (synthesised input)",
            "the X server has no XTEST",
            "start the X server without `-extension XTEST`; Xvfb has it by default",
        ),
        Ok(Err(error)) => {
            bad("XTEST (synthesised input)", error, "check that the display runs and that you may use it")
        }
        Err(error) => bad("XTEST (synthesised input)", error.to_string(), "check the display"),
    }
}

fn registry(apps: &[attach::App]) -> Check {
    let names: Vec<&str> = apps.iter().map(|app| app.name.as_str()).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return good("accessibility registry", "there; no app is on it now");
    }
    good("accessibility registry", format!("{} apps: {}", names.len(), names.join(", ")))
}

fn qt_switch() -> Check {
    let set = |name| std::env::var(name).is_ok_and(|value| value == "1");
    if set("QT_ACCESSIBILITY") || set("QT_LINUX_ACCESSIBILITY_ALWAYS_ON") {
        good("Qt switch", "QT_ACCESSIBILITY=1")
    } else {
        bad(
            "Qt switch",
            "QT_ACCESSIBILITY is not set: Qt apps may show no tree",
            "export QT_ACCESSIBILITY=1 QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 before starting Qt apps; \
             Chromium and Electron need --force-renderer-accessibility; Java needs libatk-wrapper-java",
        )
    }
}

fn gtk_switch() -> Check {
    match (std::env::var("NO_AT_BRIDGE"), std::env::var("GTK_A11Y")) {
        (Ok(off), _) if off == "1" => {
            bad("GTK switch", "NO_AT_BRIDGE=1 hides GTK 3 apps", "unset NO_AT_BRIDGE")
        }
        (_, Ok(off)) if off == "none" => {
            bad("GTK switch", "GTK_A11Y=none hides GTK 4 apps", "unset GTK_A11Y")
        }
        _ => good("GTK switch", "accessibility is not switched off"),
    }
}
