//! Which policy holds: the file that a person wrote, or the usual one.

use std::path::PathBuf;
use stillpoint_core::Result;
use stillpoint_engine::Policy;
use stillpoint_engine::backend::Check;

/// The variable that names another file.
const VARIABLE: &str = "STILLPOINT_POLICY";

/// Where the policy is looked for: the file that the variable names, or `stillpoint/policy.toml` among the settings.
fn path() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return Some(PathBuf::from(named));
    }
    let settings = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
    Some(settings.or_else(home)?.join("stillpoint/policy.toml"))
}

fn named() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|named| !named.is_empty())
}

/// The policy that this user wrote down, if there is one. A file that cannot be understood is an error.
pub fn written() -> Result<Option<Policy>> {
    match path() {
        Some(path) if named() || path.exists() => Policy::load(path).map(Some),
        _ => Ok(None),
    }
}

/// The policy that holds. A file that is there and cannot be understood lets nothing run.
pub(crate) fn load() -> Result<Policy> {
    Ok(written()?.unwrap_or_default())
}

/// What `doctor` says about it.
pub(crate) fn check() -> Check {
    let place = path().map_or_else(|| "no place: HOME is not set".to_owned(), |p| p.display().to_string());
    let there = named() || path().is_some_and(|p| p.exists());
    let name = "policy".to_owned();
    match load() {
        Ok(_) if there => Check { name, ok: true, found: format!("read from {place}"), fix: None },
        Ok(_) => Check {
            name,
            ok: true,
            found: format!(
                "the usual one: what is destructive needs a confirmation (another would be read from {place})"
            ),
            fix: None,
        },
        Err(error) => Check { name, ok: false, found: error.message, fix: Some(error.hint) },
    }
}
