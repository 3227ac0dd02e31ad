//! SPEC §14 on the simulator, in virtual time: what a policy forbids never reaches the app, whichever way it takes.
#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use stillpoint_core::Code;
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::verbs::{Call, by_name};
use stillpoint_engine::{Engine, Policy, Session};
use stillpoint_sim::Sim;
use support::{ask, open};

fn policy(text: &str) -> Policy {
    Policy::parse(text, Path::new(".")).unwrap()
}

async fn under(policy: Policy, sim: Sim, uri: &str) -> Session {
    let engine = Engine::new().with(sim).with_policy(policy);
    engine.open(&uri.parse().unwrap(), &AttachOptions::default()).await.unwrap()
}

/// A scene in which everything destructive counts, so that a test sees whether anything fired.
const SHOP: &str = "application \"Shop\" #app
  window \"Shop\" #window
    form \"Order\" #form
      textbox \"Note\" #note
      button \"Pay now\" #pay @100,100,100,30
    button \"Delete\" #delete @100,200,100,30
    button #btnRemoveAll @100,240,100,30
    button \"Open\" #open @100,280,100,30
    checkbox \"Erase my data\" #erase @100,320,100,30
    combobox \"Action\" #action =Keep @100,360,100,30
      option \"Keep\" #keep [selected]
      option \"Purge\" #purge
    listitem \"Undeleted notes\" #item @300,100,100,30
    group \"Trash\" #trash @300,200,100,100
    button \"Wide\" #wide @300,400,100,30
    status #count text=\"0\" @500,500,50,20

on tap #pay:
  set #count text \"fired\"
on tap #delete:
  set #count text \"fired\"
on tap #btnRemoveAll:
  set #count text \"fired\"
on tap #wide:
  set #count text \"fired\"
on tap #open:
  set #count text \"opened\"
on change #erase:
  set #count text \"fired\"
on change #action:
  set #count text \"fired\"
on key Delete in #item:
  set #count text \"fired\"
on key Enter in #form:
  set #count text \"fired\"
on drop #item on #trash:
  set #count text \"fired\"
";

async fn fired(session: &Session) -> String {
    ask(session, "wait_for_idle", json!({})).await;
    let found = ask(session, "find_element", json!({ "selector": "#count" })).await;
    found["elements"][0]["text"].as_str().unwrap().to_owned()
}

/// Every way to do something destructive, and what is to be done before it.
fn ways() -> Vec<(&'static str, Value, Option<Value>)> {
    let focus = |id: &str| Some(json!({ "selector": id }));
    vec![
        ("tap", json!({ "selector": "#delete" }), None),
        ("double_tap", json!({ "selector": "#delete" }), None),
        ("long_press", json!({ "selector": "#delete" }), None),
        ("right_click", json!({ "selector": "#delete" }), None),
        ("tap", json!({ "selector": "#btnRemoveAll" }), None),
        ("tap", json!({ "selector": "#wide" }), None),
        ("tap_at", json!({ "x": 150, "y": 215 }), None),
        ("swipe", json!({ "from_x": 350, "from_y": 115, "to_x": 350, "to_y": 250 }), None),
        ("drag", json!({ "selector": "#item", "to": "#trash" }), None),
        ("press_key", json!({ "selector": "#delete", "key": "Enter" }), None),
        ("press_key", json!({ "selector": "#delete", "key": "Space" }), None),
        ("press_key", json!({ "key": "Enter" }), focus("#delete")),
        ("press_key", json!({ "key": "Space" }), focus("#delete")),
        ("press_key", json!({ "selector": "#item", "key": "Delete" }), None),
        ("press_key", json!({ "selector": "#note", "key": "Enter" }), None),
        ("press_key", json!({ "key": "ctrl+Enter" }), focus("#note")),
        ("type_text", json!({ "selector": "#note", "text": "yes\n" }), None),
        ("type_text", json!({ "text": " " }), focus("#delete")),
        ("toggle", json!({ "selector": "#erase" }), None),
        ("set_value", json!({ "selector": "#erase", "value": true }), None),
        ("set_value", json!({ "selector": "#action", "value": "Purge" }), None),
        ("select", json!({ "selector": "#purge" }), None),
    ]
}

#[tokio::test(start_paused = true)]
async fn no_way_to_act_gets_past_the_gate() {
    for (verb, params, focus) in ways() {
        let text = "[destructive]\nelements = [\"#wide\"]";
        let session = under(policy(text), Sim::scripted(SHOP), "sim:custom").await;
        if let Some(focus) = focus {
            assert_eq!(ask(&session, "focus", focus).await["success"], true);
        }
        let done = ask(&session, verb, params.clone()).await;
        assert_eq!(done["failure_code"], "POLICY_DENIED", "{verb} {params}: {done}");
        assert_eq!(done["delivery_status"], "not_delivered");
        assert_eq!(done["retryable"], false);
        assert!(done["error"]["hint"].as_str().unwrap().contains("confirm: true"));
        assert_eq!(fired(&session).await, "0", "{verb} {params}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_confirmed_call_is_done() {
    for (verb, mut params, focus) in ways() {
        let session = under(Policy::default(), Sim::scripted(SHOP), "sim:custom").await;
        if let Some(focus) = focus {
            ask(&session, "focus", focus).await;
        }
        params["confirm"] = json!(true);
        let done = ask(&session, verb, params.clone()).await;
        assert_ne!(done["failure_code"], "POLICY_DENIED", "{verb} {params}: {done}");
        // The simulator's buttons take no text and a closed list shows no option; the policy let both pass all the same.
        if !["ACTION_REJECTED", "NOT_ACTIONABLE"].contains(&done["failure_code"].as_str().unwrap_or_default())
        {
            assert_eq!(done["delivery_status"], "delivered", "{verb} {params}: {done}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_not_destructive_needs_no_confirmation() {
    let session = under(Policy::default(), Sim::scripted(SHOP), "sim:custom").await;
    for (verb, params) in [
        ("tap", json!({ "selector": "#open" })),
        ("tap", json!({ "selector": "#item" })),
        ("tap_at", json!({ "x": 150, "y": 295 })),
        ("type_text", json!({ "selector": "#note", "text": "delete nothing" })),
        ("press_key", json!({ "selector": "#note", "key": "Delete" })),
        ("press_key", json!({ "selector": "#open", "key": "Enter" })),
        ("set_value", json!({ "selector": "#action", "value": "Keep" })),
        ("hover", json!({ "selector": "#delete" })),
        ("focus", json!({ "selector": "#delete" })),
        ("scroll_to", json!({ "selector": "#delete" })),
    ] {
        let done = ask(&session, verb, params.clone()).await;
        assert_eq!(done["success"], true, "{verb} {params}: {done}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_point_where_the_target_has_nothing_needs_a_confirmation() {
    let session = under(Policy::default(), Sim::scripted(SHOP), "sim:custom").await;
    let done = ask(&session, "tap_at", json!({ "x": -5000, "y": -5000 })).await;
    assert_eq!(done["failure_code"], "POLICY_DENIED", "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_label_that_turns_destructive_while_its_button_is_awaited_is_caught() {
    let scene = "application \"A\"\n  button \"OK\" #ok [not enabled]\n  text \"s\" #s text=\"idle\"\n\non attach:\n  after 300ms set #ok label \"Delete\"\n  set #ok enabled\n\non tap #ok:\n  set #s text \"fired\"\n";
    let session = under(Policy::default(), Sim::scripted(scene), "sim:custom").await;
    let done = ask(&session, "tap", json!({ "selector": "#ok" })).await;
    assert_eq!(done["failure_code"], "POLICY_DENIED", "{done}");
}

async fn tap_asking(session: &Session, answer: bool, asked: &Arc<AtomicUsize>) -> Value {
    let count = asked.clone();
    let confirm: stillpoint_engine::verbs::Confirm = Arc::new(move |question| {
        assert!(question.contains("Delete"), "{question}");
        count.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            // Longer than the action's own time: a person's time is not the action's.
            tokio::time::sleep(Duration::from_secs(30)).await;
            answer
        })
    });
    let call = Call { confirm: Some(confirm), ..Call::default() };
    let params = json!({ "selector": "#delete" });
    (by_name("tap").unwrap().run)(session, params, &call).await.unwrap().json().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_person_who_is_asked_decides() {
    let asked = Arc::new(AtomicUsize::new(0));
    let session = under(Policy::default(), Sim::scripted(SHOP), "sim:custom").await;
    let no = tap_asking(&session, false, &asked).await;
    assert_eq!(no["failure_code"], "POLICY_DENIED", "{no}");
    assert!(no["error"]["message"].as_str().unwrap().contains("said no"));
    assert_eq!(fired(&session).await, "0");
    let yes = tap_asking(&session, true, &asked).await;
    assert_eq!(yes["success"], true, "{yes}");
    assert_eq!(asked.load(Ordering::Relaxed), 2, "once for each call");
}

#[tokio::test(start_paused = true)]
async fn read_only_lets_look_and_wait_and_nothing_else() {
    let session = under(policy("read_only = true"), Sim::new(), "sim:login").await;
    assert_eq!(ask(&session, "wait_for_idle", json!({})).await["status"], "success");
    assert_eq!(ask(&session, "snapshot", json!({})).await["kind"], "full");
    for verb in stillpoint_core::judge::Verb::ALL {
        let params = json!({
            "selector": "#username", "to": "#password", "text": "x", "key": "a", "value": "x", "x": 1, "y": 1,
            "from_x": 1, "from_y": 1, "to_x": 2, "to_y": 2, "confirm": true,
        });
        let before = session.revision();
        let done = ask(&session, verb.name(), params).await;
        assert_eq!(done["failure_code"], "POLICY_DENIED", "{verb}: {done}");
        assert_eq!(session.revision(), before, "{verb}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_allowed_targets_are_opened() {
    let text = "[targets]\nallow = [\"sim:*\"]\ndeny = [\"sim:dialog\"]";
    let engine = Engine::new().with(Sim::new()).with_policy(policy(text));
    let open = async |uri: &str| {
        engine.open(&uri.parse().unwrap(), &AttachOptions::default()).await.err().map(|e| (e.code, e.hint))
    };
    assert_eq!(open("sim:login").await, None);
    for uri in ["sim:dialog", "sim:dialog?speed=2", "app:gedit"] {
        let (code, hint) = open(uri).await.unwrap();
        assert_eq!(code, Code::PolicyDenied, "{uri}");
        assert!(hint.contains("[targets]"));
    }
}

#[tokio::test(start_paused = true)]
async fn too_many_actions_are_refused_until_their_time_comes() {
    let text = "[rate_limit]\nactions = 3\nper_seconds = 30";
    let session = under(policy(text), Sim::new(), "sim:login").await;
    let tap = json!({ "selector": "#username", "settle": "none" });
    for _ in 0..3 {
        assert_eq!(ask(&session, "tap", tap.clone()).await["success"], true);
    }
    let refused = ask(&session, "tap", tap.clone()).await;
    assert_eq!(refused["failure_code"], "RATE_LIMITED", "{refused}");
    assert_eq!(
        (refused["retryable"].as_bool(), refused["delivery_status"].as_str()),
        (Some(true), Some("not_delivered"))
    );
    let wait = refused["error"]["details"]["retry_after_ms"].as_u64().unwrap();
    assert!(refused["error"]["hint"].as_str().unwrap().contains(&wait.to_string()));
    tokio::time::advance(Duration::from_millis(wait)).await;
    assert_eq!(ask(&session, "tap", tap.clone()).await["success"], true);
    assert_eq!(ask(&session, "tap", tap).await["failure_code"], "RATE_LIMITED");
}

#[tokio::test(start_paused = true)]
async fn the_audit_log_has_every_action_and_no_secret() {
    let room = tempfile::tempdir().unwrap();
    let file = room.path().join("policy.toml");
    std::fs::write(&file, "[audit]\nfile = \"audit.jsonl\"\n[targets]\ndeny = [\"app:*\"]\n").unwrap();
    let engine = Engine::new().with(Sim::new()).with_policy(Policy::load(&file).unwrap());
    let options = AttachOptions::default();
    assert!(engine.open(&"app:gedit".parse().unwrap(), &options).await.is_err());
    let session = engine.open(&"sim:login".parse().unwrap(), &options).await.unwrap();
    let secret = "hunter2secret";
    ask(&session, "type_text", json!({ "selector": "#password", "text": secret })).await;
    ask(&session, "set_value", json!({ "selector": "#password", "value": secret })).await;
    ask(&session, "press_key", json!({ "selector": "#password", "key": "§" })).await;
    ask(&session, "press_key", json!({ "selector": "#password", "key": "Delete", "dry_run": true })).await;
    ask(&session, "tap", json!({ "selector": "#nothing" })).await;
    let text = std::fs::read_to_string(room.path().join("audit.jsonl")).unwrap();
    assert!(!text.contains(secret) && !text.contains('§'), "{text}");
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let told: Vec<(&str, &str)> =
        lines.iter().map(|l| (l["verb"].as_str().unwrap(), l["outcome"].as_str().unwrap())).collect();
    assert_eq!(
        told,
        [
            ("open", "denied"),
            ("open", "allowed"),
            ("type_text", "done"),
            ("set_value", "done"),
            ("press_key", "done"),
            ("press_key", "dry_run"),
            ("tap", "failed"),
        ],
        "{text}"
    );
    assert_eq!(lines[2]["given"], json!({ "text_length": secret.len() }));
    assert_eq!(
        (lines[2]["selector"].as_str(), lines[2]["target"].as_str()),
        (Some("#password"), Some("sim:login"))
    );
    assert!(lines.iter().all(|l| l["time"].as_str().unwrap().ends_with('Z')));
}

#[test]
fn a_policy_with_a_mistake_says_where_it_is() {
    for (text, part) in [
        ("read_only = 5", "line 1"),
        ("\n\nread_onyl = true", "line 3: unknown field `read_onyl`"),
        ("[rate_limit]\nactions = 0\nper_seconds = 1", "0 actions"),
        ("[rate_limit]\nactions = 1", "per_seconds"),
        ("[destructive]\nwords = [\"?\"]", "\"?\" is not a word"),
        ("[destructive]\nelements = [\"button[\"]", "button["),
        ("[targets]\nallow = [\"\"]", "no pattern"),
        ("[audit]\nfile = \"nowhere/at/all.jsonl\"", "nowhere/at/all.jsonl"),
        ("read_only", "line 1"),
    ] {
        let error = Policy::parse(text, Path::new(".")).unwrap_err();
        assert!(error.message.contains(part), "{text}: {error}");
        assert!(!error.hint.is_empty());
    }
    let room = tempfile::tempdir().unwrap();
    assert_eq!(Policy::load(room.path().join("none.toml")).unwrap_err().code, Code::InvalidArgument);
}

/// A list that reaches far below the screen.
const LONG: &str = "application \"A\" #app\n  window \"W\" #w @0,0,800,600\n    list \"L\" #l @0,0,800,600\n      listitem \"far\" #far @0,5000,100,20 [not on_screen]\n    status #s text=\"0\"\n\non scroll #l:\n  set #s text \"scrolled\"\n";

#[tokio::test(start_paused = true)]
async fn a_dry_run_scrolls_nothing_in_and_gives_nobody_the_focus() {
    for (text, dry) in [("", true), ("dry_run = true", false)] {
        let session = under(policy(text), Sim::scripted(LONG), "sim:custom").await;
        let before = session.read(|tree| (tree.semantic_hash(), tree.layout_hash()));
        let params = json!({ "selector": "#far", "dry_run": dry, "timeout_ms": 200 });
        let done = ask(&session, "tap", params).await;
        assert_eq!(done["delivery_status"], "not_delivered", "{done}");
        assert_eq!(done["error"]["details"]["predicate"], "on_screen", "{done}");
        let focused = ask(&session, "focus", json!({ "selector": "#l", "dry_run": dry })).await;
        assert_eq!(focused["lifecycle_state"], "resolved", "{focused}");
        ask(&session, "wait_for_idle", json!({})).await;
        assert_eq!(session.read(|tree| (tree.semantic_hash(), tree.layout_hash())), before);
    }
    let session = under(policy(""), Sim::scripted(LONG), "sim:custom").await;
    let done = ask(&session, "tap", json!({ "selector": "#far", "timeout_ms": 200 })).await;
    assert!(done["delta"].to_string().contains("scrolled"), "without dry_run it is scrolled in: {done}");
}

#[tokio::test(start_paused = true)]
async fn without_a_policy_nothing_is_gated() {
    let session = open("sim:dialog").await;
    assert_eq!(ask(&session, "tap", json!({ "selector": "#delete" })).await["success"], true);
}
