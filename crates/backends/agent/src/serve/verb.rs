//! Verbs of the engine, asked for by name.

use serde_json::Value;
use stillpoint_core::{Code, Error};
use stillpoint_engine::Session;
use stillpoint_engine::verbs::{self, Answer, Call};
use stillpoint_wire::Fault;

/// Runs a verb; what it answers may still tell of a failure.
pub(crate) async fn ask(session: &Session, verb: &str, params: Value) -> Result<Box<dyn Answer>, Error> {
    let Some(spec) = verbs::by_name(verb) else {
        let names: Vec<&str> = verbs::table().iter().map(|v| v.name).collect();
        return Err(Error::new(
            Code::Unsupported,
            format!("there is no method {verb:?}"),
            format!("the methods are {}, and those of the backend", names.join(", ")),
        ));
    };
    (spec.run)(session, params, &Call::default()).await
}

/// Runs a verb that has to succeed.
pub(crate) async fn done(session: &Session, verb: &str, params: Value) -> Result<Value, Fault> {
    let answer = ask(session, verb, params).await?;
    match answer.error() {
        Some(error) => Err(error.into()),
        None => Ok(answer.json()?),
    }
}
