//! What the kernel tells about processes: their programs, and the toolkit that they were built with.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The names under which people know a process: its executable and what it was started as.
pub(crate) fn names_of(pid: u32) -> Vec<String> {
    let mut names = Vec::new();
    let base = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
    if let Ok(exe) = fs::read_link(format!("/proc/{pid}/exe")) {
        names.extend(base(&exe).map(|n| n.trim_end_matches(" (deleted)").to_owned()));
    }
    if let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) {
        let mut arguments = line.split(|b| *b == 0).map(|a| String::from_utf8_lossy(a).into_owned());
        let program = arguments.next();
        names.extend(program.as_deref().and_then(|p| base(Path::new(p))));
        // A script is known by its own name, not by its interpreter's.
        let script = arguments.find(|a| !a.starts_with('-') && !a.is_empty());
        names.extend(
            script
                .as_deref()
                .and_then(|s| Path::new(s).file_stem())
                .map(|s| s.to_string_lossy().into_owned()),
        );
    }
    names.dedup();
    names
}

/// Running processes of that name.
pub(crate) fn find(name: &str) -> Vec<u32> {
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let own = std::process::id();
    all.flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != own && names_of(*pid).iter().take(2).any(|n| n == name))
        .collect()
}

/// Whether a process with this number runs. One that is dead and not yet taken notice of by its parent does not: it will
/// never come to the bus.
pub(crate) fn exists(pid: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    // The state follows the name, which is in parentheses and may hold any character.
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    !matches!(state, Some('Z' | 'X'))
}

/// The processor time of an app that is one process, in all and by itself.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pid: u32,
    account: Arc<Mutex<Account>>,
}

impl Work {
    pub(crate) fn of(pid: u32) -> Self {
        Work { pid, account: Arc::default() }
    }

    /// Other processes work for it, too: those that draw its pages, or that are embedded in its windows.
    pub(crate) fn note_others(&self) {
        self.account().has_others = true;
    }

    /// In all. None where that is not known.
    pub(crate) fn used(&self) -> Option<Duration> {
        if self.account().has_others { None } else { processor_time(self.pid) }
    }

    /// It was asked when it had used `before`, and has answered.
    pub(crate) fn answered(&self, before: Option<Duration>) {
        if let (Some(before), Some(after)) = (before, self.used()) {
            self.account().answered(before, after);
        }
    }

    /// What it has used but for its answers to questions that no user asked. None where that is not known.
    pub(crate) fn by_itself(&self) -> Option<Duration> {
        let used = self.used()?;
        Some(self.account().by_itself(used))
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// After an answer an app has still to go back to sleep; so much of its time is part of the answer.
const TAIL: Duration = Duration::from_micros(500);

#[derive(Debug, Default)]
struct Account {
    has_others: bool,
    /// What it took for answers.
    answering: Duration,
    /// What it had used when it last answered, until it is looked at again.
    answered_at: Option<Duration>,
}

impl Account {
    fn answered(&mut self, before: Duration, after: Duration) {
        self.answering += after.saturating_sub(before);
        self.answered_at = Some(after);
    }

    fn by_itself(&mut self, used: Duration) -> Duration {
        let tail = self.answered_at.take().map(|at| used.saturating_sub(at));
        self.answering += tail.filter(|tail| *tail <= TAIL).unwrap_or_default();
        used.saturating_sub(self.answering)
    }
}

/// The processor time of all threads that a process has, to the nanosecond for those that sleep.
fn processor_time(pid: u32) -> Option<Duration> {
    let mut sum = 0;
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        // One that ended meanwhile makes the sum smaller, which counts as having run.
        let Ok(told) = fs::read_to_string(thread.ok()?.path().join("schedstat")) else { continue };
        sum += told.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(sum))
}

/// How to make a process show its tree, told by the libraries that it has loaded.
pub(crate) fn hint_for(pid: u32) -> &'static str {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let program = names_of(pid).join(" ").to_lowercase();
    let has = |library: &str| maps.contains(library);
    if has("libQt5") || has("libQt6") {
        "it is a Qt app: start it with QT_ACCESSIBILITY=1 and QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1"
    } else if program.contains("chrom") || program.contains("electron") || has("chrome_crashpad") {
        "it is a Chromium or Electron app: start it with --force-renderer-accessibility"
    } else if has("libgtk-4") {
        "it is a GTK 4 app: it looks for the accessibility bus only when it starts; start the bus first, then the app"
    } else if has("libgtk-3") {
        "it is a GTK 3 app: start it without NO_AT_BRIDGE=1, after the accessibility bus"
    } else if has("libjvm") {
        "it is a Java app: install libatk-wrapper-java and set assistive_technologies=org.GNOME.Accessibility.AtkWrapper"
    } else {
        "its toolkit may have no accessibility, or waits for it to be switched on (egui, Slint and others with AccessKit: \
         gsettings set org.gnome.desktop.interface toolkit-accessibility true), or it was started before the accessibility bus; see `stillpoint doctor`"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_works_uses_time_and_one_that_is_gone_has_none() {
        let own = std::process::id();
        let before = processor_time(own).expect("this process runs");
        while processor_time(own).expect("this process runs") <= before {
            std::hint::black_box((0..10_000u64).sum::<u64>());
        }
        assert_eq!(processor_time(u32::MAX), None);
    }

    #[test]
    fn of_an_app_of_several_processes_no_time_is_known() {
        let work = Work::of(std::process::id());
        assert!(work.by_itself().is_some());
        work.clone().note_others();
        assert_eq!((work.used(), work.by_itself()), (None, None));
    }

    #[test]
    fn answers_and_the_way_back_to_sleep_are_not_its_own_work() {
        let us = Duration::from_micros;
        let mut account = Account::default();
        assert_eq!(account.by_itself(us(10_000)), us(10_000));
        account.answered(us(10_000), us(12_000));
        assert_eq!(account.by_itself(us(12_400)), us(10_000), "400 µs to go to sleep");
        assert_eq!(account.by_itself(us(12_500)), us(10_100), "whatever comes then is its own");
        account.answered(us(12_500), us(13_000));
        assert_eq!(account.by_itself(us(13_600)), us(10_700), "longer than it takes to go to sleep");
        account.answered(us(14_000), us(14_100));
        assert_eq!(account.by_itself(us(14_100)), us(11_100), "what it did before it was asked is its own");
    }
}
