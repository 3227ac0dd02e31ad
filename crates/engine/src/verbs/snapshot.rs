//! What is on the screen: all of it, or what changed since a revision.

use super::{Answer, Call, Verb, to_json};
use crate::session::Session;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stillpoint_core::render::{
    DeltaJson, EmitOptions, SnapshotJson, SnapshotView, delta_text, diff, snapshot_text,
};
use stillpoint_core::revise::{Delta, Revision, Snapshot};
use stillpoint_core::select::{SelectorInput, Visibility, resolve_one};
use stillpoint_core::settle::{LoadingState, StabilityState, loading_state};
use stillpoint_core::tree::ElementId;
use stillpoint_core::{Code, Error, Result};

/// How much to tell.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SnapshotParams {
    /// Tell only what changed since this revision, where that is shorter.
    pub since: Option<Revision>,
    /// At most this many elements; 2048 if left out.
    pub max_nodes: Option<usize>,
    /// At most this deep; any depth if left out.
    pub max_depth: Option<usize>,
    /// Only this element and what lies in it.
    pub under: Option<SelectorInput>,
}

/// A delta longer than this share of the full text is not worth it.
const WORTH_IT: f64 = 0.7;

/// What is told.
#[derive(Clone, Debug)]
enum Told {
    Full,
    Delta(Delta),
    Unchanged(Revision),
}

/// A snapshot, a delta, or the word that nothing changed.
#[derive(Clone, Debug)]
pub struct SnapshotAnswer {
    target: String,
    snapshot: Snapshot,
    stability: StabilityState,
    loading: LoadingState,
    options: EmitOptions,
    told: Told,
}

/// The answer as JSON: `kind` says which of the three it is.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(dead_code)] // the schema of the answer; the values are made in `json`
enum SnapshotAnswerSchema {
    /// Everything.
    Full(SnapshotJson),
    /// What changed since `base_revision`.
    Delta(DeltaJson),
    /// Nothing changed since `base_revision`.
    Unchanged {
        /// The revision that was asked about.
        base_revision: Revision,
        /// The revision now.
        snapshot_revision: Revision,
        /// How far rest is proven.
        stability_state: StabilityState,
        /// When this was read, in milliseconds of the session.
        captured_at_ms: u64,
    },
}

impl JsonSchema for SnapshotAnswer {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        SnapshotAnswerSchema::schema_name()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        SnapshotAnswerSchema::json_schema(generator)
    }
}

impl SnapshotAnswer {
    fn view(&self) -> SnapshotView<'_> {
        SnapshotView {
            target: &self.target,
            snapshot: &self.snapshot,
            stability: self.stability,
            loading: self.loading,
            options: self.options,
        }
    }

    /// The snapshot that it tells about.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    fn full(&self) -> Result<Value> {
        tagged("full", to_json(&self.view().to_json())?)
    }

    fn delta(&self, delta: &Delta) -> Result<Value> {
        let mut value = to_json(&diff(delta, &self.snapshot.tree, &self.options))?;
        value["stability_state"] = to_json(&self.stability)?;
        value["loading_state"] = to_json(&self.loading)?;
        value["captured_at_ms"] = self.snapshot.captured_at.as_millis().into();
        tagged("delta", value)
    }

    fn is_worth_it(delta: usize, full: usize) -> bool {
        delta as f64 <= full as f64 * WORTH_IT
    }

    fn header(&self, base: Revision) -> String {
        format!("rev {base} → {} {}", self.snapshot.revision, self.stability.name())
    }
}

fn tagged(kind: &str, value: Value) -> Result<Value> {
    let Value::Object(fields) = value else { return Err(Error::internal("an answer is not an object")) };
    let mut told = serde_json::Map::new();
    told.insert("kind".to_owned(), kind.into());
    told.extend(fields);
    Ok(Value::Object(told))
}

impl Answer for SnapshotAnswer {
    fn json(&self) -> Result<Value> {
        match &self.told {
            Told::Full => self.full(),
            Told::Unchanged(base) => Ok(json!({
                "kind": "unchanged",
                "base_revision": base,
                "snapshot_revision": self.snapshot.revision,
                "stability_state": self.stability,
                "captured_at_ms": self.snapshot.captured_at.as_millis(),
            })),
            Told::Delta(delta) => {
                let (short, full) = (self.delta(delta)?, self.full()?);
                let worth = Self::is_worth_it(short.to_string().len(), full.to_string().len());
                Ok(if worth { short } else { full })
            }
        }
    }

    fn text(&self) -> String {
        match &self.told {
            Told::Full => snapshot_text(&self.view()),
            Told::Unchanged(base) => format!("{} unchanged\n", self.header(*base)),
            Told::Delta(delta) => {
                let changes = delta_text(delta, &self.snapshot.tree);
                if changes.is_empty() {
                    return format!("{} unchanged\n", self.header(delta.base()));
                }
                let full = snapshot_text(&self.view());
                let worth = Self::is_worth_it(changes.len(), full.len());
                if worth { format!("{}\n{changes}", self.header(delta.base())) } else { full }
            }
        }
    }
}

/// The verb.
pub struct TakeSnapshot;

#[async_trait]
impl Verb for TakeSnapshot {
    const NAME: &'static str = "snapshot";
    const ABOUT: &'static str = "Tells what is on the screen. Give since with a revision that you know, and only what \
        changed is told. It is read from the live mirror and costs the app nothing; to be sure that the UI is at \
        rest, wait first.";
    const READ_ONLY: bool = true;
    type Params = SnapshotParams;
    type Answer = SnapshotAnswer;

    async fn run(session: &Session, params: SnapshotParams, _: &Call) -> Result<SnapshotAnswer> {
        session.alive()?;
        if params.max_nodes == Some(0) {
            return Err(Error::invalid(
                "max_nodes 0 leaves nothing to tell",
                "give at least 1, or leave it out for 2048",
            ));
        }
        session.catch_up(super::limits::reading()).await?;
        let under = subtree(session, params.under.as_ref())?;
        let options =
            EmitOptions { max_nodes: params.max_nodes.unwrap_or(2048), max_depth: params.max_depth, under };
        let stability = session.glance();
        let now = session.now();
        let (snapshot, loading, told) = session.read_mirror(|mirror| {
            let delta = params.since.map(|base| mirror.delta_since(base)).transpose();
            let told = match delta {
                Ok(None) => Told::Full,
                Ok(Some(delta)) if delta.is_empty() => Told::Unchanged(delta.base()),
                Ok(Some(delta)) => Told::Delta(delta),
                // Too old is answered in full (SPEC §10); what never was is a mistake of the caller's.
                Err(error)
                    if error.code == Code::BaseRevisionUnavailable
                        && params.since < Some(mirror.revision()) =>
                {
                    Told::Full
                }
                Err(error) => return Err(error),
            };
            Ok((mirror.snapshot(now), loading_state(mirror.tree(), None), told))
        })?;
        let target = session.target().to_string();
        Ok(SnapshotAnswer { target, snapshot, stability, loading, options, told })
    }
}

fn subtree(session: &Session, under: Option<&SelectorInput>) -> Result<Option<ElementId>> {
    let Some(under) = under else { return Ok(None) };
    let selector = under.selector()?;
    session.read(|tree| resolve_one(tree, &selector, Visibility::Any)).map(|r| Some(r.id))
}
