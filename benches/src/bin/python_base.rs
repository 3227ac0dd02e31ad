//! What the same calls cost in Rust, for `script/bench python`: it opens a target, and for each line on stdin, `is_idle N` or
//! `find N SELECTOR`, does the call N times and prints the nanoseconds of one, the mean of the N.

use serde_json::{Value, json};
use std::io::BufRead as _;
use std::time::Instant;
use stillpoint_core::select::SelectorInput;
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::verbs::{Call, FindElement, FindParams, IsIdle, Verb};
use stillpoint_engine::{Engine, Session};
use stillpoint_sim::Sim;

type Failure = Box<dyn std::error::Error>;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Failure> {
    let target = std::env::args().nth(1).ok_or("usage: bench-python-base TARGET")?;
    let engine = Engine::new().with(Sim::new());
    let session = engine.open(&target.parse()?, &AttachOptions::default()).await?;
    println!("{}", json!({ "nodes": session.read(|tree| tree.iter().count()) }));
    for line in std::io::stdin().lock().lines() {
        println!("{}", measured(&session, &line?).await?);
    }
    Ok(())
}

async fn measured(session: &Session, line: &str) -> Result<Value, Failure> {
    let mut words = line.splitn(3, ' ');
    let (what, times) = (words.next().unwrap_or_default(), words.next().unwrap_or_default().parse::<u32>()?);
    let selector = SelectorInput::Line(words.next().unwrap_or_default().to_owned());
    let call = Call::default();
    let began = Instant::now();
    for _ in 0..times {
        match what {
            "is_idle" => drop(IsIdle::run(session, <IsIdle as Verb>::Params::default(), &call).await?),
            "find" => {
                let params = FindParams { selector: selector.clone(), limit: 1, fingerprint: false };
                drop(FindElement::run(session, params, &call).await?);
            }
            other => return Err(format!("there is no {other:?}").into()),
        }
    }
    Ok(json!(began.elapsed().as_nanos() as f64 / f64::from(times)))
}
