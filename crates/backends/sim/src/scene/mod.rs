//! The scene language: a small text that says what an app looks like and how it behaves.
//!
//! ```text
//! // greeter: says hello when its button is pressed.
//! title "Greeter"
//! application "Greeter"
//!   window "Greeter"
//!     textbox "Name" #name
//!     button "Greet" #greet [not enabled]
//!     status #out
//! on change #name:
//!   set #greet enabled
//! on tap #greet:
//!   after 120ms set #out text "Hello, {#name}"
//! ```
//!
//! The tree comes first, nested by indentation: `role "label" #stable_id =value [states] @x,y,w,h text="…"`.
//! Handlers follow: their steps run one after the other, `after 120ms` waits before a step, and what happens without
//! a wait between is one batch of changes. `scenes/README.md` lists every word.

pub(crate) mod choices;
pub(crate) mod expr;
pub(crate) mod generated;
pub(crate) mod layout;
pub(crate) mod library;
mod outline;
mod parse;
mod parse_steps;
pub(crate) mod player;
pub(crate) mod stage;
pub(crate) mod thread;

pub use parse::parse;

use expr::{Condition, Span, Wording};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use stillpoint_core::tree::{Rect, Role, State, StateValue, ValueRange};
use stillpoint_core::{Code, Error};

/// A scene that was understood.
#[derive(Clone, Debug)]
pub struct Scene {
    pub(crate) about: String,
    pub(crate) title: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) idle: IdleWord,
    pub(crate) options: BTreeMap<String, f64>,
    pub(crate) root: Element,
    pub(crate) templates: BTreeMap<String, Element>,
    pub(crate) handlers: Vec<Handler>,
}

impl Scene {
    /// What the scene shows, in one line: its first comment.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// How many elements it starts with.
    pub fn size(&self) -> usize {
        self.root.count()
    }
}

/// Whether the app says by itself that it is idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IdleWord {
    #[default]
    Never,
    Always,
    OnRequest,
}

/// An element as it is written in a scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    pub(crate) role: Role,
    pub(crate) label: Wording,
    pub(crate) id: Wording,
    pub(crate) tag: Option<String>,
    pub(crate) value: Option<Wording>,
    pub(crate) text: Option<Wording>,
    pub(crate) description: Option<Wording>,
    pub(crate) range: Option<ValueRange>,
    pub(crate) states: Vec<(State, StateValue)>,
    pub(crate) place: Option<Rect>,
    pub(crate) children: Vec<Element>,
}

impl Element {
    fn count(&self) -> usize {
        1 + self.children.iter().map(Element::count).sum::<usize>()
    }
}

/// What a person or a program did to the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Tap,
    DoubleTap,
    RightClick,
    Hold,
    Hover,
    Focus,
    Type,
    Set,
    Toggle,
    Select,
    Expand,
    Scroll,
    /// Any of those that changed the element's value or state.
    Change,
}

/// The words for verbs in a scene.
pub(crate) const VERBS: [(&str, Verb); 13] = [
    ("tap", Verb::Tap),
    ("doubletap", Verb::DoubleTap),
    ("rightclick", Verb::RightClick),
    ("hold", Verb::Hold),
    ("hover", Verb::Hover),
    ("focus", Verb::Focus),
    ("type", Verb::Type),
    ("set", Verb::Set),
    ("toggle", Verb::Toggle),
    ("select", Verb::Select),
    ("expand", Verb::Expand),
    ("scroll", Verb::Scroll),
    ("change", Verb::Change),
];

/// When a handler starts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trigger {
    Attach,
    On(Verb, String),
    Key { chord: String, within: Option<String> },
    Drop { source: String, target: String },
}

/// What happens if a handler is started while it still runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Again {
    /// Both run.
    #[default]
    Parallel,
    /// The earlier run is given up: this is how a debounce is written.
    Restart,
    /// The later start is ignored.
    Once,
}

/// Steps that run when something happens.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    pub(crate) on: Vec<Trigger>,
    pub(crate) again: Again,
    pub(crate) body: Arc<[Step]>,
}

/// One step of a handler.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Wait(Span),
    Every {
        period: Span,
        times: Option<u64>,
        body: Arc<[Step]>,
    },
    When {
        arms: Vec<(Condition, Arc<[Step]>)>,
        otherwise: Arc<[Step]>,
    },
    Do(Deed),
    /// What happened so far is told as a batch of its own.
    Flush,
}

/// What a step does to the app.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Set {
        id: Wording,
        to: Setting,
    },
    Nudge {
        id: Wording,
        dx: i32,
        dy: i32,
    },
    Add {
        what: Piece,
        under: Wording,
        at: Option<usize>,
    },
    Remove(Wording),
    Replace {
        id: Wording,
        with: Piece,
    },
    Recreate(Wording),
    Move {
        id: Wording,
        under: Wording,
        at: Option<usize>,
    },
    Focus(Wording),
    /// As if a user had tapped it.
    Tap(Wording),
    Title(Wording),
    Url(Wording),
    Count {
        counter: String,
        by: f64,
    },
    Busy(String),
    Done(String),
    Crash,
    Hang,
    Close,
}

/// An element to add: written in place, or a template by its name.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Inline(Box<Element>),
    Template(String),
}

/// A property with its new value.
#[derive(Clone, Debug)]
pub(crate) enum Setting {
    Label(Wording),
    Text(Wording),
    Value(Wording),
    Description(Wording),
    Bounds(Rect),
    State(State, Option<StateValue>),
}

/// A scene could not be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// What would have been right there.
    pub expected: String,
    /// What was there.
    pub found: String,
}

impl ParseError {
    pub(crate) fn new(line: usize, expected: impl Into<String>, found: impl Into<String>) -> Self {
        ParseError { line, expected: expected.into(), found: found.into() }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: expected {}, found {}", self.line, self.expected, self.found)
    }
}

impl std::error::Error for ParseError {}

impl From<ParseError> for Error {
    fn from(error: ParseError) -> Self {
        Error::new(
            Code::InvalidArgument,
            format!("the scene cannot be played: {error}"),
            "the words of the scene language are listed in scenes/README.md of stillpoint-sim",
        )
    }
}
