//! Finding a target whose selector no longer does, by what was recorded of it (SPEC §7, "Healing").

use super::envelope::HealReport;
use super::pipeline::Run;
use stillpoint_core::select::{Confidence, Generator, Resolved, Step, heal};
use stillpoint_core::{Code, Error, Result};

impl Run<'_> {
    /// The recorded element, where the caller wants it found again; otherwise the miss stays a miss.
    pub(super) fn heal(&mut self, miss: Error) -> Result<Resolved> {
        let lost = matches!(miss.code, Code::ElementNotFound | Code::StaleReference);
        let recorded = self.options.fingerprint.as_ref().filter(|_| lost && self.options.heal);
        let Some(recorded) = recorded else { return Err(miss) };
        let found = self.session.read(|tree| {
            let healed = heal(tree, recorded)?;
            let selector = Generator::living(tree).selector(healed.id).map(|g| g.value);
            Some((healed, selector))
        });
        let Some((healed, selector)) = found else {
            let message =
                format!("{}; and nothing on the screen is surely the recorded element", miss.message);
            return Err(Error { message, ..miss });
        };
        let confidence = Confidence { score: healed.score, reason: "healed".into() };
        let resolved = Resolved { id: healed.id, step: Step::Structure, confidence };
        if let Some(target) = &mut self.head.target {
            let (score, runner_up, changes) = (healed.score, healed.runner_up, healed.changes);
            target.healed = Some(HealReport { selector, score, runner_up, changes });
        }
        Ok(resolved)
    }
}
