//! `stillpoint doctor`: what each kind of target needs on this machine, and whether it is there.

use crate::engine::Desk;
use crate::exit::Exit;
use crate::paint::{BAD, BOLD, DIM, GOOD, NEWS, RESET};
use serde_json::json;
use std::fmt::Write;
use stillpoint_engine::backend::Check;

/// Tells every check. Done if at least one kind of real target can be driven; the simulator is not one.
pub(crate) async fn run(desk: &Desk) -> anyhow::Result<Exit> {
    let backends = desk.engine.diagnose().await;
    let fine = |checks: &[Check]| checks.iter().all(|c| c.ok);
    let real = |schemes: &str| schemes != "sim:";
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
