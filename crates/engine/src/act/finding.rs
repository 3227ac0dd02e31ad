//! Finding an action's target: now, or as long as the UI is still on its way.

use crate::backend::Deadline;
use crate::session::Session;
use crate::verbs::Until;
use std::time::Duration;
use stillpoint_core::select::{Resolved, Selector, Visibility, resolve_one};
use stillpoint_core::settle::{Reason, Rules, loading_state};
use stillpoint_core::{Code, Error, Result};
use tokio_util::sync::CancellationToken;

/// A UI that was quiet for this long and lacks the element will not bring it by itself.
const CALM: Duration = Duration::from_millis(300);

/// The one element that is meant. A missing one is waited for while the UI is not at rest, or says that it is loading;
/// an ambiguous selector is refused at once.
pub(super) async fn find(
    session: &Session,
    selector: &Selector,
    deadline: Deadline,
    cancel: &CancellationToken,
) -> Result<Resolved> {
    let missing = |found: &Result<Resolved>| matches!(found, Err(e) if e.code == Code::ElementNotFound);
    loop {
        let found = look(session, selector);
        if !missing(&found) {
            return found;
        }
        let before = session.revision();
        let loading = session.read(|tree| loading_state(tree, None)).active;
        let rules = Rules { window: CALM, needs_change: loading, mask_volatile: true, ..Rules::default() };
        let calm = session.watch(rules, None, deadline)?.settled(cancel);
        let until = Until::new(session, deadline, cancel);
        let appeared = until.holds(None, |session| Ok(!missing(&look(session, selector))));
        let at_rest = tokio::select! {
            watched = calm => watched,
            watched = appeared => watched?,
        };
        session.alive()?;
        match at_rest.outcome.reason {
            Reason::TargetUnresponsive => return Err(at_rest.failure.unwrap_or_else(unresponsive)),
            Reason::Converged if session.revision() != before => {}
            _ => return look(session, selector),
        }
    }
}

fn unresponsive() -> Error {
    Error::new(
        Code::TargetUnresponsive,
        "the app did not answer while the target was looked for",
        "look at the app; try again when it answers",
    )
}

fn look(session: &Session, selector: &Selector) -> Result<Resolved> {
    session.read(|tree| resolve_one(tree, selector, Visibility::VisibleFirst))
}
