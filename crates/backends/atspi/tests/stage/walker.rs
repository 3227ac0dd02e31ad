//! An independent walker: pyatspi, from Debian, in a process of its own.

use super::lasting;
use stillpoint_core::tree::{State, Tree};
use stillpoint_lab::{DEBIAN_PYTHON, Desktop};

/// What pyatspi sees: one line per element, in the words of [`as_pyatspi_would`].
pub fn walk(desktop: &Desktop, pid: u32) -> Vec<String> {
    let script = include_str!("walk.py");
    let mut command = desktop.command(DEBIAN_PYTHON);
    let output = command.args(["-B", "-c", script]).arg(pid.to_string()).output().expect("python runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let lines: Vec<(usize, String, String, Vec<String>)> =
        serde_json::from_slice(&output.stdout).expect("the walker prints JSON");
    lines.into_iter().map(|(depth, role, name, states)| told(depth, &role, &name, &states)).collect()
}

const STATES: [(State, &[&str]); 8] = [
    (State::Enabled, &["enabled", "sensitive"]),
    (State::Visible, &["visible"]),
    (State::OnScreen, &["showing"]),
    (State::Focusable, &["focusable"]),
    (State::Focused, &["focused"]),
    (State::Checked, &["checked"]),
    (State::Selected, &["selected"]),
    (State::Expanded, &["expanded"]),
];

fn told(depth: usize, role: &str, name: &str, states: &[String]) -> String {
    let on = STATES.iter().filter(|(_, names)| states.iter().any(|s| names.contains(&s.as_str())));
    let mut on: Vec<&str> = on.map(|(state, _)| state.name()).collect();
    if role == "toggle button" {
        on.retain(|s| *s != "checked");
    }
    if role == "application" {
        on.clear();
    }
    format!("{}{role} {:?} {on:?}", "  ".repeat(depth), lasting(name))
}

/// The mirror in the same words. `with_showing` is off for toolkits whose widgets do not say so.
pub fn as_pyatspi_would(tree: &Tree) -> Vec<String> {
    tree.walk()
        .map(|(id, node)| {
            let on: Vec<&str> =
                STATES.iter().filter(|(s, _)| node.states().is(*s)).map(|(s, _)| s.name()).collect();
            let role = node.native_role().unwrap_or_default();
            format!(
                "{}{role} {:?} {on:?}",
                "  ".repeat(tree.path(id).len()),
                lasting(node.label().unwrap_or_default())
            )
        })
        .collect()
}
