//! For people: colour, the width of the terminal, signs of life, and Ctrl-C.

mod support;

use support::InTerminal;

const CTRL_C: u8 = 3;
const COLOUR: &str = "\u{1b}[";

#[test]
fn a_terminal_gets_colour() {
    let (code, shown) = InTerminal::start(&["snapshot", "sim:login"], 100).end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains(COLOUR), "{shown:?}");
    let (_, shown) = InTerminal::start(&["snapshot", "sim:login", "--color", "never"], 100).end();
    assert!(!shown.contains(COLOUR), "{shown:?}");
}

#[test]
fn the_timeline_is_as_wide_as_the_terminal() {
    let ruler = |columns| {
        let (code, shown) = InTerminal::start(&["demo", "--color", "never"], columns).end();
        assert_eq!(code, Some(0), "{shown}");
        let line = shown.lines().find(|l| l.contains("┬──")).map(|l| l.trim_end().chars().count());
        line.unwrap_or_else(|| panic!("no ruler in {shown}"))
    };
    let (narrow, wide) = (ruler(80), ruler(120));
    assert!(narrow <= 80 && wide <= 120, "{narrow} {wide}");
    assert_eq!(wide - narrow, 40);
}

#[test]
fn ctrl_c_cancels_the_wait_and_exits_130() {
    let mut terminal = InTerminal::start(&["wait", "sim:noop", "change", "--timeout-ms", "600000"], 100);
    // The sign of life says that the wait is under way.
    terminal.until("wait sim:noop");
    terminal.press(CTRL_C);
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(130), "{shown}");
    assert!(shown.contains("cancelled by the caller"), "the wait itself answered: {shown}");
}

#[test]
fn ctrl_c_ends_a_watch_with_130() {
    let mut terminal = InTerminal::start(&["watch", "sim:clock"], 100);
    terminal.until("Elapsed");
    terminal.press(CTRL_C);
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(130), "{shown}");
}

#[test]
fn a_line_of_watch_fits_the_terminal() {
    let (code, shown) =
        InTerminal::start(&["watch", "sim:login", "--count", "2", "--color", "never"], 70).end();
    assert_eq!(code, Some(0), "{shown}");
    for line in shown.lines() {
        assert!(line.trim_end().chars().count() <= 70, "{line:?}");
    }
}
