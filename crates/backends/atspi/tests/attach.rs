//! Finding apps, first trees of programs of the distribution, and the errors that tell what is wrong.

mod stage;

use stage::{Stage, differences, outline, patience, walker};
use stillpoint_core::Code;
use stillpoint_core::tree::{Role, State};
use stillpoint_engine::backend::{Backend as _, CAPACITY, Connector as _};
use stillpoint_lab::Fixture;

/// A program of the distribution: its first tree is what pyatspi sees.
async fn agrees_with_pyatspi(program: &str) {
    let stage = Stage::new();
    let app = stage.program(program).await;
    let mut watched = stage.attach(&app).await;
    watched.catch_up().await;
    // The walk changes nothing in the app, so the mirror may follow it until both agree or something is wrong.
    let seen = walker::walk(&stage.desktop, app.pid());
    watched.catch_up().await;
    let told = walker::as_pyatspi_would(watched.tree());
    assert!(seen == told, "pyatspi sees something else:\n{}", differences(&told, &seen).join("\n"));
    assert!(watched.tree().len() > 20, "{}", outline(watched.tree()).join("\n"));
    let placed = watched.tree().walk().filter(|(_, n)| n.bounds().is_some()).count();
    assert!(placed > 10, "only {placed} elements have a place");
}

#[tokio::test]
async fn the_tree_of_mousepad_is_what_pyatspi_sees() {
    agrees_with_pyatspi("mousepad").await;
}

#[tokio::test]
async fn the_tree_of_gnome_calculator_is_what_pyatspi_sees() {
    agrees_with_pyatspi("gnome-calculator").await;
}

#[tokio::test]
async fn the_tree_of_kcalc_is_what_pyatspi_sees() {
    agrees_with_pyatspi("kcalc").await;
}

/// GTK 3 tells of each object that it makes for its first reader: more than a connection's queue holds.
#[tokio::test]
async fn an_app_that_says_more_than_a_queue_holds_while_it_is_attached_to_is_read_in_full() {
    let stage = Stage::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../apps/patterns/desktop.py");
    let mut command = stage.desktop.command("/usr/bin/python3");
    command.args(["-B", script, "--truth", "/dev/null", "--filler", "10000"]);
    let app = stage.desktop.spawn(command).expect("it starts");
    app.wait_ready(stage::PATIENCE).expect("it says that it is ready");
    let watched = stage.attach(&app).await;
    assert!(watched.tree().len() > 10_000, "{} elements", watched.tree().len());
    assert!(watched.find(Role::Label, "Filler 9999").is_some(), "the last label is missing");
}

/// GTK 3 never lets go of a socket, so that each further one makes the app slower for good.
#[tokio::test]
async fn who_comes_back_to_an_app_reads_it_over_the_socket_that_is_there() {
    let stage = Stage::new();
    let app = stage.fixture(Fixture::Gtk3);
    let sockets = || {
        let all = std::fs::read_dir(format!("/proc/{}/fd", app.pid())).expect("it runs").flatten();
        let links = all.filter_map(|fd| std::fs::read_link(fd.path()).ok());
        links
            .filter(|to| to.to_string_lossy().starts_with("socket:"))
            .collect::<std::collections::BTreeSet<_>>()
    };
    let connector = stage.connector();
    let mut seen = vec![sockets()];
    for _ in 0..3 {
        let watched =
            stage.attach_by(&connector, &format!("app:pid={}", app.pid()), CAPACITY, patience()).await;
        let watched = watched.expect("it can be attached to");
        assert!(watched.tree().len() > 10, "{}", outline(watched.tree()).join("\n"));
        seen.push(sockets());
        watched.backend.close().await;
    }
    let opened = seen[1].difference(&seen[0]).count();
    assert_eq!(opened, 2, "the one that it listens on, and one for the first reader: {seen:?}");
    assert!(seen[1] == seen[2] && seen[2] == seen[3], "and kept for the next: {seen:?}");
}

#[tokio::test]
async fn an_app_is_found_by_its_name_its_program_and_its_process() {
    let stage = Stage::new();
    let app = stage.fixture(Fixture::Gtk3);
    for target in ["app:fixture-gtk3".to_owned(), "app:fixture".to_owned(), format!("app:pid={}", app.pid())]
    {
        let watched = stage.try_attach(&target, patience()).await.expect("it is found");
        assert_eq!(watched.info.pid, Some(app.pid()), "{target}");
        assert_eq!(watched.info.toolkit.as_deref(), Some("gtk3"));
        assert!(!watched.info.windows.is_empty());
        watched.backend.close().await;
    }
    let listed = stage.connector().list(patience()).await.unwrap();
    assert!(
        listed.iter().any(|t| t.pid == Some(app.pid()) && t.name == "fixture-gtk3" && !t.windows.is_empty())
    );
}

#[tokio::test]
async fn two_apps_of_one_name_are_ambiguous_and_the_error_says_which() {
    let stage = Stage::new();
    let (one, two) = (stage.fixture(Fixture::Gtk3), stage.fixture(Fixture::Gtk3));
    let Err(error) = stage.try_attach("app:fixture-gtk3", patience()).await else { panic!("it picked one") };
    assert_eq!(error.code, Code::AmbiguousTarget);
    for pid in [one.pid(), two.pid()] {
        assert!(error.details.to_string().contains(&format!("app:pid={pid}")), "{error:?}");
    }
}

#[tokio::test]
async fn a_missing_app_and_one_without_a_tree_are_told_apart() {
    let stage = Stage::new();
    let Err(missing) = stage.try_attach("app:no-such-app", patience()).await else { panic!("found it") };
    assert_eq!(missing.code, Code::TargetNotFound);
    let silent = stage.desktop.spawn(stage.desktop.command("cat")).unwrap();
    let Err(hidden) = stage.try_attach(&format!("app:pid={}", silent.pid()), patience()).await else {
        panic!("cat has a tree")
    };
    assert_eq!(hidden.code, Code::HierarchyEmpty);
    assert!(!hidden.hint.is_empty());
}

#[tokio::test]
async fn a_huge_list_is_mirrored_by_what_is_on_the_screen() {
    let stage = Stage::new();
    let app = stage.fixture(Fixture::Gtk3);
    let mut watched = stage.attach(&app).await;
    watched.control(&app, "show rows").await;
    watched.catch_up().await;
    let tree = watched.tree();
    let cut: u32 = tree.walk().map(|(_, n)| n.omitted()).sum();
    assert!(cut > 1_000, "nothing was left out:\n{}", outline(tree).join("\n"));
    assert!(!tree.by_label("Row 1").is_empty(), "what is on the screen is there");
    assert!(tree.by_label("Row 1900").is_empty(), "what is not, is not");
}

#[tokio::test]
async fn a_password_is_in_no_tree_no_change_and_no_state() {
    for fixture in Fixture::ALL {
        let stage = Stage::new();
        let app = stage.fixture(fixture);
        let mut watched = stage.attach(&app).await;
        watched.control(&app, "show login").await;
        watched.control(&app, "set login.password opensesame").await;
        watched.control(&app, "set login.username visible-name").await;
        watched.catch_up().await;
        let fresh = watched.read_afresh().await;
        for tree in [watched.tree(), fresh.tree()] {
            let text = format!("{:?}", tree.walk().collect::<Vec<_>>());
            assert!(!text.contains("opensesame"), "{fixture:?} told the password");
            assert!(text.contains("visible-name"), "{fixture:?} told nothing at all");
        }
        let field = watched.find(Role::Textbox, "Password").expect("the field is there");
        assert!(watched.tree().get(field).unwrap().states().is(State::Protected));
    }
}

#[tokio::test]
async fn the_doctor_finds_a_healthy_desktop_healthy() {
    let stage = Stage::new();
    let checks = stage.connector().diagnose(patience()).await;
    for name in [
        "X display",
        "session bus",
        "XTEST (synthesised input)",
        "accessibility bus",
        "accessibility registry",
    ] {
        assert!(checks.iter().any(|c| c.name == name && c.ok), "{name}: {checks:?}");
    }
    let nowhere = stillpoint_atspi::AtspiConnector::on(stillpoint_atspi::Desktop::default());
    let checks = nowhere.diagnose(patience()).await;
    assert!(checks.iter().filter(|c| !c.ok).count() >= 3, "{checks:?}");
    assert!(checks.iter().filter(|c| !c.ok).all(|c| c.fix.as_ref().is_some_and(|f| !f.is_empty())));
}
