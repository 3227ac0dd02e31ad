//! JavaScript dialogs and crashed pages: windows that are in no document.

use crate::events::{Live, parse};
use crate::frames::{DialogKind, DialogPart};
use serde::Deserialize;
use stillpoint_core::tree::{NativeKey, NewNode, Prop, Props, Role, State};
use stillpoint_core::{Code, Error};
use stillpoint_engine::backend::End;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Opening {
    message: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    default_prompt: String,
}

fn element(key: NativeKey, role: Role, label: &str) -> NewNode {
    let props = Props::new(role)
        .labelled(label)
        .with(Prop::NativeRole(Some("javascript dialog".into())))
        .state(State::Visible, true)
        .state(State::OnScreen, true);
    NewNode::new(key, props)
}

impl Live {
    /// A dialog is a window with buttons; the page stands still until one of them is tapped.
    pub(crate) fn dialog_opened(&mut self, session: &str, params: &str) {
        let Some(opening) = parse::<Opening>("Page.javascriptDialogOpening", params) else { return };
        let session = self.browser.of(session);
        let window = self.own_key();
        let label = match &*opening.kind {
            "beforeunload" => "Leave this page?",
            _ => opening.message.as_str(),
        };
        let mut node = element(window, Role::AlertDialog, label);
        node.props.set(Prop::State(State::Modal, Some(true.into())));
        if opening.kind == "beforeunload" && !opening.message.is_empty() {
            node.children.push(element(self.own_key(), Role::Text, &opening.message));
        }
        let mut parts = Vec::new();
        if opening.kind == "prompt" {
            let key = self.own_key();
            let mut field = element(key, Role::Textbox, "Answer");
            field.props.set(Prop::Value(Some(opening.default_prompt.as_str().into())));
            field.props.set(Prop::State(State::Enabled, Some(true.into())));
            field.props.set(Prop::State(State::Editable, Some(true.into())));
            node.children.push(field);
            parts.push((key, DialogKind::Answer));
        }
        let buttons: &[(&str, DialogKind)] = match &*opening.kind {
            "alert" => &[("OK", DialogKind::Accept)],
            "beforeunload" => &[("Leave", DialogKind::Accept), ("Stay", DialogKind::Dismiss)],
            _ => &[("OK", DialogKind::Accept), ("Cancel", DialogKind::Dismiss)],
        };
        for (name, kind) in buttons {
            let key = self.own_key();
            let mut button = element(key, Role::Button, name);
            button.props.set(Prop::State(State::Enabled, Some(true.into())));
            node.children.push(button);
            parts.push((key, *kind));
        }
        let mut registry = self.shared.lock();
        registry.prompt.insert(window, opening.default_prompt);
        for (key, kind) in parts {
            registry.dialogs.insert(key, DialogPart { session: session.clone(), window, kind });
        }
        drop(registry);
        self.model.made.insert(window, node);
        self.model.windows.push(window);
    }

    /// The dialog was answered, by us or by somebody else.
    pub(crate) fn dialog_closed(&mut self, session: &str) {
        let mut registry = self.shared.lock();
        let windows: Vec<NativeKey> = registry
            .dialogs
            .values()
            .filter(|part| part.session.id() == session)
            .map(|part| part.window)
            .collect();
        registry.dialogs.retain(|_, part| part.session.id() != session);
        registry.prompt.retain(|window, _| !windows.contains(window));
        drop(registry);
        self.model.windows.retain(|window| !windows.contains(window));
        self.model.made.retain(|window, _| !windows.contains(window));
        // Whatever was asked of the page while it stood still may have been lost.
        for frame in self.frames.values_mut() {
            frame.sampling = false;
        }
    }

    /// A renderer died. Its window says so as an alert; if it was the only one, the target is lost.
    pub(crate) fn crashed(&mut self, session: &str) {
        let Some(at) = self.pages.iter().position(|p| p.session.id() == session) else { return };
        self.pages[at].crashed = true;
        self.dialog_closed(session);
        self.traffic.drop_session(session);
        let root = self.pages[at].root_frame.clone();
        self.drop_document(&root);
        self.frames.remove(&root);
        let window = self.own_key();
        let page = &mut self.pages[at];
        let old = page.window.replace(window);
        let notice = format!("The page crashed: {}", page.url);
        self.model.made.insert(window, element(window, Role::Alert, &notice));
        match self.model.windows.iter_mut().find(|w| Some(**w) == old) {
            Some(place) => *place = window,
            None => self.model.windows.push(window),
        }
        self.update_registry();
        self.tell();
        if self.pages.iter().all(|p| p.crashed || !p.is_window) {
            self.end(End::Lost(Error::new(
                Code::TargetLost,
                "the page's process died",
                "open the target again; if it dies again, the page may need more memory than there is",
            )));
        }
    }
}
