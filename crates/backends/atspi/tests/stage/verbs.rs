//! A session of the engine with an app on the stage, and verbs by name as every face calls them.

use super::Stage;
use serde_json::Value;
use stillpoint_core::{Error, Target};
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::verbs::{Answer, Call, by_name};
use stillpoint_engine::{Engine, Session};
use stillpoint_lab::App;

impl Stage {
    /// Opens an app. Without the check that repairs: a test has to see what the events alone give.
    pub async fn open(&self, app: &App) -> Session {
        let settings = [("reconcile".to_owned(), "off".to_owned())].into();
        let options = AttachOptions { settings, ..AttachOptions::default() };
        let target: Target = format!("app:pid={}", app.pid()).parse().expect("a target");
        let engine = Engine::new().with(self.connector());
        engine.open(&target, &options).await.expect("it can be opened")
    }
}

pub async fn answer(session: &Session, verb: &str, params: Value) -> Result<Box<dyn Answer>, Error> {
    (by_name(verb).expect("there is such a verb").run)(session, params, &Call::default()).await
}

pub async fn ask(session: &Session, verb: &str, params: Value) -> Value {
    let told = answer(session, verb, params.clone()).await;
    let told = told.unwrap_or_else(|error| panic!("{verb} {params}: {error:?}"));
    told.json().expect("an answer is JSON")
}
