//! What is typed into a password field is in nothing that leaves a session: no answer, snapshot, delta, watched change,
//! trace file, nor in the log at its most talkative.

#![allow(clippy::unwrap_used)] // a test may panic

mod stage;

use serde_json::json;
use stage::Stage;
use stage::verbs::answer;
use std::io::Write;
use std::sync::{Arc, Mutex};
use stillpoint_core::Target;
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::{Engine, Session};
use stillpoint_lab::{App, Fixture};

const TYPED: &str = "opensesame-typed";
const SET: &str = "opensesame-set";
const OPEN: &str = "visible-name";

/// Everything that was logged, by anybody.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

async fn opened(stage: &Stage, app: &App, trace: &std::path::Path) -> Session {
    let settings = [("trace".to_owned(), trace.display().to_string())].into();
    let options = AttachOptions { settings, ..AttachOptions::default() };
    let target: Target = format!("app:pid={}", app.pid()).parse().unwrap();
    Engine::new().with(stage.connector()).open(&target, &options).await.expect("it can be opened")
}

async fn control(app: &Arc<App>, line: &str) {
    let (app, line) = (app.clone(), line.to_owned());
    tokio::task::spawn_blocking(move || app.control(&line).unwrap()).await.unwrap();
}

/// Types and sets a password, and collects everything that is told meanwhile.
async fn told_while_typing(stage: &Stage, fixture: Fixture) -> String {
    let trace = stage.desktop.root().join("secret-trace.jsonl");
    let app = stage.fixture(fixture);
    let session = opened(stage, &app, &trace).await;
    let mut told = Vec::new();
    let mut keep = |answer: Box<dyn stillpoint_engine::verbs::Answer>| {
        told.push(answer.text());
        told.push(answer.json().unwrap().to_string());
    };
    let base = session.revision();
    let typing =
        |label: &str, text: &str| json!({ "selector": format!("textbox \"{label}\""), "text": text });
    keep(answer(&session, "type_text", typing("Username", OPEN)).await.unwrap());
    keep(answer(&session, "type_text", typing("Password", TYPED)).await.unwrap());
    control(&app, &format!("set login.password {SET}")).await;
    keep(answer(&session, "wait_for_idle", json!({})).await.unwrap());
    keep(answer(&session, "snapshot", json!({})).await.unwrap());
    keep(answer(&session, "snapshot", json!({ "since": base })).await.unwrap());
    keep(answer(&session, "find_element", json!({ "selector": "textbox \"Password\"" })).await.unwrap());
    told.push(format!("{:?}", session.delta_since(base).unwrap()));
    told.push(format!("{:?}", session.snapshot()));
    session.close().await;
    told.push(std::fs::read_to_string(&trace).expect("the trace was written"));
    told.join("\n")
}

#[tokio::test]
async fn a_password_is_in_no_answer_no_trace_and_no_log() {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::new("trace"))
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .init();
    let stage = Stage::new();
    for fixture in Fixture::ALL {
        let told = told_while_typing(&stage, fixture).await;
        assert!(told.contains(OPEN), "{fixture:?}: nothing was told at all");
        let logged = log.text();
        assert!(logged.contains("stillpoint_atspi"), "nothing was logged");
        for secret in [TYPED, SET] {
            let leak = told.lines().chain(logged.lines()).find(|line| line.contains(secret));
            assert_eq!(leak, None, "{fixture:?} gave a password away");
        }
    }
}
