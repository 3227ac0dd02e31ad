//! Asking and learning: questions out, answers in, each object's first reading driven from stage to stage.

use crate::follow::Before;
use crate::gather::Step;
use crate::read::{self, Dialect, Facet, Lesson};
use crate::shadow::{Entry, Question, Round, Shadow, Stage};
use stillpoint_core::tree::NativeKey;
use zbus::Message;
use zbus::message::Type;

impl Shadow {
    /// Asks, unless the answer is on its way already.
    pub(crate) fn ask(&mut self, key: NativeKey, facet: Facet) {
        if !self.puts_off(key, facet) {
            self.ask_length(key, facet, -1);
        }
    }

    fn ask_length(&mut self, key: NativeKey, facet: Facet, length: i32) {
        let Some(entry) = self.nodes.get_mut(&key).filter(|e| !e.dead) else { return };
        if entry.in_flight & facet.bit() != 0 {
            self.hasten(key, facet);
            return;
        }
        entry.in_flight |= facet.bit();
        if facet == Facet::Extents {
            entry.placed_at = Some(self.now);
        }
        self.put(key, facet, length, None);
    }

    /// Whoever wants an answer that is on its way for a later round waits for it too.
    fn hasten(&mut self, key: NativeKey, facet: Facet) {
        let now = self.round;
        if self.open.keys().all(|round| *round <= now) {
            return;
        }
        let later = |q: &&mut Question| q.key == key && q.facet == facet && q.round > now;
        let question = self.asked.values_mut().chain(self.waiting.iter_mut()).find(later);
        if let Some(question) = question {
            let before = std::mem::replace(&mut question.round, now);
            *self.open.entry(now).or_default() += 1;
            self.close(before);
        }
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
                    self.failed(&question, false);
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
            self.failed(&question, gone);
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
        let before = Before::of(&entry.facts);
        match read::learn(&mut entry.facts, question.facet, reply) {
            Ok(lesson) => {
                self.on_behalf(&question, |shadow| shadow.learned(&question, lesson, &before));
            }
            Err(error) => {
                tracing::debug!(facet = ?question.facet, %error, "an answer makes no sense");
                self.failed(&question, false);
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

    fn learned(&mut self, question: &Question, lesson: Lesson, before: &Before) {
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
            Facet::States => self.shown_or_hidden(question.key, before.showing),
            Facet::Role => self.role_learned(question.key, before),
            Facet::Name => self.name_learned(question.key, before),
            Facet::Extents => self.place_learned(question.key, before),
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
            for facet in Dialect::questions_when_shown(&entry.facts) {
                self.ask(key, facet);
            }
            self.ask_id(key);
        }
        self.follow_into_children(key, was_showing);
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
    pub(crate) fn advance(&mut self, key: NativeKey) {
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
    fn failed(&mut self, question: &Question, gone: bool) {
        self.skipped.questions += 1;
        if let Some(step) = question.step.clone() {
            self.on_behalf(question, |shadow| {
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
        self.on_behalf(question, |shadow| {
            if let Some(parent) = parent {
                if shadow.table_of_cell(question.key).is_none() {
                    shadow.dismiss(question.key);
                }
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
