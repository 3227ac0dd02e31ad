//! What an agent is told before its first call.
#![allow(clippy::unwrap_used)] // a test may panic

mod support;

use serde_json::{Value, json};
use stillpoint_engine::verbs::table;
use stillpoint_mcp::{INSTRUCTIONS, Options, ToolSet, USUAL_TOOLS};
use support::{connect, connect_with, engine};

#[tokio::test]
async fn the_default_list_has_exactly_the_usual_tools_in_at_most_14_kb() {
    let agent = connect(&engine()).await;
    let listed = agent.service.list_tools(None).await.unwrap();
    let names: Vec<&str> = listed.tools.iter().map(|t| t.name.as_ref()).collect();
    assert_eq!(names, USUAL_TOOLS);
    let size = serde_json::to_string(&listed).unwrap().len();
    assert!(size <= 14_000, "tools/list is {size} bytes");
}

#[tokio::test]
async fn every_tool_has_its_words_its_schemas_and_its_hints() {
    let agent = connect_with(&engine(), Options { tools: ToolSet::All }).await;
    let listed = agent.service.list_tools(None).await.unwrap();
    assert_eq!(listed.tools.len(), table().len() + 3);
    for tool in &listed.tools {
        assert!(tool.description.as_ref().is_some_and(|d| d.len() > 20), "{} is not explained", tool.name);
        assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
        assert_eq!(tool.output_schema.as_ref().unwrap()["type"], "object", "{}", tool.name);
        let hints = tool.annotations.as_ref().unwrap();
        assert!(hints.read_only_hint.is_some() || hints.destructive_hint.is_some(), "{}", tool.name);
        let told = serde_json::to_string(&tool.input_schema).unwrap();
        assert!(!told.contains("$ref") && !told.contains("\"null\""), "{}: {told}", tool.name);
        assert!(!told.contains("\"type\":["), "{} has a list of types: {told}", tool.name);
        if tool.name != "list_targets" {
            assert_eq!(tool.input_schema["properties"]["app"]["type"], "string", "{}", tool.name);
        }
    }
    for verb in table() {
        let tool = listed.tools.iter().find(|t| t.name == verb.name).unwrap();
        assert_eq!(
            tool.annotations.as_ref().unwrap().read_only_hint == Some(true),
            verb.read_only,
            "{}",
            verb.name
        );
        let full = (verb.params)();
        let own = full.get("properties").and_then(Value::as_object).map_or(0, serde_json::Map::len);
        let told = tool.input_schema["properties"].as_object().unwrap().len();
        assert_eq!(told, own + 1, "{} does not tell all of its parameters", verb.name);
        let required = full.get("required").cloned().unwrap_or(json!([]));
        assert_eq!(
            tool.input_schema.get("required").cloned().unwrap_or(json!([])),
            required,
            "{}",
            verb.name
        );
    }
}

#[tokio::test]
async fn a_verb_that_is_not_listed_is_not_callable() {
    let agent = connect(&engine()).await;
    let request = rmcp::model::CallToolRequestParams::new("hover");
    assert!(agent.service.call_tool(request).await.is_err());
}

#[tokio::test]
async fn the_instructions_fit_in_a_kilobyte() {
    let agent = connect(&engine()).await;
    assert!(INSTRUCTIONS.len() <= 1024, "{} bytes", INSTRUCTIONS.len());
    let info = agent.service.peer_info().unwrap();
    assert_eq!(info.instructions.as_deref(), Some(INSTRUCTIONS));
    let can = &info.capabilities;
    assert!(can.tools.is_some() && can.prompts.is_some());
    assert_eq!(can.resources.as_ref().unwrap().subscribe, Some(true));
}

#[tokio::test]
async fn prompts_teach_with_the_callers_own_words() {
    let agent = connect(&engine()).await;
    let prompts = agent.service.list_all_prompts().await.unwrap();
    assert_eq!(
        prompts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(),
        ["act_wait_verify", "why_did_it_fail", "write_flow"]
    );
    let arguments = json!({ "goal": "the order is sent", "app": "sim:checkout" });
    let asked = rmcp::model::GetPromptRequestParams::new("act_wait_verify");
    let told =
        agent.service.get_prompt(asked.with_arguments(arguments.as_object().unwrap().clone())).await.unwrap();
    let text = serde_json::to_string(&told.messages).unwrap();
    assert!(
        text.contains("the order is sent") && text.contains("sim:checkout") && text.contains("expect_state")
    );
    let missing = rmcp::model::GetPromptRequestParams::new("act_wait_verify");
    assert!(agent.service.get_prompt(missing).await.is_err());
}
