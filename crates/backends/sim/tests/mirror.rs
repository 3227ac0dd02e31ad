//! What a scene tells leads a mirror from the first tree to the scene's own truth.
#![allow(clippy::unwrap_used)] // a test may fail by panic, its helpers too

mod support;

use stillpoint_core::Moment;
use stillpoint_core::revise::Mirror;
use stillpoint_core::tree::{Change, Limits, NativeKey, Prop, Role};
use stillpoint_engine::backend::{Action, Button, Connector, Event, Next, Place, Scope};
use stillpoint_sim::Sim;
use support::{Player, all, attach, soon, tree};

fn mirror_of(changes: Vec<Change>) -> Mirror {
    let mut mirror = Mirror::new(Limits::default());
    mirror.apply(changes, Moment::START);
    mirror
}

/// Every element in document order, as far as a backend decides about it.
fn picture(mirror: &Mirror) -> Vec<String> {
    let tree = mirror.tree();
    tree.walk()
        .map(|(id, node)| format!("{:?} under {:?}: {:?}", node.key(), tree.path(id).len(), node.props()))
        .collect()
}

async fn follow(player: &mut Player, mirror: &mut Mirror, at: u64) {
    player.backend.barrier(soon()).await.unwrap();
    for batch in player.told().await {
        let ignored = mirror.apply(batch, Moment::from_millis(at)).ignored;
        assert_eq!(ignored, 0, "{} told something about an element that is not there", player.target);
    }
}

async fn assert_equals_truth(player: &mut Player, mirror: &mut Mirror) {
    // The barrier and the read are one moment of virtual time, so nothing comes between them.
    follow(player, mirror, 9_000).await;
    let truth = mirror_of(player.sim.truth(&player.target).await.unwrap());
    follow(player, mirror, 9_001).await;
    assert_eq!(picture(mirror), picture(&truth), "{}", player.target);
    assert_eq!(mirror.tree().screen().title, truth.tree().screen().title, "{}", player.target);
}

/// Scenes that come to rest, so that a mirror and a truth that are read one after the other must be equal.
async fn resting_scenes() -> Vec<String> {
    let restless = ["crash", "hang", "flood", "clock", "pulse", "replace", "churn:1000,200"];
    let all = Sim::new().list(soon()).await.unwrap();
    all.into_iter().map(|info| info.target).filter(|t| !restless.contains(&&t[4..])).collect()
}

#[tokio::test(start_paused = true)]
async fn the_told_changes_of_every_scene_lead_to_its_truth() {
    for target in resting_scenes().await {
        let mut player = attach(&target).await;
        let mut mirror = mirror_of(player.first.clone());
        player.play(4_000).await;
        assert_equals_truth(&mut player, &mut mirror).await;
    }
}

#[tokio::test(start_paused = true)]
async fn tapping_everything_leads_to_the_truth_as_well() {
    for target in resting_scenes().await.into_iter().filter(|t| !t.contains("table")) {
        let mut player = attach(&target).await;
        let mut mirror = mirror_of(player.first.clone());
        player.play(3_000).await;
        for round in 0..3 {
            let root = player.now().await;
            let keys: Vec<NativeKey> = all(&root).iter().map(|n| n.key).collect();
            for key in keys {
                let on = Place::Element(key);
                // Hidden and disabled elements refuse; that is part of the play.
                let _ = player.act(Action::Tap { on, button: Button::Left, count: 1, hold: None }).await;
                let text = if round == 0 { "a@b" } else { "18" };
                let _ =
                    player.act(Action::TypeText { on: Some(key), text: text.into(), replace: true }).await;
                let _ = player.act(Action::Scroll { on, dx: 0, dy: 200 }).await;
                player.play(30).await;
                follow(&mut player, &mut mirror, 5_000).await;
            }
            player.play(1_500).await;
        }
        assert_equals_truth(&mut player, &mut mirror).await;
    }
}

#[tokio::test(start_paused = true)]
async fn restless_scenes_lead_to_their_truth_at_any_moment() {
    for target in ["sim:clock", "sim:pulse", "sim:replace", "sim:churn:500,300", "sim:churn:40,2000?seed=3"] {
        let mut player = attach(target).await;
        let mut mirror = mirror_of(player.first.clone());
        for _ in 0..20 {
            player.play(73).await;
            let truth = player.backend.refresh(Scope::Everything, soon()).await.unwrap();
            for batch in drain(&mut player).await {
                assert_eq!(mirror.apply(batch, Moment::START).ignored, 0, "{target}");
            }
            assert_eq!(picture(&mirror), picture(&mirror_of(truth)), "{target}");
        }
    }
}

/// What is in the queue already, without letting any time pass.
async fn drain(player: &mut Player) -> Vec<Vec<Change>> {
    let mut batches = Vec::new();
    loop {
        tokio::select! {
            biased;
            next = player.inbox.next() => match next {
                Next::Event(Event::Batch { changes, .. }) => batches.push(changes),
                other => panic!("{other:?}"),
            },
            () = std::future::ready(()) => return batches,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_replaced_element_keeps_its_id_in_the_mirror() {
    let mut player = attach("sim:replace").await;
    let mut mirror = mirror_of(player.first.clone());
    let before = mirror.tree().by_stable_id("task-write");
    let key = player.key("task-write").await;
    player.tap("redraw").await.unwrap();
    player.play(500).await;
    follow(&mut player, &mut mirror, 500).await;
    assert_eq!(mirror.tree().by_stable_id("task-write"), before);
    assert_ne!(player.key("task-write").await, key);
}

#[tokio::test(start_paused = true)]
async fn churn_keeps_its_size_and_changes_every_class() {
    let mut player = attach("sim:churn:1000,500").await;
    assert_eq!(tree(&player.first).count(), 1000);
    player.play(1_000).await;
    let told = player.told().await;
    assert!(told.len() > 400);
    let any = |test: &dyn Fn(&Change) -> bool| told.iter().flatten().any(test);
    let updates = |wanted: fn(&Prop) -> bool| {
        any(&|c| matches!(c, Change::Update { props, .. } if props.iter().any(wanted)))
    };
    assert!(any(&|c| matches!(c, Change::Insert { .. })) && any(&|c| matches!(c, Change::Remove { .. })));
    assert!(updates(|p| matches!(p, Prop::Text(_))) && updates(|p| matches!(p, Prop::State(..))));
    assert!(updates(|p| matches!(p, Prop::Bounds(_))) && updates(|p| matches!(p, Prop::Value(_))));
    assert_eq!(player.now().await.count(), 1000);
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_gives_the_same_churn() {
    let mut runs = Vec::new();
    for target in ["sim:churn:100,100?seed=4", "sim:churn:100,100?seed=4", "sim:churn:100,100?seed=5"] {
        let mut player = attach(target).await;
        player.play(1_000).await;
        runs.push(player.told().await);
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
}

#[tokio::test(start_paused = true)]
async fn a_long_table_is_told_by_its_window() {
    let mut player = attach("sim:table:100000").await;
    let mut mirror = mirror_of(player.first.clone());
    player.backend.barrier(soon()).await.unwrap();
    follow(&mut player, &mut mirror, 1).await;
    let omitted = |root: &stillpoint_core::tree::NewNode| {
        all(root).into_iter().find(|n| n.props.role() == Role::Table).map(|n| n.props.omitted())
    };
    assert_eq!(player.count(Role::Row).await, 18);
    assert_eq!(omitted(&player.now().await), Some(99_982));
    let table = player.key("rows").await;
    player.act(Action::Scroll { on: Place::Element(table), dx: 0, dy: 280 }).await.unwrap();
    assert!(player.props("row-1").await.is_none() && player.props("row-28").await.is_some());
    player.tap("delete-20").await.unwrap();
    assert_eq!(player.text("status").await, "Deleted row 20, 99999 left");
    assert_eq!(player.count(Role::Row).await, 18);
    assert_eq!(omitted(&player.now().await), Some(99_981));
    assert_equals_truth(&mut player, &mut mirror).await;
}
