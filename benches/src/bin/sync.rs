//! `script/bench sync`: the three ways to know that an app is at rest, judged by the log of the app itself.

use std::path::PathBuf;
use std::time::Duration;
use stillpoint_benches::measure::Samples;
use stillpoint_benches::race::{self, Fault, How, Tally};
use stillpoint_benches::report::Report;
use stillpoint_lab::Fixture;

/// A wait that returns later than this after the last operation is late.
const LATE: Duration = Duration::from_millis(5);
const SEED: u64 = 0x5EED;

/// The arguments: the file to write, how many operations for each app and way, and which of both.
fn main() -> Result<(), Fault> {
    let mut arguments = std::env::args().skip(1);
    let file = PathBuf::from(arguments.next().ok_or("the file to write is missing")?);
    let operations = arguments.next().map_or(Ok(1_000), |n| n.parse())?;
    let only = arguments.next().unwrap_or_default();
    let mut report = Report::new("sync");
    println!(
        "| app | mode | operations | waits | premature | late | disturbed | late p50 | late p99 | with its drawing p50 | p99 | late p99 of all |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let all = || Fixture::ALL.into_iter().flat_map(|fixture| How::ALL.map(|how| (fixture, how)));
    let wanted =
        |(fixture, how): &(Fixture, How)| format!("{} {}", fixture.toolkit(), how.name()).contains(&only);
    // What is judged by milliseconds has the machine for itself.
    for (fixture, how) in all().filter(|(_, how)| how.is_by_word()).filter(wanted) {
        tell(&mut report, fixture, how, &race::run(fixture, how, operations, SEED)?);
    }
    // The others mostly wait for their windows: app beside app, each on a desktop of its own.
    let tallies = std::thread::scope(|lanes| {
        let run = |fixture: Fixture| {
            let ways = How::ALL.into_iter().filter(|how| !how.is_by_word() && wanted(&(fixture, *how)));
            ways.map(|how| Ok((fixture, how, race::run(fixture, how, operations, SEED)?))).collect()
        };
        let lanes: Vec<_> =
            Fixture::ALL.into_iter().map(|fixture| lanes.spawn(move || run(fixture))).collect();
        lanes
            .into_iter()
            .map(|lane| lane.join().map_err(|_| "a lane panicked")?)
            .collect::<Result<Vec<Vec<_>>, Fault>>()
    })?;
    for (fixture, how, tally) in tallies.into_iter().flatten() {
        tell(&mut report, fixture, how, &tally);
    }
    report.finish(&file)?;
    Ok(())
}

fn tell(report: &mut Report, fixture: Fixture, how: How, tally: &Tally) {
    let calm = || tally.late.iter().filter(|late| !late.disturbed);
    let late = Samples::of(calm().map(|late| late.after_end));
    let work = Samples::of(calm().map(|late| late.after_work));
    let all = Samples::of(tally.late.iter().map(|late| late.after_end));
    let too_late = tally.late.iter().filter(|late| late.after_end > LATE).count();
    let millis = |samples: &Samples, part| format!("{:.2} ms", samples.quantile(part) / 1e6);
    println!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        fixture.toolkit(),
        how.name(),
        tally.operations,
        tally.waits,
        tally.premature,
        too_late,
        all.len() - late.len(),
        millis(&late, 0.5),
        millis(&late, 0.99),
        millis(&work, 0.5),
        millis(&work, 0.99),
        millis(&all, 0.99),
    );
    let name = format!("{} {}", fixture.toolkit(), how.name());
    let aim = how.is_by_word().then_some(0.0);
    report.number(&format!("{name}: premature of {}", tally.waits), "waits", tally.premature as f64, aim);
    report.number(&format!("{name}: gave up"), "waits", tally.gave_up as f64, Some(0.0));
    report.number(&format!("{name}: later than {} ms", LATE.as_millis()), "waits", too_late as f64, None);
    report.number(&format!("{name}: disturbed by the host"), "waits", (all.len() - late.len()) as f64, None);
    report.time(&format!("{name}: return after the last operation, the disturbed among them"), &all, None);
    let after = format!("{name}: return after the last operation");
    if how.is_by_word() {
        report.time_p99(&after, &late, LATE.as_micros() as f64);
        report.time(
            &format!("{name}: return after the last operation's work, with the app's drawing"),
            &work,
            None,
        );
    } else {
        report.time(&after, &late, None);
    }
}
