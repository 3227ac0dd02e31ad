//! Every scene attaches and plays, and what it tells leads from its first tree to its truth.
#![allow(clippy::unwrap_used)] // a test may fail by panic, its helpers too

mod support;

use stillpoint_core::Code;
use stillpoint_core::tree::{Change, Role, State};
use stillpoint_engine::backend::{Connector, Delivery, End, Next};
use stillpoint_sim::Sim;
use support::{all, attach, refused, soon, texts, tree};

#[tokio::test(start_paused = true)]
async fn every_listed_scene_attaches_with_a_tree_that_makes_sense() {
    for info in Sim::new().list(soon()).await.unwrap() {
        let player = attach(&info.target).await;
        let root = tree(&player.first);
        assert_eq!(root.props.role(), Role::Application, "{}", info.target);
        assert!(info.name.len() > 20, "{} has no description", info.target);
        for node in all(root) {
            let bounds = node.props.bounds().unwrap_or_default();
            assert!(bounds.has_area(), "{}: {:?} has no area", info.target, node.props);
            for state in [State::Enabled, State::Visible, State::OnScreen] {
                assert!(node.props.states().get(state).is_some(), "{}: {:?}", info.target, node.props);
            }
            if node.props.role().is_interactive() {
                assert!(!node.props.actions().is_empty(), "{}: {:?}", info.target, node.props);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn login_leads_to_another_screen() {
    let mut player = attach("sim:login").await;
    player.play(300).await;
    assert_eq!(player.text("banner").await, "Ready");
    assert!(!player.is("signin", State::Enabled).await);
    player.type_into("username", "ada").await.unwrap();
    player.type_into("password", "engine").await.unwrap();
    assert!(player.is("signin", State::Enabled).await);
    player.tap("signin").await.unwrap();
    assert!(player.is("progress", State::Visible).await);
    assert!(!player.is("signin", State::Enabled).await);
    player.play(500).await;
    assert_eq!(player.text("welcome").await, "Welcome, ada");
    let told = player.told().await;
    let titled = |c: &Change| matches!(c, Change::Screen { title: Some(t), .. } if &**t == "Orders");
    assert!(told.iter().flatten().any(titled));
    player.tap("signout").await.unwrap();
    player.play(200).await;
    assert_eq!(player.text("banner").await, "Signed out");
}

#[tokio::test(start_paused = true)]
async fn a_wrong_password_is_refused_and_never_told() {
    let mut player = attach("sim:login").await;
    player.type_into("username", "ada").await.unwrap();
    player.type_into("password", "wrong").await.unwrap();
    player.press("Enter").await.unwrap();
    player.play(500).await;
    assert_eq!(player.text("problem").await, "Invalid credentials");
    let told = player.told().await;
    assert!(!format!("{told:?} {:?}", player.now().await).contains("wrong"));
    assert!(told.iter().flatten().any(|c| matches!(c, Change::Replace(n) if n.props.is_protected())));
}

#[tokio::test(start_paused = true)]
async fn a_toast_comes_and_goes_and_something_stays() {
    let mut player = attach("sim:toast").await;
    player.play(120).await;
    assert!(player.props("toast").await.is_some());
    player.play(200).await;
    assert!(player.props("toast").await.is_none());
    assert_eq!(player.text("saves").await, "Opened");
    player.tap("save").await.unwrap();
    player.play(200).await;
    let told = player.told().await;
    let toasts = told.iter().flatten().filter(|c| matches!(c, Change::Insert { .. })).count();
    assert_eq!(toasts, 2);
    assert_eq!(player.text("saves").await, "Saved 1 times");
}

#[tokio::test(start_paused = true)]
async fn the_clock_never_stops() {
    let mut player = attach("sim:clock").await;
    player.play(1050).await;
    let told = texts(&player.told().await);
    assert_eq!(told.len(), 10);
    assert_eq!(told[9], "1.0 s");
    player.tap("lap").await.unwrap();
    assert_eq!(player.count(Role::ListItem).await, 1);
}

#[tokio::test(start_paused = true)]
async fn pulse_moves_for_ever_and_changes_one_text() {
    let mut player = attach("sim:pulse").await;
    player.play(1000).await;
    let told = player.told().await;
    assert_eq!(texts(&told), ["Running"]);
    assert!(told.len() > 50);
}

#[tokio::test(start_paused = true)]
async fn a_crash_is_told_as_a_loss_after_one_change() {
    let mut player = attach("sim:crash").await;
    let (told, end) = player.end().await;
    assert_eq!(texts(&told), ["Something is wrong"]);
    assert!(matches!(end, End::Lost(error) if error.code == Code::TargetLost));
    assert_eq!(player.backend.barrier(soon()).await.unwrap_err().code, Code::TargetLost);
    let on = stillpoint_core::tree::NativeKey(3);
    let refusal = player.act(stillpoint_engine::backend::Action::Focus { on }).await.unwrap_err();
    assert_eq!((refusal.error.code, refusal.delivery), (Code::TargetLost, Delivery::NotDelivered));
}

#[tokio::test(start_paused = true)]
async fn a_hung_app_keeps_every_call_waiting_until_its_deadline() {
    let mut player = attach("sim:hang").await;
    let button = player.key("export").await;
    player.play(100).await;
    assert_eq!(texts(&player.told().await), ["Exporting"]);
    assert_eq!(player.backend.barrier(soon()).await.unwrap_err().code, Code::TargetUnresponsive);
    let everything = stillpoint_engine::backend::Scope::Everything;
    assert_eq!(player.backend.refresh(everything, soon()).await.unwrap_err().code, Code::TargetUnresponsive);
    let refusal = player.act(stillpoint_engine::backend::Action::Focus { on: button }).await.unwrap_err();
    assert_eq!((refusal.error.code, refusal.delivery), (Code::TargetUnresponsive, Delivery::Unknown));
    assert!(!refusal.error.retryable);
    let truth = player.sim.truth("sim:hang").await.unwrap();
    assert_eq!(tree(&truth).count(), tree(&player.first).count());
}

#[tokio::test(start_paused = true)]
async fn a_flood_overflows_the_queue_and_ends_in_a_known_state() {
    let mut player = attach("sim:flood").await;
    player.play(300).await;
    let lost = loop {
        match player.inbox.next().await {
            Next::Event(_) => {}
            Next::Resync(dropped) => break dropped,
            Next::End(end) => panic!("{end:?}"),
        }
    };
    assert!(lost > 10_000);
    assert_eq!(player.text("line").await, "Run 1, line 20000");
    assert_eq!(player.text("status").await, "Imported 20000 lines");
    assert_eq!(player.count(Role::ListItem).await, 20);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_scene_says_which_there_are() {
    let error = refused("sim:logon").await;
    assert_eq!(error.code, Code::TargetNotFound);
    assert!(error.details["scenes"].as_array().is_some_and(|names| names.len() == 22));
    assert!(error.hint.contains("login") && error.hint.contains("table:500"), "{}", error.hint);
    for (uri, word) in [
        ("sim:login?spede=2", "speed"),
        ("sim:login?speed=fast", "number"),
        ("sim:login?speed=0", "twice"),
        ("sim:login?speed=1000000", "twice"),
        ("sim:login?jitter=-5", "number"),
        ("sim:login?latency=inf", "number"),
        ("sim:table:many", "whole number"),
        ("sim:table:99999999999", "whole number"),
        ("sim:churn:12", "changes a second"),
        ("sim:churn:10,-1", "whole number"),
    ] {
        let error = refused(uri).await;
        assert_eq!(error.code, Code::InvalidArgument, "{uri}");
        assert!(error.hint.contains(word), "{uri}: {}", error.hint);
    }
}
