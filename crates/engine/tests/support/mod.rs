//! A session with a scene, and verbs by name as every face calls them.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // each test file uses its own part; a test may panic

pub mod wrapped;

use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use stillpoint_core::{Error, Target};
use stillpoint_engine::Session;
use stillpoint_engine::backend::{AttachOptions, Deadline};
use stillpoint_engine::telemetry::Telemetry;
use stillpoint_engine::verbs::{Answer, Call, by_name};
use stillpoint_sim::Sim;

pub async fn open_in(sim: &Sim, uri: &str, capacity: usize) -> Result<Session, Error> {
    let target: Target = uri.parse()?;
    let telemetry = Arc::new(Telemetry::default());
    let deadline = Deadline::after(Duration::from_secs(5));
    Session::attach_with_room(sim, target, &AttachOptions::default(), telemetry, deadline, capacity).await
}

pub async fn open(uri: &str) -> Session {
    open_in(&Sim::new(), uri, stillpoint_engine::backend::CAPACITY).await.unwrap()
}

pub async fn scripted(scene: &str) -> Session {
    open_in(&Sim::scripted(scene), "sim:custom", stillpoint_engine::backend::CAPACITY).await.unwrap()
}

pub async fn answer(session: &Session, verb: &str, params: Value) -> Result<Box<dyn Answer>, Error> {
    (by_name(verb).unwrap().run)(session, params, &Call::default()).await
}

pub async fn ask(session: &Session, verb: &str, params: Value) -> Value {
    answer(session, verb, params).await.unwrap().json().unwrap()
}

pub async fn refused(session: &Session, verb: &str, params: Value) -> Error {
    match answer(session, verb, params).await {
        Err(error) => error,
        Ok(answer) => panic!("{verb} was not refused: {}", answer.json().unwrap()),
    }
}

/// A session with settings, as a caller gives them when it attaches.
pub async fn open_with(
    sim: &dyn stillpoint_engine::backend::Connector,
    uri: &str,
    settings: &[(&str, &str)],
) -> Result<Session, Error> {
    let target: Target = uri.parse()?;
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let options = AttachOptions { settings, ..AttachOptions::default() };
    let telemetry = Arc::new(Telemetry::default());
    Session::attach(sim, target, &options, telemetry, Deadline::after(Duration::from_secs(5))).await
}
