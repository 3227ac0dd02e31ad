//! The tools that an agent sees: every verb of the engine's table, and those that open and close targets.

use crate::options::ToolSet;
use crate::{schema, session_tools};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use stillpoint_engine::verbs::{VerbSpec, table};

/// The parameter of every tool that says which open target is meant.
pub(crate) const APP: &str = "app";

/// The tools that most journeys need, in the order in which they are listed; the other verbs come with
/// [`ToolSet::All`].
pub const USUAL: [&str; 23] = [
    "list_targets",
    "open_target",
    "close_target",
    "snapshot",
    "find_element",
    "tap",
    "type_text",
    "press_key",
    "set_value",
    "scroll_to",
    "drag",
    "wait_for_ui",
    "wait_for_ui_change",
    "wait_for_screen_change",
    "wait_for_idle",
    "expect_state",
    "expect_element_visible",
    "expect_screen",
    "classify_action_outcome",
    "get_network_activity",
    "get_screen_fingerprint",
    "screenshot",
    "run_flow",
];

/// Verbs that leave the app in the same state however often they are called with the same parameters.
const IDEMPOTENT: [&str; 5] = ["set_value", "scroll_to", "focus", "hover", "expand"];
/// Verbs that act and cannot make an app do anything that it would ask back about.
const HARMLESS: [&str; 4] = ["scroll_to", "scroll", "focus", "hover"];

/// Parameters that many verbs share, in fewer words than the table's; no words where the name says it.
const SHARED: [(&str, &str); 8] = [
    ("confirm", "Only with the user's consent"),
    ("expect", "Selector to be visible afterwards"),
    ("expected_revision", ""),
    ("timeout_ms", ""),
    ("scope", ""),
    ("limit", ""),
    ("replace", ""),
    ("since_revision", "Count changes from here on"),
];
/// Fine tuning that is right as it is; it is accepted, and told with [`ToolSet::All`].
const TUNING: [&str; 13] = [
    "settle",
    "settle_window_ms",
    "settle_timeout_ms",
    "stability_window_ms",
    "mask_volatile",
    "max_depth",
    "max_nodes",
    "ignore",
    "fingerprint",
    "heal",
    "dry_run",
    "duration_ms",
    "network",
];
/// What a selector looks like, where one is asked for without more words.
const SELECTOR: &str = r#"Such as button "Save", #id, "text", e12"#;

/// The properties of answers that output schemas name; an answer has more, and says what they are by their names.
pub(crate) const TELLING: [&str; 10] = [
    "lifecycle_state",
    "revision_after",
    "status",
    "snapshot_revision",
    "holds",
    "count",
    "outcome",
    "fingerprint",
    "passed",
    "steps",
];

/// All tools of a set, in the order in which they are listed.
pub(crate) fn list(set: ToolSet) -> Vec<Tool> {
    let place = |name: &str| USUAL.iter().position(|usual| *usual == name);
    let verbs = table().iter().filter(|verb| set == ToolSet::All || place(verb.name).is_some());
    let mut tools: Vec<Tool> = session_tools::list();
    tools.extend(verbs.map(|verb| of_verb(verb, set)));
    tools.sort_by_key(|tool| place(&tool.name).unwrap_or(USUAL.len()));
    tools
}

fn of_verb(verb: &VerbSpec, set: ToolSet) -> Tool {
    let mut input = schema::input(&(verb.params)());
    if let Some(Value::Object(properties)) = input.get_mut("properties") {
        if set == ToolSet::Usual {
            properties.retain(|name, _| !TUNING.contains(&name.as_str()));
        }
        for (name, property) in properties.iter_mut() {
            say_less(name, property);
            schema::single_types(property, set == ToolSet::Usual);
        }
        properties.insert(APP.to_owned(), app());
    }
    // What an answer holds is read from the answer; a client that validates has the full list with `all`.
    let output = match set {
        ToolSet::Usual => schema::any_object(),
        ToolSet::All => schema::output(&(verb.answer)()),
    };
    tool(verb.name, verb.about, input, output, annotations(verb))
}

fn say_less(name: &str, property: &mut Value) {
    let Value::Object(property) = property else { return };
    let generic = ["The element", "The control"].map(Value::from);
    let words = match SHARED.iter().find(|(shared, _)| *shared == name) {
        Some((_, words)) => words,
        None if name == "selector" && property.get("description").is_some_and(|d| generic.contains(d)) => {
            SELECTOR
        }
        None => return,
    };
    if words.is_empty() {
        property.remove("description");
    } else {
        property.insert("description".to_owned(), words.into());
    }
}

/// The property that names the target; the server's instructions say the rest.
pub(crate) fn app() -> Value {
    json!({ "type": "string" })
}

pub(crate) fn tool(
    name: &'static str,
    about: &'static str,
    input: Map<String, Value>,
    output: Map<String, Value>,
    annotations: ToolAnnotations,
) -> Tool {
    Tool::new(name, about, Arc::new(input))
        .with_raw_output_schema(Arc::new(output))
        .with_annotations(annotations)
}

/// Hints for clients that ask before they let an agent act. What has its protocol default is left out.
fn annotations(verb: &VerbSpec) -> ToolAnnotations {
    let hints = ToolAnnotations::new();
    if verb.read_only {
        return hints.read_only(true);
    }
    let hints = hints.destructive(!HARMLESS.contains(&verb.name));
    if IDEMPOTENT.contains(&verb.name) { hints.idempotent(true) } else { hints }
}
