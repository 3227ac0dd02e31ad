//! Evidence that an action did what it should.

use super::envelope::{Lifecycle, VerificationReport};
use super::expectation::Proof;
use super::pipeline::{Run, millis};
use stillpoint_core::Result;
use stillpoint_core::tree::ElementId;
use tokio::time::Instant;

impl Run<'_> {
    /// Looks for evidence that it did what it should: the caller's expectation first, then what can be read back.
    pub(super) async fn verify(&mut self, target: Option<ElementId>, proof: Option<Proof>) -> Result<()> {
        let began = Instant::now();
        self.head.lifecycle_state = Lifecycle::PendingVerification;
        if let Some(proof) = proof {
            // Not the revision of now: what came after the decision, and before this line, is after the rest as well.
            let settled_at = self.watched.as_ref().map_or_else(|| self.session.revision(), |rest| rest.at);
            let seen = proof.hold(self.session, &self.call.cancel).await?;
            if seen.holds && self.session.revision() > settled_at {
                self.settle_again().await?;
            }
            let (expected, holds) = (proof.in_words(), seen.holds);
            let observed = seen.observed;
            let failure = (!holds).then(|| self.session.read(|tree| proof.failure(tree, &observed)));
            self.head.verification = Some(VerificationReport { expected, holds, observed });
            self.head.timing.verify = millis(began);
            if let Some(failure) = failure {
                return Err(failure);
            }
            self.head.lifecycle_state = Lifecycle::Verified;
        } else if let (Some(read_back), Some(target)) = (&self.intent.read_back, target)
            && let Some(holds) = self.session.read(|tree| (read_back.look)(tree, target))
        {
            let expected = read_back.expected.clone();
            self.head.verification = Some(VerificationReport { expected, holds, observed: holds.into() });
            if holds {
                self.head.lifecycle_state = Lifecycle::Verified;
            }
        }
        self.head.timing.verify = millis(began);
        Ok(())
    }

    /// What was expected came after the action had settled, and may be one change of many: the answer is to tell all of
    /// them (SPEC §8: one call gives the new state).
    async fn settle_again(&mut self) -> Result<()> {
        if let Some(watch) = self.subscribe()? {
            self.await_rest(watch).await;
        }
        Ok(())
    }
}
