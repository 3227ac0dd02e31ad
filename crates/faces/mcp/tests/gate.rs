//! Before something destructive is done the person at the client is asked, in both lifecycles of the protocol.
#![allow(clippy::unwrap_used)] // a test may panic

mod support;

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, Implementation, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RequestContext, RunningService};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use stillpoint_engine::Engine;
use stillpoint_engine::policy::Policy;
use stillpoint_mcp::{Options, serve};
use stillpoint_sim::Sim;
use tokio_util::sync::CancellationToken;

/// Somebody who answers every question in the same way, and keeps the questions.
struct Person {
    says: bool,
    questions: Arc<Mutex<Vec<String>>>,
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let can = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(can, Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Cancel));
        };
        self.questions.lock().unwrap().push(message);
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "confirm": self.says })))
    }
}

async fn connect(
    says: bool,
    lifecycle: ClientLifecycleMode,
) -> (RunningService<RoleClient, Person>, Arc<Mutex<Vec<String>>>) {
    let engine = Arc::new(Engine::new().with(Sim::new()).with_policy(Policy::default()));
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(theirs);
    tokio::spawn(serve(engine, Options::default(), input, output, CancellationToken::new()));
    let questions = Arc::new(Mutex::new(Vec::new()));
    let person = Person { says, questions: questions.clone() };
    (person.serve_with_lifecycle(ours, lifecycle).await.unwrap(), questions)
}

async fn delete(service: &RunningService<RoleClient, Person>, more: Value) -> (bool, Value) {
    let mut params = json!({ "app": "sim:table:3", "selector": "button \"Delete\"[0]" });
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let request = CallToolRequestParams::new("tap").with_arguments(params.as_object().unwrap().clone());
    let result = service.call_tool(request).await.unwrap();
    (result.is_error == Some(true), result.structured_content.unwrap())
}

async fn ask_both(lifecycle: impl Fn() -> ClientLifecycleMode) {
    let (service, questions) = connect(true, lifecycle()).await;
    let (failed, told) = delete(&service, json!({})).await;
    assert!(!failed, "{told}");
    assert_eq!(told["delivery_status"], "delivered", "{told}");
    let asked = questions.lock().unwrap().clone();
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(asked[0].contains("Delete") && asked[0].contains("sim:table:3"), "{asked:?}");

    let (service, questions) = connect(false, lifecycle()).await;
    let (failed, told) = delete(&service, json!({})).await;
    assert!(failed);
    assert_eq!(told["error"]["code"], "POLICY_DENIED", "{told}");
    assert_eq!(questions.lock().unwrap().len(), 1);
    let (failed, told) = delete(&service, json!({ "confirm": true })).await;
    assert!(!failed, "{told}");
    assert_eq!(questions.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_person_is_asked_while_the_verb_waits() {
    ask_both(|| ClientLifecycleMode::Initialize).await;
}

#[tokio::test]
async fn a_person_is_asked_by_the_answer_where_servers_may_not_ask() {
    ask_both(|| ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] })
        .await;
}

#[tokio::test]
async fn without_anybody_to_ask_it_is_refused() {
    let engine = Arc::new(Engine::new().with(Sim::new()).with_policy(Policy::default()));
    let agent = support::connect(&engine).await;
    let params = json!({ "app": "sim:table:3", "selector": "button \"Delete\"[0]" });
    assert_eq!(agent.refused("tap", params).await["code"], "POLICY_DENIED");
}
