//! Lasting desktops are found again by name and end as a whole.

use stillpoint_lab::{Desktop, LabError, find, list, stop};

#[test]
fn a_lasting_desktop_is_listed_used_and_stopped_by_name() {
    let name = format!("lab-test-{}", std::process::id());
    let desktop = Desktop::builder().size(320, 240).start_detached(&name).unwrap();
    assert!(desktop.is_alive());
    assert!(list().unwrap().iter().any(|other| other.name() == name));

    let again = find(&name).unwrap();
    assert_eq!((again.display(), again.a11y_address()), (desktop.display(), desktop.a11y_address()));
    assert!(again.command("xdotool").arg("getdisplaygeometry").status().unwrap().success());

    let taken = Desktop::start_detached(&name).unwrap_err();
    assert!(matches!(taken, LabError::Name { problem: "is already running", .. }), "{taken}");
    assert!(desktop.is_alive(), "the refused start did it no harm");

    stop(&name).unwrap();
    assert!(!desktop.root().exists());
    assert_eq!(desktop.pids(), Vec::<i32>::new());
    assert!(matches!(find(&name), Err(LabError::Name { problem: "does not exist", .. })));
}
