//! What the caller saw must still be so.

use super::pipeline::Run;
use stillpoint_core::revise::{Class, Revision};
use stillpoint_core::tree::ElementId;
use stillpoint_core::{Code, Error, Result};

impl Run<'_> {
    /// Refuses if the target, or what it lies in, changed since the caller looked.
    pub(super) fn precondition(&self, target: Option<ElementId>) -> Result<()> {
        let (Some(expected), Some(target)) = (self.options.expected_revision, target) else { return Ok(()) };
        if self.is_unchanged_since(expected, target)? {
            return Ok(());
        }
        self.session.telemetry().premature_refused.add(1);
        let delta = self.session.read_mirror(|mirror| {
            let delta = mirror.delta_since(expected)?;
            Ok::<_, Error>(stillpoint_core::render::delta_text(&delta, mirror.tree()))
        })?;
        Err(Error::new(
            Code::StaleRevision,
            format!("{target} or what it lies in changed since revision {expected}; nothing was dispatched"),
            "look at the delta in details, then act on what is there now",
        )
        .with_details(serde_json::json!({ "delta": delta, "snapshot_revision": self.session.revision() })))
    }

    fn is_unchanged_since(&self, expected: Revision, target: ElementId) -> Result<bool> {
        self.session.read_mirror(|mirror| {
            let mutations = mirror.mutations_since(expected)?;
            let line: Vec<ElementId> =
                std::iter::once(target).chain(mirror.tree().ancestors(target)).collect();
            // A window that was raised or a screen that got another title is told on the root; the element is the same.
            let root = mirror.tree().root();
            let touched = |m: &stillpoint_core::revise::Mutation| {
                line.contains(&m.element) && !(m.class == Class::Navigation && Some(m.element) == root)
            };
            Ok(!mutations.iter().any(touched))
        })
    }
}
