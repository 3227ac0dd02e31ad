//! Setting what a control holds, choosing and opening: what depends on which element it is.

use super::{Hand, Outcome, native, too_late};
use crate::frames::Located;
use crate::scripts::{CHOOSE_BY_LABEL, CHOOSE_OPTION, EXPANDED, IS_EDITABLE, SET_VALUE};
use crate::socket::{Pending, is_dialog};
use serde::Deserialize;
use serde_json::{Value, json};
use stillpoint_core::tree::NativeKey;
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::{Button, Place, Refusal, SetTo};

/// `DOM.describeNode`.
#[derive(Deserialize)]
pub(super) struct Described {
    node: NodeInfo,
}

impl Described {
    pub(super) fn start(at: &Located) -> Result<Pending> {
        at.reach.session.start("DOM.describeNode", json!({ "backendNodeId": at.node }))
    }

    /// Whether it is an option of a native list, which has no place on the screen while the list is closed.
    pub(super) fn is_option(&self) -> bool {
        self.node.node_name == "OPTION"
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeInfo {
    node_name: String,
    #[serde(default)]
    attributes: Vec<String>,
}

impl NodeInfo {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .chunks(2)
            .find(|pair| pair[0] == name)
            .and_then(|pair| pair.get(1))
            .map(String::as_str)
    }
}

#[derive(Deserialize)]
struct Resolved {
    object: Object,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Object {
    object_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Called {
    result: Value,
    exception_details: Option<Value>,
}

impl Hand<'_> {
    async fn describe(&self, at: &Located) -> Result<NodeInfo> {
        Ok(Described::start(at)?.read::<Described>(self.deadline).await?.node)
    }

    pub(super) async fn choose(&self, option: NativeKey) -> Outcome {
        self.run(option, CHOOSE_OPTION, &[]).await?;
        native("select option, with input and change events")
    }

    pub(super) async fn expand(&self, on: NativeKey, open: bool) -> Outcome {
        let at = self.ready(on).await?;
        let state = self.run(on, EXPANDED, &[]).await?;
        if state.as_bool() == Some(open) {
            return native("already so");
        }
        drop(at);
        self.tap(Place::Element(on), Button::Left, 1, None).await
    }

    pub(super) async fn set_value(&self, on: NativeKey, to: &SetTo) -> Outcome {
        let at = self.ready(on).await?;
        let node = self.describe(&at).await?;
        let text = match to {
            SetTo::Number(number) => number.to_string(),
            SetTo::Text(text) => text.clone(),
        };
        let kind = node.attribute("type").unwrap_or("text").to_ascii_lowercase();
        match (&*node.node_name, &*kind) {
            ("SELECT", _) => {
                let found = self.run(on, CHOOSE_BY_LABEL, &[json!(text)]).await?;
                if found.as_bool() == Some(true) {
                    return native("select option, with input and change events");
                }
                Err(Refusal::before_dispatch(Error::new(
                    Code::ActionRejected,
                    format!("the list has no option {text:?}"),
                    "use the exact label of one of its options",
                )))
            }
            ("INPUT", "file") => {
                let files: Vec<&str> = text.lines().collect();
                let params = json!({ "files": files, "backendNodeId": at.node });
                at.reach.session.call::<Value>("DOM.setFileInputFiles", params, self.deadline).await?;
                native("DOM.setFileInputFiles")
            }
            ("INPUT", "checkbox" | "radio" | "button" | "submit" | "reset" | "image") => {
                Err(Refusal::before_dispatch(Error::new(
                    Code::ActionRejected,
                    format!("a {kind} has no value to set"),
                    "tap or toggle it instead",
                )))
            }
            ("INPUT", "range" | "date" | "time" | "month" | "week" | "datetime-local" | "color") => {
                self.run(on, SET_VALUE, &[json!(text)]).await?;
                native("value, with input and change events")
            }
            ("INPUT" | "TEXTAREA", _) => self.type_text(Some(on), &text, true).await,
            _ if self.run(on, IS_EDITABLE, &[]).await?.as_bool() == Some(true) => {
                self.type_text(Some(on), &text, true).await
            }
            _ => self.set_drawn(on, to).await,
        }
    }

    /// Runs a function on an element, in the observer's world: the page's own scripts cannot get in its way.
    pub(super) async fn run(
        &self,
        key: NativeKey,
        function: &str,
        arguments: &[Value],
    ) -> std::result::Result<Value, Refusal> {
        let at = self.ready(key).await?;
        if self.deadline.has_passed() {
            return Err(too_late());
        }
        let session = &at.reach.session;
        let mut last = Error::internal("no world of the page takes the element");
        for context in &at.reach.contexts {
            let params = json!({ "backendNodeId": at.node, "executionContextId": context });
            let object = match session.call::<Resolved>("DOM.resolveNode", params, self.deadline).await {
                Ok(resolved) => resolved.object.object_id,
                Err(error) if error.code == Code::Protocol => {
                    last = error;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let arguments: Vec<Value> = arguments.iter().map(|value| json!({ "value": value })).collect();
            let params = json!({ "objectId": object, "functionDeclaration": function, "arguments": arguments,
                                 "returnByValue": true, "awaitPromise": true, "userGesture": true });
            let called = session.call::<Called>("Runtime.callFunctionOn", params, self.deadline).await;
            session.post("Runtime.releaseObject", json!({ "objectId": object }));
            return match called {
                Ok(Called { exception_details: Some(details), .. }) => {
                    Err(Refusal::after_dispatch(Error::internal(format!("in the page: {details}"))))
                }
                Ok(called) => Ok(called.result["value"].clone()),
                Err(error) if is_dialog(&error) => Ok(Value::Null),
                Err(error) => Err(Refusal::after_dispatch(error)),
            };
        }
        Err(last.into())
    }
}
