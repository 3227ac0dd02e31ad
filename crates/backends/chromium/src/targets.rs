//! Targets and frames as they come, move and go, and the registry that tells others how to reach them.

use crate::events::{Live, PATIENCE, Tag};
use crate::frames::{
    AttachedTo, Embedded, Frame, FrameInfo, FrameTree, FrameTreeAnswer, Page, Reach, TargetInfo,
};
use crate::node::key;
use crate::socket::Session;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::HashMap;
use stillpoint_core::Result;
use stillpoint_core::tree::NativeKey;
use stillpoint_engine::backend::{Deadline, End};

impl Live {
    pub(crate) async fn attached(&mut self, parent: &str, target: AttachedTo) {
        let session = self.browser.of(&target.session_id);
        let TargetInfo { target_id, kind, title, url } = target.target_info;
        let is_window = kind == "page";
        if !is_window && kind != "iframe" || url.starts_with("devtools://") {
            session.post("Runtime.runIfWaitingForDebugger", json!({}));
            self.browser
                .of(parent)
                .post("Target.detachFromTarget", json!({ "sessionId": target.session_id }));
            return;
        }
        let window_session = if is_window {
            target.session_id.clone()
        } else {
            self.page(parent).map_or_else(|| parent.to_owned(), |page| page.window_session.clone())
        };
        self.traffic.handed_over(&target_id, &target.session_id);
        self.last_serial += 1;
        self.pages.retain(|page| page.session.id() != target.session_id);
        self.pages.push(Page {
            session: session.clone(),
            window_session,
            root_frame: target_id.clone(),
            serial: self.last_serial,
            is_window,
            window: None,
            crashed: false,
            title,
            url,
        });
        if let Err(error) = self.set_up(&session).await {
            tracing::debug!(%error, "a page does not answer yet; its answer is taken when it comes");
            self.last_number += 1;
            let tag = self.last_number;
            match session.route(tag, "Page.getFrameTree", json!({})) {
                Ok(()) => drop(self.tags.insert(tag, Tag::Listed { session: target.session_id })),
                Err(error) => tracing::debug!(%error, "a page is gone before it answered"),
            }
        }
    }

    /// A page that did not answer when it came has told its frames.
    pub(crate) fn listed(&mut self, session: &str, result: Result<Box<RawValue>>) {
        let told = result.map(|raw| serde_json::from_str::<FrameTreeAnswer>(raw.get()));
        match told {
            Ok(Ok(answer)) => self.add_frames(&self.browser.of(session), answer.frame_tree),
            Ok(Err(error)) => tracing::warn!(%error, "a page's frames were not understood"),
            Err(error) => tracing::debug!(%error, "a page is gone before it answered"),
        }
    }

    /// Switches on what the mirror needs, and lets the target run.
    async fn set_up(&mut self, session: &Session) -> Result<()> {
        for domain in ["Page.enable", "DOM.enable", "Accessibility.enable", "Network.enable"] {
            session.post(domain, json!({}));
        }
        // Whatever the page starts waits for somebody to let it run, workers too: those that were not attached to would
        // stand still for ever.
        session.post(
            "Target.setAutoAttach",
            json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
                    "filter": [{ "type": "browser", "exclude": true }, { "type": "tab", "exclude": true },
                               { "type": "page", "exclude": true }, {}] }),
        );
        if self.options.full {
            let source = format!("({})({:?},1500)", include_str!("instrument.js"), self.options.token);
            session.post(
                "Page.addScriptToEvaluateOnNewDocument",
                json!({ "source": source, "runImmediately": true }),
            );
        }
        let tree = session.start("Page.getFrameTree", json!({}))?;
        session.post("Runtime.runIfWaitingForDebugger", json!({}));
        let answer: FrameTreeAnswer = tree.read(Deadline::after(PATIENCE)).await?;
        self.add_frames(session, answer.frame_tree);
        Ok(())
    }

    fn add_frames(&mut self, session: &Session, tree: FrameTree) {
        let mut stack = vec![tree];
        while let Some(tree) = stack.pop() {
            self.navigated(session.id(), &tree.frame);
            stack.extend(tree.child_frames);
        }
        self.shared.lock().attached.send_modify(|n| *n += 1);
    }

    /// A frame has a new document.
    pub(crate) fn navigated(&mut self, session: &str, info: &FrameInfo) {
        let Some(at) = self.pages.iter().position(|page| page.session.id() == session) else { return };
        let known_parent = self.frames.get(&info.id).and_then(|frame| frame.parent.clone());
        tracing::trace!(session, frame = info.id, url = info.url, "a frame has a new document");
        self.drop_document(&info.id);
        self.last_number += 1;
        let page = &mut self.pages[at];
        if page.root_frame == info.id {
            if page.window.is_some() || self.frames.values().any(|f| f.serial == page.serial) {
                self.last_serial += 1;
                page.serial = self.last_serial;
            }
            page.url.clone_from(&info.url);
        }
        let parent = info.parent_id.clone().or(known_parent);
        let frame = Frame::new(self.last_number as u32, session, parent, page.serial);
        self.frames.insert(info.id.clone(), frame);
        self.update_registry();
    }

    pub(crate) fn moved_within(&mut self, session: &str, moved: &MovedWithin) {
        let Some(page) = self.pages.iter_mut().find(|p| p.session.id() == session) else { return };
        if page.root_frame == moved.frame_id {
            page.url.clone_from(&moved.url);
            self.screen_changed(session);
        }
    }

    pub(crate) fn frame_gone(&mut self, frame: &FrameOf, session: &str) {
        // A frame that moves to another process is detached here after it was attached there.
        if self.frames.get(&frame.frame_id).is_none_or(|known| known.session == session) {
            self.drop_document(&frame.frame_id);
            self.frames.remove(&frame.frame_id);
            self.update_registry();
        }
    }

    /// Forgets the document of a frame, and of the frames inside it.
    pub(crate) fn drop_document(&mut self, id: &str) {
        let inner: Vec<String> = self
            .frames
            .iter()
            .filter(|(_, f)| f.parent.as_deref() == Some(id))
            .map(|(id, _)| id.clone())
            .collect();
        for id in inner {
            self.drop_document(&id);
            self.frames.remove(&id);
        }
        let Some(frame) = self.frames.get_mut(id) else { return };
        let (index, root) = (frame.index, frame.root.take());
        frame.context = None;
        self.model.drop_frame(index);
        self.model.drop_facts(index);
        if let Some(root) = root {
            self.touched.extend(self.model.around.remove(&root));
            self.model.inside.retain(|_, inside| *inside != root);
        }
    }

    pub(crate) fn detached(&mut self, session: &str) {
        let Some(at) = self.pages.iter().position(|p| p.session.id() == session) else { return };
        let page = self.pages.remove(at);
        self.dialog_closed(session);
        self.traffic.drop_session(session);
        if self.frames.get(&page.root_frame).is_some_and(|f| f.session == session) {
            self.drop_document(&page.root_frame);
            self.frames.remove(&page.root_frame);
        }
        self.frames.retain(|_, frame| frame.session != session);
        if let Some(window) = page.window {
            self.model.windows.retain(|w| *w != window);
            self.model.made.remove(&window);
        }
        self.update_registry();
        if page.is_window && !self.pages.iter().any(|p| p.is_window) && self.first_given {
            self.tell();
            self.end(End::Closed);
        } else if let Some(front) =
            self.pages.iter().rev().find(|p| p.is_window).map(|p| p.session.id().to_owned())
        {
            self.screen_changed(&front);
        }
    }

    /// Hangs a document into its frame element, or makes it a window.
    pub(crate) async fn connect(&mut self, id: &str, root: Option<NativeKey>) -> Result<()> {
        let Some(root) = root else { return Ok(()) };
        let Some(frame) = self.frames.get_mut(id) else { return Ok(()) };
        frame.root = Some(root);
        let parent = frame.parent.clone();
        let is_window = self.pages.iter().any(|p| p.is_window && p.root_frame == id);
        if is_window {
            self.show_window(id, root);
        } else if let Some(above) = parent.and_then(|parent| self.frames.get(&parent)) {
            let (serial, session) = (above.serial, self.browser.of(&above.session));
            let owner: Owner = session
                .call("DOM.getFrameOwner", json!({ "frameId": id }), Deadline::after(PATIENCE))
                .await?;
            let element = key(serial, owner.backend_node_id);
            self.model.inside.insert(element, root);
            self.model.around.insert(root, element);
            self.touched.insert(element);
        }
        self.update_registry();
        Ok(())
    }

    fn show_window(&mut self, id: &str, root: NativeKey) {
        let Some(page) = self.pages.iter_mut().find(|p| p.root_frame == id) else { return };
        let old = page.window.replace(root);
        let session = page.session.id().to_owned();
        if old == Some(root) {
            return;
        }
        match self.model.windows.iter_mut().find(|w| Some(**w) == old) {
            Some(place) => *place = root,
            None => self.model.windows.push(root),
        }
        if let Some(old) = old {
            self.model.made.remove(&old);
        }
        self.screen_changed(&session);
    }

    /// Makes known how everything can be reached.
    pub(crate) fn update_registry(&mut self) {
        let mut serials = HashMap::new();
        let mut embedded = Vec::new();
        for page in &self.pages {
            let window = self.browser.of(&page.window_session);
            let root = self.frames.get(&page.root_frame).and_then(|f| f.root);
            let offset =
                root.filter(|_| !page.is_window).and_then(|root| self.model.offset(root)).unwrap_or_default();
            if let Some(element) =
                root.filter(|_| !page.is_window).and_then(|root| self.model.around.get(&root))
            {
                embedded.push(Embedded { element: *element, session: page.session.clone(), offset });
            }
            let session = page.session.id();
            let contexts =
                self.frames.values().filter(|f| f.session == session).filter_map(|f| f.context).collect();
            serials.insert(page.serial, Reach { session: page.session.clone(), window, offset, contexts });
        }
        let observers = self
            .frames
            .values()
            .filter(|frame| self.page(&frame.session).is_some_and(|p| !p.crashed))
            .filter_map(|frame| Some((self.browser.of(&frame.session), frame.context?)))
            .collect();
        let windows = self.pages.iter().filter_map(|p| Some((p.window?, p.session.clone()))).collect();
        let frames = self.frames.iter().map(|(id, frame)| (id.clone(), frame.serial)).collect();
        let mut registry = self.shared.lock();
        registry.frames = frames;
        registry.serials = serials;
        registry.embedded = embedded;
        registry.observers = observers;
        registry.windows = windows;
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameOf {
    pub(crate) frame_id: String,
}

#[derive(Deserialize)]
pub(crate) struct Navigated {
    pub(crate) frame: FrameInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MovedWithin {
    pub(crate) frame_id: String,
    pub(crate) url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Owner {
    backend_node_id: i64,
}
