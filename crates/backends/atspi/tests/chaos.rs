//! Apps that stand still, die or are slow: the right code, nothing late, nobody else held up.

mod stage;

use stage::{Stage, patience};
use std::time::Duration;
use stillpoint_core::Code;
use stillpoint_core::tree::Role;
use stillpoint_engine::backend::{Action, Backend as _, Button, Deadline, Delivery, End, Place, Scope};
use stillpoint_lab::Fixture;

/// Short, because nothing is going to answer.
fn brief() -> Deadline {
    Deadline::after(Duration::from_millis(300))
}

#[tokio::test]
async fn a_stopped_app_is_unresponsive_never_gets_the_action_and_comes_back() {
    let stage = Stage::new();
    let app = stage.fixture(Fixture::Gtk3);
    let mut watched = stage.attach(&app).await;
    watched.control(&app, "show animation").await;
    watched.catch_up().await;
    let on = Place::Element(watched.key(Role::Button, "Count"));
    let tap = Action::Tap { on, button: Button::Left, count: 1, hold: None };

    app.stop().unwrap();
    let barrier = watched.backend.barrier(brief()).await.unwrap_err();
    assert_eq!(barrier.code, Code::TargetUnresponsive);
    let refusal = watched.backend.perform(&tap, brief()).await.unwrap_err();
    assert_eq!(refusal.error.code, Code::TargetUnresponsive);
    assert_eq!(refusal.delivery, Delivery::NotDelivered);
    let refresh = watched.backend.refresh(Scope::Everything, brief()).await.unwrap_err();
    assert_eq!(refresh.code, Code::TargetUnresponsive);
    let target = format!("app:pid={}", app.pid());
    let Err(attach) = stage.try_attach(&target, brief()).await else { panic!("attached to a stopped app") };
    assert_eq!(attach.code, Code::TargetUnresponsive);

    app.cont().unwrap();
    watched.control(&app, "rest").await;
    watched.catch_up().await;
    let truth: serde_json::Value = serde_json::from_str(&watched.control(&app, "truth").await).unwrap();
    assert!(
        truth["activations"]["animation.count"].as_u64().unwrap_or(0) == 0,
        "a late action fired: {truth}"
    );
    watched.backend.perform(&tap, patience()).await.expect("it works again");
    watched.control(&app, "activated animation.count 1").await;
    stage.try_attach(&target, patience()).await.expect("a new attach works");
}

#[tokio::test]
async fn an_action_after_its_deadline_is_not_delivered() {
    let stage = Stage::new();
    let app = stage.fixture(Fixture::Gtk3);
    let mut watched = stage.attach(&app).await;
    watched.control(&app, "show animation").await;
    watched.catch_up().await;
    let on = Place::Element(watched.key(Role::Button, "Count"));
    let tap = Action::Tap { on, button: Button::Left, count: 1, hold: None };
    let late = watched.backend.perform(&tap, Deadline::after(Duration::ZERO)).await.unwrap_err();
    assert_eq!(late.delivery, Delivery::NotDelivered);
    watched.control(&app, "rest").await;
    let truth: serde_json::Value = serde_json::from_str(&watched.control(&app, "truth").await).unwrap();
    assert_eq!(truth["activations"]["animation.count"].as_u64().unwrap_or(0), 0);
}

#[tokio::test]
async fn one_stopped_app_holds_nobody_else_up() {
    let stage = Stage::new();
    let (stopped, lively) = (stage.fixture(Fixture::Gtk3), stage.fixture(Fixture::Gtk4));
    let mut watched = stage.attach(&lively).await;
    let other = stage.attach(&stopped).await;
    stopped.stop().unwrap();
    let (held, ()) = tokio::join!(other.backend.barrier(brief()), async {
        watched.control(&lively, "show values").await;
        watched.catch_up().await;
    });
    assert_eq!(held.unwrap_err().code, Code::TargetUnresponsive);
    assert!(watched.find(Role::Slider, "Volume").is_some());
    // Found by name although another app on the same bus does not answer.
    stage.try_attach("app:fixture-gtk4", patience()).await.expect("the search does not hang");
    stopped.cont().unwrap();
    other.backend.barrier(patience()).await.expect("it goes on where it was");
}

#[tokio::test]
async fn a_killed_app_is_lost_and_every_call_says_so() {
    let stage = Stage::new();
    let app = stage.fixture(Fixture::Gtk3);
    let mut watched = stage.attach(&app).await;
    app.kill().unwrap();
    let End::Lost(error) = watched.until_end().await else {
        panic!("a killed app is not closed in good order")
    };
    assert_eq!(error.code, Code::TargetLost);
    assert_eq!(watched.backend.barrier(patience()).await.unwrap_err().code, Code::TargetLost);
    let root = watched.tree().root().and_then(|id| watched.tree().get(id)).unwrap().key();
    let refusal = watched.backend.perform(&Action::Focus { on: root }, patience()).await.unwrap_err();
    assert_eq!(refusal.error.code, Code::TargetLost);
    assert_eq!(refusal.delivery, Delivery::NotDelivered);
    let again = stage.fixture(Fixture::Gtk3);
    stage.attach(&again).await;
}

#[tokio::test]
async fn an_app_killed_while_it_is_attached_to_gives_an_error_not_a_hang() {
    let stage = Stage::new();
    let app = stage.fixture(Fixture::Gtk3);
    app.stop().unwrap();
    let target = format!("app:pid={}", app.pid());
    let attach = stage.try_attach(&target, patience());
    let kill = async { app.kill().unwrap() };
    let (attached, ()) = tokio::join!(attach, kill);
    let Err(error) = attached else { panic!("attached to a dead app") };
    assert!(
        matches!(error.code, Code::TargetLost | Code::TargetNotFound | Code::HierarchyEmpty),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_busy_app_is_waited_for_until_the_deadline_and_no_longer() {
    let stage = Stage::new();
    let app = stage.fixture(Fixture::Gtk3);
    let mut watched = stage.attach(&app).await;
    watched.control(&app, "busyloop 1500").await;
    let error = watched.backend.barrier(brief()).await.unwrap_err();
    assert_eq!(error.code, Code::TargetUnresponsive);
    watched.catch_up().await;
    assert!(watched.find(Role::Button, "Sign in").is_some());
}
