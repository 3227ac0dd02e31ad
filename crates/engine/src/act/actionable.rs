//! Waiting until an element can be acted on: woken by changes, never by a timer, except to see that it stays still.

use super::evidence::Gathered;
use crate::backend::{Action, Deadline};
use crate::session::Session;
use std::time::Duration;
use stillpoint_core::judge::actionability::{Actionability, check};
use stillpoint_core::judge::{Failure, Predicate, Verb};
use stillpoint_core::tree::ElementId;
use stillpoint_core::{Code, Error, Result};
use tokio_util::sync::CancellationToken;

/// Two frames: a little more than an element must keep its place to count as still.
const TWO_FRAMES: Duration = Duration::from_millis(35);

/// Waits until nothing known speaks against doing `verb` to `id`. What is scrolled out of view is scrolled in, unless
/// nothing may be dispatched.
pub(super) async fn wait(
    session: &Session,
    id: ElementId,
    verb: Verb,
    dry_run: bool,
    deadline: Deadline,
    cancel: &CancellationToken,
) -> Result<()> {
    let mut changes = session.changes();
    let mut gathered = Gathered::new(session, id, verb);
    let mut scrolled = false;
    let mut last: Option<Failure> = None;
    loop {
        changes.borrow_and_update();
        session.alive()?;
        if let Some(failure) = last.take_if(|_| deadline.has_passed()) {
            return Err(told(failure, deadline));
        }
        let evidence = gathered.look(session, deadline).await?;
        let failure = match session.read(|tree| check(tree, id, verb, &evidence)) {
            Actionability::Ready => return Ok(()),
            Actionability::Blocked(failure) => failure,
        };
        if is_final(&failure) || deadline.has_passed() {
            return Err(told(failure, deadline));
        }
        if failure.predicate == Predicate::OnScreen && !scrolled && !dry_run {
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
            () = cancel.cancelled() => {
                let hint = "nothing was dispatched; call again if it is still wanted";
                return Err(Error::new(Code::Cancelled, "cancelled by the caller", hint));
            }
        }
    }
}

/// An element that is gone or is another does not come back.
fn is_final(failure: &Failure) -> bool {
    matches!(failure.predicate, Predicate::Attached | Predicate::IdentityUnchanged)
}

fn told(failure: Failure, deadline: Deadline) -> Error {
    let late = deadline.has_passed();
    let mut error = failure.into_error();
    if late && error.code == Code::NotActionable {
        error.message = format!("{} until the time was over; nothing was dispatched", error.message);
    }
    error
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
