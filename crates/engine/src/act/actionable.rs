//! Waiting until an element can be acted on: woken by changes, never by a timer, except to see that it stays still.

use super::evidence::Gathered;
use super::pipeline::Run;
use crate::backend::{Action, Deadline};
use crate::session::Session;
use crate::trace::Seen;
use std::time::Duration;
use stillpoint_core::judge::actionability::{Actionability, check};
use stillpoint_core::judge::{Failure, Predicate, called};
use stillpoint_core::tree::ElementId;
use stillpoint_core::{Code, Error, Result};

/// Two frames: a little more than an element must keep its place to count as still.
const TWO_FRAMES: Duration = Duration::from_millis(35);

impl Run<'_> {
    /// Waits until nothing known speaks against acting on `id`. What is scrolled out of view is scrolled in, unless
    /// nothing may be dispatched.
    pub(super) async fn wait_until_ready(&mut self, id: ElementId) -> Result<()> {
        let (session, deadline) = (self.session, self.deadline);
        let mut changes = session.changes();
        let _looks = session.keep_sampling();
        let mut gathered = Gathered::new(session, id, self.intent.verb);
        self.seen = Seen::from(session.now());
        let mut scrolled = false;
        let mut last: Option<Failure> = None;
        loop {
            changes.borrow_and_update();
            session.alive()?;
            if let Some(failure) = last.take_if(|_| deadline.has_passed()) {
                return Err(self.told(id, failure));
            }
            let failure = match self.what_speaks_against(id, &mut gathered).await {
                Ok(None) => return Ok(()),
                Ok(Some(failure)) => failure,
                // The time was over while the app was asked: what spoke against it last is the better answer.
                Err(error) => match last.take_if(|_| deadline.has_passed()) {
                    Some(failure) if error.code == Code::TargetUnresponsive => {
                        return Err(self.told(id, failure));
                    }
                    _ => return Err(error),
                },
            };
            self.seen.see(session.now(), &self.in_a_word(id, &failure));
            if is_final(&failure) || deadline.has_passed() {
                return Err(self.told(id, failure));
            }
            if failure.predicate == Predicate::OnScreen && !scrolled && !self.is_dry() {
                scrolled = true;
                scroll_in(session, id, deadline).await?;
                continue;
            }
            let still = failure.predicate == Predicate::Still;
            last = Some(failure);
            tokio::select! {
                _ = changes.changed() => {}
                () = tokio::time::sleep(TWO_FRAMES), if still => {}
                () = tokio::time::sleep_until(deadline.instant()) => {}
                () = self.call.cancel.cancelled() => {
                    let hint = "nothing was dispatched; call again if it is still wanted";
                    return Err(Error::new(Code::Cancelled, "cancelled by the caller", hint));
                }
            }
        }
    }

    /// What the mirror says against it; if that is nothing, what the app says itself.
    async fn what_speaks_against(&self, id: ElementId, gathered: &mut Gathered) -> Result<Option<Failure>> {
        let judge = |evidence| match self.session.read(|tree| check(tree, id, self.intent.verb, &evidence)) {
            Actionability::Ready => None,
            Actionability::Blocked(failure) => Some(failure),
        };
        let known = judge(gathered.glance(self.session));
        if known.as_ref().is_some_and(|failure| failure.predicate != Predicate::ReceivesPointer) {
            return Ok(known);
        }
        match gathered.look(self.session, self.deadline).await {
            Ok(evidence) => Ok(judge(evidence)),
            // An app that cannot say who is on top in time: what the mirror says of it stands.
            Err(error) if error.code == Code::TargetUnresponsive && known.is_some() => Ok(known),
            Err(error) => Err(error),
        }
    }

    /// What speaks against it, without saying of whom: `disabled`.
    fn in_a_word(&self, id: ElementId, failure: &Failure) -> String {
        let name = self.session.read(|tree| called(tree, id));
        let rest = failure.message.strip_prefix(&name).map_or(failure.message.as_str(), str::trim_start);
        rest.strip_prefix("is ").unwrap_or(rest).to_owned()
    }

    /// The failure as an error; one that was waited for is told as a story.
    fn told(&self, id: ElementId, failure: Failure) -> Error {
        let awaited = failure.predicate.awaited();
        let mut error = failure.into_error();
        if self.deadline.has_passed() && error.code == Code::NotActionable {
            let name = self.session.read(|tree| called(tree, id));
            let story = self.seen.told(&format!("{name} {awaited}"), self.session.now());
            error.message = format!("{story}; nothing was dispatched");
        }
        error
    }
}

/// An element that is gone or is another does not come back.
fn is_final(failure: &Failure) -> bool {
    matches!(failure.predicate, Predicate::Attached | Predicate::IdentityUnchanged)
}

async fn scroll_in(session: &Session, id: ElementId, deadline: Deadline) -> Result<()> {
    let Some(key) = session.read(|tree| tree.get(id).map(stillpoint_core::tree::Node::key)) else {
        return Ok(());
    };
    match session.backend().perform(&Action::ScrollTo { on: key }, deadline).await {
        Ok(_) => session.barrier(deadline).await,
        // A platform that cannot scroll leaves the predicate to speak for itself.
        Err(refusal) if refusal.error.code == Code::Unsupported => Ok(()),
        Err(refusal) => Err(refusal.error),
    }
}
