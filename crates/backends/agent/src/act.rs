//! Actions, handed to the agent. A frame that may have arrived is never sent again.

use crate::barrier::{Line, lost, read};
use crate::node::{Dumps, Sighting};
use crate::payload::{ActionForm, PerformAnswer};
use serde_json::json;
use std::time::Duration;
use stillpoint_core::tree::{NativeKey, Rect};
use stillpoint_core::{Code, Error, Result};
use stillpoint_engine::backend::{
    Action, Button, Deadline, Means, Performed, Place, Refusal, SetTo, unsupported,
};
use stillpoint_wire::{Delivery, ErrorCode, Request, ResilientClient, Safety, WireError};

/// Has the far side's backend do it.
pub(crate) async fn perform_v2(
    line: &Line,
    action: &Action,
    deadline: Deadline,
) -> Result<Performed, Refusal> {
    let agreement = line.agreement();
    let Some(deadline_us) = agreement.deadline_us(deadline).filter(|_| !deadline.has_passed()) else {
        return Err(Refusal::before_dispatch(too_late()));
    };
    let params = json!({
        "epoch": agreement.epoch, "deadline_us": deadline_us, "action": ActionForm::of(action, agreement.keys),
    });
    let sending = line.agent.call("backend.perform", &params, deadline.left(), Safety::AtMostOnce);
    match tokio::time::timeout_at(deadline.instant(), sending).await {
        Err(_) => Err(Refusal::after_dispatch(too_late())),
        Ok(Err(error)) => Err(refusal(error)),
        Ok(Ok(answer)) => {
            // An answer that cannot be read is an answer all the same: it was received.
            read::<PerformAnswer>("backend.perform", answer).map_err(Refusal::after_dispatch)?.into()
        }
    }
}

fn too_late() -> Error {
    Error::new(
        Code::TargetUnresponsive,
        "the agent did not answer in time",
        "the agent, its app or the network is slow; look at the app before you do it again",
    )
}

/// What is known of an action whose answer is an error.
fn refusal(error: WireError) -> Refusal {
    let delivered = match &error {
        // The call was begun and cut off there.
        WireError::Remote(fault) => matches!(fault.code, ErrorCode::Cancelled | ErrorCode::Internal),
        WireError::Protocol(_) => true,
        other => other.delivery() == Some(Delivery::Unknown),
    };
    let error = lost(error);
    if delivered { Refusal::after_dispatch(error) } else { Refusal::before_dispatch(error) }
}

/// The requests of v1 that make up an action, in order, and how it is brought about.
#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    requests: Vec<Request>,
    means: Means,
}

/// What an agent needs of our time, beyond the timeout that it is given, to carry a tap out and to say so.
const ITS_SHARE: Duration = Duration::from_millis(300);

/// The request with the time that it may take on the far side, so that no tap lands after its deadline; `None` if there is
/// too little of it left.
fn within(request: Request, deadline: Deadline) -> Option<Request> {
    match request {
        Request::TapElement { id, timeout_ms: None } => {
            let left = deadline.left().checked_sub(ITS_SHARE)?;
            Some(Request::TapElement { id, timeout_ms: u64::try_from(left.as_millis()).ok() })
        }
        other => Some(other),
    }
}

/// Sends the requests of a plan, each once. The one that fails decides what is known of the whole.
pub(crate) async fn perform_v1(
    agent: &ResilientClient,
    plan: Plan,
    deadline: Deadline,
) -> Result<Performed, Refusal> {
    for (done, request) in plan.requests.into_iter().enumerate() {
        // What was begun cannot be taken back.
        let late = if done == 0 { Refusal::before_dispatch } else { Refusal::after_dispatch };
        if deadline.has_passed() {
            return Err(late(too_late()));
        }
        let Some(request) = within(request, deadline) else { return Err(late(too_late())) };
        match tokio::time::timeout_at(deadline.instant(), agent.request(request)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                let mut refused = refusal(error);
                if done > 0 {
                    refused = Refusal::after_dispatch(refused.error);
                }
                return Err(refused);
            }
            Err(_) => return Err(Refusal::after_dispatch(too_late())),
        }
    }
    Ok(Performed { means: plan.means })
}

impl Dumps {
    /// How v1 can bring an action about.
    pub(crate) fn plan(&self, action: &Action) -> Result<Plan> {
        match action {
            Action::Tap { on, button: Button::Left, count: 1, hold: None } => self.tap(*on),
            Action::Tap { on, button: Button::Left, count: 1, hold: Some(hold) } => {
                let (x, y) = self.point(*on)?;
                Ok(by_pointer(Request::LongPress { x, y, duration_s: hold.as_secs_f64() }))
            }
            Action::Tap { .. } => Err(unsupported("double taps or other buttons: its agent speaks v1")),
            Action::Toggle { on } | Action::Select { on } => self.tap(Place::Element(*on)),
            Action::TypeText { on, text, replace } => self.type_text(*on, text, *replace),
            Action::SetValue { on, to: SetTo::Text(text) } => self.type_text(Some(*on), text, true),
            Action::Drag { from, to, over } => {
                let ((start_x, start_y), (end_x, end_y)) = (self.point(*from)?, self.point(*to)?);
                let duration_s = Some(over.as_secs_f64());
                Ok(by_pointer(Request::Swipe { start_x, start_y, end_x, end_y, duration_s }))
            }
            // What is under the finger moves with it: down the page is up with the finger.
            Action::Scroll { on, dx, dy } => {
                let (x, y) = self.point(*on)?;
                let (end_x, end_y) = (x.saturating_sub(*dx), y.saturating_sub(*dy));
                Ok(by_pointer(Request::Swipe { start_x: x, start_y: y, end_x, end_y, duration_s: None }))
            }
            Action::Hover { .. }
            | Action::Focus { .. }
            | Action::PressKey { .. }
            | Action::SetValue { .. }
            | Action::Expand { .. }
            | Action::ScrollTo { .. } => Err(unsupported("such actions: its agent speaks v1")),
        }
    }

    fn tap(&self, on: Place) -> Result<Plan> {
        if let Place::Element(key) = on
            && let Some(id) = self.seen(key)?.id.clone().filter(|id| self.is_only(id))
        {
            let requests = vec![Request::TapElement { id, timeout_ms: None }];
            return Ok(Plan { requests, means: Means::Native("TapElement".to_owned()) });
        }
        let (x, y) = self.point(on)?;
        Ok(by_pointer(Request::TapCoord { x, y }))
    }

    /// v1 types into whatever has the focus, at the caret: the field is tapped first, and must be empty if it is to hold
    /// nothing else.
    fn type_text(&self, on: Option<NativeKey>, text: &str, replace: bool) -> Result<Plan> {
        let typing = Request::TypeText { text: text.to_owned() };
        let Some(key) = on else { return Ok(by_pointer(typing)) };
        if replace && !self.seen(key)?.is_empty() {
            return Err(unsupported(
                "way to replace a field's text: its agent speaks v1; use replace: false",
            ));
        }
        let mut plan = self.tap(Place::Element(key))?;
        plan.requests.push(typing);
        plan.means = Means::Synthesised("TypeText".to_owned());
        Ok(plan)
    }

    fn seen(&self, key: NativeKey) -> Result<&Sighting> {
        self.get(key).ok_or_else(|| {
            let hint = "take a new snapshot and find the element again";
            Error::new(Code::StaleReference, "the element is gone from the app", hint)
        })
    }

    fn point(&self, place: Place) -> Result<(i32, i32)> {
        match place {
            Place::Point(x, y) => Ok((x, y)),
            Place::Element(key) => self.seen(key)?.bounds.map(Rect::center).ok_or_else(|| {
                let hint = "give the element an identifier, or use tap_at";
                Error::new(Code::NotActionable, "the agent does not say where the element is", hint)
            }),
        }
    }
}

fn by_pointer(request: Request) -> Plan {
    let means = Means::Synthesised(request.name().to_owned());
    Plan { requests: vec![request], means }
}
