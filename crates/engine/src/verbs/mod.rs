//! What can be asked of a session. Each verb is defined once, in a file of its own: its parameters, its answer, its
//! documentation and what it does. Every face is made from [`table`].

mod at_points;
mod classify_action_outcome;
mod drag;
mod expand;
mod expect;
mod find_element;
mod focus;
mod get_network_activity;
mod get_screen_fingerprint;
mod is_idle;
mod limits;
mod pointer;
mod press_key;
mod run_flow;
mod screenshot;
mod scroll_to;
mod select;
mod set_value;
mod snapshot;
mod target_params;
mod toggle;
mod type_text;
mod until;
mod wait_answer;
mod wait_for_idle;
mod wait_for_screen_change;
mod wait_for_ui;
mod wait_for_ui_change;

pub use crate::sync::SyncMode;
pub use at_points::{Scroll, ScrollParams, Swipe, SwipeParams, TapAt, TapAtParams};
pub use classify_action_outcome::{ClassifyActionOutcome, ClassifyParams};
pub use drag::{Drag, DragParams};
pub use expand::{Expand, ExpandParams};
pub use expect::{
    ExpectElementVisible, ExpectScreen, ExpectScreenParams, ExpectState, ExpectStateParams,
    ExpectVisibleParams, Expected,
};
pub use find_element::{FindElement, FindParams, Found};
pub use focus::Focus;
pub use get_network_activity::{GetNetworkActivity, NetworkAnswer, NetworkParams};
pub use get_screen_fingerprint::{FingerprintAnswer, GetScreenFingerprint};
pub use is_idle::{IdleAnswer, IsIdle};
pub use pointer::{DoubleTap, Hover, LongPress, RightClick, Tap};
pub use press_key::{PressKey, PressKeyParams};
pub use run_flow::{FlowAnswer, FlowStep, RunFlow, RunFlowParams, StepReport, StepStatus};
pub use screenshot::{Screenshot, ScreenshotAnswer, ScreenshotParams};
pub use scroll_to::ScrollTo;
pub use select::Select;
pub use set_value::{SetValue, SetValueParams, ValueInput};
pub use snapshot::{SnapshotAnswer, SnapshotParams, TakeSnapshot};
pub use target_params::TargetParams;
pub use toggle::Toggle;
pub use type_text::{TypeText, TypeTextParams};
pub(crate) use until::Until;
pub use wait_answer::{WaitAnswer, WaitStatus};
pub use wait_for_idle::{WaitForIdle, WaitForIdleParams};
pub use wait_for_screen_change::{WaitForScreenChange, WaitForScreenChangeParams};
pub use wait_for_ui::{WaitForUi, WaitForUiParams};
pub use wait_for_ui_change::{ScopeName, WaitForUiChange, WaitForUiChangeParams};

use crate::session::Session;
use crate::trace::What;
use async_trait::async_trait;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use stillpoint_core::{Code, Error, Result};
use tokio_util::sync::CancellationToken;

/// Asks a person a question that is answered with yes or no.
pub type Confirm = Arc<dyn Fn(String) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync>;

/// What a call brings along besides its parameters.
#[derive(Clone, Default)]
pub struct Call {
    /// Ends the call early.
    pub cancel: CancellationToken,
    /// Asks a person whether something destructive shall be done; without it, such calls need `confirm: true`.
    pub confirm: Option<Confirm>,
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("cancel", &self.cancel).field("asks", &self.confirm.is_some()).finish()
    }
}

/// How a call went, for exit codes and the like (SPEC §12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Done as asked.
    Done,
    /// The UI said no: not found, not verified.
    No,
    /// The target or its backend is not there.
    Unavailable,
    /// The time was over first.
    Timeout,
    /// The caller gave up.
    Cancelled,
}

impl Verdict {
    /// The verdict that an error stands for.
    pub fn of(error: &Error) -> Option<Verdict> {
        Some(match error.code {
            Code::InvalidArgument | Code::InvalidSelector => return None,
            Code::TargetNotFound
            | Code::TargetLost
            | Code::TargetUnresponsive
            | Code::HierarchyEmpty
            | Code::PermissionDenied
            | Code::AgentUnavailable
            | Code::Unsupported
            | Code::Protocol
            | Code::Internal => Verdict::Unavailable,
            Code::Timeout => Verdict::Timeout,
            Code::Cancelled => Verdict::Cancelled,
            Code::ElementNotFound
            | Code::AmbiguousTarget
            | Code::StaleReference
            | Code::StaleRevision
            | Code::NotActionable
            | Code::ActionRejected
            | Code::VerificationFailed
            | Code::ControlNotConverged
            | Code::BaseRevisionUnavailable
            | Code::PolicyDenied
            | Code::RateLimited => Verdict::No,
        })
    }
}

/// An answer can be told to a program and to a person.
pub trait Answer: Send + Sync {
    /// As JSON: exactly what the answer's schema says.
    fn json(&self) -> Result<Value>;
    /// As compact text.
    fn text(&self) -> String;
    /// How it went.
    fn verdict(&self) -> Verdict {
        Verdict::Done
    }
    /// What went wrong, where the answer says so.
    fn error(&self) -> Option<Error> {
        None
    }
    /// A picture (PNG) that belongs to the answer and is too large to be part of its JSON.
    fn picture(&self) -> Option<&[u8]> {
        None
    }
}

/// Turns an answer's fields into JSON.
pub(crate) fn to_json(answer: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(answer)
        .map_err(|e| Error::internal(format!("an answer could not be written as JSON: {e}")))
}

/// One thing that can be asked.
#[async_trait]
pub trait Verb {
    /// Its name in every face.
    const NAME: &'static str;
    /// When to use it, and when not.
    const ABOUT: &'static str;
    /// Whether it leaves the app as it is.
    const READ_ONLY: bool;
    /// What it takes.
    type Params: DeserializeOwned + JsonSchema + Send + 'static;
    /// What it gives.
    type Answer: Answer + JsonSchema + 'static;

    /// Does it.
    async fn run(session: &Session, params: Self::Params, call: &Call) -> Result<Self::Answer>;
}

/// An answer under way.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Result<Box<dyn Answer>>> + Send + 'a>>;

/// A verb without its types, as faces see it.
pub struct VerbSpec {
    /// Its name.
    pub name: &'static str,
    /// When to use it, and when not.
    pub about: &'static str,
    /// Whether it leaves the app as it is.
    pub read_only: bool,
    /// The schema of its parameters.
    pub params: fn() -> Schema,
    /// The schema of its answer.
    pub answer: fn() -> Schema,
    /// Does it with parameters as JSON.
    pub run: for<'a> fn(&'a Session, Value, &'a Call) -> Answering<'a>,
}

fn spec<V: Verb + 'static>() -> VerbSpec {
    VerbSpec {
        name: V::NAME,
        about: V::ABOUT,
        read_only: V::READ_ONLY,
        params: || schemars::schema_for!(V::Params),
        answer: || schemars::schema_for!(V::Answer),
        run: |session, params, call| {
            Box::pin(async move {
                let params: V::Params = parse(V::NAME, params)?;
                match V::run(session, params, call).await {
                    Ok(answer) => Ok(Box::new(answer) as Box<dyn Answer>),
                    Err(error) => {
                        let what = What::Refused { verb: V::NAME.to_owned(), error: error.clone() };
                        session.recorder().note(session.now(), what);
                        Err(error)
                    }
                }
            })
        },
    }
}

/// Reads parameters; what does not fit is explained.
fn parse<P: DeserializeOwned + JsonSchema>(verb: &str, params: Value) -> Result<P> {
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    serde_json::from_value(params).map_err(|e| {
        let schema = schemars::schema_for!(P);
        let names = schema.get("properties").and_then(Value::as_object);
        let names: Vec<&str> = names.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        let hint = if names.is_empty() {
            "it takes none".to_owned()
        } else {
            format!("it takes {}", names.join(", "))
        };
        Error::invalid(format!("the parameters of {verb} do not fit: {e}"), hint)
    })
}

static TABLE: LazyLock<Vec<VerbSpec>> = LazyLock::new(|| {
    vec![
        spec::<TakeSnapshot>(),
        spec::<FindElement>(),
        spec::<WaitForUi>(),
        spec::<WaitForUiChange>(),
        spec::<WaitForScreenChange>(),
        spec::<WaitForIdle>(),
        spec::<IsIdle>(),
        spec::<GetScreenFingerprint>(),
        spec::<Tap>(),
        spec::<DoubleTap>(),
        spec::<RightClick>(),
        spec::<LongPress>(),
        spec::<Hover>(),
        spec::<Focus>(),
        spec::<TypeText>(),
        spec::<PressKey>(),
        spec::<SetValue>(),
        spec::<Toggle>(),
        spec::<Select>(),
        spec::<Expand>(),
        spec::<Scroll>(),
        spec::<ScrollTo>(),
        spec::<Drag>(),
        spec::<Swipe>(),
        spec::<TapAt>(),
        spec::<ExpectScreen>(),
        spec::<ExpectElementVisible>(),
        spec::<ExpectState>(),
        spec::<ClassifyActionOutcome>(),
        spec::<GetNetworkActivity>(),
        spec::<Screenshot>(),
        spec::<RunFlow>(),
    ]
});

/// All verbs.
pub fn table() -> &'static [VerbSpec] {
    &TABLE
}

/// The verb with this name.
pub fn by_name(name: &str) -> Option<&'static VerbSpec> {
    table().iter().find(|v| v.name == name)
}
