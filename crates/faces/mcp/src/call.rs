//! One call of a tool: whom it is for, the verb, its progress and its end.

use crate::outcome::Outcome;
use crate::tools::APP;
use crate::{progress, session_tools};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::{Map, Value};
use std::time::Duration;
use stillpoint_core::{Error, Result};
use stillpoint_daemon::{Targets, cancelled};
use stillpoint_engine::verbs::{Call, by_name};

/// How long a cancelled verb may take to let go of what it was doing.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Runs a tool. Cancelling the request cancels the verb, wherever it is.
pub(crate) async fn run(
    name: &str,
    mut params: Map<String, Value>,
    targets: &Targets,
    call: &Call,
    context: &RequestContext<RoleServer>,
) -> Result<Outcome> {
    let app = match params.remove(APP) {
        None | Some(Value::Null) => None,
        Some(Value::String(app)) => Some(app),
        Some(other) => {
            return Err(Error::invalid(
                format!("app is {other}, which is not a target's URI"),
                "give a string such as sim:login",
            ));
        }
    };
    let app = app.as_deref();
    if let Some(done) = session_tools::run(name, app, params.clone(), targets, &context.ct).await {
        return done;
    }
    let verb = by_name(name).ok_or_else(|| Error::internal("a listed tool has no verb"))?;
    let session = targets.session(app, &context.ct).await?;
    let hearer = context.meta.get_progress_token().map(|token| (context.peer.clone(), token));
    let work = async {
        tokio::select! {
            answer = (verb.run)(&session, Value::Object(params), call) => answer,
            () = given_up(context) => Err(cancelled()),
        }
    };
    let answer = progress::during(&session, hearer, work).await?;
    Outcome::of(verb, &*answer)
}

async fn given_up(context: &RequestContext<RoleServer>) {
    context.ct.cancelled().await;
    tokio::time::sleep(LAST_WORDS).await;
}
