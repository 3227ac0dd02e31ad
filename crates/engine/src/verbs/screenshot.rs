//! A picture, for what only eyes can judge.

use super::{Answer, Call, Verb, to_json};
use crate::backend::{Deadline, unsupported};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use stillpoint_core::revise::Revision;
use stillpoint_core::select::{SelectorInput, Visibility, resolve_one};
use stillpoint_core::tree::Node;
use stillpoint_core::{Code, Error, Result};

/// How long taking a picture may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Of what.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScreenshotParams {
    /// Only this element; the whole target if left out.
    #[serde(default)]
    pub selector: Option<SelectorInput>,
}

/// What is told of a picture. The picture itself is beside it ([`Answer::picture`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScreenshotAnswer {
    /// How large it is.
    pub bytes: usize,
    /// Its kind.
    pub mime_type: String,
    /// The revision at which it was taken.
    pub snapshot_revision: Revision,
    #[serde(skip)]
    png: Vec<u8>,
}

impl Answer for ScreenshotAnswer {
    fn json(&self) -> Result<Value> {
        to_json(self)
    }

    fn text(&self) -> String {
        format!("a picture at rev {}, {} bytes\n", self.snapshot_revision, self.bytes)
    }

    fn picture(&self) -> Option<&[u8]> {
        Some(&self.png)
    }
}

/// The verb.
pub struct Screenshot;

#[async_trait]
impl Verb for Screenshot {
    const NAME: &'static str = "screenshot";
    const ABOUT: &'static str = "Takes a picture (PNG) of the target or of one element. Use it for what only eyes can judge; \
        to find, read or verify elements, snapshot and expect_state are cheaper and exact.";
    const READ_ONLY: bool = true;
    type Params = ScreenshotParams;
    type Answer = ScreenshotAnswer;

    async fn run(session: &Session, params: ScreenshotParams, call: &Call) -> Result<ScreenshotAnswer> {
        session.alive()?;
        if !session.capabilities().screenshots {
            return Err(unsupported("pictures"));
        }
        let of = match params.selector.as_ref().map(SelectorInput::selector).transpose()? {
            None => None,
            Some(selector) => session.read(|tree| {
                let found = resolve_one(tree, &selector, Visibility::Any)?;
                Ok::<_, Error>(tree.get(found.id).map(Node::key))
            })?,
        };
        let deadline = Deadline::after(PATIENCE);
        let png = tokio::select! {
            png = deadline.bound("taking a picture", session.backend().screenshot(of, deadline)) => png?,
            () = call.cancel.cancelled() => {
                let hint = "call again if the picture is still wanted";
                return Err(Error::new(Code::Cancelled, "cancelled by the caller", hint));
            }
        };
        let snapshot_revision = session.revision();
        let mime_type = "image/png".to_owned();
        Ok(ScreenshotAnswer { bytes: png.len(), mime_type, snapshot_revision, png })
    }
}
