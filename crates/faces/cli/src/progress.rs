//! A sign of life while a call takes its time: only where stderr is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::future::Future;
use std::io::IsTerminal;
use std::time::Duration;
use stillpoint_engine::Session;

/// Calls shorter than this show nothing.
const PATIENCE: Duration = Duration::from_millis(200);

/// Runs `work`; after a while a spinner tells the elapsed time and, of a session of this process, the latest revision.
pub(crate) async fn during<T>(session: Option<&Session>, what: &str, work: impl Future<Output = T>) -> T {
    tokio::pin!(work);
    if !std::io::stderr().is_terminal() {
        return work.await;
    }
    tokio::select! {
        done = &mut work => return done,
        () = tokio::time::sleep(PATIENCE) => {}
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {prefix} {elapsed:.bold} {msg:.dim}") {
        bar.set_style(style.tick_strings(&["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏", " "]));
    }
    bar.set_prefix(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(80));
    let Some(session) = session else {
        let done = work.await;
        bar.finish_and_clear();
        return done;
    };
    let mut changes = session.changes();
    let done = loop {
        bar.set_message(format!("rev {}", session.revision()));
        tokio::select! {
            done = &mut work => break done,
            changed = changes.changed() => if changed.is_err() { break work.await },
        }
    };
    bar.finish_and_clear();
    done
}
