//! `script/bench sync`: the three ways to know that an app is at rest, judged by the log of the app itself.

use std::path::PathBuf;
use std::time::Duration;
use stillpoint_benches::measure::Samples;
use stillpoint_benches::race::{self, Fault, How};
use stillpoint_benches::report::Report;
use stillpoint_lab::Fixture;

/// A wait that returns later than this after the last operation is late.
const LATE: Duration = Duration::from_millis(5);

/// The arguments: the file to write, how many operations for each app and way, and which of both.
fn main() -> Result<(), Fault> {
    let mut arguments = std::env::args().skip(1);
    let file = PathBuf::from(arguments.next().ok_or("the file to write is missing")?);
    let operations = arguments.next().map_or(Ok(1_000), |n| n.parse())?;
    let only = arguments.next().unwrap_or_default();
    let mut report = Report::new("sync");
    println!("| app | mode | operations | waits | premature | late (> 5 ms) | late p50 | late p99 |");
    println!("|---|---|---|---|---|---|---|---|");
    // The apps mostly wait: side by side, each on a desktop of its own, they take a third of the time.
    let tallies = std::thread::scope(|lanes| {
        let run = |fixture: Fixture| {
            let wanted = |how: &How| format!("{} {}", fixture.toolkit(), how.name()).contains(&only);
            let ways = How::ALL.into_iter().filter(wanted);
            ways.map(|how| Ok((fixture, how, race::run(fixture, how, operations, 0x5EED)?))).collect()
        };
        let lanes: Vec<_> =
            Fixture::ALL.into_iter().map(|fixture| lanes.spawn(move || run(fixture))).collect();
        lanes
            .into_iter()
            .map(|lane| lane.join().map_err(|_| "a lane panicked")?)
            .collect::<Result<Vec<Vec<_>>, Fault>>()
    })?;
    for (fixture, how, tally) in tallies.into_iter().flatten() {
        let name = format!("{} {}", fixture.toolkit(), how.name());
        let late = Samples::of(tally.late.iter().copied());
        println!(
            "| {} | {} | {} | {} | {} | {} | {:.2} ms | {:.2} ms |",
            fixture.toolkit(),
            how.name(),
            tally.operations,
            tally.waits,
            tally.premature,
            tally.later_than(LATE),
            late.quantile(0.5) / 1e6,
            late.quantile(0.99) / 1e6,
        );
        let by_word = matches!(how, How::Reader | How::Session("sdk"));
        let aim = by_word.then_some(0.0);
        report.number(&format!("{name}: premature of {}", tally.waits), "waits", tally.premature as f64, aim);
        report.number(&format!("{name}: gave up"), "waits", tally.gave_up as f64, Some(0.0));
        let name = format!("{name}: return after the last operation");
        if by_word {
            report.time_p99(&name, &late, LATE.as_micros() as f64);
        } else {
            report.time(&name, &late, None);
        }
    }
    report.finish(&file)?;
    Ok(())
}
