//! Which element receives the pointer at a point.

use crate::bus;
use crate::connect::AtspiBackend;
use crate::object::{Object, is_null};
use crate::session::Command;
use crate::shadow::{Entry, Shadow};
use stillpoint_core::Result;
use stillpoint_core::tree::NativeKey;
use stillpoint_engine::backend::Deadline;

const COMPONENT: &str = "org.a11y.atspi.Component";
/// Coordinates relative to the window.
const WINDOW: u32 = 1;
/// A toolkit that answers with ever deeper objects is followed no further than this.
const MAX_DEPTH: usize = 64;

impl AtspiBackend {
    /// The deepest mirrored element at a point of the screen, in the popup or the frontmost window of the app that covers
    /// it. A popup first: GTK 3 answers with the first child that has the point in it, even if a popover is above it,
    /// and Qt's menus reach beyond the window that they are in.
    pub(crate) async fn element_at(&self, x: i32, y: i32, deadline: Deadline) -> Result<Option<NativeKey>> {
        let popup = |answer| Command::PopupAt(x, y, answer);
        let mut covering = self.request("the app's popups", popup, deadline).await?;
        if covering.is_none() {
            let windows = self.request("the app's windows", Command::Windows, deadline).await?;
            covering = windows.into_iter().find(|w| w.bounds.is_some_and(|bounds| bounds.contains(x, y)));
        }
        let Some(window) = covering else { return Ok(None) };
        // A toolkit that knows no screen coordinates is asked in those of its window.
        let (point, coordinates) = match window.origin {
            (0, 0) => ((x, y), crate::read::SCREEN),
            (left, top) => ((x - left, y - top), WINDOW),
        };
        let mut at = window.facts.object;
        let mut hit = self.key_of(&at, deadline).await?;
        for _ in 0..MAX_DEPTH {
            let (name, path): (String, zbus::OwnedObjectPath) = match bus::ask(
                &self.bus,
                &at,
                COMPONENT,
                "GetAccessibleAtPoint",
                &(point.0, point.1, coordinates),
                deadline,
            )
            .await
            {
                Ok(found) => found,
                // A leaf without the interface is as deep as it gets.
                Err(error) if error.code == stillpoint_core::Code::StaleReference => break,
                Err(error) => return Err(error),
            };
            let found = Object::new(&name, path.as_str());
            if is_null(&name, path.as_str()) || found == at {
                break;
            }
            hit = self.key_of(&found, deadline).await?.or(hit);
            at = found;
        }
        Ok(hit)
    }

    async fn key_of(&self, object: &Object, deadline: Deadline) -> Result<Option<NativeKey>> {
        let object = object.clone();
        self.request("looking an element up", |answer| Command::KeyOf(object, answer), deadline).await
    }
}

impl Shadow {
    /// The innermost menu or modal popover that shows at a point.
    pub(crate) fn popup_at(&self, x: i32, y: i32) -> Option<NativeKey> {
        if self.dialect.window_relative {
            // GTK 4 places its popovers in coordinates of their own.
            return None;
        }
        let shows_there = |key: &NativeKey, e: &Entry| {
            e.told.is_some()
                && e.facts.is_popup()
                && e.facts.bounds(self.origin(*key)).is_some_and(|bounds| bounds.contains(x, y))
        };
        let depth = |key: NativeKey| {
            std::iter::successors(Some(key), |key| self.nodes.get(key)?.facts.parent).count()
        };
        let shown = self.nodes.iter().filter(|(key, e)| shows_there(key, e)).map(|(key, _)| *key);
        shown.max_by_key(|key| (depth(*key), *key))
    }
}
