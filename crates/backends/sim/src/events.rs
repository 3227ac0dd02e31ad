//! Scene step → change: does to the stage what one step says. The stage records what that changed.

use crate::scene::expr::{Scope, Wording};
use crate::scene::layout::MOST;
use crate::scene::player::{Fate, Player};
use crate::scene::{Deed, Element, Piece, Scene, Setting, Verb};
use std::collections::BTreeMap;
use stillpoint_core::tree::{NativeKey, Prop, Str};
use tokio::time::Instant;

/// Does one step. What refers to an element that is gone does nothing: scenes race with their users.
pub(crate) fn apply(player: &mut Player, deed: &Deed, names: &BTreeMap<String, String>, now: Instant) {
    let find = |player: &Player, id: &Wording| {
        let id = id.fill(&Scope { stage: &player.stage, names });
        let found = player.stage.find(&id);
        if found.is_none() {
            tracing::trace!(id, "a step of the scene names an element that is not there");
        }
        found
    };
    match deed {
        Deed::Set { id, to } => {
            if let Some(key) = find(player, id) {
                set(player, key, to, names);
            }
        }
        Deed::Nudge { id, dx, dy } => {
            if let Some(key) = find(player, id)
                && let Some(mut place) = player.stage.get(key).and_then(|item| item.props.bounds())
            {
                // Something that drifts for ever stays within what a screen can be.
                let drift = |at: i32, by: i32| at.saturating_add(by).clamp(-MOST, MOST);
                (place.x, place.y) = (drift(place.x, *dx), drift(place.y, *dy));
                player.stage.move_on_screen(key, place);
            }
        }
        Deed::Add { what, under, at } => {
            let scene = player.scene.clone();
            if let (Some(parent), Some(element)) = (find(player, under), written(&scene, what)) {
                player.stage.insert(parent, *at, element, names);
            }
        }
        Deed::Remove(id) => {
            if let Some(key) = find(player, id) {
                player.stage.remove(key);
            }
        }
        Deed::Replace { id, with } => {
            let scene = player.scene.clone();
            if let (Some(key), Some(element)) = (find(player, id), written(&scene, with)) {
                player.stage.substitute(key, element, names);
            }
        }
        Deed::Recreate(id) => {
            if let Some(key) = find(player, id) {
                player.stage.recreate(key);
            }
        }
        Deed::Move { id, under, at } => {
            if let (Some(key), Some(parent)) = (find(player, id), find(player, under)) {
                player.stage.relocate(key, parent, *at);
            }
        }
        Deed::Focus(id) => {
            let key = find(player, id);
            player.stage.focus(key);
        }
        Deed::Tap(id) => {
            if let Some(key) = find(player, id) {
                player.happened(Verb::Tap, key, 0, now);
            }
        }
        Deed::Title(title) => {
            let title = title.fill(&Scope { stage: &player.stage, names });
            player.stage.screen(Some(&title), None);
        }
        Deed::Url(url) => {
            let url = url.fill(&Scope { stage: &player.stage, names });
            player.stage.screen(None, Some(&url));
        }
        Deed::Count { counter, by } => player.stage.count(counter, *by),
        Deed::Busy(resource) => player.busy(resource, now),
        Deed::Done(resource) => player.done(resource, now),
        Deed::Crash => player.fate = Fate::Crashed,
        Deed::Hang => player.fate = Fate::Hung,
        Deed::Close => player.fate = Fate::Closed,
    }
}

/// The element that a step speaks of.
fn written<'a>(scene: &'a Scene, piece: &'a Piece) -> Option<&'a Element> {
    match piece {
        Piece::Inline(element) => Some(element),
        // The parser has checked that the template is there.
        Piece::Template(name) => scene.templates.get(name),
    }
}

fn set(player: &mut Player, key: NativeKey, to: &Setting, names: &BTreeMap<String, String>) {
    let scope = Scope { stage: &player.stage, names };
    let filled = |wording: &Wording| Some(Str::from(wording.fill(&scope)));
    match to {
        Setting::Label(wording) => {
            let prop = Prop::Label(filled(wording));
            player.stage.set(key, prop);
        }
        Setting::Text(wording) => {
            let prop = Prop::Text(filled(wording));
            player.stage.set(key, prop);
        }
        Setting::Description(wording) => {
            let prop = Prop::Description(filled(wording));
            player.stage.set(key, prop);
        }
        Setting::Value(wording) => {
            let value = wording.fill(&scope);
            player.stage.set_value(key, &value);
        }
        Setting::Bounds(place) => player.stage.move_on_screen(key, *place),
        Setting::State(state, value) => {
            player.stage.set_state(key, *state, *value);
        }
    }
}
