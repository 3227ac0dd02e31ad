//! What a call brings along: its end, and whom to ask before something destructive is done.

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use stillpoint_daemon::call_until;
use stillpoint_engine::verbs::Call;

/// The call that belongs to a request.
pub(crate) fn call(context: &RequestContext<RoleServer>) -> Call {
    call_until(context.ct.clone())
}
