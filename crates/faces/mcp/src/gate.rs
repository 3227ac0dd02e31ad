//! What a call brings along: its end, and a way to ask the person at the client before something destructive is done.
//!
//! Where the protocol lets a server ask (before 2026-07-28), the question goes out while the verb waits. Where it does
//! not, the verb is refused before anything is dispatched, the question is the answer, and the client calls again with
//! the person's word.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitationSchema, InputRequest,
    InputRequiredResult, ProtocolVersion,
};
use rmcp::service::{ElicitationMode, RequestContext};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use stillpoint_daemon::call_until;
use stillpoint_engine::verbs::{Call, Confirm};

/// The name of our one question.
const QUESTION: &str = "confirm";

/// A person's word.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Permission {
    /// Whether it shall be done.
    confirm: bool,
}
rmcp::elicit_safe!(Permission);

/// The gate of one call.
#[derive(Clone, Default)]
pub(crate) struct Gate {
    open: Arc<Mutex<Option<String>>>,
}

impl Gate {
    fn open(&self) -> MutexGuard<'_, Option<String>> {
        // An option is whole whatever panicked elsewhere.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the call brings along.
    pub(crate) fn call(&self, request: &CallToolRequestParams, context: &RequestContext<RoleServer>) -> Call {
        let mut call = call_until(context.ct.clone());
        call.confirm = self.confirm(request, context);
        call
    }

    fn confirm(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Option<Confirm> {
        let modern = context.protocol_version().is_some_and(|v| v >= ProtocolVersion::V_2026_07_28);
        if !modern {
            let asks = context.peer.supported_elicitation_modes().contains(&ElicitationMode::Form);
            return asks.then(|| Self::ask_now(context));
        }
        let elicits = context.client_capabilities().and_then(|can| can.elicitation);
        let asks = elicits.is_some_and(|can| can.form.is_some() || can.url.is_none());
        // A flow that is called again would do its first steps twice; its steps need their own `confirm`.
        (asks && request.name != "run_flow").then(|| self.ask_by_answer(request))
    }

    fn ask_now(context: &RequestContext<RoleServer>) -> Confirm {
        let peer = context.peer.clone();
        Arc::new(move |question| {
            let peer = peer.clone();
            Box::pin(async move {
                match peer.elicit::<Permission>(question).await {
                    Ok(said) => said.is_some_and(|said| said.confirm),
                    Err(error) => {
                        tracing::info!(%error, "no permission was given");
                        false
                    }
                }
            })
        })
    }

    fn ask_by_answer(&self, request: &CallToolRequestParams) -> Confirm {
        // The word counts for the question that was asked, not for what the action may have become meanwhile.
        let answered = request.request_state.clone();
        let said = request.input_responses.as_ref().and_then(|said| said.get(QUESTION)).cloned();
        let gate = self.clone();
        Arc::new(move |question| {
            let known = answered.as_deref() == Some(question.as_str());
            let word = said.as_ref().filter(|_| known);
            let permitted = word.is_some_and(is_yes);
            if word.is_none() {
                *gate.open() = Some(question);
            }
            Box::pin(std::future::ready(permitted))
        })
    }

    /// The question that the client has to bring an answer to, if there is one.
    pub(crate) fn question(&self) -> Option<InputRequiredResult> {
        let question = self.open().take()?;
        let requested_schema = ElicitationSchema::from_type::<Permission>().ok()?;
        let message = question.clone();
        let form = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
        let asked = InputRequest::Elicitation(ElicitRequest::new(form));
        Some(InputRequiredResult::new(Some(BTreeMap::from([(QUESTION.to_owned(), asked)])), Some(question)))
    }
}

fn is_yes(said: &Value) -> bool {
    said["action"] == "accept" && said["content"]["confirm"] == true
}
