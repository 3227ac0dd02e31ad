//! Plays a scene: knows when each handler goes on, and collects what changed in batches.

use super::choices::Choices;
use super::generated::Machine;
use super::parse_steps::chord_name;
use super::stage::Stage;
use super::thread::{Progress, Thread};
use super::{Again, Scene, Trigger, Verb};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use stillpoint_core::tree::{Change, NativeKey};
use stillpoint_engine::backend::{BusyResource, IdleReport};
use tokio::sync::watch;
use tokio::time::Instant;

/// Handlers that run at one moment; a scene that wants more is in a circle.
const MOST_RUNS: u32 = 10_000;

/// How it stands with the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Playing,
    Hung,
    Crashed,
    Closed,
}

/// A scene that is being played.
pub(crate) struct Player {
    pub(crate) scene: Arc<Scene>,
    pub(crate) stage: Stage,
    pub(crate) fate: Fate,
    choices: Choices,
    machine: Option<Box<dyn Machine>>,
    threads: Vec<Thread>,
    batches: Vec<Vec<Change>>,
    started: Instant,
    orders: u64,
    busy: BTreeMap<String, (u32, Instant)>,
    idle: Option<watch::Sender<IdleReport>>,
}

impl Player {
    /// The scene at its beginning; nothing moves before [`Player::start`].
    pub(crate) fn new(
        scene: Arc<Scene>,
        choices: Choices,
        machine: Option<Box<dyn Machine>>,
        now: Instant,
    ) -> Self {
        let mut stage = Stage::new(&scene.root, scene.title.as_deref(), scene.url.as_deref());
        for (name, number) in &scene.options {
            stage.count(name, choices.named.get(name).copied().unwrap_or(*number));
        }
        let idle = choices
            .idle_signal(scene.idle)
            .then(|| watch::Sender::new(IdleReport { idle: true, busy: Vec::new() }));
        Player {
            scene,
            stage,
            fate: Fate::Playing,
            choices,
            machine,
            threads: Vec::new(),
            batches: Vec::new(),
            started: now,
            orders: 0,
            busy: BTreeMap::new(),
            idle,
        }
    }

    /// From now on the scene plays.
    pub(crate) fn start(&mut self, now: Instant) {
        self.started = now;
        if let Some(machine) = &mut self.machine {
            machine.begin(&mut self.stage);
        }
        self.start_where(now, |trigger| (*trigger == Trigger::Attach).then(BTreeMap::new));
    }

    pub(crate) fn idle_signal(&self) -> Option<watch::Receiver<IdleReport>> {
        self.idle.as_ref().map(watch::Sender::subscribe)
    }

    /// When the next step is due.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        if self.fate != Fate::Playing {
            return None;
        }
        let machine = self.machine.as_ref().and_then(|m| m.due()).map(|after| self.started + after);
        self.threads.iter().map(|t| t.due).chain(machine).min()
    }

    /// Does everything that is due.
    pub(crate) fn run_due(&mut self, now: Instant) {
        for runs in 0.. {
            let next = self.threads.iter().enumerate().filter(|(_, t)| t.due <= now);
            let Some((at, _)) = next.min_by_key(|(_, t)| (t.due, t.order)) else { break };
            if runs == MOST_RUNS {
                tracing::error!("handlers of the scene start each other without end: the app hangs");
                self.fate = Fate::Hung;
                return;
            }
            let mut thread = self.threads.swap_remove(at);
            if thread.run(self, now) == Progress::Waits {
                self.threads.push(thread);
            }
            self.flush();
            if self.fate != Fate::Playing {
                return;
            }
        }
        if let Some(mut machine) = self.machine.take() {
            machine.tick(now.duration_since(self.started), &mut self.stage, &mut self.batches);
            self.machine = Some(machine);
        }
        self.flush();
    }

    /// What happened so far becomes a batch.
    pub(crate) fn flush(&mut self) {
        if self.stage.is_pending() {
            let batch = self.stage.flush();
            if !batch.is_empty() {
                self.batches.push(batch);
            }
        }
    }

    /// The batches that have not been told yet, in order.
    pub(crate) fn take_batches(&mut self) -> Vec<Vec<Change>> {
        std::mem::take(&mut self.batches)
    }

    /// Something was done to an element: starts the handlers of the element and of those around it.
    pub(crate) fn happened(&mut self, verb: Verb, key: NativeKey, amount: i32, now: Instant) {
        let ids: Vec<String> = self
            .stage
            .lineage(key)
            .filter_map(|k| self.stage.get(k)?.props.stable_id().map(str::to_owned))
            .collect();
        self.start_where(now, |trigger| match trigger {
            Trigger::On(on, pattern) if *on == verb => ids.iter().find_map(|id| matches(pattern, id)),
            _ => None,
        });
        if let Some(mut machine) = self.machine.take() {
            machine.happened(verb, key, amount, &mut self.stage);
            self.machine = Some(machine);
        }
    }

    /// A key was pressed while `key` had the focus. Says whether the scene knows it.
    pub(crate) fn key_pressed(&mut self, chord: &str, focused: Option<NativeKey>, now: Instant) -> bool {
        let chord = chord_name(chord);
        let around: Vec<String> = focused
            .into_iter()
            .flat_map(|key| self.stage.lineage(key))
            .filter_map(|k| self.stage.get(k)?.props.stable_id().map(str::to_owned))
            .collect();
        self.start_where(now, |trigger| match trigger {
            Trigger::Key { chord: wanted, within } if *wanted == chord => match within {
                None => Some(BTreeMap::new()),
                Some(pattern) => around.iter().find_map(|id| matches(pattern, id)),
            },
            _ => None,
        })
    }

    /// Something was dragged onto something. Says whether the scene knows it.
    pub(crate) fn dropped(&mut self, source: NativeKey, target: NativeKey, now: Instant) -> bool {
        let ids = |key| -> Vec<String> {
            let named = |k| self.stage.get(k)?.props.stable_id().map(str::to_owned);
            self.stage.lineage(key).filter_map(named).collect()
        };
        let (sources, targets) = (ids(source), ids(target));
        self.start_where(now, |trigger| match trigger {
            Trigger::Drop { source, target } => {
                let mut names = sources.iter().find_map(|id| matches(source, id))?;
                names.extend(targets.iter().find_map(|id| matches(target, id))?);
                Some(names)
            }
            _ => None,
        })
    }

    fn start_where(
        &mut self,
        now: Instant,
        wanted: impl Fn(&Trigger) -> Option<BTreeMap<String, String>>,
    ) -> bool {
        let scene = self.scene.clone();
        let mut any = false;
        for (index, handler) in scene.handlers.iter().enumerate() {
            let Some(names) = handler.on.iter().find_map(&wanted) else { continue };
            any = true;
            let running = self.threads.iter().any(|t| t.handler == index);
            match handler.again {
                Again::Once if running => continue,
                Again::Restart => self.threads.retain(|t| t.handler != index),
                _ => {}
            }
            self.orders += 1;
            self.threads.push(Thread::new(index, handler.body.clone(), names, now, self.orders));
        }
        any
    }

    /// A time of the scene at the speed that was asked for.
    pub(crate) fn scale(&self, time: Duration) -> Duration {
        time.div_f64(self.choices.speed)
    }

    /// A time of the scene, with its share of the jitter.
    pub(crate) fn stretch(&mut self, time: Duration) -> Duration {
        let jitter = self.choices.next_jitter();
        self.scale(time + jitter)
    }

    /// The app says that work is under way.
    pub(crate) fn busy(&mut self, resource: &str, now: Instant) {
        self.busy.entry(resource.to_owned()).or_insert((0, now)).0 += 1;
        self.report(now);
    }

    /// The app says that work has ended.
    pub(crate) fn done(&mut self, resource: &str, now: Instant) {
        if let Some((count, _)) = self.busy.get_mut(resource) {
            *count -= 1;
            if *count == 0 {
                self.busy.remove(resource);
            }
        }
        self.report(now);
    }

    fn report(&self, now: Instant) {
        let Some(idle) = &self.idle else { return };
        let age = |since: &Instant| u64::try_from(now.duration_since(*since).as_millis()).unwrap_or(u64::MAX);
        let resource = |(name, (count, since)): (&String, &(u32, Instant))| BusyResource {
            name: name.clone(),
            count: *count,
            age_ms: age(since),
            stuck: false,
        };
        let busy: Vec<BusyResource> = self.busy.iter().map(resource).collect();
        idle.send_replace(IdleReport { idle: busy.is_empty(), busy });
    }
}

/// Whether an id fits a pattern such as `delete-{row}`, and what the name in it stands for.
fn matches(pattern: &str, id: &str) -> Option<BTreeMap<String, String>> {
    let Some((before, rest)) = pattern.split_once('{') else {
        return (pattern == id).then(BTreeMap::new);
    };
    let (name, after) = rest.split_once('}')?;
    let middle = id.strip_prefix(before)?.strip_suffix(after)?;
    (!middle.is_empty()).then(|| BTreeMap::from([(name.to_owned(), middle.to_owned())]))
}
