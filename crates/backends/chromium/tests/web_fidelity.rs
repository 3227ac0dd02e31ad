//! The mirror, kept by events, equals a fresh read of the browser's accessibility tree.
#![allow(clippy::unwrap_used, missing_docs)]
mod support;

use stillpoint_core::Moment;
use stillpoint_core::revise::Mirror;
use stillpoint_core::tree::Limits;
use stillpoint_engine::backend::Scope;
use support::browser::TestBrowser;
use support::{Rig, describe, server::Server, soon};

const ROUNDS: u32 = 100;
const EACH: u32 = 20;

/// Lines of the mirror that a fresh read does not have, and the other way round.
fn differences(mirror: &str, fresh: &str) -> String {
    use std::fmt::Write;
    let (a, b): (Vec<_>, Vec<_>) = (mirror.lines().collect(), fresh.lines().collect());
    let mut out = String::new();
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    for line in a.iter().take(start).skip(start.saturating_sub(6)) {
        writeln!(out, "  {line}").unwrap();
    }
    for line in a.iter().take(a.len().saturating_sub(end)).skip(start) {
        writeln!(out, "- {line}").unwrap();
    }
    for line in b.iter().take(b.len().saturating_sub(end)).skip(start) {
        writeln!(out, "+ {line}").unwrap();
    }
    out
}

#[tokio::test]
async fn after_two_thousand_random_mutations_the_mirror_equals_a_fresh_read() {
    let wanted = std::env::var("STILLPOINT_SEED").ok().and_then(|s| s.parse().ok());
    equals_a_fresh_read(wanted.unwrap_or(1)).await;
}

#[tokio::test]
async fn after_two_thousand_other_mutations_too() {
    equals_a_fresh_read(5).await;
}

async fn equals_a_fresh_read(first: u32) {
    let _ = tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_test_writer()
        .try_init();
    let server = Server::start().await;
    let browser = TestBrowser::start().await;
    let mut tab = browser.tab("about:blank").await;
    browser.close_first(&tab).await;
    tab.go(&server.url("playground.html")).await;
    let mut rig = Rig::attach(&format!("cdp:{}", browser.url), &[]).await;
    let every: u32 = std::env::var("STILLPOINT_CHECK_EVERY").ok().and_then(|s| s.parse().ok()).unwrap_or(5);
    for round in 0..ROUNDS {
        let seed = first * 1000 + round;
        tab.eval(&format!("mutate({EACH}, {seed})")).await;
        rig.barrier().await;
        if round % every != every - 1 {
            continue;
        }
        let kept = describe(rig.mirror.tree(), false);
        let mut fresh = Mirror::new(Limits::default());
        let read = rig.backend.refresh(Scope::Everything, soon()).await.unwrap();
        fresh.apply(read.clone(), Moment::START);
        let fresh = describe(fresh.tree(), false);
        if kept != fresh {
            let story = tab.eval("story.join('\\n')").await;
            let html = tab.eval("ground.innerHTML").await;
            panic!(
                "round {round}, seed {seed}:\n{}\nafter\n{}\nin\n{}",
                differences(&kept, &fresh),
                story.as_str().unwrap_or_default(),
                html.as_str().unwrap_or_default()
            );
        }
        // What a refresh found is only in its answer: who asked for it applies it.
        rig.mirror.apply(read, Moment::START);
    }
    assert!(rig.mirror.tree().len() > 100, "{}", rig.text());
}
