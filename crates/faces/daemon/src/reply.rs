//! What a call comes back with, on its way over the socket.

use crate::sessions::Told;
use crate::wire::Form;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stillpoint_core::{Error, Result};
use stillpoint_engine::verbs::{Answer, Verdict};

/// An answer that came over the socket. It can be printed as every [`Answer`] can.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reply {
    #[serde(default, skip_serializing_if = "Value::is_null")]
    json: Value,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
    verdict: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Error>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "picture")]
    picture: Option<Vec<u8>>,
}

/// A picture as JSON can carry it.
mod picture {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize, Deserializer, Serializer, de};

    #[allow(clippy::ref_option)] // serde passes it so
    pub(super) fn serialize<S: Serializer>(png: &Option<Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
        match png {
            Some(png) => to.serialize_str(&STANDARD.encode(png)),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<u8>>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| STANDARD.decode(text).map_err(de::Error::custom)).transpose()
    }
}

const VERDICTS: [(&str, Verdict); 5] = [
    ("done", Verdict::Done),
    ("no", Verdict::No),
    ("unavailable", Verdict::Unavailable),
    ("timeout", Verdict::Timeout),
    ("cancelled", Verdict::Cancelled),
];

impl Reply {
    /// A verb's answer, in the form that was asked for.
    pub(crate) fn of(answer: &dyn Answer, form: Form) -> Result<Self> {
        let verdict = VERDICTS.iter().find(|(_, v)| *v == answer.verdict()).map_or("done", |(name, _)| name);
        let verdict = verdict.to_owned();
        let picture = answer.picture().map(<[u8]>::to_vec);
        let json = if form == Form::Text { Value::Null } else { answer.json()? };
        let text = if form == Form::Json { String::new() } else { answer.text() };
        Ok(Reply { json, text, verdict, error: answer.error(), picture })
    }

    /// The answer's JSON without a copy.
    pub fn into_json(self) -> Value {
        self.json
    }
}

impl From<Told> for Reply {
    fn from(told: Told) -> Self {
        Reply { json: told.json, text: told.text, verdict: "done".to_owned(), error: None, picture: None }
    }
}

impl Answer for Reply {
    fn json(&self) -> Result<Value> {
        Ok(self.json.clone())
    }

    fn text(&self) -> String {
        self.text.clone()
    }

    fn verdict(&self) -> Verdict {
        let known = VERDICTS.iter().find(|(name, _)| *name == self.verdict);
        // A newer daemon may know verdicts that we do not; its error says more.
        known.map(|(_, v)| *v).or_else(|| self.error.as_ref().and_then(Verdict::of)).unwrap_or(Verdict::No)
    }

    fn error(&self) -> Option<Error> {
        self.error.clone()
    }

    fn picture(&self) -> Option<&[u8]> {
        self.picture.as_deref()
    }
}
