//! Set a control's value and read it back until it is right.

use super::target_params::found;
use super::{Call, Verb};
use crate::act::{ActOptions, Envelope, Intent, ReadBack, act};
use crate::backend::{Action, SetTo};
use crate::session::Session;
use crate::trace::What;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stillpoint_core::judge::Verb as Act;
use stillpoint_core::select::{Selector, SelectorInput};
use stillpoint_core::tree::{Node, State, StateValue};
use stillpoint_core::{Code, Error, Result};

/// A number, a text, or on and off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ValueInput {
    /// On or off, for check boxes and switches.
    Flag(bool),
    /// A position between a control's limits.
    Number(f64),
    /// A text, an option's label, a date. `37%` is a share of the control's range.
    Text(String),
}

/// Which control, and what it is set to.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SetValueParams {
    /// The control.
    pub selector: SelectorInput,
    /// What it is set to.
    pub value: ValueInput,
    /// How to go about it.
    #[serde(flatten)]
    pub options: ActOptions,
}

/// How often it is set at most.
const TRIES: usize = 5;

/// The verb.
pub struct SetValue;

#[async_trait]
impl Verb for SetValue {
    const NAME: &'static str = "set_value";
    const ABOUT: &'static str = "Sets a slider, spin button, text field, check box, combo box or date field, reads it \
        back, and tries again up to five times. `37%` is a share of the control's range. For typing as a person does \
        use type_text.";
    const READ_ONLY: bool = false;
    type Params = SetValueParams;
    type Answer = Envelope;

    async fn run(session: &Session, params: SetValueParams, call: &Call) -> Result<Envelope> {
        let selector = params.selector.selector()?;
        let mut tries = 1;
        loop {
            let mut envelope = once(session, &selector, &params, call).await?;
            let converged = envelope.verification.as_ref().map(|v| v.holds);
            let delivered = envelope.error.is_none() && !params.options.dry_run;
            if !delivered || converged != Some(false) || tries == TRIES || call.cancel.is_cancelled() {
                let converged = converged.filter(|_| delivered);
                let failure = not_converged(&selector, &params, tries);
                if converged == Some(false) {
                    let what = What::Refused { verb: Self::NAME.to_owned(), error: failure.clone() };
                    session.recorder().note(session.now(), what);
                }
                envelope.conclude(converged, failure);
                return Ok(envelope);
            }
            tries += 1;
            session.telemetry().retries.add(1);
        }
    }
}

async fn once(
    session: &Session,
    selector: &Selector,
    params: &SetValueParams,
    call: &Call,
) -> Result<Envelope> {
    let (value, wanted) = (params.value.clone(), params.value.clone());
    let target = selector.clone();
    let intent = Intent {
        verb: Act::SetValue,
        selector: Some(selector.clone()),
        second: None,
        action: Box::new(move |on, _| {
            let key = found(on)?;
            let node = session.read(|tree| tree.by_key(key).and_then(|id| tree.get(id).cloned()));
            let node = node.ok_or_else(|| {
                Error::new(
                    Code::StaleReference,
                    format!("{target} is gone"),
                    "take a new snapshot, and find it again",
                )
            })?;
            Ok(match goal(&node, &value)? {
                Goal::Flag(_) => Action::Toggle { on: key },
                Goal::Number(number) => Action::SetValue { on: key, to: SetTo::Number(number) },
                Goal::Text(text) => Action::SetValue { on: key, to: SetTo::Text(text) },
            })
        }),
        read_back: Some(ReadBack {
            expected: format!("it is {}", told(&params.value)),
            look: Box::new(move |tree, id| {
                let node = tree.get(id)?;
                is_reached(node, &goal(node, &wanted).ok()?)
            }),
        }),
    };
    // A check box that is right already is left alone: toggling it would make it wrong.
    let already = |tree: &stillpoint_core::tree::Tree| {
        let id = stillpoint_core::select::resolve(
            tree,
            selector,
            stillpoint_core::select::Visibility::VisibleFirst,
        )
        .only()?;
        let node = tree.get(id)?;
        match goal(node, &params.value).ok()? {
            goal @ Goal::Flag(_) => is_reached(node, &goal),
            _ => None,
        }
    };
    let mut options = params.options.clone();
    options.dry_run |= session.read(already) == Some(true);
    act(session, intent, &options, call).await
}

/// What a value means for a certain control.
enum Goal {
    Flag(bool),
    Number(f64),
    Text(String),
}

fn goal(node: &Node, value: &ValueInput) -> Result<Goal> {
    let checkable =
        node.states().get(State::Checked).is_some() || node.states().get(State::Pressed).is_some();
    match value {
        ValueInput::Flag(on) => Ok(Goal::Flag(*on)),
        ValueInput::Number(number) => within(node, *number),
        ValueInput::Text(text) if checkable && matches!(text.as_str(), "true" | "false") => {
            Ok(Goal::Flag(text == "true"))
        }
        ValueInput::Text(text) => {
            let share = text.strip_suffix('%').and_then(|n| n.trim().parse::<f64>().ok());
            match (node.value_range(), share, text.trim().parse::<f64>().ok()) {
                (Some(range), Some(share), _) => {
                    within(node, range.min + (range.max - range.min) * share / 100.0)
                }
                (Some(_), None, Some(number)) => within(node, number),
                _ => Ok(Goal::Text(text.clone())),
            }
        }
    }
}

fn within(node: &Node, number: f64) -> Result<Goal> {
    match node.value_range() {
        Some(range) if number < range.min || number > range.max || !number.is_finite() => {
            Err(Error::invalid(
                format!("{number} is outside of what this control can be: {} to {}", range.min, range.max),
                "give a value within these limits, or a share such as 37%",
            ))
        }
        _ if node.value_range().is_none() && node.raw_value().is_none() => Ok(Goal::Text(number.to_string())),
        _ => Ok(Goal::Number(number)),
    }
}

/// Whether a control shows what it was set to: exactly if it moves in steps, else within 1 % of its range.
fn is_reached(node: &Node, goal: &Goal) -> Option<bool> {
    match goal {
        Goal::Flag(on) => {
            let seen = node.states().get(State::Checked).or_else(|| node.states().get(State::Pressed))?;
            Some(seen == StateValue::from(*on))
        }
        Goal::Number(wanted) => {
            let seen = node.raw_value()?;
            let tolerance = match node.value_range() {
                // A value between two steps lands on one of them: the nearest is what was meant.
                Some(range) => match range.step {
                    Some(step) if step > 0.0 => step / 2.0 + 1e-9,
                    _ => (range.max - range.min) * 0.01,
                },
                None => 1e-9,
            };
            Some((seen - wanted).abs() <= tolerance)
        }
        Goal::Text(wanted) => {
            if node.is_protected() {
                return None;
            }
            let shown = node.value().or(node.text()).or(node.label())?;
            Some(shown == wanted)
        }
    }
}

fn told(value: &ValueInput) -> String {
    match value {
        ValueInput::Flag(on) => on.to_string(),
        ValueInput::Number(number) => number.to_string(),
        ValueInput::Text(text) => format!("{text:?}"),
    }
}

fn not_converged(selector: &Selector, params: &SetValueParams, tries: usize) -> Error {
    Error::new(
        Code::ControlNotConverged,
        format!("{selector} did not take the value {} in {tries} tries", told(&params.value)),
        "look at what it shows now; it may move in steps, or refuse the value",
    )
}
