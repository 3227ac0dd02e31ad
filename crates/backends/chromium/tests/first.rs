//! First steps on a real browser.
#![allow(clippy::unwrap_used, missing_docs)]
mod support;
use stillpoint_core::tree::Role;
use support::{Rig, server::Server};

#[tokio::test]
async fn a_click_on_a_static_page_is_seen_after_the_barrier() {
    let _ = tracing_subscriber::fmt().with_env_filter(tracing_subscriber::EnvFilter::from_default_env()).with_test_writer().try_init();
    let server = Server::start().await;
    let mut rig = Rig::attach(&format!("web:{}", server.url("static.html")), &[]).await;
    println!("{}", support::describe(rig.mirror.tree(), true));
    rig.tap(Role::Button, "Add one").await;
    rig.barrier().await;
    rig.must_say("Count: 1");
    rig.tap(Role::Button, "Show").await;
    rig.barrier().await;
    rig.tap(Role::Button, "Now you see me").await;
    let report = rig.settle().await;
    println!("{report:?} {}", support::describe(rig.mirror.tree(), true));
    rig.backend.close().await;
}
