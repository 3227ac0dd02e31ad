//! The scenes that come with the simulator.

use super::generated::{self, Machine};
use super::{Scene, parse};
use stillpoint_core::tree::Limits;
use stillpoint_core::{Code, Error, Result};

/// A scene ready to be played.
pub(crate) struct Found {
    pub(crate) scene: Scene,
    pub(crate) machine: Option<Box<dyn Machine>>,
}

macro_rules! embedded {
    ($($name:literal,)*) => {
        /// Every scene that is written as text, by name.
        pub(crate) const TEXTS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../scenes/", $name, ".scene"))),)*];
    };
}

embedded! {
    "login", "checkout", "feed", "toast", "clock", "pulse", "dialog", "crash", "hang", "flood", "two_buttons",
    "mover", "replace", "drag", "shortcut", "noop", "slow", "rollback", "validation", "fixture",
}

/// Scenes that are computed: how they are written, and what they show.
pub(crate) const COMPUTED: [(&str, &str); 2] = [
    ("table:500", "N rows with cells, a link \"Open\" and a button \"Delete\" each; beyond 1,000 by window."),
    ("churn:1000,200", "N elements, of which M change each second: text, state, structure, geometry."),
];

/// The scene with this name, such as `login` or `table:500`.
pub(crate) fn find(name: &str, limits: Limits, seed: u64) -> Result<Found> {
    if let Some((_, text)) = TEXTS.iter().find(|(known, _)| *known == name) {
        let scene = parse(text)?;
        return Ok(Found { scene, machine: None });
    }
    match name.split_once(':') {
        Some(("table", rows)) => generated::table(rows, limits),
        Some(("churn", load)) => generated::churn(load, limits, seed),
        _ => Err(unknown(name)),
    }
}

fn unknown(name: &str) -> Error {
    let names: Vec<&str> =
        TEXTS.iter().map(|(name, _)| *name).chain(COMPUTED.map(|(name, _)| name)).collect();
    Error::new(
        Code::TargetNotFound,
        format!("there is no scene {name:?}"),
        format!("the scenes are {}; write them as sim:login", names.join(", ")),
    )
    .with_details(serde_json::json!({ "scenes": names }))
}

/// Every scene with what it shows, in the order of the list.
pub(crate) fn catalogue() -> impl Iterator<Item = (&'static str, &'static str)> {
    let written = TEXTS.iter().map(|(name, text)| {
        let comment = text.lines().next().and_then(|l| l.strip_prefix("//")).unwrap_or_default().trim();
        // A scene's first comment begins with its name.
        (*name, comment.split_once(": ").map_or(comment, |(_, about)| about))
    });
    written.chain(COMPUTED)
}
