//! The backend's own copy of an app: what is known of each object, what is being asked, what the mirror was told.
//!
//! No I/O: questions come out ([`Shadow::next_questions`]), answers and events go in. Answers come over the same
//! ordered connection as the events, so an answer that arrives after an event was given after it: whatever is asked
//! for already need not be asked again, and no answer is ever older than what is known.

use crate::cache::Cache;
use crate::gather::{Gathering, Step};
use crate::node::Facts;
use crate::object::{Keys, Object};
use crate::read::{self, Dialect, Facet, Lesson};
use std::collections::{HashMap, HashSet, VecDeque};
use std::num::NonZeroU32;
use std::sync::Arc;
use stillpoint_core::tree::{Limits, NativeKey, Props};
use tokio::time::Instant;
use zbus::Message;
use zbus::message::Type;

/// How many elements on the screen are asked for an id before an app counts as one without.
const ID_SAMPLE: usize = 64;

/// How far the first reading of an object has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It was named by its parent.
    Named,
    /// Its role, states and interfaces are known; the rest is being asked for.
    Identified,
    /// All is known.
    Complete,
}

/// One object.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) facts: Facts,
    pub(crate) stage: Stage,
    /// What the mirror was told of it; `None` if it is not there.
    pub(crate) told: Option<Props>,
    pub(crate) told_parent: Option<NativeKey>,
    pub(crate) told_children: Vec<NativeKey>,
    /// The facets that are asked for and not answered.
    pub(crate) in_flight: u32,
    /// Its id is known, or was asked for.
    pub(crate) id_asked: bool,
    /// It did not answer, or said that it is gone.
    pub(crate) dead: bool,
    /// When its place was last asked for.
    pub(crate) placed_at: Option<Instant>,
    /// Its list of children is not to be believed: each is asked for.
    pub(crate) by_index: bool,
    pub(crate) gathering: Option<Gathering>,
}

impl Entry {
    pub(crate) fn new(object: Object, parent: Option<NativeKey>, dialect: Dialect) -> Self {
        let mut facts = Facts::new(object);
        facts.parent = parent;
        facts.showing_untold = dialect.showing_untold;
        Entry {
            facts,
            stage: Stage::Named,
            told: None,
            told_parent: None,
            told_children: Vec::new(),
            in_flight: 0,
            id_asked: false,
            dead: false,
            placed_at: None,
            by_index: false,
            gathering: None,
        }
    }
}

impl Entry {
    /// Whether nothing is being asked about it.
    fn is_answered(&self) -> bool {
        self.in_flight == 0 && self.gathering.is_none()
    }
}

/// Why something is asked: rounds are counted, so that a barrier knows what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Round(pub(crate) u64);

#[derive(Clone, Debug)]
struct Question {
    key: NativeKey,
    facet: Facet,
    length: i32,
    /// For [`Facet::Step`]: which one.
    step: Option<Step>,
    round: Round,
    check: bool,
}

/// Counts of what went wrong in reading, for the log.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Skipped {
    pub(crate) questions: u64,
    pub(crate) objects: u64,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Shadow {
    pub(crate) keys: Keys,
    pub(crate) nodes: HashMap<NativeKey, Entry>,
    pub(crate) root: NativeKey,
    pub(crate) dialect: Dialect,
    pub(crate) limits: Limits,
    /// Where each window's own (0, 0) is on the screen, for toolkits that do not say.
    pub(crate) origins: HashMap<NativeKey, (i32, i32)>,
    /// The window that is in front.
    pub(crate) active: Option<NativeKey>,
    /// Whose children may differ from what the mirror was told, since when.
    pub(crate) restructured: HashMap<NativeKey, Instant>,
    /// Whose properties may differ.
    pub(crate) changed: HashSet<NativeKey>,
    /// Other names on the bus that objects of this app live under.
    pub(crate) strangers: Vec<Arc<str>>,
    /// Objects that spoke before anybody named them, being looked after.
    pub(crate) strays: HashSet<Object>,
    pub(crate) skipped: Skipped,
    /// What a check found different without an event having said so.
    pub(crate) drifted: Vec<&'static str>,
    /// Time of the event that is being handled.
    pub(crate) now: Instant,
    pub(crate) round: Round,
    cache: Cache,
    waiting: VecDeque<Question>,
    asked: HashMap<NonZeroU32, Question>,
    open: HashMap<Round, usize>,
    pub(crate) checking: bool,
    has_ids: bool,
    ids_sampled: usize,
}

impl Shadow {
    pub(crate) fn new(root: Object, dialect: Dialect, limits: Limits) -> Self {
        let mut keys = Keys::default();
        let (key, _) = keys.intern(&root);
        Shadow {
            keys,
            nodes: HashMap::from([(key, Entry::new(root, None, dialect))]),
            root: key,
            dialect,
            limits,
            origins: HashMap::new(),
            active: None,
            restructured: HashMap::new(),
            changed: HashSet::new(),
            strangers: Vec::new(),
            strays: HashSet::new(),
            skipped: Skipped::default(),
            drifted: Vec::new(),
            now: Instant::now(),
            round: Round(0),
            cache: Cache::new(),
            waiting: VecDeque::new(),
            asked: HashMap::new(),
            open: HashMap::new(),
            checking: false,
            has_ids: false,
            ids_sampled: 0,
        }
    }

    /// Reads everything from the root on, taking from `cache` what is in it.
    pub(crate) fn read_all(&mut self, cache: Cache) {
        self.cache = cache;
        self.introduce(self.root);
    }

    /// The cache is a moment old as soon as the first tree is read.
    pub(crate) fn drop_cache(&mut self) {
        self.cache = Cache::new();
    }

    /// Begins with an object of which only the name is known.
    pub(crate) fn introduce(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get_mut(&key) else { return };
        let Some(cached) = self.cache.remove(&entry.facts.object) else {
            for facet in self.dialect.first_questions() {
                self.ask(key, *facet);
            }
            return;
        };
        let facts = &mut entry.facts;
        facts.interfaces = cached.interfaces;
        facts.name = cached.name;
        facts.description = cached.description;
        facts.role = cached.role;
        facts.states = cached.states;
        facts.child_count = cached.child_count;
        entry.stage = Stage::Identified;
        self.ask_the_rest(key);
        match cached.children {
            Some(children) if children.len() <= self.limits.max_children => {
                let total = children.len();
                self.set_children(key, children, total);
            }
            _ => self.ask_children(key),
        }
        self.advance(key);
    }

    fn ask_the_rest(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get(&key) else { return };
        for facet in self.dialect.next_questions(&entry.facts) {
            self.ask(key, facet);
        }
        self.ask_id(key);
    }

    /// Most apps give ids to nothing. A sample of what is on the screen is asked; with the first id that is found,
    /// everything is.
    fn ask_id(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get_mut(&key).filter(|e| !e.id_asked) else { return };
        if !self.has_ids && (self.ids_sampled >= ID_SAMPLE || !entry.facts.is_showing()) {
            return;
        }
        entry.id_asked = true;
        self.ids_sampled += 1;
        for facet in self.dialect.id_questions() {
            self.ask(key, *facet);
        }
    }

    /// An id was found for the first time: now all are asked.
    fn ask_all_ids(&mut self) {
        self.has_ids = true;
        let mut keys: Vec<NativeKey> = self.nodes.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
            if self.nodes.get(&key).is_some_and(|e| e.stage != Stage::Named) {
                self.ask_id(key);
            }
        }
    }

    /// Asks for the children, all of them or those on the screen.
    pub(crate) fn ask_children(&mut self, key: NativeKey) {
        if self.needs_gathering(key) {
            self.gather(key);
        } else {
            self.ask(key, Facet::Children);
        }
    }

    /// Asks, unless the answer is on its way already.
    pub(crate) fn ask(&mut self, key: NativeKey, facet: Facet) {
        self.ask_length(key, facet, -1);
    }

    fn ask_length(&mut self, key: NativeKey, facet: Facet, length: i32) {
        let Some(entry) = self.nodes.get_mut(&key).filter(|e| !e.dead) else { return };
        if entry.in_flight & facet.bit() != 0 {
            return;
        }
        entry.in_flight |= facet.bit();
        if facet == Facet::Extents {
            entry.placed_at = Some(self.now);
        }
        self.put(key, facet, length, None);
    }

    /// Asks one step of a gathering. There are many of them at once.
    pub(crate) fn ask_step(&mut self, key: NativeKey, step: Step) {
        self.put(key, Facet::Step, 0, Some(step));
    }

    fn put(&mut self, key: NativeKey, facet: Facet, length: i32, step: Option<Step>) {
        *self.open.entry(self.round).or_default() += 1;
        let (round, check) = (self.round, self.checking);
        self.waiting.push_back(Question { key, facet, length, step, round, check });
    }

    /// Everything asked for while `questions` runs is a check: a difference in its answers is an event that was missing.
    pub(crate) fn checking(&mut self, questions: impl FnOnce(&mut Self)) {
        self.checking = true;
        questions(self);
        self.checking = false;
    }

    /// The next questions to send, so that at most `window` are unanswered.
    pub(crate) fn next_questions(&mut self, window: usize) -> Vec<Message> {
        let mut messages = Vec::new();
        while self.asked.len() < window {
            let Some(question) = self.waiting.pop_front() else { break };
            let message = self.nodes.get(&question.key).map(|e| match &question.step {
                Some(step) => step.question(&e.facts.object, e.facts.extents),
                None => read::question(&e.facts.object, question.facet, question.length),
            });
            match message {
                Some(Ok(message)) => {
                    self.asked.insert(message.primary_header().serial_num(), question);
                    messages.push(message);
                }
                Some(Err(error)) => {
                    tracing::debug!(facet = ?question.facet, %error, "a question cannot be put");
                    self.failed(question, false);
                }
                None => self.close(question.round),
            }
        }
        messages
    }

    /// Takes an answer; `false` if nobody here asked.
    pub(crate) fn answer(&mut self, reply: &Message) -> bool {
        let serial = reply.header().reply_serial();
        let Some(question) = serial.and_then(|serial| self.asked.remove(&serial)) else { return false };
        if reply.message_type() == Type::Error {
            let gone =
                reply.header().error_name().is_some_and(|name| name.as_str().ends_with("UnknownObject"));
            self.failed(question, gone);
            return true;
        }
        if let Some(step) = question.step.clone() {
            self.on_behalf(&question, |shadow| {
                shadow.stepped(question.key, step, Some(reply));
                shadow.advance(question.key);
            });
            self.close(question.round);
            return true;
        }
        let Some(entry) = self.nodes.get_mut(&question.key) else {
            self.close(question.round);
            return true;
        };
        entry.in_flight &= !question.facet.bit();
        let was_showing = entry.facts.is_showing();
        match read::learn(&mut entry.facts, question.facet, reply) {
            Ok(lesson) => {
                self.on_behalf(&question, |shadow| shadow.learned(&question, lesson, was_showing));
            }
            Err(error) => {
                tracing::debug!(facet = ?question.facet, %error, "an answer makes no sense");
                self.failed(question, false);
                return true;
            }
        }
        self.on_behalf(&question, |shadow| shadow.advance(question.key));
        self.close(question.round);
        true
    }

    /// What follows from an answer belongs to the round of its question.
    fn on_behalf(&mut self, question: &Question, follow: impl FnOnce(&mut Self)) {
        let round = std::mem::replace(&mut self.round, question.round);
        let checking = std::mem::replace(&mut self.checking, question.check);
        follow(self);
        (self.round, self.checking) = (round, checking);
    }

    fn learned(&mut self, question: &Question, lesson: Lesson, was_showing: bool) {
        match lesson {
            Lesson::Learned => {}
            Lesson::Children(children) => {
                let total = children.len();
                self.set_children(question.key, children, total);
            }
            Lesson::TextLength(length) => {
                self.ask_length(question.key, Facet::Text, length.clamp(0, read::TEXT_LIMIT));
            }
        }
        match question.facet {
            Facet::States => self.shown_or_hidden(question.key, was_showing),
            Facet::Identity => {
                if let Some(entry) = self.nodes.get_mut(&question.key) {
                    entry.id_asked = true;
                }
                self.compare_parents(question.key);
                self.counted(question.key);
            }
            Facet::ChildCount => self.counted(question.key),
            _ => {}
        }
        let has_id = |e: &Entry| e.facts.stable_id.is_some();
        if !self.has_ids && self.nodes.get(&question.key).is_some_and(has_id) {
            self.ask_all_ids();
        }
        self.note_change(question.key);
    }

    /// What has come onto the screen has a place there that nobody asked for yet.
    pub(crate) fn shown_or_hidden(&mut self, key: NativeKey, was_showing: bool) {
        let Some(entry) = self.nodes.get(&key) else { return };
        if !was_showing && entry.facts.is_showing() && entry.stage != Stage::Named {
            for facet in self.dialect.questions_when_shown(&entry.facts) {
                self.ask(key, facet);
            }
            self.ask_id(key);
        }
    }

    fn note_change(&mut self, key: NativeKey) {
        let origin = self.origin(key);
        let Some(entry) = self.nodes.get(&key).filter(|e| e.stage == Stage::Complete) else { return };
        if self.checking
            && let Some(told) = entry.told.as_ref().filter(|_| !self.changed.contains(&key))
        {
            let found = crate::node::differences(told, &entry.facts.props(origin));
            self.drifted.extend(found.iter().map(crate::node::prop_name));
        }
        self.changed.insert(key);
    }

    /// Goes on with an object's first reading when all questions of a stage are answered.
    fn advance(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get_mut(&key) else { return };
        if entry.stage == Stage::Named && entry.is_answered() {
            entry.stage = Stage::Identified;
            let has_children = entry.facts.child_count > 0;
            self.ask_the_rest(key);
            if has_children {
                self.ask_children(key);
            }
        }
        if let Some(entry) = self.nodes.get_mut(&key)
            && entry.stage == Stage::Identified
            && entry.is_answered()
        {
            entry.stage = Stage::Complete;
            self.changed.insert(key);
        }
    }

    /// An object that does not answer is skipped and counted; it never ends the walk.
    fn failed(&mut self, question: Question, gone: bool) {
        self.skipped.questions += 1;
        if let Some(step) = question.step.clone() {
            self.on_behalf(&question, |shadow| {
                shadow.stepped(question.key, step, None);
                shadow.advance(question.key);
            });
            self.close(question.round);
            return;
        }
        let parent = self.nodes.get_mut(&question.key).and_then(|entry| {
            entry.in_flight &= !question.facet.bit();
            let vital = matches!(question.facet, Facet::Role | Facet::States);
            entry.dead |= entry.stage == Stage::Named && vital;
            entry.facts.parent.filter(|_| entry.dead || gone)
        });
        self.on_behalf(&question, |shadow| {
            if let Some(parent) = parent {
                shadow.dismiss(question.key);
                shadow.ask_children_if_told(parent, gone);
            }
            shadow.advance(question.key);
        });
        self.close(question.round);
    }

    fn close(&mut self, round: Round) {
        if let Some(open) = self.open.get_mut(&round) {
            *open -= 1;
            if *open == 0 {
                self.open.remove(&round);
            }
        }
    }

    /// Whether every question of this round and of earlier ones is answered.
    pub(crate) fn is_settled(&self, round: Round) -> bool {
        self.open.keys().all(|open| *open > round)
    }

    /// Whether nothing is being asked.
    pub(crate) fn is_quiet(&self) -> bool {
        self.open.is_empty()
    }

    /// How many questions wait to be sent or answered.
    pub(crate) fn backlog(&self) -> usize {
        self.waiting.len() + self.asked.len()
    }
}
