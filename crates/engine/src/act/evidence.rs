//! What is known of an element besides the tree: who takes the pointer there, and whether it keeps its place.

use crate::backend::Deadline;
use crate::session::Session;
use stillpoint_core::judge::actionability::required;
use stillpoint_core::judge::{Evidence, HitTest, Identity, Predicate, Stillness, Verb};
use stillpoint_core::tree::{ElementId, Rect};
use stillpoint_core::{Code, Moment, Result};

/// Evidence about one element, gathered look by look.
pub(super) struct Gathered {
    id: ElementId,
    found_as: Option<Identity>,
    native: bool,
    asks_pointer: bool,
    bounds: Option<Rect>,
    moved_at: Moment,
}

impl Gathered {
    pub(super) fn new(session: &Session, id: ElementId, verb: Verb) -> Self {
        let capabilities = session.capabilities();
        let now = session.now();
        let (found_as, acts, bounds, last_layout) = session.read_mirror(|mirror| {
            let node = mirror.tree().get(id);
            let acts = node.is_some_and(|n| !n.actions().is_empty());
            (node.map(Identity::of), acts, node.and_then(|n| n.bounds()), mirror.last_layout())
        });
        let pointer = matches!(verb, Verb::Hover | Verb::Drag | Verb::Swipe | Verb::Scroll | Verb::LongPress);
        Gathered {
            id,
            found_as,
            native: capabilities.native_actions && acts && !pointer,
            asks_pointer: capabilities.hit_test && required(verb).contains(&Predicate::ReceivesPointer),
            bounds,
            // If anything moved lately, this element is watched from now on; if nothing did, it has kept its place.
            moved_at: last_layout.map_or(Moment::START, |at| at.min(now)),
        }
    }

    /// What the mirror alone says.
    pub(super) fn glance(&mut self, session: &Session) -> Evidence {
        let bounds = session.read(|tree| tree.get(self.id).and_then(|n| n.bounds()));
        let now = session.now();
        if bounds != self.bounds {
            self.bounds = bounds;
            self.moved_at = now;
        }
        Evidence {
            now,
            found_as: self.found_as.clone(),
            hit: HitTest::Unknown,
            stillness: Stillness::MovedAt(self.moved_at),
            viewport: None,
            native_action: self.native,
        }
    }

    /// Also asks the app who takes the pointer there.
    pub(super) async fn look(&mut self, session: &Session, deadline: Deadline) -> Result<Evidence> {
        let mut evidence = self.glance(session);
        if let Some(bounds) = self.bounds.filter(|b| self.asks_pointer && b.has_area()) {
            evidence.hit = self.hit(session, bounds, deadline).await?;
        }
        Ok(Evidence { now: session.now(), ..evidence })
    }

    async fn hit(&self, session: &Session, bounds: Rect, deadline: Deadline) -> Result<HitTest> {
        let (x, y) = bounds.center();
        let asked = session.backend().hit_test(x, y, deadline);
        match deadline.bound("what lies under the pointer", asked).await {
            Ok(Some(key)) => {
                Ok(session.read(|tree| tree.by_key(key)).map_or(HitTest::Unknown, HitTest::Element))
            }
            Ok(None) => Ok(HitTest::Foreign),
            Err(error) if error.code == Code::Unsupported => Ok(HitTest::Unknown),
            Err(error) => Err(error),
        }
    }
}
