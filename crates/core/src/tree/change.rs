//! What a backend says about the platform's tree: the only way in.

use super::{NativeKey, Prop, Props, Str};
use serde::{Deserialize, Serialize};

/// A new element with all that lies in it.
#[derive(Clone, Debug, PartialEq)]
pub struct NewNode {
    /// The backend's name for the platform object.
    pub key: NativeKey,
    /// What the platform says about it.
    pub props: Props,
    /// What lies in it, in order.
    pub children: Vec<NewNode>,
}

impl NewNode {
    /// An element with nothing in it.
    pub fn new(key: NativeKey, props: Props) -> Self {
        NewNode { key, props, children: Vec::new() }
    }

    /// The same with one more child.
    pub fn child(mut self, child: NewNode) -> Self {
        self.children.push(child);
        self
    }

    /// How many elements it brings, itself included.
    pub fn count(&self) -> usize {
        let mut stack = vec![self];
        let mut count = 0;
        while let Some(node) = stack.pop() {
            count += 1;
            stack.extend(&node.children);
        }
        count
    }
}

/// One change, in the order in which the platform told it. Applying a change never fails: what refers to
/// something unknown is counted and left out, so that a confused platform cannot stop the mirror.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A new element under `parent`, at `index` among its children (at the end if there are fewer).
    Insert {
        /// Where it goes.
        parent: NativeKey,
        /// Its place among its siblings.
        index: usize,
        /// The element with all that lies in it.
        node: NewNode,
    },
    /// An element is gone, with all that lay in it.
    Remove {
        /// Which one.
        key: NativeKey,
    },
    /// An element has another place.
    Move {
        /// Which one.
        key: NativeKey,
        /// Where it is now.
        parent: NativeKey,
        /// Its place among its siblings.
        index: usize,
    },
    /// Properties of an element have new values.
    Update {
        /// Which one.
        key: NativeKey,
        /// The new values.
        props: Vec<Prop>,
    },
    /// The truth about a whole subtree, read again: whatever differs from it is changed, added or removed.
    /// With the root's key, or before any tree is there, it is the truth about everything.
    Replace(NewNode),
    /// Which screen is shown. `None` leaves a field as it was.
    Screen {
        /// Title of the window or page.
        title: Option<Str>,
        /// Address of the page.
        url: Option<Str>,
        /// The window that is in front.
        active: Option<NativeKey>,
    },
}

/// Which screen is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Screen {
    /// Title of the window or page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub title: Option<Str>,
    /// Address of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub url: Option<Str>,
    /// The window that is in front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_window: Option<super::ElementId>,
}
