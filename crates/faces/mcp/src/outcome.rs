//! What a tool has to say, and how that is told in the protocol: text for the model, JSON for programs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use stillpoint_core::{Error, Result};
use stillpoint_daemon::sessions::Told;
use stillpoint_engine::verbs::{Answer, VerbSpec, Verdict};

/// What a tool has to say.
pub(crate) struct Outcome {
    json: Value,
    text: String,
    failed: bool,
    more: Vec<ContentBlock>,
}

impl Outcome {
    /// Something to tell.
    pub(crate) fn told(json: Value, text: String) -> Self {
        Outcome { json, text, failed: false, more: Vec::new() }
    }

    /// A verb's answer. One that tells of an error is a failed call, and so is an action that was not done; a
    /// question that was answered with "no" is not.
    pub(crate) fn of(verb: &VerbSpec, answer: &dyn Answer) -> Result<Self> {
        let mut text = answer.text();
        let error = answer.error();
        let failed = error.is_some() || (!verb.read_only && answer.verdict() != Verdict::Done);
        // Some answers tell all of their error, some only what happened.
        if let Some(error) = error {
            let told = text.clone();
            for words in
                [&error.message, &error.hint].into_iter().filter(|words| !told.contains(words.as_str()))
            {
                text = format!("{}\n{words}\n", text.trim_end());
            }
        }
        let picture = answer.picture().map(|png| ContentBlock::image(STANDARD.encode(png), "image/png"));
        Ok(Outcome { json: answer.json()?, text, failed, more: picture.into_iter().collect() })
    }
}

impl From<Told> for Outcome {
    fn from(told: Told) -> Self {
        Outcome::told(told.json, told.text)
    }
}

/// A result as the protocol has it. An error is told to the agent, which can do something about it; it is never an
/// error of the protocol. In every failed call, `structuredContent.error` is the error.
pub(crate) fn told(result: Result<Outcome>) -> CallToolResult {
    let outcome = result.unwrap_or_else(|error| failure(&error));
    let mut content = vec![ContentBlock::text(outcome.text)];
    content.extend(outcome.more);
    let mut told =
        if outcome.failed { CallToolResult::error(content) } else { CallToolResult::success(content) };
    told.structured_content = Some(outcome.json);
    told
}

fn failure(error: &Error) -> Outcome {
    Outcome {
        json: json!({ "error": error }),
        text: format!("{error}\n{}\n", error.hint),
        failed: true,
        more: Vec::new(),
    }
}
