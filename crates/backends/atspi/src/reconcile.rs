//! Toolkits forget events. While the app is quiet, a little of what is on the screen is read again: what differs is
//! repaired and counted, so that we learn which events to distrust. An app that sleeps is left asleep.

use crate::process::Work;
use crate::read::{Facet, text_question};
use crate::role::NativeRole;
use crate::shadow::{Entry, Shadow, Stage};
use crate::state::NativeStates;
use std::collections::BTreeMap;
use std::time::Duration;
use stillpoint_core::Moment;
use stillpoint_core::settle::Dormancy;
use stillpoint_core::tree::{NativeKey, Rect};
use tokio::time::Instant;

/// The app has to be quiet for this long.
const QUIET: Duration = Duration::from_millis(250);
/// A check may take this share of the time: one part in fifty is 2 % of one core.
const SHARE: u32 = 50;
/// How many elements one check looks at.
const SAMPLE: usize = 24;
/// At most so many elements are asked for their children at once.
const LOOK_LIMIT: usize = 2_000;
/// Never more often than this.
const PAUSE: Duration = Duration::from_millis(500);

/// How often the mirror was wrong without an event having said so, by toolkit and property.
pub(crate) type RepairCounts = BTreeMap<(String, String), u64>;

/// Counts what a check found.
pub(crate) fn count(repairs: &mut RepairCounts, toolkit: &str, drifted: &mut Vec<&'static str>) {
    for property in drifted.drain(..) {
        tracing::info!(toolkit, property, "the mirror was wrong without an event; repaired");
        *repairs.entry((toolkit.to_owned(), property.to_owned())).or_default() += 1;
    }
}

/// Decides when to look, and at what.
#[derive(Debug)]
pub(crate) struct Reconciler {
    not_before: Instant,
    last_event: Instant,
    /// When the check began that is under way, and what the app had used by then.
    began: Option<(Instant, Option<Duration>)>,
    /// Since when the app's processor time is looked at, and what it tells.
    epoch: Instant,
    dormancy: Dormancy,
    /// How many checks look at everything that was on the screen the last time.
    enough: u32,
    /// The last key that was looked at; the next round goes on behind it.
    cursor: NativeKey,
    enabled: bool,
}

impl Reconciler {
    pub(crate) fn new(enabled: bool) -> Self {
        let now = Instant::now();
        let (epoch, dormancy) = (now, Dormancy::default());
        let not_before = now + PAUSE;
        Reconciler {
            not_before,
            last_event: now,
            began: None,
            epoch,
            dormancy,
            enough: u32::MAX,
            cursor: NativeKey(0),
            enabled,
        }
    }

    pub(crate) fn note_event(&mut self, now: Instant) {
        self.last_event = now;
    }

    /// When to look next. While a check is under way, or anything else is being asked, not at all.
    pub(crate) fn due(&self, quiet: bool) -> Option<Instant> {
        (self.enabled && quiet).then(|| self.not_before.max(self.last_event + QUIET))
    }

    /// Asks for a sample of what is on the screen, unless the app has not run since all of it was looked at.
    pub(crate) fn check(&mut self, shadow: &mut Shadow, work: &Work) {
        let now = Moment::START + shadow.now.saturating_duration_since(self.epoch);
        if self.dormancy.is_dormant(work.by_itself(), now, self.enough) {
            self.not_before = shadow.now + PAUSE;
            return;
        }
        let visible = Self::visible(shadow);
        // Twice: the first time around begins in the middle.
        self.enough = u32::try_from(2 * visible.len().div_ceil(SAMPLE).max(1)).unwrap_or(u32::MAX);
        self.began = Some((shadow.now, work.used()));
        let sample = self.sample(&visible);
        shadow.checking(|shadow| {
            for key in sample {
                shadow.read_one_again(key);
            }
            shadow.look_for_children();
        });
        shadow.round.0 += 1;
    }

    /// The app has answered. The time that it took, from sending to here, is charged in full, though most of it is
    /// waiting: the app's own work is part of what a check costs.
    pub(crate) fn finished(&mut self, now: Instant, work: &Work) {
        if let Some((began, before)) = self.began.take() {
            work.answered(before);
            self.not_before = now + (now.duration_since(began) * SHARE).max(PAUSE);
            self.dormancy.asked(Moment::START + now.saturating_duration_since(self.epoch));
        }
    }

    /// What can be looked at, in order.
    fn visible(shadow: &Shadow) -> Vec<NativeKey> {
        let visible = |key: &NativeKey| {
            shadow
                .nodes
                .get(key)
                .is_some_and(|e| e.told.is_some() && (e.facts.is_showing() || *key == shadow.root))
        };
        let mut keys: Vec<NativeKey> = shadow.nodes.keys().copied().filter(visible).collect();
        keys.sort_unstable();
        keys
    }

    fn sample(&mut self, keys: &[NativeKey]) -> Vec<NativeKey> {
        let from = keys.partition_point(|key| *key <= self.cursor);
        let sample: Vec<NativeKey> = keys[from..].iter().copied().take(SAMPLE).collect();
        // At the end of the list the next round starts from the front.
        self.cursor =
            if sample.len() < SAMPLE { NativeKey(0) } else { sample.last().copied().unwrap_or(NativeKey(0)) };
        sample
    }
}

impl Shadow {
    /// Where the toolkit does not tell who comes and goes, everything on the screen, and every box behind it, is asked
    /// for its children. One call for each.
    pub(crate) fn look_for_children(&mut self) {
        if self.dialect.web {
            self.look_into_frames();
        }
        if !self.dialect.structure_untold {
            return;
        }
        let worth_asking = |key: &NativeKey| {
            // Told or not: what has just come here from elsewhere is about to be.
            let Some(entry) = self.nodes.get(key).filter(|e| e.stage == Stage::Complete) else {
                return false;
            };
            *key == self.root
                || entry.facts.role.is_container()
                || (entry.facts.is_showing() && self.is_placed(*key))
        };
        let mut keys: Vec<NativeKey> =
            self.nodes.keys().copied().filter(worth_asking).take(LOOK_LIMIT).collect();
        keys.sort_unstable();
        for key in keys {
            self.ask_children(key);
            let is_frame = |e: &Entry| e.facts.role == NativeRole::PANEL && e.facts.name.is_some();
            if self.dialect.frames_named_untold && self.nodes.get(&key).is_some_and(is_frame) {
                self.ask_all(key, self.dialect.name_question());
            }
        }
        self.look_at_hidden_checks();
        self.look_at_open_menus();
        self.look_at_the_office();
    }

    /// Chromium puts a document into a frame, and what a tab needs of memory into its name, without a word.
    fn look_into_frames(&mut self) {
        let with_role = |role: NativeRole| {
            let fits = |e: &Entry| e.facts.role == role && e.stage == Stage::Complete;
            let found = self.nodes.iter().filter(|(_, e)| fits(e)).map(|(key, _)| *key);
            found.take(LOOK_LIMIT).collect::<Vec<NativeKey>>()
        };
        let (frames, tabs) = (with_role(NativeRole::INTERNAL_FRAME), with_role(NativeRole::PAGE_TAB));
        for frame in frames {
            self.ask_children(frame);
        }
        for tab in tabs {
            self.ask_all(tab, self.dialect.name_question());
        }
        if std::mem::take(&mut self.unsettled) {
            self.look_for_what_else_changed();
        }
    }

    /// Chromium tells that a page has changed, but not all of it: a control loses its name with the label that gave it, a
    /// paragraph its bold part, and an empty box gets something into it, without a word.
    fn look_for_what_else_changed(&mut self) {
        let ids = if self.has_ids { self.dialect.id_questions() } else { &[] };
        for key in self.subtree(self.root).into_iter().take(LOOK_LIMIT) {
            self.read_one_again(key);
            self.ask_all(key, ids);
        }
    }

    /// Qt 5 says nothing when an item of an open menu is checked or enabled, nor when the focus goes to the menu.
    fn look_at_open_menus(&mut self) {
        let untold = |e: &Entry| {
            (e.facts.role.is_menu_item() && e.facts.is_showing()) || e.facts.states.has(NativeStates::FOCUSED)
        };
        if !self.dialect.terse_states {
            return;
        }
        let keys: Vec<NativeKey> =
            self.nodes.iter().filter(|(_, e)| untold(e)).map(|(key, _)| *key).take(LOOK_LIMIT).collect();
        for key in keys {
            self.ask(key, Facet::States);
        }
    }

    /// `LibreOffice` tells neither that its root pane lost the focus, nor that a tool bar has got room for a button, shows
    /// another one or one less, nor that the line one types into is empty again, nor when what shows has got its size.
    fn look_at_the_office(&mut self) {
        if !self.dialect.office {
            return;
        }
        let focused = |e: &Entry| e.facts.states.has(NativeStates::FOCUSED);
        let may_come_or_go = |e: &Entry| {
            let parent = e.facts.parent.and_then(|parent| self.nodes.get(&parent));
            parent.filter(|p| p.facts.is_showing()).is_some_and(|p| {
                let hides = e.facts.states.has(NativeStates::VISIBLE) && !e.facts.is_showing();
                hides || p.facts.role == NativeRole::TOOL_BAR
            })
        };
        let nowhere =
            |e: &Entry| e.stage == Stage::Complete && e.facts.has_place() && e.facts.bounds((0, 0)).is_none();
        let all = |fits: &dyn Fn(&Entry) -> bool| {
            let found = self.nodes.iter().filter(|(_, e)| fits(e)).map(|(key, _)| *key);
            found.take(LOOK_LIMIT).collect::<Vec<NativeKey>>()
        };
        let (focused, doubtful, nowhere) = (all(&focused), all(&may_come_or_go), all(&nowhere));
        for key in focused {
            self.ask(key, Facet::States);
            self.ask_text(key);
        }
        for key in doubtful {
            self.ask(key, Facet::States);
        }
        for key in nowhere {
            self.ask(key, Facet::Extents);
        }
    }

    /// Seen in gtk3-widget-factory: check boxes and radio buttons of a closed popover read as unchecked some time after a
    /// page switch, while the last event about them said otherwise. Why is not known.
    fn look_at_hidden_checks(&mut self) {
        let hidden = |e: &Entry| e.told.is_some() && e.facts.role.is_checkable() && !e.facts.is_showing();
        let keys: Vec<NativeKey> =
            self.nodes.iter().filter(|(_, e)| hidden(e)).map(|(key, _)| *key).take(LOOK_LIMIT).collect();
        for key in keys {
            self.ask(key, Facet::States);
        }
    }

    /// Whether it or what it lies in covers any pixel: an empty box has no area yet.
    fn is_placed(&self, key: NativeKey) -> bool {
        let has_area = |e: &Entry| e.facts.extents.is_some_and(Rect::has_area);
        self.nodes.get(&key).is_some_and(|e| {
            has_area(e) || e.facts.parent.and_then(|p| self.nodes.get(&p)).is_some_and(has_area)
        })
    }

    /// Asks for everything about one object again.
    pub(crate) fn read_one_again(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get(&key).filter(|e| e.stage == Stage::Complete) else { return };
        let mut facets: Vec<Facet> = vec![Facet::Role, Facet::States];
        facets.extend(self.dialect.name_question());
        facets.extend(self.dialect.next_questions(&entry.facts));
        if entry.facts.has_text() {
            facets.push(text_question(&entry.facts));
        }
        for facet in facets {
            self.ask(key, facet);
        }
        self.ask_children(key);
    }

    /// Asks for everything about an object and all that lies in it again.
    pub(crate) fn read_again(&mut self, key: NativeKey) {
        for key in self.subtree(key) {
            self.ask(key, Facet::Interfaces);
            self.read_one_again(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Object;
    use crate::read::Dialect;
    use stillpoint_core::tree::Limits;

    /// An app with many labels on the screen, all of them known and told.
    fn shadow(labels: usize) -> Shadow {
        let mut shadow = Shadow::new(Object::new(":1.1", "/root"), Dialect::default(), Limits::default());
        let root = shadow.root;
        let objects = (0..labels).map(|n| Object::new(":1.1", &format!("/{n}"))).collect();
        shadow.set_children(root, objects, labels);
        for entry in shadow.nodes.values_mut() {
            entry.stage = Stage::Complete;
            entry.in_flight = 0;
            entry.facts.role = NativeRole(29);
            entry.facts.states.set(NativeStates::SHOWING, true);
            entry.told = Some(entry.facts.props((0, 0)));
        }
        shadow.waiting.clear();
        shadow.open.clear();
        shadow
    }

    /// An app whose processor time is not known.
    fn nobody() -> Work {
        Work::of(u32::MAX)
    }

    #[test]
    fn a_check_asks_about_a_sample_however_much_is_on_the_screen() {
        for labels in [100, 1_000] {
            let mut shadow = shadow(labels);
            Reconciler::new(true).check(&mut shadow, &nobody());
            let asked: std::collections::HashSet<NativeKey> = shadow.waiting.iter().map(|q| q.key).collect();
            assert_eq!(asked.len(), SAMPLE, "of {labels}");
            assert!(shadow.waiting.iter().all(|q| q.check), "what is found has to be counted");
        }
    }

    #[test]
    fn what_a_check_finds_is_counted_by_toolkit_and_property_and_an_event_s_answer_is_not() {
        let mut repairs = BTreeMap::new();
        for checked in [false, true] {
            let mut shadow = shadow(1);
            let key = shadow.nodes.keys().copied().find(|key| *key != shadow.root).expect("a label");
            shadow.checking = checked;
            shadow.ask(key, Facet::Role);
            shadow.checking = false;
            let question = shadow.next_questions(1).remove(0);
            let reply = zbus::Message::method_return(&question.header()).build(&43u32);
            assert!(shadow.answer(&reply.expect("a reply")));
            count(&mut repairs, "gtk3", &mut shadow.drifted);
            let found = repairs.get(&("gtk3".to_owned(), "role".to_owned())).copied();
            assert_eq!(found.is_some(), checked, "{repairs:?}");
        }
    }

    #[test]
    fn everything_on_the_screen_has_its_turn() {
        let shadow = shadow(100);
        let mut reconciler = Reconciler::new(true);
        let mut looked_at = std::collections::HashSet::new();
        for _ in 0..shadow.nodes.len().div_ceil(SAMPLE) {
            let visible = Reconciler::visible(&shadow);
            looked_at.extend(reconciler.sample(&visible));
        }
        assert_eq!(looked_at.len(), shadow.nodes.len());
    }

    #[test]
    fn a_check_is_followed_by_fifty_times_its_own_cost_of_peace() {
        let mut reconciler = Reconciler::new(true);
        let mut shadow = shadow(10);
        let start = shadow.now;
        for cost in [Duration::from_millis(1), Duration::from_millis(40), Duration::from_secs(2)] {
            reconciler.check(&mut shadow, &nobody());
            let end = start + cost;
            reconciler.finished(end, &nobody());
            let due = reconciler.due(true).expect("it is on");
            let peace = due.duration_since(end);
            assert!(
                peace >= cost * (SHARE - 1) && peace >= PAUSE,
                "{cost:?} of checking, {peace:?} of peace"
            );
        }
    }

    #[test]
    fn an_app_that_sleeps_is_left_asleep_once_everything_was_looked_at_twice() {
        let mut sleeper =
            std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().expect("cat runs");
        let work = Work::of(sleeper.id());
        // Asleep for good once it reads, for nothing is ever written to it.
        while !std::fs::read_to_string(format!("/proc/{}/stat", sleeper.id()))
            .is_ok_and(|stat| stat.contains("(cat) S"))
        {
            std::thread::yield_now();
        }
        let mut reconciler = Reconciler::new(true);
        let mut shadow = shadow(SAMPLE * 3 - 1);
        let mut checks = 0;
        for _ in 0..20 {
            reconciler.check(&mut shadow, &work);
            checks += u32::from(reconciler.began.is_some());
            reconciler.finished(shadow.now, &work);
        }
        assert_eq!(checks, 6);
        drop(sleeper.stdin.take());
        sleeper.wait().expect("it ends with its input");
        reconciler.check(&mut shadow, &work);
        assert!(reconciler.began.is_some(), "nothing is known of it any more");
    }

    #[test]
    fn nothing_is_checked_while_the_app_speaks_or_questions_are_open() {
        let mut reconciler = Reconciler::new(true);
        assert_eq!(reconciler.due(false), None);
        let late = Instant::now() + Duration::from_secs(60);
        reconciler.note_event(late);
        assert!(reconciler.due(true).is_some_and(|due| due >= late + QUIET));
        assert_eq!(Reconciler::new(false).due(true), None);
    }
}
