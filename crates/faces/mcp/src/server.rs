//! What the server says of itself, and which request goes where.

use crate::gate::Gate;
use crate::options::Options;
use crate::{call, outcome, prompts, resources, tools};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use stillpoint_daemon::{Targets, call_until};
use stillpoint_engine::Engine;
use tokio_util::sync::{CancellationToken, DropGuard};

/// What every agent is told at the start, in at most 1 KB.
pub const INSTRUCTIONS: &str = "\
Drives UIs without sleeps: a live mirror follows the app; actions wait until they can be done, settle by themselves and \
tell what changed.
app: a target's URI (app:gedit, web:http://…, sim:login), opened on first use; leave it out when one is open.
selector: button \"Save\" · #id · \"exact text\" · ~\"part\" · [enabled] · dialog \"X\" >> button \"OK\" · button[2] · e12 \
(this session only).
Act → wait → verify: give expect (a selector, or {selector, property, expected}) with the action; lifecycle_state verified is proof, success alone is not. Never sleep; \
wait_for_ui for what comes by itself. Look once with snapshot, then snapshot since the revision you know.
UI first: judge by elements and states (expect_state, expect_element_visible, expect_screen) before network, logs or \
screenshots.
Errors: structuredContent.error has code, message, hint, retryable; do what the hint says. delivery_status unknown: look \
before acting again. Known steps: run_flow.";

/// One client's server.
pub struct Server {
    targets: Arc<Targets>,
    tools: Arc<Vec<Tool>>,
    subscriptions: Mutex<HashMap<String, DropGuard>>,
}

impl Server {
    /// A server for one client.
    pub fn new(engine: Arc<Engine>, options: &Options) -> Self {
        Server {
            targets: Arc::new(Targets::new(engine)),
            tools: Arc::new(tools::list(options.tools)),
            subscriptions: Mutex::default(),
        }
    }

    /// A server for another client of the same engine.
    pub(crate) fn another(&self) -> Self {
        Server { targets: self.targets.clone(), tools: self.tools.clone(), subscriptions: Mutex::default() }
    }

    fn subscriptions(&self) -> MutexGuard<'_, HashMap<String, DropGuard>> {
        // The map is whole whatever panicked elsewhere.
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let can = ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources();
        let can = can.enable_resources_subscribe().build();
        let who = Implementation::new("stillpoint", env!("CARGO_PKG_VERSION")).with_title("Stillpoint");
        ServerConfig::new(can).with_server_info(who).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.as_ref().clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name == request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool {:?}", request.name), None));
        };
        let gate = Gate::default();
        let call = gate.call(&request, &context);
        let params = request.arguments.unwrap_or_default();
        let done = call::run(&tool.name, params, &self.targets, &call, &context).await;
        Ok(match gate.question() {
            Some(question) => question.into(),
            None => outcome::told(done).into(),
        })
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list(&self.targets)))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let session = resources::session(&self.targets, &request.uri, &context.ct).await?;
        Ok(resources::read(&session, &request.uri, &call_until(context.ct.clone())).await?.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = request.uri;
        let session = resources::session(&self.targets, &uri, &context.ct).await?;
        let cancel = CancellationToken::new();
        let following = call_until(cancel.clone());
        let peer = context.peer;
        let name = uri.clone();
        tokio::spawn(resources::follow(session, following, move || {
            let (peer, uri) = (peer.clone(), name.clone());
            async move { peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_ok() }
        }));
        // A second subscription takes the place of the first, which ends with its guard.
        self.subscriptions().insert(uri, cancel.drop_guard());
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions().remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.iter().flatten();
        let ours = uris.filter(|uri| resources::target(uri).is_some()).cloned();
        Some(SubscriptionFilter::builder().resource_subscriptions(ours.collect::<Vec<_>>()).build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let cancel = context.request_context().ct.clone();
        let mut following = tokio::task::JoinSet::new();
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            let session = resources::session(&self.targets, uri, &cancel).await?;
            let (sink, uri) = (context.sink().clone(), uri.clone());
            following.spawn(resources::follow(session, call_until(cancel.clone()), move || {
                let (sink, uri) = (sink.clone(), uri.clone());
                async move { sink.notify_resource_updated(uri).await.is_ok() }
            }));
        }
        context.cancelled().await;
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompts::get(&request.name, request.arguments.as_ref())?.into())
    }
}
