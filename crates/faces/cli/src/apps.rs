//! `stillpoint apps`: what can be driven now.

use crate::engine::Desk;
use crate::exit::Exit;
use crate::output;
use crate::table;
use serde_json::json;

/// Lists targets: a table for people, `{"targets": […]}` for programs.
pub(crate) async fn run(desk: &Desk) -> anyhow::Result<Exit> {
    let mut found = desk.engine.list().await;
    // What really runs comes first; the simulator's scenes are always there.
    found.sort_by_key(|t| t.target.starts_with("sim:"));
    if desk.out.json {
        desk.out.value(&json!({ "targets": found }))?;
        return Ok(Exit::Done);
    }
    let row = |t: &stillpoint_engine::backend::TargetInfo| {
        let windows = t.windows.iter().map(|w| format!("{w:?}")).collect::<Vec<_>>().join(" ");
        let about = if windows.is_empty() { t.name.clone() } else { format!("{} {windows}", t.name) };
        let pid = t.pid.map_or("-".to_owned(), |pid| pid.to_string());
        vec![t.target.clone(), t.toolkit.clone().unwrap_or_else(|| "-".to_owned()), pid, about]
    };
    let rows: Vec<Vec<String>> = found.iter().map(row).collect();
    desk.out.text(&table::columns(&["TARGET", "TOOLKIT", "PID", "WHAT IT IS"], &rows, output::width()))?;
    if found.iter().all(|t| t.target.starts_with("sim:")) {
        desk.out
            .note("Only the simulator's scenes are there; `stillpoint doctor` says what other targets need.");
    }
    Ok(Exit::Done)
}
