//! Reading again: the few nodes that the observer named, and what changed along with them.

use crate::events::{Live, PATIENCE};
use crate::large::ROOM;
use crate::node::{AxNode, AxNodes, Raw, key, unkey};
use crate::role::is_named_by_content;
use crate::socket::{Pending, Session};
use serde_json::json;
use std::collections::HashSet;
use stillpoint_core::tree::NativeKey;
use stillpoint_core::{Code, Result};
use stillpoint_engine::backend::Deadline;

/// More nodes than this are cheaper to read all at once.
pub(crate) const FEW: usize = 240;
/// What lies in a node with so few children is read in one piece, if some of it could not be read by itself.
pub(crate) const CLOSE: usize = 32;
/// A longer list of options is not read along when one of them changes.
const OPTIONS: usize = 300;
/// How deep new content is followed, call by call.
const ROUNDS: usize = 12;

/// What follows from the nodes that were read.
#[derive(Default)]
struct Next {
    /// To be read too.
    due: HashSet<i64>,
    /// Those whose children without a DOM node are to be read.
    parents: Vec<i64>,
    /// Those with few children, of which some were not known when they were read.
    incomplete: Vec<i64>,
    /// Asked for already.
    done: HashSet<i64>,
    /// Read because of what lies around them.
    onward: HashSet<i64>,
    /// No longer there, with what lay in them.
    gone: Vec<(NativeKey, Vec<NativeKey>)>,
    /// The document is large: what is far in it is left out.
    is_large: bool,
}

impl Live {
    /// Reads the nodes that were named, those around them that may have changed along, and what is new in them.
    pub(crate) async fn read_some(
        &mut self,
        session: &Session,
        serial: u32,
        index: u32,
        dirty: &HashSet<i64>,
    ) -> Result<()> {
        let deadline = Deadline::after(PATIENCE);
        let is_large = self.frames.values().any(|f| f.index == index && f.is_large());
        let many = if is_large { ROOM / 2 } else { FEW * 4 };
        let mut next = Next { due: dirty.clone(), is_large, ..Next::default() };
        for ax in dirty {
            self.add_surroundings(key(serial, *ax), &mut next.due);
        }
        let mut expanded: HashSet<i64> = HashSet::new();
        for _ in 0..ROUNDS {
            let mut calls: Vec<(i64, Pending)> = Vec::with_capacity(next.due.len());
            // The browser brings an element's inside up to date when the element is read: outside comes first.
            let mut due: Vec<i64> = std::mem::take(&mut next.due).into_iter().collect();
            due.sort_by_cached_key(|ax| self.model.depth(key(serial, *ax)));
            for ax in due {
                if next.done.insert(ax) {
                    let params = json!({ "backendNodeId": ax, "fetchRelatives": false });
                    calls.push((ax, session.start("Accessibility.getPartialAXTree", params)?));
                }
            }
            // What was read in one piece may hold more that is not known yet.
            if calls.is_empty() && next.incomplete.is_empty() {
                break;
            }
            for (ax, call) in calls {
                let read = nodes_of(call.read::<AxNodes>(deadline).await)?;
                let node = read.into_iter().next().filter(|node| node.number() == ax && node.is_held());
                self.take_node(serial, index, ax, node, &mut next);
            }
            self.read_incomplete(session, serial, index, &mut next, deadline).await?;
            let parents = std::mem::take(&mut next.parents);
            self.read_nameless(session, serial, index, parents, &mut expanded, deadline).await?;
            next.due.retain(|ax| !next.done.contains(ax));
            if next.done.len() + next.due.len() > many {
                if let Some(frame) = self.frames.values_mut().find(|f| f.index == index) {
                    frame.bulk = true;
                }
                break;
            }
        }
        // Only now is it known where each node went that lay in what is gone.
        for (at, children) in next.gone {
            self.model.drop_inside(at, children);
        }
        if is_large
            && self.holds_too_much(index)
            && let Some(frame) = self.frames.values_mut().find(|f| f.index == index)
        {
            frame.bulk = true;
        }
        Ok(())
    }

    /// The parent of a node knows its children; whoever is named by their content changes along.
    fn add_surroundings(&self, from: NativeKey, due: &mut HashSet<i64>) {
        let mut at = self.model.raw.get(&from).and_then(|raw| raw.parent);
        let mut direct = true;
        for _ in 0..200 {
            let Some(above) = at else { return };
            let Some(raw) = self.model.raw.get(&above) else { return };
            if (direct || is_named_by_content(&raw.native)) && unkey(above).1 > 0 {
                due.insert(unkey(above).1);
            }
            direct = direct && raw.role.is_none();
            at = raw.parent;
        }
    }

    /// Takes in one node that was read; `next` gets what must be done because of it.
    fn take_node(&mut self, serial: u32, index: u32, ax: i64, node: Option<AxNode>, next: &mut Next) {
        let Next { due, parents, incomplete, gone, onward, done, is_large } = next;
        let at = key(serial, ax);
        tracing::trace!(ax, role = ?node.as_ref().map(AxNode::gist), "read");
        let Some(node) = node else {
            // It is no longer there: whoever held it is read again.
            self.add_surroundings(at, due);
            if let Some(old) = self.model.raw.remove(&at) {
                self.touched.extend(old.parent);
                due.extend(old.parent.map(|p| unkey(p).1).filter(|p| *p > 0));
                gone.push((at, old.children));
            }
            return;
        };
        let new = node.into_raw(serial, index);
        let frame = self.frames.iter().find(|(_, f)| f.index == index).map(|(id, _)| id.clone());
        let mut new = self.capped(&frame.unwrap_or_default(), at, new);
        if *is_large {
            self.leave_out_far(at, &mut new, |ax| done.contains(&ax) || due.contains(&ax));
        }
        let old = self.model.raw.get(&at);
        // The content of a pseudo-element has no number of its own, and changes with its element.
        let is_generated = |raw: &Raw| raw.children.iter().any(|c| unkey(*c).1 < 0);
        let is_settled =
            |c: &NativeKey| unkey(*c).1 > 0 && self.model.raw.get(c).is_some_and(|raw| !is_generated(raw));
        let flipped = old.is_some_and(|old| old.role.is_none() != new.role.is_none());
        // What hides an element hides its inside, also the parts that the observer cannot see; and the browser brings
        // the options of a list up to date together, and late. What is left out in between leads on to its inside.
        let is_list = &*new.native == "MenuListPopup" && new.children.len() <= OPTIONS;
        let leads_on = flipped || is_list || (new.role.is_none() && onward.contains(&ax));
        if leads_on {
            let inside = new.children.iter().map(|c| unkey(*c).1).filter(|ax| *ax > 0);
            onward.extend(inside.clone());
            due.extend(inside);
        }
        if old == Some(&new) && new.children.iter().all(is_settled) {
            return;
        }
        let moved = flipped || old.is_none_or(|old| old.parent != new.parent);
        if moved {
            let both = [new.parent, old.and_then(|old| old.parent)];
            due.extend(both.into_iter().flatten().map(|p| unkey(p).1).filter(|p| *p > 0));
        }
        for child in &new.children {
            let number = unkey(*child).1;
            match self.model.raw.get(child) {
                _ if number < 0 => parents.push(ax),
                None if new.children.len() <= CLOSE => incomplete.push(ax),
                None => drop(due.insert(number)),
                Some(known) if is_generated(known) => {
                    parents.push(number);
                    due.insert(number);
                }
                Some(known) if known.parent != Some(at) => drop(due.insert(number)),
                Some(_) => {}
            }
        }
        self.touched.insert(at);
        self.touched.extend(new.parent);
        self.touched.extend(new.children.iter().copied());
        self.model.raw.insert(at, new);
        if moved {
            self.add_surroundings(at, due);
        }
        if flipped && let Some(document) = self.model.inside.get(&at) {
            self.frames_are_due(*document);
        }
    }

    /// Reads the children of those whose children are not all known, together and as they are now. One by one they are read at
    /// different moments: a clock replaces its text in between, and would be shown without one.
    async fn read_incomplete(
        &mut self,
        session: &Session,
        serial: u32,
        index: u32,
        next: &mut Next,
        deadline: Deadline,
    ) -> Result<()> {
        let mut calls = Vec::new();
        for parent in std::mem::take(&mut next.incomplete) {
            let is_known = |c: &NativeKey| unkey(*c).1 < 0 || self.model.raw.contains_key(c);
            if self.model.raw.get(&key(serial, parent)).is_some_and(|raw| !raw.children.iter().all(is_known))
            {
                let params = json!({ "id": parent.to_string() });
                calls.push((parent, session.start("Accessibility.getChildAXNodes", params)?));
            }
        }
        for (parent, call) in calls {
            let nodes = nodes_of(call.read::<AxNodes>(deadline).await)?;
            let at = key(serial, parent);
            if let Some(raw) = self.model.raw.get_mut(&at) {
                // What lies in a child that is left out, or has no DOM node, is among the nodes too.
                let inside = nodes.iter().filter(|node| !node.is_line() && node.is_in(parent));
                raw.children = inside.map(|node| key(serial, node.number())).collect();
                if raw.children.iter().any(|c| unkey(*c).1 < 0) {
                    next.parents.push(parent);
                }
                self.touched.insert(at);
            }
            for node in nodes.into_iter().filter(|node| node.number() > 0) {
                let ax = node.number();
                next.done.insert(ax);
                self.take_node(serial, index, ax, Some(node), next);
            }
        }
        Ok(())
    }

    /// What makes a frame's element inert, or hides it, changes all documents in it, and they hear nothing of it.
    fn frames_are_due(&mut self, document: NativeKey) {
        let mut due: Vec<String> = self.frame_of(document).into_iter().collect();
        while let Some(id) = due.pop() {
            due.extend(
                self.frames.iter().filter(|(_, f)| f.parent.as_ref() == Some(&id)).map(|(k, _)| k.clone()),
            );
            if let Some(frame) = self.frames.get_mut(&id) {
                frame.bulk = true;
            }
        }
    }

    /// Reads children that have no DOM node: generated content.
    async fn read_nameless(
        &mut self,
        session: &Session,
        serial: u32,
        index: u32,
        parents: Vec<i64>,
        expanded: &mut HashSet<i64>,
        deadline: Deadline,
    ) -> Result<()> {
        let mut calls = Vec::new();
        for parent in parents {
            if expanded.insert(parent) {
                calls.push(
                    session.start("Accessibility.getChildAXNodes", json!({ "id": parent.to_string() }))?,
                );
            }
        }
        for call in calls {
            let nodes = nodes_of(call.read::<AxNodes>(deadline).await)?;
            for node in nodes.into_iter().filter(|node| !node.is_line() && node.number() < 0) {
                let at = key(serial, node.number());
                let raw = node.into_raw(serial, index);
                self.touched.insert(at);
                self.touched.extend(raw.parent);
                self.model.raw.insert(at, raw);
            }
        }
        Ok(())
    }
}

/// The nodes that were read; none where the browser knows no such node any more.
pub(crate) fn nodes_of(read: Result<AxNodes>) -> Result<Vec<AxNode>> {
    match read {
        Ok(read) => Ok(read.nodes),
        Err(error) if error.code == Code::Protocol => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
