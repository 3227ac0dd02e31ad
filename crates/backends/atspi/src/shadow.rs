//! The backend's own copy of an app: what is known of each object, what is being asked, what the mirror was told.
//!
//! No I/O: questions come out ([`Shadow::next_questions`]), answers and events go in. Answers come over the same
//! ordered connection as the events, so an answer that arrives after an event was given after it: whatever is asked
//! for already need not be asked again, and no answer is ever older than what is known.

use crate::cache::Cache;
use crate::follow::Motion;
use crate::gather::{Gathering, Step};
use crate::node::Facts;
use crate::object::{Keys, Object};
use crate::read::{Dialect, Facet};
use crate::role::NativeRole;
use std::collections::{HashMap, HashSet, VecDeque};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
use stillpoint_core::tree::{Limits, NativeKey, Props};
use tokio::time::Instant;

/// How many elements on the screen are asked for an id before an app counts as one without.
const ID_SAMPLE: usize = 64;
/// Panels are asked beyond that: in `LibreOffice`, two panels in a tool bar are all that has an id, behind more than a
/// hundred menus and buttons. A sample that misses them finds them or not by when it was taken.
const ID_SAMPLE_WITH_PANELS: usize = 256;

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
    /// Whether it stands still.
    pub(crate) motion: Motion,
    /// When its place was last asked for.
    pub(crate) placed_at: Option<Instant>,
    /// Its list of children is not to be believed: each is asked for.
    pub(crate) by_index: bool,
    pub(crate) gathering: Option<Gathering>,
    /// Of a table that is mirrored by what is on the screen: the cell at each place.
    pub(crate) cells: HashMap<usize, NativeKey>,
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
            motion: Motion::default(),
            placed_at: None,
            by_index: false,
            gathering: None,
            cells: HashMap::new(),
        }
    }
}

impl Entry {
    /// Whether nothing is being asked about it.
    pub(crate) fn is_answered(&self) -> bool {
        self.in_flight == 0 && self.gathering.is_none()
    }
}

/// Why something is asked: rounds are counted, so that a barrier knows what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Round(pub(crate) u64);

/// One question that waits to be sent or answered.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) key: NativeKey,
    pub(crate) facet: Facet,
    pub(crate) length: i32,
    /// For [`Facet::Step`]: which one.
    pub(crate) step: Option<Step>,
    pub(crate) round: Round,
    pub(crate) check: bool,
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
    /// While the first tree is read over the bus: whose actions are to be asked for once it is there. Nobody sees them in a tree,
    /// and whoever acts or reads waits for them with the barrier.
    put_off: Option<Vec<NativeKey>>,
    /// Who named a child that, as far as was known, it lies in itself: to be asked again when somebody has moved.
    pub(crate) entangled: Vec<NativeKey>,
    /// Elements, texts or names have changed since the last look for what was not told.
    pub(crate) unsettled: bool,
    /// What may be on its way, and when to look at it again.
    pub(crate) moved: HashMap<NativeKey, Duration>,
    /// In whose family somebody came, left, grew or moved, so that the others may have made room without a word.
    pub(crate) jostled: HashSet<NativeKey>,
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
    pub(crate) waiting: VecDeque<Question>,
    pub(crate) asked: HashMap<NonZeroU32, Question>,
    pub(crate) open: HashMap<Round, usize>,
    pub(crate) checking: bool,
    pub(crate) has_ids: bool,
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
            moved: HashMap::new(),
            jostled: HashSet::new(),
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
            put_off: None,
            entangled: Vec::new(),
            unsettled: false,
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

    pub(crate) fn ask_the_rest(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get(&key) else { return };
        for facet in self.dialect.next_questions(&entry.facts) {
            self.ask(key, facet);
        }
        self.ask_id(key);
    }

    /// From here on, what the first tree can do without is put off.
    pub(crate) fn put_off(&mut self) {
        self.put_off = Some(Vec::new());
    }

    /// The first tree is there.
    pub(crate) fn ask_what_was_put_off(&mut self) {
        for key in self.put_off.take().unwrap_or_default() {
            self.ask(key, Facet::Actions);
        }
    }

    /// Whether this is not to be asked now.
    pub(crate) fn puts_off(&mut self, key: NativeKey, facet: Facet) -> bool {
        match &mut self.put_off {
            Some(later) if facet == Facet::Actions => {
                later.push(key);
                true
            }
            _ => false,
        }
    }

    /// Most apps give ids to nothing. A sample of what is on the screen is asked; with the first id that is found,
    /// everything is.
    pub(crate) fn ask_id(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get_mut(&key).filter(|e| !e.id_asked) else { return };
        if !self.has_ids {
            let is_panel = entry.facts.role == NativeRole::PANEL;
            let most = if is_panel { ID_SAMPLE_WITH_PANELS } else { ID_SAMPLE };
            if self.ids_sampled >= most || !entry.facts.is_showing() {
                return;
            }
            self.ids_sampled += 1;
        }
        entry.id_asked = true;
        for facet in self.dialect.id_questions() {
            self.ask(key, *facet);
        }
    }

    /// An id was found for the first time: now all are asked.
    pub(crate) fn ask_all_ids(&mut self) {
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
}
