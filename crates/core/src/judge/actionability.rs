//! Whether a verb can be done to an element now (SPEC §8): named predicates, in a table, checked in order.
//!
//! **Absent is not false**: a state that the platform does not expose fails no predicate.

use super::Verb;
use crate::tree::{ElementId, Node, Rect, Role, State, TreeView};
use crate::{Code, Error, Moment};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Duration;

/// One thing that must be so before an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Predicate {
    /// It is in the tree.
    Attached,
    /// It is still what the selector found: same role, same stable id.
    IdentityUnchanged,
    /// Neither it nor anything around it is hidden.
    Visible,
    /// It covers some of the screen.
    HasArea,
    /// It is not scrolled out of view.
    OnScreen,
    /// It is not disabled.
    Enabled,
    /// It does not move.
    Still,
    /// A press in its middle reaches it.
    ReceivesPointer,
    /// A text can be put in.
    Editable,
}

use Predicate::{
    Attached, Editable, Enabled, HasArea, IdentityUnchanged, OnScreen, ReceivesPointer, Still, Visible,
};

/// What a verb needs, in the order in which it is checked.
pub const fn required(verb: Verb) -> &'static [Predicate] {
    match verb {
        Verb::Tap | Verb::DoubleTap | Verb::RightClick | Verb::LongPress => {
            &[Attached, IdentityUnchanged, Visible, HasArea, OnScreen, Enabled, Still, ReceivesPointer]
        }
        Verb::Drag => {
            &[Attached, IdentityUnchanged, Visible, HasArea, OnScreen, Enabled, Still, ReceivesPointer]
        }
        Verb::Hover | Verb::Swipe | Verb::Scroll => {
            &[Attached, IdentityUnchanged, Visible, HasArea, OnScreen, Still, ReceivesPointer]
        }
        Verb::Toggle | Verb::Select | Verb::Expand => {
            &[Attached, IdentityUnchanged, Visible, Enabled, Still, ReceivesPointer]
        }
        Verb::TypeText | Verb::SetValue => {
            &[Attached, IdentityUnchanged, Visible, Enabled, Editable, ReceivesPointer]
        }
        Verb::Focus | Verb::PressKey => &[Attached, IdentityUnchanged, Visible, Enabled],
        Verb::ScrollTo => &[Attached, IdentityUnchanged, Visible],
        Verb::TapAt => &[],
    }
}

impl Predicate {
    /// Its name in every face.
    pub const fn name(self) -> &'static str {
        match self {
            Attached => "attached",
            IdentityUnchanged => "identity_unchanged",
            Visible => "visible",
            HasArea => "has_area",
            OnScreen => "on_screen",
            Enabled => "enabled",
            Still => "still",
            ReceivesPointer => "receives_pointer",
            Editable => "editable",
        }
    }

    /// What is awaited of an element while this fails, as in "waited for it to be enabled".
    pub const fn awaited(self) -> &'static str {
        match self {
            Attached => "to be there",
            IdentityUnchanged => "to be the one that was found",
            Visible => "to be visible",
            HasArea => "to have a size",
            OnScreen => "to be in view",
            Enabled => "to be enabled",
            Still => "to be still",
            ReceivesPointer => "to receive the pointer",
            Editable => "to be editable",
        }
    }
}

/// What the platform says lies under the element's middle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HitTest {
    /// It cannot say, or was not asked.
    #[default]
    Unknown,
    /// This element.
    Element(ElementId),
    /// Something that is not in the tree: another app's window.
    Foreign,
}

/// What is known of an element's motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stillness {
    /// Nothing.
    #[default]
    Unknown,
    /// It has kept its place for so many frames.
    Frames(u32),
    /// It last moved then.
    MovedAt(Moment),
}

/// Who an element was when it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    role: Role,
    stable_id: Option<String>,
}

impl Identity {
    /// Who this element is.
    pub fn of(node: &Node) -> Self {
        Identity { role: node.role(), stable_id: node.stable_id().map(str::to_owned) }
    }
}

/// What was seen besides the tree. The default knows nothing, and so fails nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// The time of the check.
    pub now: Moment,
    /// Who the element was when it was found.
    pub found_as: Option<Identity>,
    /// What lies under its middle.
    pub hit: HitTest,
    /// Whether it moves.
    pub stillness: Stillness,
    /// The part of the screen that shows the app.
    pub viewport: Option<Rect>,
    /// Whether the verb will be done by a native action. Nothing is aimed then, so a moving target is no obstacle.
    pub native_action: bool,
}

/// Frames without motion that count as still.
const STILL_FRAMES: u32 = 2;
/// The same as time, at sixty frames a second.
const STILL_TIME: Duration = Duration::from_millis(34);

/// Whether an action can be dispatched.
#[derive(Clone, Debug, PartialEq)]
pub enum Actionability {
    /// Nothing known speaks against it.
    Ready,
    /// The first predicate that failed, and why.
    Blocked(Failure),
}

impl Actionability {
    /// Whether nothing known speaks against it.
    pub fn is_ready(&self) -> bool {
        *self == Actionability::Ready
    }
}

/// Why an action cannot be dispatched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The predicate that failed.
    pub predicate: Predicate,
    /// Who is to blame, where that is another element: what covers it, or hides it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub culprit: Option<ElementId>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl Failure {
    /// The error to answer with when the deadline has passed and it still fails.
    pub fn into_error(self) -> Error {
        let code = match self.predicate {
            Attached | IdentityUnchanged => Code::StaleReference,
            _ => Code::NotActionable,
        };
        let details = json!({ "predicate": self.predicate, "culprit": self.culprit });
        Error::new(code, self.message, self.hint).with_details(details)
    }
}

/// Checks the predicates of a verb, and names the first that fails.
pub fn check(tree: &TreeView, id: ElementId, verb: Verb, evidence: &Evidence) -> Actionability {
    let subject = Subject { tree, id, evidence };
    for predicate in required(verb) {
        if let Some(failure) = subject.failure(*predicate) {
            return Actionability::Blocked(failure);
        }
    }
    Actionability::Ready
}

/// How an element is called in messages: `button "Save" (e12)`.
pub fn called(tree: &TreeView, id: ElementId) -> String {
    let Some(node) = tree.get(id) else { return id.to_string() };
    match node.label().or(node.text()) {
        Some(label) => {
            let short: String = label.chars().take(60).collect();
            format!("{} {short:?} ({id})", node.role())
        }
        None => format!("{} {id}", node.role()),
    }
}

struct Subject<'a> {
    tree: &'a TreeView,
    id: ElementId,
    evidence: &'a Evidence,
}

impl Subject<'_> {
    fn failure(&self, predicate: Predicate) -> Option<Failure> {
        let name = called(self.tree, self.id);
        let fail = |culprit: Option<ElementId>, message: String, hint: &str| {
            Some(Failure { predicate, culprit, message, hint: hint.to_owned() })
        };
        let Some(node) = self.tree.get(self.id) else {
            let hint = "take a new snapshot; the element was removed or replaced";
            return fail(None, format!("{} is gone", self.id), hint);
        };
        match predicate {
            Attached => None,
            IdentityUnchanged if self.is_another(node) => {
                fail(None, format!("{name} is not what it was when it was found"), "find it again, then act")
            }
            Visible => {
                let hider = self.hider()?;
                let by = if hider == self.id {
                    String::new()
                } else {
                    format!(": {} is hidden", called(self.tree, hider))
                };
                let culprit = (hider != self.id).then_some(hider);
                fail(culprit, format!("{name} is not visible{by}"), "do what shows it first, or wait for it")
            }
            HasArea if node.bounds().is_some_and(|b| !b.has_area()) => {
                fail(None, format!("{name} has no size"), "wait until it is laid out; it may be folded away")
            }
            OnScreen if self.is_off_screen(node) => {
                fail(None, format!("{name} is outside the visible part"), "use scroll_to first")
            }
            Enabled if node.states().is_not(State::Enabled) => fail(
                None,
                format!("{name} is disabled"),
                "do what enables it first, or wait until it is enabled",
            ),
            Still if self.moves() => {
                fail(None, format!("{name} is moving"), "wait until its animation has ended")
            }
            ReceivesPointer => match self.cover()? {
                Cover::Element(culprit) => {
                    let by = self.with_its_window(culprit);
                    fail(
                        Some(culprit),
                        format!("{name} is covered by {by}"),
                        "close or move what covers it, then act",
                    )
                }
                Cover::Foreign => fail(
                    None,
                    format!("{name} is covered by another app's window"),
                    "bring the app to the front",
                ),
            },
            Editable if is_text(node.role()) && node.states().is_not(State::Editable) => {
                fail(None, format!("{name} is read-only"), "check that this is the field that is meant")
            }
            _ => None,
        }
    }

    /// A part of another window is told with that window: nobody knows a nameless panel, everybody its dialog.
    fn with_its_window(&self, culprit: ElementId) -> String {
        let by = called(self.tree, culprit);
        let window_of = |id: ElementId| {
            let mut line = std::iter::once(id).chain(self.tree.ancestors(id));
            line.find(|at| self.tree.get(*at).is_some_and(|n| n.role().is_window()))
        };
        match window_of(culprit) {
            Some(window) if window != culprit && window_of(self.id) != Some(window) => {
                format!("{by} of {}", called(self.tree, window))
            }
            _ => by,
        }
    }

    fn is_another(&self, node: &Node) -> bool {
        let found = self.evidence.found_as.as_ref();
        found.is_some_and(|f| f.role != node.role() || f.stable_id.as_deref() != node.stable_id())
    }

    /// The element itself or the nearest around it that is known to be hidden.
    fn hider(&self) -> Option<ElementId> {
        let mut line = std::iter::once(self.id).chain(self.tree.ancestors(self.id));
        line.find(|id| self.tree.get(*id).is_some_and(|n| n.states().is_not(State::Visible)))
    }

    fn is_off_screen(&self, node: &Node) -> bool {
        let outside = match (self.evidence.viewport, node.bounds()) {
            (Some(viewport), Some(bounds)) => bounds.has_area() && !bounds.intersects(viewport),
            _ => false,
        };
        outside || node.states().is_not(State::OnScreen)
    }

    fn moves(&self) -> bool {
        if self.evidence.native_action {
            return false;
        }
        match self.evidence.stillness {
            Stillness::Unknown => false,
            Stillness::Frames(frames) => frames < STILL_FRAMES,
            Stillness::MovedAt(when) => self.evidence.now.since(when) < STILL_TIME,
        }
    }

    /// What takes the pointer in its place. A hit on something around it means that the platform looks no deeper.
    fn cover(&self) -> Option<Cover> {
        match self.evidence.hit {
            HitTest::Foreign => Some(Cover::Foreign),
            HitTest::Element(hit) => {
                let own = self.tree.is_within(hit, self.id) || self.tree.is_within(self.id, hit);
                if !own {
                    return Some(Cover::Element(hit));
                }
                // A dialog in a window of its own shuts the others out before it is drawn over them, and beside it.
                self.modal_in_front().filter(|modal| self.is_toplevel(*modal)).map(Cover::Element)
            }
            HitTest::Unknown => self.modal_in_front().map(Cover::Element),
        }
    }

    /// A modal element that shuts out the rest of the app, where no hit test can tell.
    fn modal_in_front(&self) -> Option<ElementId> {
        let is_modal = |(_, node): &(ElementId, &Node)| node.states().is(State::Modal);
        let modals = self.tree.iter().filter(is_modal);
        let open = modals.filter(|(id, _)| !crate::select::is_hidden(self.tree, *id)).map(|(id, _)| id);
        let open: Vec<ElementId> = open.collect();
        let free =
            open.is_empty() || open.iter().any(|m| self.tree.is_within(self.id, *m)) || self.floats(&open);
        if free { None } else { open.last().copied() }
    }

    fn is_toplevel(&self, id: ElementId) -> bool {
        let root = self.tree.root().and_then(|root| self.tree.get(root));
        // Under a root that is a window itself, as on the web, it is a part of that window.
        self.tree.get(id).is_some_and(|n| n.role().is_window() && n.parent() == self.tree.root())
            && root.is_some_and(|root| !root.role().is_window())
    }

    /// Menus and lists that drop down from a modal dialog are often windows of their own.
    fn floats(&self, modals: &[ElementId]) -> bool {
        let window = self.tree.get(self.id).and_then(Node::window);
        // What drops down comes after its dialog. The window that opened the dialog comes before it, and has the focus
        // for a moment longer.
        let came_later = |w: ElementId| modals.iter().all(|m| self.tree.position(*m) < self.tree.position(w));
        let in_front = window.is_some_and(|w| {
            self.tree.screen().active_window == Some(w)
                && !modals.iter().any(|m| self.tree.is_within(*m, w))
                && came_later(w)
        });
        let mut line = std::iter::once(self.id).chain(self.tree.ancestors(self.id));
        in_front
            || line.any(|id| {
                let role = self.tree.get(id).map(|n| n.role());
                matches!(role, Some(Role::Menu | Role::Popover | Role::Tooltip | Role::Listbox | Role::Alert))
            })
    }
}

enum Cover {
    Element(ElementId),
    Foreign,
}

fn is_text(role: Role) -> bool {
    matches!(
        role,
        Role::Textbox
            | Role::Searchbox
            | Role::Spinbutton
            | Role::DateField
            | Role::Document
            | Role::Terminal
    )
}
