//! Platform events: what each of them says about the tree, and what has to be asked because of it.
//!
//! State changes are taken at their word. Everything else only names what to ask again: some toolkits put the new
//! value into the event, some an old one, some nothing, and the answer to a question is always the truth.

use crate::object::Object;
use crate::read::{Facet, reference, text_question};
use crate::shadow::{Shadow, Stage};
use crate::state::NativeStates;
use std::time::Duration;
use stillpoint_core::tree::NativeKey;
use zbus::{Message, Variant};

/// A node's place is asked for at most this often, however often it moves.
pub(crate) const PLACE_INTERVAL: Duration = Duration::from_millis(50);
/// Of a container whose selection changed, at most this many children are asked for their states.
const SELECTION_LIMIT: usize = 500;

/// An event as it came over the bus.
pub(crate) struct Event<'m> {
    pub(crate) key: NativeKey,
    /// `Object`, `Window`, `Focus` or `Document`.
    pub(crate) class: &'m str,
    /// `StateChanged`, `ChildrenChanged`, …
    pub(crate) member: &'m str,
    /// What follows the second colon: the state's or the property's name.
    pub(crate) detail: &'m str,
    pub(crate) first: i32,
    /// The object that the event is about besides its source, where it names one.
    pub(crate) other: Option<Object>,
}

/// What the session has to do beyond the shadow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effects {
    /// The app tells its geometry.
    pub(crate) tells_bounds: bool,
    /// Its place has to be asked for, but not yet.
    pub(crate) place_later: Option<NativeKey>,
    /// All that lies in it may have moved without a word.
    pub(crate) moved_within: Option<NativeKey>,
}

impl Shadow {
    /// Takes one signal of the app.
    pub(crate) fn event(&mut self, message: &Message) -> Effects {
        let header = message.header();
        let (Some(name), Some(path), Some(interface), Some(member)) =
            (header.sender(), header.path(), header.interface(), header.member())
        else {
            return Effects::default();
        };
        let Some(class) = interface.as_str().strip_prefix("org.a11y.atspi.Event.") else {
            return Effects::default();
        };
        let Some(key) = self.keys.get(name.as_str(), path.as_str()) else {
            // What the mirror does not have is read when its parent names it; some toolkits never do.
            if self.dialect.structure_untold || self.dialect.web {
                self.heard_from_stray(Object::new(name.as_str(), path.as_str()));
            }
            return Effects::default();
        };
        let body = message.body();
        let Some((detail, first, other)) = decode(&body) else {
            tracing::debug!(%interface, %member, "an event that AT-SPI does not define");
            return Effects::default();
        };
        self.handle(&Event { key, class, member: member.as_str(), detail, first, other })
    }

    fn handle(&mut self, event: &Event<'_>) -> Effects {
        let key = event.key;
        if matches!(event.member, "ChildrenChanged" | "TextChanged" | "PropertyChange") {
            self.unsettled = true;
        }
        match (event.class, event.member) {
            ("Object", "BoundsChanged") => {
                return Effects {
                    tells_bounds: true,
                    place_later: self.place_changed(key),
                    ..Effects::default()
                };
            }
            ("Object", "StateChanged") => self.state_changed(event),
            ("Object", "PropertyChange") => return self.property_changed(event),
            ("Object", "TextChanged") => self.ask_text(key),
            ("Object", "ChildrenChanged" | "ModelChanged") | ("Document", "LoadComplete" | "Reload") => {
                self.ask_children(key);
            }
            ("Object", member) if member.starts_with("Row") || member.starts_with("Column") => {
                self.ask_children(key);
            }
            ("Object", "SelectionChanged") => self.selection_changed(key),
            ("Object", "ActiveDescendantChanged") => self.descendant_changed(event),
            ("Object", "VisibleDataChanged") => return self.scrolled(key),
            ("Focus", _) => self.ask(key, Facet::States),
            ("Window", member) => return self.window_event(key, member),
            _ => {}
        }
        Effects::default()
    }

    fn state_changed(&mut self, event: &Event<'_>) {
        let Some(bit) = NativeStates::bit_of(event.detail) else { return };
        let on = event.first != 0;
        if bit == NativeStates::DEFUNCT {
            match self.table_of_cell(event.key) {
                Some(table) if on => self.ask_children(table),
                None if on => self.dismiss(event.key),
                _ => {}
            }
            return;
        }
        let Some(entry) = self.nodes.get_mut(&event.key) else { return };
        if entry.in_flight & Facet::States.bit() != 0 {
            // Its states are being asked for, and the answer is newer than this event.
            return;
        }
        let was_showing = entry.facts.is_showing();
        entry.facts.states.set(bit, on);
        self.changed.insert(event.key);
        self.shown_or_hidden(event.key, was_showing);
        let about_showing = bit & (NativeStates::SHOWING | NativeStates::VISIBLE) != 0;
        if self.dialect.terse_states || about_showing || bit == NativeStates::CHECKED {
            // Qt 5 tells "showing" and means "visible" too. In GTK 3 a state that was read differed from what the last
            // event had said: "showing" of a scroll pane, "checked" in a closed popover.
            self.ask(event.key, Facet::States);
        }
        if bit == NativeStates::CHECKED {
            // The value of a button that can be down follows without a word (LibreOffice).
            self.ask_value(event.key);
        }
        if bit == NativeStates::FOCUSED && on {
            self.look_who_lost_the_focus(event.key);
        }
        if self.dialect.paths_reused && about_showing {
            self.read_what_it_is_now(event.key);
        }
        if self.dialect.structure_untold
            && about_showing
            && let Some(parent) = self.nodes.get(&event.key).and_then(|e| e.facts.parent)
        {
            // It may have been shown because it is new here, or hidden because it left.
            self.ask_children(parent);
        }
    }

    /// `LibreOffice` does not tell that its root pane has not the focus any more.
    fn look_who_lost_the_focus(&mut self, to: NativeKey) {
        let had_it = |e: &crate::shadow::Entry| e.facts.states.has(NativeStates::FOCUSED);
        let losers = self.nodes.iter().filter(|(key, e)| **key != to && had_it(e)).map(|(key, _)| *key);
        for key in losers.collect::<Vec<NativeKey>>() {
            self.ask(key, Facet::States);
        }
    }

    fn property_changed(&mut self, event: &Event<'_>) -> Effects {
        let key = event.key;
        match event.detail {
            "accessible-name" | "accessible-description" => {
                self.ask_all(key, self.dialect.name_question());
                if self.dialect.web {
                    self.ask_text(key);
                }
            }
            "accessible-value" => {
                self.ask_value(key);
                if self.nodes.get(&key).is_some_and(|e| e.facts.role.0 == 48) {
                    // A scroll bar moved: what it scrolls moved with it, and hardly any toolkit says so.
                    return self.scrolled(self.nodes.get(&key).and_then(|e| e.facts.parent).unwrap_or(key));
                }
            }
            "accessible-role" => self.ask_all(key, &[Facet::Role, Facet::Interfaces, Facet::States]),
            "accessible-parent" => {
                let old = self.nodes.get(&key).and_then(|e| e.facts.parent);
                let new = event.other.as_ref().and_then(|o| self.keys.get(&o.name, &o.path));
                for parent in [old, new].into_iter().flatten() {
                    self.ask_children(parent);
                }
            }
            "accessible-id" => self.ask_all(key, &[Facet::Id]),
            _ => {}
        }
        Effects::default()
    }

    pub(crate) fn ask_all(&mut self, key: NativeKey, facets: &[Facet]) {
        for facet in facets {
            self.ask(key, *facet);
        }
    }

    pub(crate) fn ask_text(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get(&key) else { return };
        if entry.stage != Stage::Named && entry.facts.has_text() {
            self.ask(key, text_question(&entry.facts));
        }
    }

    fn ask_value(&mut self, key: NativeKey) {
        let Some(entry) = self.nodes.get(&key) else { return };
        if entry.facts.interfaces.has(crate::node::Interfaces::VALUE) && !entry.facts.is_protected() {
            self.ask_all(key, self.dialect.value_questions());
        }
        self.ask_text(key);
    }

    /// Asks for the place now, or says that it has to be asked for a little later.
    pub(crate) fn place_changed(&mut self, key: NativeKey) -> Option<NativeKey> {
        let entry = self.nodes.get(&key)?;
        let unfinished = entry.stage != Stage::Complete;
        if self.dialect.showing_by_place && unfinished {
            // Its states may have been read before it was given a place, and whether it shows depends on that.
            self.ask(key, Facet::States);
        }
        let entry = self.nodes.get(&key)?;
        if !entry.facts.has_place() {
            // It has got a place, so it may be showing by now; not every toolkit says so.
            if entry.facts.states.has(NativeStates::VISIBLE) {
                self.ask(key, Facet::States);
            }
            return None;
        }
        let recent = entry.placed_at.is_some_and(|at| self.now.duration_since(at) < PLACE_INTERVAL);
        if recent {
            return Some(key);
        }
        self.ask(key, Facet::Extents);
        None
    }

    fn selection_changed(&mut self, key: NativeKey) {
        self.ask_all(key, self.dialect.name_question());
        self.ask_text(key);
        let chosen: Vec<NativeKey> = self.subtree(key).into_iter().skip(1).take(SELECTION_LIMIT).collect();
        for child in chosen {
            let selectable = |e: &crate::shadow::Entry| {
                e.facts.states.has(NativeStates::SELECTABLE | NativeStates::SELECTED)
            };
            if self.nodes.get(&child).is_some_and(selectable) {
                self.ask(child, Facet::States);
            }
        }
    }

    fn descendant_changed(&mut self, event: &Event<'_>) {
        let new = event.other.as_ref().and_then(|o| self.keys.get(&o.name, &o.path));
        let focused = self
            .subtree(event.key)
            .into_iter()
            .filter(|key| self.nodes.get(key).is_some_and(|e| e.facts.states.has(NativeStates::FOCUSED)));
        let old: Vec<NativeKey> = focused.collect();
        for key in old.into_iter().chain(new) {
            self.ask(key, Facet::States);
        }
    }

    fn scrolled(&mut self, key: NativeKey) -> Effects {
        let windowed = self.nodes.get(&key).is_some_and(|e| e.facts.omitted > 0);
        if windowed {
            self.ask_children(key);
        }
        Effects { moved_within: Some(key), ..Effects::default() }
    }

    fn window_event(&mut self, key: NativeKey, member: &str) -> Effects {
        match member {
            "Create" | "Destroy" | "Open" | "Close" => self.ask_children(self.root),
            "Activate" | "Raise" => {
                self.active = Some(key);
                self.ask(key, Facet::States);
            }
            "PropertyChange" | "Rename" => self.ask_all(key, self.dialect.name_question()),
            "Move" | "Resize" | "Maximize" | "Minimize" | "Restore" => {
                self.ask(key, Facet::States);
                return Effects { moved_within: Some(key), ..Effects::default() };
            }
            _ => self.ask(key, Facet::States),
        }
        Effects::default()
    }
}

/// Detail, first number and second object of an event, in both forms that are in use.
fn decode(body: &zbus::message::Body) -> Option<(&str, i32, Option<Object>)> {
    type New<'m> = (&'m str, i32, i32, Variant<'m>, std::collections::HashMap<&'m str, Variant<'m>>);
    type Old<'m> = (&'m str, i32, i32, Variant<'m>, (&'m str, zbus::ObjectPath<'m>));
    let signature = body.signature().to_string();
    let (detail, first, any) = if signature.contains("a{sv}") {
        let (detail, first, _, any, _): New<'_> = body.deserialize().ok()?;
        (detail, first, any)
    } else {
        let (detail, first, _, any, _): Old<'_> = body.deserialize().ok()?;
        (detail, first, any)
    };
    Some((detail, first, reference(&any)))
}
