//! `web:` starts a private browser and leaves nothing behind.
#![allow(clippy::unwrap_used, missing_docs)]
mod support;

use stillpoint_core::Code;
use stillpoint_core::tree::Role;
use support::{Rig, server::Server};

#[tokio::test]
async fn a_private_browser_shows_the_page_and_says_when_there_is_none() {
    let server = Server::start().await;
    let mut rig = Rig::attach(&format!("web:{}", server.url("static.html")), &[]).await;
    rig.tap(Role::Button, "Add one").await;
    rig.settle().await;
    rig.must_say("Count: 1");
    let button = rig.find(Role::Button, "Add one");
    assert!(rig.node(button).bounds().is_some_and(stillpoint_core::tree::Rect::has_area));
    rig.backend.close().await;

    let missing =
        Rig::try_attach("web:http://127.0.0.1:1/", &[("browser", "no-such-browser")]).await.err().unwrap();
    assert_eq!(missing.code, Code::TargetNotFound);
}
