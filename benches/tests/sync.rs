//! The word of an app that embeds the idle SDK, judged by its own log. `script/bench sync` does the same with more
//! operations, and measures the other modes beside it.

use stillpoint_benches::race::{self, How, Tally};
use stillpoint_lab::Fixture;

/// `STILLPOINT_SOAK=1` raises it to what the bench does.
fn operations() -> usize {
    if std::env::var_os("STILLPOINT_SOAK").is_some() { 1_000 } else { 60 }
}

fn run(fixture: Fixture, how: How) -> Tally {
    race::run(fixture, how, operations(), 0x5EED).expect("the app does as told")
}

/// By its own word nobody is told that an app rests while it works, with a session or without.
fn is_never_idle_while_it_works(fixture: Fixture) {
    for how in [How::Reader, How::Session("sdk")] {
        let tally = run(fixture, how);
        assert!(tally.operations >= operations() && tally.waits > 0, "{tally:?}");
        assert_eq!((tally.premature, tally.gave_up), (0, 0), "{} by {}: {tally:?}", fixture.toolkit(), how.name());
    }
}

#[test]
fn a_gtk3_app_is_never_called_idle_while_it_works() {
    is_never_idle_while_it_works(Fixture::Gtk3);
}

#[test]
fn a_gtk4_app_is_never_called_idle_while_it_works() {
    is_never_idle_while_it_works(Fixture::Gtk4);
}

#[test]
fn a_qt_app_is_never_called_idle_while_it_works() {
    is_never_idle_while_it_works(Fixture::Qt);
}
