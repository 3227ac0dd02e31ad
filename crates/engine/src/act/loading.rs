//! A spinner that an action brought is a promise of more: rest is taken at its word only when it is over.
//!
//! Loading is advice (SPEC §6), so it can make an action settle later, within its cap, and never earlier.

use crate::backend::Deadline;
use crate::session::{Session, Watched};
use crate::verbs::Until;
use std::time::Duration;
use stillpoint_core::Result;
use stillpoint_core::revise::Revision;
use stillpoint_core::settle::{LoadingSignal, loading_state};
use stillpoint_core::tree::State;
use tokio_util::sync::CancellationToken;

/// Waits until what the action set loading has ended and the UI is at rest again; `None` if nothing is loading.
pub(super) async fn outlast(
    session: &Session,
    base: Revision,
    window: Duration,
    deadline: Deadline,
    cancel: &CancellationToken,
) -> Result<Option<Watched>> {
    if !is_loading_since(session, base) {
        return Ok(None);
    }
    let until = Until::new(session, deadline, cancel);
    until.holds(Some(window), |session| Ok(!is_loading_since(session, base))).await.map(Some)
}

/// Whether something seems to be loading that changed since `base`. What was loading before is none of the action's
/// business, and a bar that merely shows a number may show it for ever.
fn is_loading_since(session: &Session, base: Revision) -> bool {
    session.read_mirror(|mirror| {
        let Ok(delta) = mirror.delta_since(base) else { return false };
        let tree = mirror.tree();
        let loading = loading_state(tree, None);
        let Some(id) = loading.element_id.filter(|id| loading.active && delta.touches(*id)) else {
            return false;
        };
        match loading.signal {
            LoadingSignal::ProgressIndicator => {
                tree.get(id).is_some_and(|n| n.raw_value().is_none() || n.states().is(State::Busy))
            }
            LoadingSignal::BusyState
            | LoadingSignal::Spinner
            | LoadingSignal::Overlay
            | LoadingSignal::Navigation => true,
            LoadingSignal::Skeleton | LoadingSignal::DisabledSubmit | LoadingSignal::None => false,
        }
    })
}
