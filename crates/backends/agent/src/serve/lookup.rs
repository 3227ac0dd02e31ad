//! Elements as v1 names them: by identifier or label, and perhaps by type.

use super::element::describe;
use super::verb;
use crate::role::role_of;
use serde_json::{Value, json};
use std::time::Duration;
use stillpoint_core::select::{SelectorInput, Visibility, resolve_one};
use stillpoint_core::tree::ElementId;
use stillpoint_core::{Code, Error};
use stillpoint_engine::Session;
use stillpoint_engine::backend::Deadline;
use stillpoint_wire::server::Lookup;
use stillpoint_wire::{Element, Fault};

/// The longest that one lookup may last; the engine refuses more.
const LONGEST: Duration = Duration::from_secs(600);
/// What is granted beyond a timeout that was given, to carry out what it was given for. Clients leave this much of their
/// own time, so that nothing is dispatched after it.
const TO_CARRY_OUT: Duration = Duration::from_millis(200);
/// What a command without a timeout may take to be carried out once its element is there.
const AT_LEAST: Duration = Duration::from_secs(2);

/// What one look at an element may take: the app's answers, and two frames to see that it keeps its place. An element that
/// can be hit is told at once.
const ONE_LOOK_MS: u64 = 1_000;

/// The types that name no type in particular.
const ANY_TYPE: [&str; 3] = ["", "Any", "Other"];

/// The selector that a lookup means.
fn selector(lookup: &Lookup) -> Result<Value, Fault> {
    let mut selector = if lookup.by_label {
        json!({ "text": lookup.selector })
    } else {
        json!({ "accessibility_id": lookup.selector })
    };
    if let Some(name) = lookup.element_type.as_deref().filter(|name| !ANY_TYPE.contains(name)) {
        let role = role_of(name).ok_or_else(|| {
            Error::invalid(
                format!("{name:?} is no element type"),
                "types look like Button, TextField, StaticText, or are roles of Stillpoint",
            )
        })?;
        selector["role"] = json!(role.name());
    }
    Ok(selector)
}

/// A lookup that is under way.
pub(crate) struct Search<'a> {
    session: &'a Session,
    selector: Value,
    until: Deadline,
    /// What it may take beyond that to carry something out.
    grace: Duration,
}

impl<'a> Search<'a> {
    /// Waits until the element is there, woken by changes; without a timeout it looks once.
    pub(crate) async fn of(session: &'a Session, lookup: &Lookup) -> Result<Search<'a>, Fault> {
        let selector = selector(lookup)?;
        let patience = lookup.timeout.unwrap_or_default().min(LONGEST);
        let grace = if lookup.timeout.is_some() { TO_CARRY_OUT } else { AT_LEAST };
        let search = Search { session, selector, until: Deadline::after(patience), grace };
        // What came before this request is seen: a client that has just typed reads what it typed.
        session.barrier(Deadline::after(patience.max(grace))).await?;
        if patience.is_zero() {
            return Ok(search);
        }
        let millis = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
        let params = json!({ "selector": search.selector, "condition": "exists", "timeout_ms": millis });
        match verb::done(session, "wait_for_ui", params).await {
            // What is missing at the end is told by whoever looks for it next, with what is near.
            Err(fault) if fault.code != Code::Timeout => Err(fault),
            _ => Ok(search),
        }
    }

    /// What is left of the time, and enough to carry something out.
    pub(crate) fn left_ms(&self) -> u64 {
        u64::try_from(self.until.left().max(self.grace).as_millis()).unwrap_or(u64::MAX)
    }

    /// The selector for a verb.
    pub(crate) fn selector(&self) -> &Value {
        &self.selector
    }

    /// The one element that is meant.
    pub(crate) fn element(&self) -> Result<ElementId, Fault> {
        let input: SelectorInput =
            serde_json::from_value(self.selector.clone()).map_err(|e| Error::internal(e.to_string()))?;
        let selector = input.selector()?;
        let found = self.session.read(|tree| resolve_one(tree, &selector, Visibility::VisibleFirst))?;
        Ok(found.id)
    }

    /// The element as v1 tells it, with whether a tap would reach it now: the check of a tap that is not dispatched.
    pub(crate) async fn seen(&self) -> Result<Option<Element>, Fault> {
        let id = match self.element() {
            Ok(id) => id,
            Err(fault) if fault.code == Code::ElementNotFound => return Ok(None),
            Err(fault) => return Err(fault),
        };
        let Some(mut element) = self.session.read(|tree| tree.get(id).map(describe)) else { return Ok(None) };
        let params = json!({ "selector": id.to_string(), "dry_run": true, "settle": "none", "timeout_ms": ONE_LOOK_MS, "confirm": true });
        element.hittable = match verb::done(self.session, "tap", params).await {
            Ok(_) => Some(true),
            Err(fault) if matches!(fault.code, Code::NotActionable | Code::Timeout) => Some(false),
            // Where nothing may be tapped, it can still be seen.
            Err(fault) if fault.code == Code::PolicyDenied => None,
            Err(fault) if matches!(fault.code, Code::StaleReference | Code::ElementNotFound) => {
                return Ok(None);
            }
            Err(fault) => return Err(fault),
        };
        Ok(Some(element))
    }
}
