//! Several clients do whatever they like to one target at once: nobody waits for ever, and all see the same in the end.
//!
//! The usual run is short. `STILLPOINT_SOAK=600 cargo nextest run -p stillpoint-mcp --test concurrent` goes on for so many
//! seconds.
#![allow(clippy::unwrap_used)] // a test may panic

mod support;

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::{Agent, connect, end, engine};

const CLIENTS: u64 = 4;
const ROUNDS: u64 = 40;
/// A call that takes longer than this is taken for one that never ends.
const PATIENCE: Duration = Duration::from_secs(60);

/// The same numbers for the same seed.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A verb with parameters that may or may not fit what is shown just now.
fn anything(dice: &mut Dice, known: u64) -> (&'static str, Value) {
    let selector =
        ["#save", "button \"Save\"", "text", "\"no such thing\"", "e5", "e9999"][dice.throw(6) as usize];
    match dice.throw(12) {
        0 => ("snapshot", json!({})),
        1 => ("snapshot", json!({ "since": known })),
        2 => ("find_element", json!({ "selector": selector })),
        3 | 4 => ("tap", json!({ "selector": selector, "timeout_ms": 200 })),
        5 => ("tap", json!({ "selector": "#save", "settle": "none", "expected_revision": known })),
        6 => ("wait_for_ui", json!({ "selector": selector, "timeout_ms": 50 })),
        7 => (
            "wait_for_ui_change",
            json!({ "since_revision": known, "timeout_ms": 300, "stability_window_ms": 100 }),
        ),
        8 => ("wait_for_idle", json!({ "timeout_ms": 400, "stability_window_ms": 100 })),
        9 => (
            "expect_state",
            json!({ "selector": selector, "property": "enabled", "expected": true, "timeout_ms": 30 }),
        ),
        10 => ("get_screen_fingerprint", json!({})),
        _ => {
            ("run_flow", json!({ "steps": [{ "verb": "tap", "selector": "#save" }, { "verb": "is_idle" }] }))
        }
    }
}

/// One client's life. Gives back how many calls it made.
async fn live(agent: &Agent, seed: u64, until: Option<Instant>) -> u64 {
    let mut dice = Dice(seed);
    let (mut known, mut calls) = (1, 0);
    while until.map_or(calls < ROUNDS, |until| Instant::now() < until) {
        let (verb, mut params) = anything(&mut dice, known);
        params["app"] = json!("sim:toast");
        calls += 1;
        if dice.throw(8) == 0 {
            // Given up at once, or after it has come a little way.
            let begun = agent.begin(verb, params).await;
            if dice.throw(2) == 0 {
                tokio::task::yield_now().await;
            }
            begun.cancel(None).await.unwrap();
            continue;
        }
        let begun = agent.begin(verb, params.clone()).await;
        let answer = tokio::time::timeout(PATIENCE, end(begun)).await;
        let answer =
            answer.unwrap_or_else(|_| panic!("{verb} {params} never ended (seed {seed}, call {calls})"));
        let told = answer.structured_content.unwrap();
        if let Some(revision) = told["snapshot_revision"].as_u64() {
            assert!(revision >= known, "revisions went back from {known}: {told}");
            known = revision;
        }
    }
    calls
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_at_once_never_wait_for_ever_and_see_the_same_in_the_end() {
    let soak = std::env::var("STILLPOINT_SOAK").ok().and_then(|s| s.parse().ok()).map(Duration::from_secs);
    let until = soak.map(|soak| Instant::now() + soak);
    let engine = engine();
    let mut lives = tokio::task::JoinSet::new();
    for seed in 0..CLIENTS {
        let agent = connect(&engine).await;
        lives.spawn(async move {
            let calls = live(&agent, seed, until).await;
            (agent, calls)
        });
    }
    let lived = lives.join_all().await;
    let app = json!({ "app": "sim:toast" });
    lived[0].0.ask("wait_for_idle", app.clone()).await;
    let mut seen = Vec::new();
    for (agent, _) in &lived {
        let shot = agent.ask("snapshot", app.clone()).await;
        seen.push((shot["snapshot_revision"].clone(), shot["elements"].clone()));
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:?}");
    assert!(seen[0].0.as_u64() > Some(1), "nothing ever happened");
    println!("{} calls, {} revisions", lived.iter().map(|(_, calls)| calls).sum::<u64>(), seen[0].0);
}
